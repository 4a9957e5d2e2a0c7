"""Folded matches at hand: as new as the log, shared, bounded, and never trusted."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, delete, select, text, update

from events import snapshots
from events.append import Append, Appended, GameData
from events.canonical import canonical
from events.chain import genesis
from events.database import Work
from events.match import LogBroken, Match
from events.schema import UnknownSchema
from events.snapshots import MatchCache, Saved, Wrong, fingerprint, save, saved
from events.store import Store
from events.tables import COMMAND, EVENT, MATCH, SNAPSHOT
from events.types import Record, Status
from games import registry
from games.core.tables import digest
from tests.events.appends import NEW
from tests.events.disputed import ask_back, ruled, to_boundary
from tests.events.scripted import Table

LONG = 10  # events worth a snapshot in these tests


class Reads:
    """A store that counts the pages it reads."""

    def __init__(self, store: Store) -> None:
        self.pages = 0
        self._records = store.records
        store.records = self.records  # type: ignore[method-assign]

    async def records(self, match_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        self.pages += 1
        return await self._records(match_id, after, limit)


@pytest.fixture
def table() -> Table:
    """A match of high card played for a while."""
    played = Table(registry.game("high_card"), 2, match_id=str(uuid4())).play_on(Random(1), most=4)
    assert played.current.version >= LONG
    return played


@pytest.fixture
async def cache(store: Store) -> AsyncIterator[MatchCache]:
    opened = MatchCache(store, every=LONG)
    yield opened
    await opened.close()


async def stored(store: Store, table: Table, after: int = 0, **created: Any) -> None:
    """Append what the table has after a version, in one go."""
    records = table.records[after:]
    current = table.current
    head = table.records[after - 1].hash if after else genesis(current.match_id, current.seats)
    append = Append(
        match_id=current.match_id,
        key=f"from {after}",
        request=b"",
        expected_version=after,
        expected_hash=head,
        records=records,
        status=Status.RUNNING,
        created=None if after else replace(NEW, seats=current.seats, **created),
    )
    assert isinstance(await store.append(append), Appended)


def same(one: Match | None, other: Match | None) -> bool:
    """Equal in every field; raw JSON is compared by its bytes."""
    assert one is not None
    assert other is not None
    names = [name for name in one.__struct_fields__ if name not in ("game", "head")]
    assert one.game is other.game
    assert one.head == other.head
    return all(canonical(getattr(one, n)) == canonical(getattr(other, n)) for n in names)


async def test_an_unknown_match_is_none(cache: MatchCache) -> None:
    assert await cache.load(str(uuid4())) is None


async def test_a_match_is_folded_from_its_log(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    assert same(await cache.load(table.current.match_id), table.current)


@pytest.mark.parametrize("more", [0, 1, 2, 6])
async def test_what_a_server_has_lost_is_read_anew(
    store: Store, cache: MatchCache, table: Table, more: int
) -> None:
    """The one that took over lacks what was read of the one before, and goes on otherwise."""
    match_id, start = table.current.match_id, len(table.records)
    other = Table(table.current.game, 2, match_id=match_id).play_on(Random(1), most=4)
    assert other.records == table.records
    await stored(store, table)
    table.play_on(Random(2), most=2)
    await stored(store, table, start)
    assert same(await cache.load(match_id), table.current)
    lost: list[str] = []
    cache._lost = lost.append
    await store.database.write(lambda connection: _lose(connection, match_id, other.records[-1]))
    if more:
        other.play_on(Random(3), most=more)
        await stored(store, other, start)
    assert same(await cache.load(match_id), other.current)
    assert set(lost) == {match_id}
    assert same(cache.peek(match_id), other.current)


async def test_a_kept_match_is_completed_by_newer_records(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    before = await cache.load(table.current.match_id)
    assert before is not None
    table.play_on(Random(2), most=3)
    await stored(store, table, before.version)
    assert same(await cache.load(table.current.match_id), table.current)
    assert cache.peek(table.current.match_id) is not before


async def test_a_kept_match_that_is_still_new_is_not_read_again(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    reads = Reads(store)
    first = await cache.load(table.current.match_id)
    assert await cache.load(table.current.match_id) is first
    assert reads.pages == 1


async def test_what_was_put_is_kept_if_it_is_newer(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    older = table.steps[-2].after
    cache.put(table.current)
    cache.put(older)
    reads = Reads(store)
    assert await cache.load(table.current.match_id) is table.current
    assert reads.pages == 0


async def test_loads_at_once_share_one_read(store: Store, cache: MatchCache, table: Table) -> None:
    await stored(store, table)
    reads = Reads(store)
    loaded = await asyncio.gather(*(cache.load(table.current.match_id) for _ in range(50)))
    assert reads.pages == 1
    assert len(set(map(id, loaded))) == 1


async def test_a_caller_that_leaves_does_not_stop_the_others(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    loads = [asyncio.ensure_future(cache.load(table.current.match_id)) for _ in range(3)]
    await asyncio.sleep(0.002)
    loads[0].cancel()
    assert same(await loads[1], table.current)
    assert same(await loads[2], table.current)


async def test_matches_beyond_the_bounds_are_dropped(store: Store) -> None:
    tables = [Table(registry.game("high_card"), 2, match_id=str(uuid4())) for _ in range(3)]
    by_count, by_bytes = MatchCache(store, most=2), MatchCache(store, most_bytes=1)
    for table in tables:
        by_count.put(table.current)
        by_bytes.put(table.current)
    kept = [by_count.peek(table.current.match_id) is not None for table in tables]
    assert kept == [False, True, True]
    assert all(by_bytes.peek(table.current.match_id) is None for table in tables)


async def test_a_long_fold_leaves_a_snapshot_that_saves_reading(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    await cache.load(table.current.match_id)
    await cache.close()
    assert same(await saved(store, table.current.match_id), table.current)
    reads, fresh = Reads(store), MatchCache(store, every=LONG)
    fresh._restored = 1  # The first is folded whole as well.
    assert same(await fresh.load(table.current.match_id), table.current)
    assert reads.pages == 1


async def test_a_snapshot_is_completed_by_newer_records_and_replaced(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    await cache.load(table.current.match_id)
    await cache.close()
    version = table.current.version
    table.play_on(Random(3), most=30)
    await stored(store, table, version)
    fresh = MatchCache(store, every=1)
    assert same(await fresh.load(table.current.match_id), table.current)
    await fresh.close()
    versions = await store.database.read(_snapshot_versions(table.current.match_id))
    assert versions == [table.current.version]


async def test_a_snapshot_of_other_code_is_ignored(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    await cache.load(table.current.match_id)
    await cache.close()
    other = update(SNAPSHOT).values(fingerprint=b"other")
    await store.database.write(lambda connection: connection.execute(other))
    assert await saved(store, table.current.match_id) is None
    fresh = MatchCache(store, every=LONG)
    assert same(await fresh.load(table.current.match_id), table.current)
    await fresh.close()


async def test_a_snapshot_that_can_not_be_read_is_ignored(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    await cache.load(table.current.match_id)
    await cache.close()
    spoilt = update(SNAPSHOT).values(state=b'{"version": 3}')
    await store.database.write(lambda connection: connection.execute(spoilt))
    assert await saved(store, table.current.match_id) is None


def test_the_fingerprint_follows_rules_code_and_data(monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.game("high_card")
    fingerprint.cache_clear()
    before = fingerprint(game)
    assert fingerprint(dataclasses.replace(game, rules_version=9)) != before
    assert fingerprint(dataclasses.replace(game, data_digest="other")) != before
    monkeypatch.setattr(snapshots, "_code", lambda game: b"edited")
    fingerprint.cache_clear()
    assert fingerprint(game) != before
    fingerprint.cache_clear()


def test_a_snapshot_holds_every_field_of_a_match() -> None:
    assert set(Saved.__struct_fields__) == set(Match.__struct_fields__) - {"game"}


@pytest.mark.parametrize("page", [4, 7, 500])
async def test_a_rewound_match_is_folded_whole_and_kept_on(
    store: Store, table: Table, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    monkeypatch.setattr(snapshots, "PAGE", page)
    reading = MatchCache(store, every=LONG)
    await stored(store, table)
    before = await reading.load(table.current.match_id)
    assert before is not None
    ruled(table, to_boundary(table, "round 1"))
    table.play_on(Random(2), most=1, talk=0)
    ask_back(table, 0)
    await stored(store, table, before.version)
    assert same(await reading.load(table.current.match_id), table.current)
    assert same(await MatchCache(store, every=LONG).load(table.current.match_id), table.current)
    await reading.close()
    await save(store, table.current)
    assert same(await saved(store, table.current.match_id), table.current)


async def test_an_unknown_kind_stops_the_reader(
    store: Store, cache: MatchCache, table: Table
) -> None:
    await stored(store, table)
    query = text("UPDATE event SET kind = 'from_the_future' WHERE match_id = :of AND version = 4")
    values = {"of": table.current.match_id}
    await store.database.write(lambda connection: connection.execute(query, values))
    told: list[tuple[str, Wrong]] = []
    cache._wrong = lambda *each: told.append(each)
    with pytest.raises(UnknownSchema):
        await cache.load(table.current.match_id)
    assert cache.peek(table.current.match_id) is None
    assert not told, "it may be sound"


@pytest.mark.parametrize("version", [4, 0])
async def test_a_record_that_is_missing_stops_the_reader(
    store: Store, cache: MatchCache, table: Table, version: int
) -> None:
    await stored(store, table)
    gone = version or table.current.version
    query = text("DELETE FROM event WHERE match_id = :of AND version = :version")
    values = {"of": table.current.match_id, "version": gone}
    await store.database.write(lambda connection: connection.execute(query, values))
    told: list[tuple[str, Wrong]] = []
    cache._wrong = lambda *each: told.append(each)
    with pytest.raises(LogBroken):
        await cache.load(table.current.match_id)
    assert told == [(table.current.match_id, Wrong.LOG)]


async def test_component_tables_are_taken_from_the_database(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = b'{"cards":12}'
    game = registry.install("high_card", tables)
    table = Table(game, 2, match_id=str(uuid4()))
    data = GameData(digest(tables), "high_card", tables)
    await stored(store, table, game_data=data)
    # Another process, which has not installed them.
    monkeypatch.delitem(registry._made, ("high_card", game.rules_version, data.digest))
    monkeypatch.delitem(registry._tables, ("high_card", data.digest))
    loaded = await MatchCache(store).load(table.current.match_id)
    assert loaded is not None
    assert loaded.game.data_digest == data.digest


def _snapshot_versions(match_id: str) -> Work[list[int]]:
    query = select(SNAPSHOT.c.version).where(SNAPSHOT.c.match_id == match_id)

    def work(connection: Connection) -> list[int]:
        return list(connection.scalars(query))

    return work


def _lose(connection: Connection, match_id: str, last: Record) -> None:
    """All after that record."""
    for table, version in ((EVENT, EVENT.c.version), (COMMAND, COMMAND.c.last)):
        connection.execute(
            delete(table).where(table.c.match_id == match_id, version > last.version)
        )
    connection.execute(
        update(MATCH)
        .where(MATCH.c.match_id == match_id)
        .values(version=last.version, head=last.hash)
    )
