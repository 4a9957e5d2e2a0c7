"""PostgreSQL runs, and no connection that could write is to be had.

Beside the service, builds of it that don't know what they are told are shown to be found out.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from random import Random
from uuid import uuid4

import httpx
import psycopg
import pytest

from games.core.game import SPECTATOR
from service import migrate
from tests import servers
from tests.faults import builds
from tests.faults.cluster import Cluster, cluster
from tests.faults.history import faults
from tests.faults.outages import assert_told, assert_unavailable
from tests.faults.players import (
    GAME,
    Ask,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
)
from tests.faults.serving import KEY, Service, built, plain_client
from tests.faults.stored import (
    answers_in,
    assert_continues,
    assert_sound,
    final_of,
    records_of,
)
from tests.faults.subscribing import subscribed
from tests.service.client import Table, bearer
from tests.waiting import until

CONNECTIONS = 30

Outage = Callable[[], AbstractAsyncContextManager[None]]
Told = Callable[[httpx.AsyncClient, Table, Ask], Awaitable[None]]


@pytest.fixture(scope="module")
def small_cluster() -> Iterator[Cluster]:
    """With few connections, and nobody else's."""
    try:
        with cluster(options=("-c", f"max_connections={CONNECTIONS}")) as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def url(small_cluster: Cluster) -> str:
    made = servers.create_database(small_cluster.url, f"test_{uuid4().hex}")
    migrate.upgrade(made)
    return made


async def test_all_connections_of_the_server_are_taken(
    small_cluster: Cluster, url: str, tmp_path: Path
) -> None:
    blind = partial(builds.blind_to, "53300")
    outage = partial(_off_the_loop, partial(_all_taken, small_cluster))
    await _outlived(tmp_path, url, outage, assert_told, blind)


async def test_all_connections_of_the_service_are_busy(url: str, tmp_path: Path) -> None:
    outage = partial(_off_the_loop, partial(_all_locked, url))
    await _outlived(tmp_path, url, outage, _assert_told_in_a_crowd, builds.blind_to_its_own_pool)


async def test_a_server_that_takes_no_writes_any_more(
    small_cluster: Cluster, url: str, tmp_path: Path
) -> None:
    """As one does that was told to stand down, before its connections are gone."""
    blind = partial(builds.blind_to, "25006")
    outage = partial(_off_the_loop, partial(_read_only, small_cluster))
    await _outlived(tmp_path, url, outage, _assert_told_when_writing, blind)


async def _outlived(
    folder: Path, url: str, outage: Outage, assert_told: Told, blind: Callable[[], None]
) -> None:
    """In the middle of a match; of a build that is blind to it the assertion fails."""
    async with (
        built(builds.impatient, folder, url) as served,
        built(blind, folder, url) as broken,
        insisting_client(served.url) as http,
        plain_client(served.url) as once,
    ):
        await served.start()
        await broken.start()
        waiting, table = await open_table(once), await open_table(once, rounds=2)
        (ask,) = await next_answers(once, waiting, Random(1))
        before = await records_of(served, waiting.match_id)
        async with subscribed(served.url, table, KEY) as watcher, asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(play_out(http, table))
            await watcher.until(15)
            assert not playing.done()
            async with outage():
                await assert_told(once, waiting, ask)
                await _assert_shown(broken, waiting, ask, assert_told)
            await served.until_ready()
            await playing
            await watcher.to_the_end()
        # Whoever was told 503 asks again: it is done once, whether it had been done or not.
        assert (await give(http, waiting, ask)).status_code == 200
        after = await records_of(served, waiting.match_id)
        assert_continues(after, before)
        assert answers_in(after[len(before) :]) == {ask.decision: 1}
        final = final_of(await assert_sound(served, table.match_id))
        assert faults(playing.result(), final) == []
        assert watcher.events == final.seen[SPECTATOR]


async def _assert_shown(broken: Service, table: Table, ask: Ask, assert_told: Told) -> None:
    async with plain_client(broken.url) as http:
        with pytest.raises(AssertionError, match='"status":500'):
            await assert_told(http, table, ask)


async def _assert_told_when_writing(http: httpx.AsyncClient, table: Table, ask: Ask) -> None:
    assert (await http.get("/livez")).status_code == 200
    assert_unavailable(await give(http, table, ask))
    made = await http.post("/v1/matches", json={"game": GAME, "seats": 4}, headers=bearer(KEY))
    assert_unavailable(made)


async def _assert_told_in_a_crowd(http: httpx.AsyncClient, table: Table, ask: Ask) -> None:
    """So many wait at once that some don't even get a connection."""

    async def look(seat: int) -> None:
        token = table.tokens[seat]
        assert_unavailable(await http.get(table.path + "/view", headers=bearer(token)))

    crowd = (look(number % len(table.tokens)) for number in range(30))
    await asyncio.gather(assert_told(http, table, ask), *crowd)


@asynccontextmanager
async def _off_the_loop(outage: Callable[[], Iterator[None]]) -> AsyncIterator[None]:
    steps = outage()
    await asyncio.to_thread(next, steps)
    try:
        yield
    finally:
        await asyncio.to_thread(next, steps, None)


def _all_taken(small_cluster: Cluster) -> Iterator[None]:
    """Every connection the server has."""
    taken: list[psycopg.Connection] = []

    def take() -> bool:
        with suppress(psycopg.OperationalError):
            while len(taken) < CONNECTIONS:
                taken.append(psycopg.connect(small_cluster.url, autocommit=True))
        if len(taken) < CONNECTIONS:
            own = [each.info.backend_pid for each in taken]
            taken[0].execute(_END_OTHERS, (own,))
        return len(taken) == CONNECTIONS

    try:
        until(take)
        yield
    finally:
        for each in taken:
            each.close()


def _all_locked(url: str) -> Iterator[None]:
    """No statement on a table comes to its end."""
    with psycopg.connect(url) as admin:
        tables = admin.execute(
            "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' ORDER BY 1"
        ).fetchall()
        names = ", ".join(name for (name,) in tables)
        admin.execute(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE".encode())
        yield


def _read_only(small_cluster: Cluster) -> Iterator[None]:
    reload = "SELECT pg_reload_conf()"
    small_cluster.run("ALTER SYSTEM SET default_transaction_read_only = on", reload)
    until(lambda: small_cluster.found("SHOW default_transaction_read_only") == "on")
    yield
    small_cluster.run("ALTER SYSTEM RESET default_transaction_read_only", reload)
    until(lambda: small_cluster.found("SHOW default_transaction_read_only") == "off")


_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND pid <> ALL(%s)"
)
