"""Eight writers, three that may hold the feed's lease, kill -9 and SIGSTOP at random moments and
at the worst.

Whatever happens, the feed is dense and complete, in the order of each match, and every root that
was signed continues the one before.
"""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Connection, select, text, update
from sqlalchemy.exc import IntegrityError

from events import merkle, notes
from events.chain import genesis
from events.checkpoints import Signer
from events.database import Database
from events.feed import Entry, Sequencer, entries_after, state_of
from events.notes import Checkpoint
from events.store import Store
from events.tables import CHECKPOINT, EVENT, FEED_STATE, MARK, MATCH
from tests.events.appends import creation
from tests.faults.feeding import (
    CAUGHT,
    DEPOSED,
    FAULTS,
    KEY,
    LEASE_MS,
    ORIGIN,
    Worker,
    acknowledged,
    misdeeds,
)
from tests.waiting import PATIENCE

WRITERS, SEQUENCERS, SHARED = 8, 3, 4

_SESSIONS = text(
    "SELECT state, wait_event, pg_blocking_pids(pid), now() - xact_start, left(query, 60)"
    " FROM pg_stat_activity WHERE datname = current_database()"
)


@pytest.fixture
def postgres_url(own_url: str) -> str:
    """A database of the test's own: what a faulty sequencer left would be found by the next."""
    return own_url


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(postgres_url)
    yield opened
    await opened.close()


async def test_nothing_is_lost_doubled_or_out_of_order(
    database: Database, postgres_url: str, tmp_path: Path
) -> None:
    await _torn(database, postgres_url, tmp_path, seconds=8)


@pytest.mark.soak
async def test_nothing_is_lost_doubled_or_out_of_order_for_long(
    database: Database, postgres_url: str, tmp_path: Path
) -> None:
    await _torn(database, postgres_url, tmp_path, seconds=45)


# What is found of each fault. The epoch keeps out who has lost the lease; where it does not, the
# size still does as soon as anybody has written since, and under that the keys of the table. With
# one of these lines gone the feed is right all the same, with all of them it is not.
FOUND = {
    "no epoch": DEPOSED,
    "no epoch, no size": CAUGHT,
    "placing anew": "the feed|duplicate key",  # The honest one that comes last is stopped, too.
    "forgetting first": "the feed",
}


@pytest.mark.soak
@pytest.mark.parametrize("fault", [name for name in FAULTS if name])
async def test_a_faulty_sequencer_is_found(
    database: Database, postgres_url: str, tmp_path: Path, fault: str
) -> None:
    with pytest.raises((AssertionError, IntegrityError), match=FOUND[fault]):
        await _torn(database, postgres_url, tmp_path, seconds=20, fault=fault)


async def _torn(
    database: Database, url: str, folder: Path, seconds: float, fault: str = ""
) -> None:
    shared = [str(uuid4()) for _ in range(SHARED)]
    for match_id in shared:
        await Store(database).append(creation(match_id))
    await database.write(lambda c: c.execute(update(FEED_STATE).values(origin=ORIGIN)))
    writers = [Worker("write", url, folder, shared) for _ in range(WRITERS)]
    sequencers = [Worker("sequence", url, folder, shared, fault) for _ in range(SEQUENCERS)]
    is_over = asyncio.Event()
    reading = asyncio.create_task(_read(database, is_over))
    try:
        done = await _trouble(database, writers, sequencers, seconds)
    finally:
        for worker in (*writers, *sequencers):
            worker.kill()
    assert done["takeovers"] > 2
    await _finish(database)
    is_over.set()
    seen = await reading
    await _assert_right(database, seen, acknowledged(folder))
    found = misdeeds(folder)
    assert CAUGHT not in found, f"a sequencer {CAUGHT}"
    assert DEPOSED not in found, f"a sequencer {DEPOSED}"
    print(dict(done), f"{len(seen)} positions, {seen[-1].position} the last")


async def _trouble(
    database: Database, writers: Sequence[Worker], sequencers: Sequence[Worker], seconds: float
) -> Counter[str]:
    """Kills and stops for so long; how often, and how often a stopped leader was replaced."""
    rng, done = random.Random(), Counter[str]()
    until = time.monotonic() + seconds
    while time.monotonic() < until or done["takeovers"] < 3:
        for worker in (*writers, *sequencers):
            worker.ensure()
        await asyncio.sleep(rng.uniform(0.05, 0.4))
        act = rng.choice(("writer", "writer", "sequencer", "pause"))
        done[act] += 1
        match act:
            case "writer":
                rng.choice(writers).kill()
            case "sequencer":
                rng.choice(sequencers).kill()
            case "pause":
                done["takeovers"] += await _pause_leader(database, sequencers)
    return done


