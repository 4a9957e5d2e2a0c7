"""SIGTERM: what was asked is answered, streams end so that they can be taken up again."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import httpx
import psycopg

from events.database import parsed_url
from games.core.game import SPECTATOR
from tests.faults.history import faults
from tests.faults.players import give, next_answers, open_table, play_out
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
    await served.start()
    table = await open_table(http)
    (ask,) = await next_answers(http, table, Random(1))
    before = await records_of(served, table.match_id)
    async with (
        subscribed(served.url, table, KEY) as watcher,
        plain_client(served.url) as once,
    ):
        await watcher.until(len(before))
        async with nothing_is_committed(served, table):
            moving = asyncio.create_task(give(once, table, ask))
            await is_held_up(served)
            served.ask_to_stop()
            await asyncio.sleep(PAUSE)
            assert not moving.done()
            assert served.is_running
        done = await moving
        assert (done.status_code, await served.exit_code()) == (200, 0)
        assert watcher.cuts == 0
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
