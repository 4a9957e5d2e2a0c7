"""Hints through a Redis Cluster of three nodes, of which one gives slots away and one dies."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from projections.news import Watch
from tests import servers
from tests.faults.redis_server import (
    RedisServer,
    cluster_url,
    one_of_each,
    redis_cluster,
    slot_of,
)
from tests.projections.test_redis_news import Peer, peers
from tests.waiting import PATIENCE

COUNT = 3
NAMES = one_of_each(COUNT)


@pytest.fixture
def nodes() -> Iterator[list[RedisServer]]:
    try:
        with redis_cluster("--cluster-require-full-coverage", "no", count=COUNT) as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


async def heard(peer: Peer, watch: Watch, name: str) -> None:
    """Announced until it is heard of, as hints may be lost while a cluster changes."""
    before = version = watch.version
    async with asyncio.timeout(PATIENCE):
        while watch.version == before:
            version += 1
            peer.news.announce([(name, version)])
            await asyncio.sleep(0.05)


def move_slot(slot: int, source: RedisServer, target: RedisServer) -> None:
    """As operators do it; the third node is told by the others."""
    ids = {}
    for node in (source, target):
        identity = node.say("CLUSTER", "MYID")
        assert isinstance(identity, bytes)
        ids[node.port] = identity.decode()
    target.say("CLUSTER", "SETSLOT", str(slot), "IMPORTING", ids[source.port])
    source.say("CLUSTER", "SETSLOT", str(slot), "MIGRATING", ids[target.port])
    for node in (target, source):
        node.say("CLUSTER", "SETSLOT", str(slot), "NODE", ids[target.port])


async def test_each_node_carries_the_hints_of_its_own_slots(nodes: list[RedisServer]) -> None:
    async with peers(cluster_url(nodes)) as (one, other):
        with ExitStack() as stack:
            watches = [stack.enter_context(other.news.watch(name)) for name in NAMES]
            for node in nodes:
                assert len(await node.channels(1, "SHARDCHANNELS")) == 1
            one.news.announce([(name, 3) for name in NAMES])
            for watch in watches:
                assert await watch.wait(PATIENCE)
                assert watch.version == 3
        assert not one.troubles
        assert not other.troubles


async def test_hints_follow_a_slot_that_moves(nodes: list[RedisServer]) -> None:
    async with peers(cluster_url(nodes)) as (one, other):
        with other.news.watch(NAMES[0]) as watch:
            await heard(one, watch, NAMES[0])
            move_slot(slot_of(NAMES[0]), nodes[0], nodes[1])
            await heard(one, watch, NAMES[0])
            assert len(await nodes[1].channels(1, "SHARDCHANNELS")) == 1


async def test_a_node_that_dies_takes_only_its_own_hints_along(nodes: list[RedisServer]) -> None:
    async with peers(cluster_url(nodes)) as (one, other):
        with other.news.watch(NAMES[1]) as kept, other.news.watch(NAMES[2]) as lost:
            await heard(one, kept, NAMES[1])
            await heard(one, lost, NAMES[2])
            nodes[2].kill()
            await other.until_up(False)
            await heard(one, kept, NAMES[1])
            nodes[2].start()
            await other.until_up()
            await one.until_up()
            await heard(one, lost, NAMES[2])