async def _pause_leader(database: Database, sequencers: Sequence[Worker]) -> bool:
    """Stop the process that holds the lease until another has it; then let it go on."""
    before = await database.read(state_of)
    leader = next((each for each in sequencers if each.name == before.holder), None)
    if leader is None:
        return False
    leader.signal(signal.SIGSTOP)
    now = before
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                for each in (each for each in sequencers if each is not leader):
                    each.ensure()  # The others may die of themselves.
                now = await database.read(state_of)
                if now.epoch != before.epoch:
                    break
                await asyncio.sleep(LEASE_MS / 4000)
    except TimeoutError:
        waiting = await database.read(lambda c: c.execute(_SESSIONS).all())
        pytest.fail(f"nobody took over from {leader.pid}: {now}, {waiting}")
    finally:
        leader.signal(signal.SIGCONT)
    # Long enough for it to try what it had in mind.
    await asyncio.sleep(0.1)
    return True


async def _read(database: Database, is_over: asyncio.Event) -> list[Entry]:
    """Everything by position, as it comes."""
    seen: list[Entry] = []
    while True:
        was_over = is_over.is_set()
        after = len(seen)
        page = await database.read(lambda c, after=after: entries_after(c, after, 200))  # type: ignore[misc]
        seen += page
        if was_over and not page:
            return seen
        await asyncio.sleep(0.02)


async def _finish(database: Database) -> None:
    """All that is left is taken in and signed."""
    own, signer = Sequencer(database, "last", LEASE_MS), Signer(database)
    async with asyncio.timeout(PATIENCE):
        await asyncio.sleep(2 * LEASE_MS / 1000)
        epoch = await own.lead()
        assert epoch is not None, "all that held the lease are dead"
        while await own.round(epoch) or own.is_behind:
            epoch = await own.lead() or epoch
        # Rows that a dying append held are free by now.
        while await database.read(lambda c: c.execute(select(MARK)).first()) is not None:
            epoch = await own.lead() or epoch
            await own.round(epoch)
            await asyncio.sleep(0.05)
        epoch = await own.lead() or epoch
        await signer.sign(epoch, [KEY], 1)


async def _assert_right(
    database: Database, seen: Sequence[Entry], promised: dict[str, int]
) -> None:
    entries = await database.read(lambda c: entries_after(c, 0, 1_000_000))
    assert list(seen) == entries, "the feed that a reader saw was another one"
    positions = [each.position for each in entries]
    assert positions == list(range(1, len(entries) + 1)), "the feed has gaps"
    heads, hashes = await database.read(_heads), await database.read(_hashes)
    reached: dict[str, Entry] = {}
    for each in entries:
        match_id = str(each.match_id)
        before = reached.get(match_id)
        first, prev = (before.last + 1, before.head) if before else (1, genesis(match_id, 2))
        assert (each.first, each.before) == (first, prev), "the feed is out of order"
        assert each.head == hashes[match_id, each.last], "the feed names another hash"
        reached[match_id] = each
    last = {of: each.last for of, each in reached.items()}
    assert last == heads, "the feed is not complete"
    assert all(heads[match_id] >= version for match_id, version in promised.items())
    assert len(promised) > WRITERS
    assert sum(promised.values()) > 100
    await _assert_signed(database, entries)


async def _assert_signed(database: Database, entries: Sequence[Entry]) -> None:
    """Each root is that of the first leaves of the feed, computed anew, so all are consistent."""
    query = select(CHECKPOINT.c.size, CHECKPOINT.c.root, CHECKPOINT.c.note)
    rows = await database.read(lambda c: c.execute(query.order_by(CHECKPOINT.c.size)).all())
    leaves = [merkle.leaf_hash(each.leaf) for each in entries]
    public = KEY.public_key().public_bytes_raw()
    known: list[Checkpoint] = []
    for size, root, note in rows:
        checkpoint = notes.opened(note, ORIGIN, public)
        assert (checkpoint.size, checkpoint.root) == (size, bytes(root))
        known.append(checkpoint)
    assert len(known) > 1
    assert known[-1].size == len(entries)
    for checkpoint in known[:: max(1, len(known) // 40)]:
        assert merkle.over(leaves[: checkpoint.size]) == checkpoint.root


def _heads(connection: Connection) -> dict[str, int]:
    rows = connection.execute(select(MATCH.c.match_id, MATCH.c.version))
    return {str(of): version for of, version in rows}


def _hashes(connection: Connection) -> dict[tuple[str, int], bytes]:
    rows = connection.execute(select(EVENT.c.match_id, EVENT.c.version, EVENT.c.hash))
    return {(str(of), version): bytes(head) for of, version, head in rows}
