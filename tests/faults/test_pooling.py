"""The service behind a proxy that lends connections for a transaction at a time (pgbouncer)."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from uuid import uuid4

import httpx
import pytest

from games.core.game import SPECTATOR
from service import migrate
from tests import servers
from tests.faults import builds
from tests.faults.history import faults
from tests.faults.loads import under_load
from tests.faults.outages import assert_told
from tests.faults.players import give, insisting_client, next_answers, open_table, play_out
from tests.faults.pooler import Pooler, pooler
from tests.faults.serving import KEY, Service, built, plain_client, service
from tests.faults.stored import assert_sound, final_of
from tests.faults.subscribing import subscribed


@pytest.fixture
def pooled(postgres_server: str) -> Iterator[Pooler]:
    """To a new database, which is migrated through it."""
    name = f"test_{uuid4().hex}"
    url = servers.create_database(postgres_server, name)
    try:
        with pooler(url) as made:
            migrate.upgrade(made.url)
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))
    finally:
        servers.drop_database(postgres_server, name)


async def test_matches_are_played_through_a_pooler_that_is_killed(
    pooled: Pooler, tmp_path: Path
) -> None:
    async with (
        service(tmp_path, pooled.url) as one,
        service(tmp_path, pooled.url) as other,
        insisting_client(one.url) as http,
        insisting_client(other.url) as elsewhere,
        plain_client(one.url) as once,
    ):
        await one.start()
        await other.start()
        waiting = await open_table(http)
        (ask,) = await next_answers(http, waiting, Random(1))
        tables = [await open_table(each, rounds=2) for each in (http, elsewhere)]
        async with (
            subscribed(other.url, tables[0], KEY) as watcher,
            subscribed(one.url, tables[1], KEY) as second,
            asyncio.TaskGroup() as tasks,
        ):
            first = tasks.create_task(play_out(http, tables[0]))
            then = tasks.create_task(play_out(elsewhere, tables[1], seed=2))
            await watcher.until(20)
            assert not first.done()
            await asyncio.to_thread(pooled.kill)
            await assert_told(once, waiting, ask)
            await asyncio.to_thread(pooled.start)
            histories = [await first, await then]
            await watcher.to_the_end()
            await second.to_the_end()
        assert (await give(http, waiting, ask)).status_code == 200
        for table, history, seen in zip(tables, histories, (watcher, second), strict=True):
            final = final_of(await assert_sound(one, table.match_id))
            assert faults(history, final) == []
            assert seen.events == final.seen[SPECTATOR]


@pytest.mark.soak
async def test_a_pooler_is_killed_for_long(pooled: Pooler, tmp_path: Path) -> None:
    async with service(tmp_path, pooled.url) as served:
        await served.start()
        await under_load(served, _kill_for(90, pooled), at_once=6)


async def _kill_for(seconds: float, pooled: Pooler) -> None:
    rng, until = Random(), time.monotonic() + seconds
    while time.monotonic() < until:
        await asyncio.sleep(rng.uniform(0.05, 2))
        await asyncio.to_thread(pooled.kill)
        await asyncio.sleep(rng.uniform(0, 0.5))
        await asyncio.to_thread(pooled.start)


async def test_statements_that_are_prepared_for_later_are_lost(
    pooled: Pooler, tmp_path: Path
) -> None:
    """Without what `pooling=transaction` changes no match comes to its end."""
    async with (
        built(builds.naming_statements, tmp_path, pooled.url) as broken,
        insisting_client(broken.url) as http,
    ):
        await broken.start(is_awaited=False)
        with pytest.raises(AssertionError, match='"status":500'):
            await _played_to_the_end(broken, http)


async def test_a_pooler_that_is_not_told_of_is_refused(pooled: Pooler, tmp_path: Path) -> None:
    """It does not take the settings of a session, so nothing is run without them."""
    untold = pooled.url.partition("?")[0]
    async with service(tmp_path, untold) as served:
        await served.start(is_awaited=False)
        assert await served.exit_code() == 2
        assert "unsupported startup parameter" in served.said()


async def _played_to_the_end(served: Service, http: httpx.AsyncClient) -> None:
    await served.until_ready()
    for seed in range(4):
        await play_out(http, await open_table(http), seed=seed)
