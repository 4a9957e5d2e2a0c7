"""SIGTERM: what was asked is answered, streams end so that they can be taken up again."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from random import Random

import httpx
import psycopg
import pytest

from events.database import parsed_url
from games.core.game import SPECTATOR
from tests.faults import builds
from tests.faults.history import faults
from tests.faults.players import (
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
    under_way,
)
from tests.faults.serving import KEY, Service, plain_client
from tests.faults.stored import answers_in, assert_sound, final_of, records_of
from tests.faults.subscribing import subscribed
from tests.service.client import Table
from tests.waiting import eventually

PAUSE = 1.0  # enough for a request to get as far as it can


@asynccontextmanager
async def nothing_is_committed(served: Service, table: Table) -> AsyncIterator[None]:
    """Appends to the match wait until the block ends."""
    url = parsed_url(served.database_url)
    if url.get_backend_name() == "sqlite":
        holder = sqlite3.connect(str(url.database), isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            holder.close()
        return
    with psycopg.connect(served.database_url) as connection:
        statement = "SELECT 1 FROM match WHERE match_id = %s FOR UPDATE"
        connection.execute(statement, (table.match_id,))
        yield


async def is_held_up(served: Service) -> None:
    """Returns when an append waits for its turn."""
    if parsed_url(served.database_url).get_backend_name() == "sqlite":
        await asyncio.sleep(PAUSE)  # Nobody can see it wait.
        return
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    url = served.database_url
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:

        async def count() -> object:
            return await (await connection.execute(waiting)).fetchone()

        await eventually(count, lambda found: found != (0,))


async def test_a_move_under_way_is_answered(served: Service, http: httpx.AsyncClient) -> None:
    await _answered_before_it_stops(served, http)


@pytest.mark.parametrize(
    ("build", "found"),
    [
        (builds.ending_at_once, "the move was not waited for"),
        pytest.param(builds.cutting_streams, "a stream was cut", marks=pytest.mark.soak),
    ],
)
async def test_who_stops_otherwise_is_found_out(
    on_sqlite: Service, build: Callable[[], None], found: str
) -> None:
    on_sqlite.build = build
    async with insisting_client(on_sqlite.url) as http:
        with pytest.raises(AssertionError, match=found):
            await _answered_before_it_stops(on_sqlite, http)


async def _answered_before_it_stops(served: Service, http: httpx.AsyncClient) -> None:
    await served.start()
    table = await open_table(http)
    (ask,) = await next_answers(http, table, Random(1))
    before = await records_of(served, table.match_id)
    async with (
        subscribed(served.url, table, KEY) as watcher,
        plain_client(served.url) as once,
        AsyncExitStack() as stack,
    ):
        await watcher.until(len(before))
        async with nothing_is_committed(served, table):
            moving = await stack.enter_async_context(under_way(give(once, table, ask)))
            await is_held_up(served)
            served.ask_to_stop()
            await asyncio.sleep(PAUSE)
            is_waited_for = served.is_running and not moving.done()
            assert is_waited_for, "the move was not waited for"
        done = await moving
        assert (done.status_code, await served.exit_code()) == (200, 0)
        assert watcher.cuts == 0, "a stream was cut"
        assert not watcher.is_at_end
        stored = await records_of(served, table.match_id)
        assert answers_in(stored)[ask.decision] == 1
        await served.start()
        await watcher.until(done.json()["last"])
        assert watcher.versions == list(range(1, len(stored) + 1))
        assert watcher.starts >= 2
        again = await give(once, table, ask)
        assert again.content == done.content


async def test_play_goes_on_after_stops(served: Service, http: httpx.AsyncClient) -> None:
    await served.start()
    table = await open_table(http, rounds=3)
    async with subscribed(served.url, table, KEY) as watcher:
        playing = asyncio.create_task(play_out(http, table))
        for version in (12, 24, 36):
            await watcher.until(version)
            assert await served.stop() == 0
            await served.start()
        history = await playing
        await watcher.to_the_end()
        assert watcher.cuts == 0
    final = final_of(await assert_sound(served, table.match_id))
    assert faults(history, final) == []
    assert watcher.events == final.seen[SPECTATOR]
