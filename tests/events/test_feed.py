"""The sequencer: every committed event gets its place, once, in the order of its match.

Each step that guards this is also taken away, to see that these tests notice.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, delete, select, text, update
from sqlalchemy.exc import IntegrityError

from events import feed, feedsql
from events.append import Append, Appended
from events.batching import inert
from events.chain import genesis
from events.database import Database, _Sqlite
from events.feed import Deposed, Entry, Sequencer, entries_after, state_of
from events.flush import flush
from events.store import Store
from events.tables import FEED, FEED_STATE, MARK, MATCH
from tests.events.appends import NEW, creation, following
from tests.events.citus import stand_in

Patch = pytest.MonkeyPatch
LEASE_MS = 60_000


@pytest.fixture(params=("sqlite_url", "postgres_url", "cluster"))
async def database(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    """Empty of matches; on PostgreSQL also the way that a cluster takes."""
    is_cluster = request.param == "cluster"
    url = request.getfixturevalue("postgres_url" if is_cluster else request.param)
    if is_cluster:
        stand_in(url)
    opened = await Database.open(url)
    opened.is_cluster = is_cluster
    await opened.write(emptied)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> Store:
    return Store(database)


def emptied(connection: Connection) -> None:
    for table in (FEED, MARK, MATCH):
        connection.execute(delete(table))
    connection.execute(update(FEED_STATE).values(size=0, holder=None, lease_until=0))
    connection.execute(text("CREATE UNIQUE INDEX IF NOT EXISTS ix_feed_match_id"
                            ' ON feed (match_id, "last")'))  # fmt: skip


def without_net(connection: Connection) -> None:
    """The index that would refuse what the steps before it are there to prevent."""
    connection.execute(text("DROP INDEX ix_feed_match_id"))


def sequencer(database: Database, name: str = "one", **more: Any) -> Sequencer:
    return Sequencer(database, name, **{"lease_ms": LEASE_MS, **more})


async def leading(own: Sequencer) -> int:
    epoch = await own.lead()
    assert epoch is not None
    return epoch


async def expired(database: Database) -> None:
    await database.write(lambda c: c.execute(update(FEED_STATE).values(lease_until=0)))


async def appended(store: Store, *appends: Append) -> Append:
    for each in appends:
        assert isinstance(await store.append(each), Appended)
    return appends[-1]


async def grown(store: Store, before: Append, count: int = 1) -> Append:
    return await appended(store, following(before, str(uuid4()), count))


async def rows(database: Database) -> list[Entry]:
    return await database.read(lambda c: entries_after(c, 0, 10_000))


async def marked(database: Database) -> dict[str, int]:
    rows = await database.read(lambda c: c.execute(select(MARK)).all())
    return {row.match_id: row.version for row in rows}


def faults(entries: Sequence[Entry], heads: dict[str, int]) -> list[str]:
    """What is wrong with a feed that ought to hold matches up to these versions."""
    wrong = []
    if [each.position for each in entries] != list(range(1, len(entries) + 1)):
        wrong.append("positions are not dense")
    reached: dict[str, tuple[int, bytes]] = {}
    for each in entries:
        of = str(each.match_id)
        last, head = reached.get(of, (0, genesis(of, 2)))
        if (each.first, each.before) != (last + 1, head):
            wrong.append(f"{of} goes on from {each.first}, was at {last}")
        reached[of] = each.last, each.head
    if {of: last for of, (last, _) in reached.items()} != heads:
        wrong.append("not complete")
    return wrong


async def test_appends_get_positions_in_the_order_of_their_match(
    database: Database, store: Store
) -> None:
    one, other = await appended(store, creation()), await appended(store, creation())
    own = sequencer(database)
    epoch = await leading(own)
    assert await own.round(epoch) == 2
    one = await grown(store, one, 3)
    one = await grown(store, one)
    assert await own.round(epoch) == 1
    entries = await rows(database)
    assert faults(entries, {one.match_id: 5, other.match_id: 1}) == []
    last = entries[-1]
    assert (last.match_id, last.first, last.last) == (one.match_id, 2, 5)
    assert (last.head, last.status, last.org) == (one.last.hash, "running", "org")
    assert await marked(database) == {}
    assert await own.round(epoch) == 0


async def test_a_round_takes_in_some_matches_and_then_the_others(
    database: Database, store: Store
) -> None:
    made = [await appended(store, creation()) for _ in range(5)]
    own = sequencer(database, most=2)
    epoch = await leading(own)
    taken: list[int] = []
    while not taken or own.is_behind:
        # The first in the order of ids moves all the time, and keeps nobody waiting.
        first = min(made, key=lambda each: each.match_id)
        made[made.index(first)] = await grown(store, first)
        taken.append(await own.round(epoch))
    assert await own.round(epoch) <= 1
    heads = {each.match_id: each.last.version for each in made}
    assert faults(await rows(database), heads) == []


async def test_what_is_appended_while_a_round_runs_is_not_forgotten(
    database: Database, store: Store
) -> None:
    made, other = await appended(store, creation()), await appended(store, creation())
    own = sequencer(database)
    epoch = await leading(own)
    found = await own.gather(epoch)
    await own.integrate(found)
    made = await grown(store, made)
    await own.forget(found)
    assert await marked(database) == {made.match_id: 2}
    await own.round(epoch)
    assert faults(await rows(database), {made.match_id: 2, other.match_id: 1}) == []


async def test_forgetting_without_condition_would_lose_it(
    database: Database, store: Store, monkeypatch: Patch
) -> None:
    for name in ("_FORGET", "_FORGET_ONE", "_FORGET_SQLITE"):
        query: str = getattr(feedsql, name)
        for condition in (" AND mark.version <= free.version", " AND m.version <= r.version",
                          " AND mark.version <= r.version"):  # fmt: skip
            query = query.replace(condition, "")
        monkeypatch.setattr(feedsql, name, query.replace("version <= ?", "? > 0"))
    made, other = await appended(store, creation()), await appended(store, creation())
    own = sequencer(database)
    epoch = await leading(own)
    found = await own.gather(epoch)
    await own.integrate(found)
    made = await grown(store, made)
    await own.forget(found)
    await own.round(epoch)
    heads = {made.match_id: 2, other.match_id: 1}
    assert faults(await rows(database), heads) == ["not complete"]


async def test_a_crash_between_writing_and_forgetting_repeats_nothing(
    database: Database, store: Store
) -> None:
    made = await appended(store, creation())
    own = sequencer(database)
    epoch = await leading(own)
    await own.integrate(await own.gather(epoch))
    again = sequencer(database, "another")
    await expired(database)
    assert await again.round(await leading(again)) == 0
    assert faults(await rows(database), {made.match_id: 1}) == []
    assert await marked(database) == {}


async def test_the_lease_is_one_processs_at_a_time(database: Database) -> None:
    one, other = sequencer(database), sequencer(database, "other")
    epoch = await leading(one)
    assert await other.lead() is None
    assert await one.lead() == epoch
    await expired(database)
    assert await one.lead() == epoch, "nobody has taken it meanwhile"
    await expired(database)
    assert await leading(other) == epoch + 1
    assert await one.lead() is None
    await other.resign()
    assert await leading(one) == epoch + 2


async def paused_leader(
    database: Database, store: Store
) -> tuple[dict[str, int], Exception | None]:
    """One reads what is to be done and stands still; another takes over and does it; the first
    goes on. What it then meets, and what there should be.
    """
    made = await appended(store, creation())
    one, other = sequencer(database), sequencer(database, "other")
    found = await one.gather(await leading(one))
    await expired(database)
    await other.round(await leading(other))
    try:
        await one.integrate(found)
    except (Deposed, IntegrityError) as met:
        return {made.match_id: 1}, met
    return {made.match_id: 1}, None


async def test_a_leader_that_lost_its_lease_writes_nothing(
    database: Database, store: Store
) -> None:
    heads, met = await paused_leader(database, store)
    assert isinstance(met, Deposed)
    assert faults(await rows(database), heads) == []


def unfenced(*columns: str) -> Callable[..., bool]:
    """`_advance` without its conditions on these."""

    def advance(connection: Connection, found: Any, size: int, lease_ms: int) -> bool:
        state = state_of(connection)
        conditions = {"epoch": state.epoch == found.epoch, "size": state.size == found.size}
        if not all(holds for name, holds in conditions.items() if name not in columns):
            return False
        connection.execute(update(FEED_STATE).values(size=size))
        return True

    return advance


async def test_without_its_fence_it_would_write_twice(
    database: Database, store: Store, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(feed, "_advance", unfenced("epoch", "size"))
    _, met = await paused_leader(database, store)
    assert isinstance(met, IntegrityError), "the database is a net under it"


async def slow_leader(database: Database, store: Store) -> tuple[dict[str, int], Exception | None]:
    """As `paused_leader`, but what the other one writes is of a match the first knows nothing of:
    the positions it has in mind are taken, its rows are new.
    """
    made = await appended(store, creation())
    one, other = sequencer(database), sequencer(database, "other")
    found = await one.gather(await leading(one))
    await expired(database)
    epoch = await leading(other)
    try:
        await one.integrate(found)
    except (Deposed, IntegrityError) as met:
        await other.round(epoch)
        return {made.match_id: 1}, met
    await other.round(epoch)
    return {made.match_id: 1}, None


async def test_an_epoch_that_is_over_is_refused_even_if_nothing_was_written(
    database: Database, store: Store
) -> None:
    heads, met = await slow_leader(database, store)
    assert isinstance(met, Deposed)
    assert faults(await rows(database), heads) == []


async def test_without_the_check_of_the_epoch_two_would_write_side_by_side(
    database: Database, store: Store, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(feed, "_advance", unfenced("epoch"))
    _, met = await slow_leader(database, store)
    assert met is None


async def unknown_outcome(
    database: Database, store: Store
) -> tuple[dict[str, int], Exception | None]:
    """A round whose commit was not answered comes to be committed after the next one has read."""
    made = await appended(store, creation())
    own = sequencer(database)
    epoch = await leading(own)
    first, again = await own.gather(epoch), await own.gather(epoch)
    await own.integrate(first)
    try:
        await own.integrate(again)
    except (Deposed, IntegrityError) as met:
        return {made.match_id: 1}, met
    return {made.match_id: 1}, None


async def test_a_round_whose_outcome_was_unknown_is_not_written_twice(
    database: Database, store: Store
) -> None:
    heads, met = await unknown_outcome(database, store)
    assert isinstance(met, Deposed)
    assert faults(await rows(database), heads) == []


async def test_without_the_check_of_the_size_it_would_be(
    database: Database, store: Store, monkeypatch: Patch
) -> None:
    monkeypatch.setattr(feed, "_advance", unfenced("size"))
    _, met = await unknown_outcome(database, store)
    assert isinstance(met, IntegrityError)


@pytest.mark.parametrize("read", ["marks", "heads", "fed"])
async def test_what_comes_in_while_reading_is_taken_in_now_or_next_time(
    database: Database, store: Store, monkeypatch: Patch, read: str
) -> None:
    """Between any two of its reads."""
    made = await appended(store, creation())
    pending = [following(made, "later")]
    true = getattr(feedsql, read)

    def reading(connection: Connection, *rest: Any) -> Any:
        found = true(connection, *rest)
        while pending:
            committed_beside(database, pending.pop())
        return found

    own = sequencer(database)
    epoch = await leading(own)
    with monkeypatch.context() as patch:
        patch.setattr(feedsql, read, reading)
        await own.round(epoch)
    await own.round(epoch)
    assert faults(await rows(database), {made.match_id: 2}) == []
    assert await marked(database) == {}


def committed_beside(database: Database, append: Append) -> None:
    """From another thread, while the one under test is between two statements."""

    async def beside() -> None:
        other = await Database.open(database.url.render_as_string(hide_password=False))
        await Store(other).append(append)
        await other.close()

    def run() -> None:
        if isinstance(database, _Sqlite):
            # One process writes the file, through the one engine it has for that.
            assert database._writer is not None
            with database._writer.begin() as connection:
                flush(connection, [append])
        else:
            asyncio.run(beside())

    with ThreadPoolExecutor(1) as thread:
        thread.submit(run).result(20)


async def test_an_organisation_reads_its_own(database: Database, store: Store) -> None:
    mine = await appended(store, creation(created=replace(NEW, org="mine", external_id="x")))
    await appended(store, creation())
    own = sequencer(database)
    await own.round(await leading(own))
    found = await database.read(lambda c: entries_after(c, 0, 10, "mine"))
    assert [(each.match_id, each.external_id) for each in found] == [(mine.match_id, "x")]
    assert await database.read(lambda c: entries_after(c, found[0].position, 10, "mine")) == []


async def test_a_process_that_dies_before_the_commit_has_written_nothing(
    database: Database, store: Store
) -> None:
    class Died(Exception):
        pass

    def die(name: str) -> None:
        if name == "before_feed":
            raise Died

    made = await appended(store, creation())
    own = sequencer(database, crash_at=die)
    epoch = await leading(own)
    with pytest.raises(Died):
        await own.round(epoch)
    assert await rows(database) == []
    again = sequencer(database, crash_at=inert)
    await again.round(epoch)
    assert faults(await rows(database), {made.match_id: 1}) == []


async def test_who_stands_still_in_a_transaction_of_the_feed_is_cut_off(
    database: Database, store: Store, monkeypatch: Patch
) -> None:
    """Or those that take over, and appends that need the marks, would wait as long as it does."""
    if database.dialect == "sqlite":
        pytest.skip("one process has the file")
    bounded: list[str] = []
    true = feedsql.bound_pause

    def bound(connection: Connection, most_ms: int = feedsql.PAUSE_MS) -> None:
        true(connection, most_ms)
        query = "SHOW idle_in_transaction_session_timeout"
        bounded.append(str(connection.execute(text(query)).scalar_one()))

    monkeypatch.setattr(feedsql, "bound_pause", bound)
    writes: list[object] = []
    write = database.write

    async def counted(work: Any) -> Any:
        writes.append(work)
        return await write(work)

    monkeypatch.setattr(database, "write", counted)
    own = sequencer(database)
    await appended(store, creation())
    writes.clear()
    await own.round(await leading(own))
    await own.resign()
    assert len(bounded) == len(writes) == 4, "taken, written, forgotten, resigned"
    assert set(bounded) == {"1min", "5s"}
