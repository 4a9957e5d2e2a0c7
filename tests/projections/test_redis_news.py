"""Hints between the news of two processes, through a real Redis that misbehaves."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager

import pytest
from redis import Redis

from projections import redis_link, redis_news
from projections.news import News
from projections.redis_link import Link
from projections.redis_news import RedisWire
from projections.redis_nodes import BUCKETS, RedisRefused, bucket_of, channel_tag, nodes_at
from tests import servers
from tests.faults.redis_server import RedisServer, redis_server
from tests.waiting import PATIENCE


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    try:
        with redis_server() as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


class Peer:
    """The news of one process. `asked` are the matches whose heads it asked its store for."""

    def __init__(self, url: str) -> None:
        self.news = News()
        self.troubles: list[Exception] = []
        self.wire = RedisWire(url, self.news, self.troubles.append)
        self.asked: asyncio.Queue[list[str]] = asyncio.Queue()
        self.heads: dict[str, int] = {}
        self.news.connect(self.wire)

    async def until_up(self, wanted: bool = True) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.wire.is_up != wanted:  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.01)

    async def _asked(self, ids: list[str]) -> dict[str, int]:
        self.asked.put_nowait(sorted(ids))
        return {each: self.heads[each] for each in ids if each in self.heads}

    @asynccontextmanager
    async def running(self) -> AsyncIterator["Peer"]:
        async with self.news.ticking(self._asked, 2 * PATIENCE), self.wire.running():
            yield self


@asynccontextmanager
async def peers(url: str) -> AsyncIterator[tuple[Peer, Peer]]:
    async with Peer(url).running() as one, Peer(url).running() as other:
        await one.until_up()
        await other.until_up()
        yield one, other


async def test_a_hint_reaches_who_watches_in_another_process(redis: RedisServer) -> None:
    async with peers(redis.url) as (one, other):
        with other.news.watch("a") as watch, one.news.watch("a") as own:
            assert await asyncio.wait_for(other.asked.get(), PATIENCE) == ["a"]
            one.news.announce([("a", 3)])
            assert await watch.wait(PATIENCE)
            assert (watch.version, own.version) == (3, 3)
            assert not one.troubles
            assert not other.news.is_degraded


async def test_what_comes_before_the_subscription_is_asked_of_the_store(redis: RedisServer) -> None:
    async with peers(redis.url) as (_, other):
        other.heads["a"] = 9
        with other.news.watch("a") as watch:
            assert await watch.wait(PATIENCE)
            assert watch.version == 9


async def test_a_message_tells_a_match_and_a_version_and_no_more(redis: RedisServer) -> None:
    channel = f"{channel_tag(bucket_of('a'))}:hints"
    async with peers(redis.url) as (one, _):
        with Redis(port=redis.port) as client, client.pubsub() as listening:
            listening.subscribe(channel)
            listening.get_message(timeout=PATIENCE)
            one.news.announce([("a", 4), ("a", 5)])
            await asyncio.sleep(0.1)
            message = listening.get_message(timeout=PATIENCE)
    assert message is not None
    assert message["data"] == b"a 5"


async def test_only_channels_of_watched_matches_are_heard(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with peers(redis.url) as (one, other):
        with one.news.watch("a"), one.news.watch("b"), other.news.watch("a"):
            heard = await redis.channels(2)
            wanted = {f"{channel_tag(bucket_of(each))}:hints".encode() for each in "ab"}
            assert set(heard) == wanted
        monkeypatch.setattr(redis_news, "LINGER_SECONDS", 0)
        monkeypatch.setattr(redis_news, "LOOK_SECONDS", 0)
        for peer in (one, other):
            peer.wire._lost.set()
        async with asyncio.timeout(PATIENCE):
            while await redis.channels(0):  # noqa: ASYNC110 - it tells nobody
                await asyncio.sleep(0.02)


async def test_who_is_cut_off_doubts_all_it_watches_in_one_go(redis: RedisServer) -> None:
    names = [f"match {number}" for number in range(300)]
    async with peers(redis.url) as (_, other):
        with ExitStack() as stack:
            watches = [stack.enter_context(other.news.watch(each)) for each in names]
            await redis.channels(150)
            await asyncio.sleep(0.2)
            while not other.asked.empty():
                other.asked.get_nowait()
            other.heads = dict.fromkeys(names, 7)
            redis.cut("pubsub")
            for watch in watches:
                while watch.version != 7:
                    assert await watch.wait(PATIENCE)
            asked = [other.asked.get_nowait() for _ in range(other.asked.qsize())]
    assert len(asked) < 20
    assert sorted({each for piece in asked for each in piece}) == sorted(names)


async def test_hints_go_on_after_every_kind_of_cut(redis: RedisServer) -> None:
    async with peers(redis.url) as (one, other):
        with other.news.watch("a") as watch:
            for version, kind in enumerate(("normal", "pubsub") * 4, 1):
                redis.cut(kind)
                await one.until_up()
                await other.until_up()
                other.heads["a"] = version
                one.news.announce([("a", version)])
                while watch.version < version:
                    assert await watch.wait(PATIENCE)
        assert one.troubles


async def test_a_silent_redis_is_noticed(
    redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_link, "SILENT_SECONDS", 0.7)
    async with peers(redis.url) as (one, other):
        redis.hold()
        try:
            await one.until_up(False)
            await other.until_up(False)
            one.news.announce([("a", 1)])
        finally:
            redis.release()
        await one.until_up()
        assert len(one.troubles) == 1


async def test_what_is_no_hint_is_passed_over(redis: RedisServer) -> None:
    channel = f"{channel_tag(bucket_of('a'))}:hints"
    async with peers(redis.url) as (one, other):
        with other.news.watch("a") as watch:
            await redis.channels(1)
            for junk in ("", "a", "a x", "a -1", "\0\xff 3", "a " + "9" * 5000, "b 4"):
                redis.say("PUBLISH", channel, junk)
            one.news.announce([("a", 2)])
            assert await watch.wait(PATIENCE)
            assert watch.version == 2
        assert not other.troubles


async def test_a_full_queue_drops_and_nothing_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_link, "QUEUE", 3)
    news = News()
    wire = RedisWire("redis://127.0.0.1:1/0", news, lambda _: None)
    link = Link("redis://127.0.0.1:1/0", frozenset(range(BUCKETS)), False, wire)
    for number in range(10):
        link.send(str(number), 1)
    link.send("0", 5)
    link.send("0", 4)
    assert link._outbox == {"0": 5, "1": 1, "2": 1}


async def test_a_cluster_is_used_through_its_shards() -> None:
    try:
        with redis_server("--cluster-enabled", "yes") as node:
            node.say("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
            url = f"redis+cluster://127.0.0.1:{node.port}"
            await _until_whole(node)
            async with peers(url) as (one, other):
                with other.news.watch("a") as watch:
                    assert len(await node.channels(1, "SHARDCHANNELS")) == 1
                    one.news.announce([("a", 3)])
                    assert await watch.wait(PATIENCE)
                # A slot that is taken away ends the link, and it asks where the bucket is now.
                node.say("CLUSTER", "DELSLOTSRANGE", "0", "16383")
                await other.until_up(False)
                node.say("CLUSTER", "ADDSLOTSRANGE", "0", "16383")
                await other.until_up()
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


async def test_sentinels_name_the_master(redis: RedisServer) -> None:
    watched = f"sentinel monitor main 127.0.0.1 {redis.port} 1\n"
    with servers.sentinel(watched) as port:
        url = f"redis+sentinel://127.0.0.1:1,127.0.0.1:{port}/main"
        assert list(await nodes_at(url).layout()) == [f"redis://127.0.0.1:{redis.port}"]
        async with peers(url) as (one, other):
            with other.news.watch("a") as watch:
                await redis.channels(1)
                one.news.announce([("a", 3)])
                assert await watch.wait(PATIENCE)


@pytest.mark.parametrize(
    "url",
    ["", "here", "http://here", "redis+other://here", "redis+sentinel://here:1", "redis://h:port"],
)
def test_urls_that_name_no_redis(url: str) -> None:
    with pytest.raises(RedisRefused):
        nodes_at(url)


def test_users_passwords_and_tls_are_those_of_each_node() -> None:
    nodes = nodes_at("rediss+cluster://me:p%40ss@one:1,two:2?ssl_cert_reqs=none")
    seeds = getattr(nodes, "seeds")  # noqa: B009
    assert seeds == [f"rediss://me:p%40ss@{at}?ssl_cert_reqs=none" for at in ("one:1", "two:2")]


async def _until_whole(node: RedisServer) -> None:
    async with asyncio.timeout(PATIENCE):
        while "cluster_state:ok" not in str(node.say("CLUSTER", "INFO")):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
