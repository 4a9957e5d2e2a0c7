"""Buckets that processes share, in one Redis, behind Sentinels and on a Cluster; and no Redis."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import pytest
from redis.exceptions import RedisError

from projections import redis_limits
from projections.redis_limits import RedisAway, RedisBuckets
from tests import servers
from tests.faults.redis_server import (
    RedisServer,
    cluster_url,
    one_of_each,
    redis_cluster,
    redis_server,
    slot_of,
)
from tests.waiting import PATIENCE

KINDS = ("redis", "sentinel", "cluster")
QUOTA = 10


@contextmanager
def started(kind: str) -> Iterator[str]:
    """The URL of a Redis of that kind."""
    match kind:
        case "redis":
            with redis_server() as one:
                yield one.url
        case "sentinel":
            with redis_server() as one, watched(one) as url:
                yield url
        case _:
            with redis_cluster() as nodes:
                yield cluster_url(nodes)


@contextmanager
def watched(master: RedisServer) -> Iterator[str]:
    """The URL of a master by a Sentinel that watches it, behind one that is not there."""
    with servers.sentinel(
        f"sentinel monitor main 127.0.0.1 {master.port} 1\n"
        "sentinel down-after-milliseconds main 500\n"
    ) as port:
        yield f"redis+sentinel://127.0.0.1:1,127.0.0.1:{port}/main"


@pytest.fixture(params=KINDS, scope="module")
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    try:
        with started(request.param) as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


@asynccontextmanager
async def buckets(url: str, count: int = 1) -> AsyncIterator[list[RedisBuckets]]:
    made = [RedisBuckets(url) for _ in range(count)]
    try:
        yield made
    finally:
        for each in made:
            await each.close()


async def given(process: RedisBuckets, name: str, wanted: int = 1, now: int = 0) -> int:
    """How many are given out, however long Redis was away before."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                out, _ = await process.lease(
                    name, quota=QUOTA, window_ms=60_000, wanted=wanted, now=now
                )
            except (RedisError, RedisAway, OSError, TimeoutError):
                await asyncio.sleep(0.05)
            else:
                return out


async def test_processes_share_every_bucket(url: str) -> None:
    async with buckets(url, 2) as (one, other):
        for name in (f"shared {number}" for number in range(20)):
            assert await given(one, name, 4) == 4
            assert await given(other, name, 4) == 4
            assert await given(one, name, 4) == 2
            assert await given(other, name, 4) == 0
            assert await given(other, name, 4, now=30_000) == 4


async def test_many_at_once_are_given_no_more_than_there_is(url: str) -> None:
    async with buckets(url, 2) as both:
        asked = (given(both[number % 2], "at once") for number in range(40))
        assert sum(await asyncio.gather(*asked)) == QUOTA


async def test_a_bucket_outlives_no_window(url: str) -> None:
    async with buckets(url) as (process,):
        await process.lease("short", quota=QUOTA, window_ms=50, wanted=QUOTA, now=0)
        await asyncio.sleep(0.2)
        assert await given(process, "short", QUOTA) == QUOTA


async def test_a_promoted_replica_goes_on() -> None:
    with redis_server() as master, redis_server() as replica:
        replica.say("REPLICAOF", "127.0.0.1", str(master.port))
        with watched(master) as url:
            async with buckets(url) as (process,), asyncio.timeout(PATIENCE):
                assert await given(process, "a", 4) == 4
                await _until(lambda: "'online'" in str(master.replication().get("slave0")))
                master.kill()
                assert await given(process, "b", 4) == 4
                assert replica.replication()["role"] == "master"
                # What the replica had heard of stays used up.
                assert await given(process, "a", QUOTA) == QUOTA - 4


async def test_a_node_that_is_away_takes_only_its_own_buckets_along() -> None:
    with redis_cluster("--cluster-require-full-coverage", "no") as nodes:
        first, second = one_of_each(len(nodes))
        async with buckets(cluster_url(nodes)) as (process,):
            for name in (first, second):
                assert await given(process, name, 4) == 4
            nodes[1].kill()
            with pytest.raises((RedisError, OSError, TimeoutError)):
                await process.lease(second, quota=QUOTA, window_ms=60_000, wanted=4, now=0)
            out, left = await process.lease(first, quota=QUOTA, window_ms=60_000, wanted=4, now=0)
            assert (out, left) == (4, 2.0)
            with pytest.raises(RedisAway):
                await process.lease(second, quota=QUOTA, window_ms=60_000, wanted=4, now=0)


async def test_slots_that_moved_are_found_again() -> None:
    with redis_cluster() as nodes:
        first, _ = one_of_each(len(nodes))
        async with buckets(cluster_url(nodes)) as (process,):
            assert await given(process, first, 4) == 4
            identity = nodes[1].say("CLUSTER", "MYID")
            assert isinstance(identity, bytes)
            nodes[0].say("FLUSHALL")  # A node gives away no slot that holds something.
            for node in reversed(nodes):
                node.say("CLUSTER", "SETSLOT", str(slot_of(first)), "NODE", identity.decode())
            assert await given(process, first, 4) == 4
            assert nodes[1].say("DBSIZE") == 1


async def test_a_redis_that_is_silent_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redis_limits, "AWAY_SECONDS", 0.0)
    with redis_server() as server:
        async with buckets(server.url) as (process,):
            assert await given(process, "a", 3) == 3
            server.hold()
            try:
                for _ in range(3):
                    with pytest.raises(TimeoutError):
                        await process.lease("b", quota=QUOTA, window_ms=60_000, wanted=1, now=0)
            finally:
                server.release()
            # No answer to an earlier question is taken for one to a later.
            assert await given(process, "a", QUOTA) == QUOTA - 3


async def test_a_sentinel_that_is_silent_keeps_nobody_from_the_next() -> None:
    with redis_server() as master, watched(master) as url:
        async with _deaf() as port:
            url = url.replace("127.0.0.1:1,", f"127.0.0.1:{port},")
            async with buckets(url) as (process,):
                assert await given(process, "a") == 1


@asynccontextmanager
async def _deaf() -> AsyncIterator[int]:
    """The port of a server that takes connections and says nothing."""
    held = []

    async def hold(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        held.append(writer)

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        for writer in held:
            writer.close()
        server.close()
        await server.wait_closed()


async def _until(fact: object) -> None:
    assert callable(fact)
    while not fact():  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0.05)
