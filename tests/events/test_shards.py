"""On a cluster the appends of a transaction are of one shard, and right where they are not."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection

from events import batching
from events.append import Append, Appended, Conflict
from events.database import Database, DatabaseUnreachable
from events.flush import flush
from events.store import Store
from tests.events.appends import creation, following
from tests.events.citus import SHARDS, shard_of, stand_in

COUNT = 40


class Spanning(Exception):
    """What a cluster says to rows of several shards that are to be locked."""


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[Store]:
    stand_in(postgres_url)
    database = await Database.open(postgres_url)
    database.is_cluster = True
    yield Store(database)
    await database.close()


@pytest.fixture
def lying(postgres_url: str) -> dict[str, int]:
    """The shards of matches to be, by id."""
    stand_in(postgres_url)
    return shard_of(postgres_url, [str(uuid4()) for _ in range(COUNT)])


@pytest.fixture
def flushes(monkeypatch: pytest.MonkeyPatch, lying: dict[str, int]) -> list[int]:
    """How many appends each transaction had; one that spans shards is refused."""
    done = list[int]()

    def strict(connection: Connection, appends: Sequence[Append]) -> Any:
        done.append(len(appends))
        if len({lying[each.match_id] for each in appends}) > 1:
            raise Spanning
        return flush(connection, appends)

    monkeypatch.setattr(batching, "flush", strict)
    return done


async def _created(store: Store, lying: dict[str, int]) -> list[Append]:
    made = [creation(match_id) for match_id in lying]
    answers = await asyncio.gather(*map(store.append, made))
    assert set(map(type, answers)) == {Appended}
    return made


async def test_a_batch_is_one_transaction_a_shard(
    store: Store, lying: dict[str, int], flushes: list[int]
) -> None:
    assert len(set(lying.values())) == SHARDS
    made = await _created(store, lying)
    assert len(flushes) <= 2 * SHARDS  # The first may have gone alone.
    assert sum(flushes) == COUNT
    flushes.clear()
    answers = await asyncio.gather(*(store.append(following(each, "move")) for each in made))
    assert set(map(type, answers)) == {Appended}
    assert sum(flushes) == COUNT


async def test_each_is_answered_as_if_there_was_one_shard(
    store: Store, lying: dict[str, int], flushes: list[int]
) -> None:
    made = await _created(store, lying)
    await store.append(following(made[7], "other"))
    answers = await asyncio.gather(*(store.append(following(each, "move")) for each in made))
    assert [number for number, each in enumerate(answers) if isinstance(each, Conflict)] == [7]


async def test_what_is_known_of_shards_may_be_wrong(
    store: Store, lying: dict[str, int], flushes: list[int]
) -> None:
    shards = store._batcher._shards
    assert shards is not None
    shards._known.update(dict.fromkeys(lying, 1))
    made = await _created(store, lying)
    assert len(flushes) > COUNT / 2, "they were not tried together"
    flushes.clear()
    await asyncio.gather(*(store.append(following(each, "move")) for each in made))
    assert len(flushes) <= 2 * SHARDS, "it was not asked anew"


async def test_while_nobody_can_tell_all_go_together(
    store: Store, lying: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = store._batcher._shards
    assert shards is not None

    async def away(_work: object) -> None:
        raise DatabaseUnreachable("away")

    made = [creation(match_id) for match_id in lying]
    monkeypatch.setattr(shards._database, "read", away)
    assert await shards.grouped(made) == [made]
