"""A disk that gets full in play: moves are refused, nothing is half-done, and play goes on once
there is room.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from uuid import uuid4

import httpx
import psycopg
import pytest

from games.core.game import SPECTATOR
from service import migrate
from tests import servers
from tests.faults.cluster import Cluster, cluster
from tests.faults.disks import Disk, MountRefused, Quota, lying, small_disk
from tests.faults.history import faults
from tests.faults.players import (
    GAME,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
)
from tests.faults.serving import KEY, Service, plain_client, service
from tests.faults.stored import assert_continues, assert_sound, final_of, records_of
from tests.faults.subscribing import subscribed
from tests.service.client import Table, bearer
from tests.waiting import eventually

MIB = {"sqlite": 32, "postgresql": 160}
LOG_MIB = 48
PAGES_LEFT = 500  # more matches than fit where a database has pages already
Place = tuple[Disk, str]  # and the URL of a database on it


@pytest.fixture(params=["sqlite", "sqlite-bound", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "sqlite-bound":
        disk = Quota(tmp_path)
        yield disk, _on_sqlite(disk)
        return
    try:
        with small_disk(MIB[request.param]) as mounted, _database(request.param, mounted) as url:
            yield mounted, url
    except (MountRefused, servers.ServerMissing) as missing:
        pytest.skip(str(missing))


@contextmanager
def _database(kind: str, disk: Disk) -> Iterator[str]:
    if kind == "sqlite":
        yield _on_sqlite(disk)
        return
    with cluster(disk=disk.path) as own:
        url = servers.create_database(own.url, f"test_{uuid4().hex}")
        migrate.upgrade(url)
        yield url


def _on_sqlite(disk: Disk) -> str:
    url = f"sqlite:///{disk.path}/plyscribe.db"
    migrate.upgrade(url)
    return url


async def test_a_full_disk_refuses_moves_until_there_is_room(place: Place, tmp_path: Path) -> None:
    await _filled(place, tmp_path, times=1)


async def test_it_is_found_when_what_had_no_room_is_acknowledged(tmp_path: Path) -> None:
    disk = Quota(tmp_path)
    disk.build = lying
    # Either a match is there that was never stored, or it is missed right away.
    with pytest.raises(AssertionError, match=r"match_id|internal"):
        await _filled((disk, _on_sqlite(disk)), tmp_path, times=1)


@pytest.mark.soak
async def test_a_disk_that_is_full_again_and_again(place: Place, tmp_path: Path) -> None:
    await _filled(place, tmp_path, times=10)


@pytest.mark.soak
async def test_without_room_for_its_log_postgresql_stops_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    """It ends itself, and that is an outage until there is room and it is started again."""
    try:
        with small_disk(LOG_MIB) as disk, cluster(log_disk=disk.path) as own:
            url = servers.create_database(own.url, f"test_{uuid4().hex}")
            migrate.upgrade(url)
            await _out_of_log(own, disk, url, tmp_path)
    except (MountRefused, servers.ServerMissing) as missing:
        pytest.skip(str(missing))


async def _out_of_log(own: Cluster, disk: Disk, url: str, folder: Path) -> None:
    async with service(folder, url) as served, plain_client(served.url) as once:
        await served.start()
        async with insisting_client(served.url) as http:
            tables = [await open_table(http) for _ in range(3)]
            playing = [asyncio.create_task(play_out(http, each)) for each in tables]
            try:
                disk.fill()
                await asyncio.to_thread(_write_log, own.url)
                assert await asyncio.to_thread(own.ended) != 0
                got = await eventually(lambda: once.get("/readyz"), lambda got: got.is_error)
                assert got.status_code == 503
                assert (await once.get("/livez")).status_code == 200
                assert not any(task.done() for task in playing)
                disk.free()
                await asyncio.to_thread(own.start)
                histories = await asyncio.gather(*playing)
            finally:
                for task in playing:
                    task.cancel()
                await asyncio.gather(*playing, return_exceptions=True)
        for table, history in zip(tables, histories, strict=True):
            assert faults(history, final_of(await assert_sound(served, table.match_id))) == []


def _write_log(url: str) -> None:
    """Until there is no room for more: the server goes down with whoever writes."""
    with suppress(psycopg.OperationalError), psycopg.connect(url, autocommit=True) as writer:
        for _ in range(LOG_MIB):
            writer.execute("SELECT pg_logical_emit_message(false, '', repeat('x', 1 << 20))")


async def _filled(place: Place, folder: Path, times: int) -> None:
    disk, url = place
    async with service(folder, url) as served, plain_client(served.url) as once:
        served.build, served.environ = disk.build, disk.environ
        await served.start()
        waiting = await open_table(once, rounds=times)
        async with insisting_client(served.url) as http:
            table = await open_table(http, rounds=1 + times)
            async with subscribed(served.url, table, KEY) as watcher:
                playing = asyncio.create_task(play_out(http, table))
                try:
                    for number in range(times):
                        await watcher.until(16 * (number + 1))
                        assert not playing.done()
                        await _without_room(disk, served, once, waiting, table)
                    history = await playing
                finally:
                    playing.cancel()
                    await asyncio.gather(playing, return_exceptions=True)
                await watcher.to_the_end()
        final = final_of(await assert_sound(served, table.match_id))
        assert faults(history, final) == []
        assert watcher.events == final.seen[SPECTATOR]
        await play_out(once, waiting)
        await assert_sound(served, waiting.match_id)


async def _without_room(
    disk: Disk, served: Service, http: httpx.AsyncClient, waiting: Table, playing: Table
) -> None:
    ask, *_ = await next_answers(http, waiting, Random(1))
    disk.fill()
    await eventually(lambda: readiness(http), lambda status: status == "degraded")
    before = {each: await records_of(served, each.match_id) for each in (waiting, playing)}
    await _assert_refused(http)
    await _assert_read(http, waiting)
    # The database may have kept room for a row of one table or another, never for all of them.
    refused = await give(http, waiting, ask)
    after = await records_of(served, waiting.match_id)
    if refused.status_code == 503:
        _assert_problem(refused)
        assert after == before[waiting]
    else:
        assert len(after) > len(before[waiting])
    assert_continues(await records_of(served, playing.match_id), before[playing])
    disk.free()
    done = await eventually(lambda: give(http, waiting, ask), lambda got: got.status_code != 503)
    assert done.status_code == 200, done.text


async def readiness(http: httpx.AsyncClient) -> str:
    got = await http.get("/readyz")
    assert got.status_code == 200
    status: str = got.json()["status"]
    return status


async def _assert_refused(http: httpx.AsyncClient) -> None:
    """No match can be made any more, once the last pages that the database has are filled."""
    body = {"game": GAME, "seats": 4}
    for _ in range(PAGES_LEFT):
        got = await http.post("/v1/matches", json=body, headers=bearer(KEY))
        if got.status_code != 201:
            break
    _assert_problem(got)


def _assert_problem(answer: httpx.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["code"] == "unavailable"


async def _assert_read(http: httpx.AsyncClient, table: Table) -> None:
    """Whatever is there is served on."""
    assert (await http.get("/livez")).status_code == 200
    for place in ("/view", "/events"):
        got = await http.get(table.path + place, headers=bearer(table.tokens[0]))
        assert got.status_code == 200, got.text
