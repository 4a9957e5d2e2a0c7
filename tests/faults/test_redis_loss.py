"""Two processes on one log with Redis between them: whatever happens to it, nobody notices more
than a delay.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path
from random import Random

import httpx
import pytest

from games.core.game import SPECTATOR
from tests import servers
from tests.faults import builds
from tests.faults.history import faults
from tests.faults.players import (
    Insisting,
    give,
    next_answers,
    open_table,
    play_out,
    under_way,
)
from tests.faults.redis_server import RedisServer, redis_server
from tests.faults.serving import KEY, SECONDS, Service, plain_client, service
from tests.faults.stored import assert_sound, final_of
from tests.faults.subscribing import Subscriber, subscribed
from tests.forking import nothing
from tests.service.client import Table

NEVER = 60.0  # seconds: a tick that no test waits for
TICK = 0.5


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    try:
        with redis_server() as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


class Alternating(httpx.AsyncBaseTransport):
    """Sends each request to the next of the servers."""

    def __init__(self, urls: list[str]) -> None:
        self._urls = cycle(map(httpx.URL, urls))
        self._inner = Insisting(2 * SECONDS)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = next(self._urls)
        request.url = request.url.copy_with(host=url.host, port=url.port)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


@asynccontextmanager
async def pair(
    folder: Path,
    database_url: str,
    redis: RedisServer,
    tick: float,
    build: Callable[[], None] = nothing,
) -> AsyncIterator[tuple[Service, Service]]:
    """Two processes on one database, both ready."""
    more = {"redis_url": redis.url, "tick_seconds": tick}
    async with (
        service(folder, database_url, **more) as one,
        service(folder, database_url, **more) as other,
    ):
        one.build = other.build = build
        await asyncio.gather(one.start(), other.start())
        yield one, other


@asynccontextmanager
async def alternating(*served: Service) -> AsyncIterator[httpx.AsyncClient]:
    urls = [each.url for each in served]
    async with httpx.AsyncClient(
        base_url=urls[0], transport=Alternating(urls), timeout=SECONDS
    ) as http:
        yield http


async def readiness(served: Service) -> str:
    async with plain_client(served.url) as http:
        got = await http.get("/readyz")
    assert got.status_code == 200
    status: str = got.json()["status"]
    return status


async def until_readiness(served: Service, wanted: str) -> None:
    async with asyncio.timeout(SECONDS):
        while await readiness(served) != wanted:  # noqa: ASYNC110 - it is another process
            await asyncio.sleep(0.05)


async def test_subscribers_of_either_process_see_all_that_alternates(
    redis: RedisServer, postgres_url: str, tmp_path: Path
) -> None:
    """No tick helps here: what comes from the other process comes through Redis."""
    await _alternated(redis, postgres_url, tmp_path)


@pytest.mark.soak
async def test_who_takes_a_hint_for_one_event_is_found_out(
    redis: RedisServer, postgres_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="was shown another log"):
        await _alternated(redis, postgres_url, tmp_path, builds.showing_what_a_hint_names)


async def _alternated(
    redis: RedisServer, postgres_url: str, tmp_path: Path, build: Callable[[], None] = nothing
) -> None:
    async with (
        pair(tmp_path, postgres_url, redis, tick=NEVER, build=build) as both,
        alternating(*both) as http,
        AsyncExitStack() as stack,
    ):
        table = await open_table(http, rounds=2)
        viewers = {SPECTATOR: KEY, **dict(enumerate(table.tokens))}
        watching = [
            (viewer, await stack.enter_async_context(subscribed(served.url, table, token)))
            for viewer, token in viewers.items()
            for served in both
        ]
        history = await play_out(http, table)
        for _, watcher in watching:
            await watcher.to_the_end(NEVER / 2)
        final = final_of(await assert_sound(both[0], table.match_id))
    assert faults(history, final) == []
    for viewer, watcher in watching:
        assert watcher.events == final.seen[viewer], f"viewer {viewer} was shown another log"


async def test_a_redis_that_fails_in_every_way_costs_no_event(
    redis: RedisServer, postgres_url: str, tmp_path: Path
) -> None:
    async with (
        pair(tmp_path, postgres_url, redis, tick=TICK) as both,
        watched_play(both) as watched,
    ):
        await watched.has_moved(3)
        for number in range(50):
            redis.cut("pubsub" if number % 2 else "normal")
            await asyncio.sleep(0.05)
        await watched.has_moved(5)
        redis.hold()
        await until_readiness(both[0], "degraded")
        await watched.has_moved(3)
        redis.release()
        await until_readiness(both[0], "ok")
        await watched.has_moved(3)
        redis.kill()
        await until_readiness(both[1], "degraded")
        await watched.has_moved(3)
        redis.start()
        for served in both:
            await until_readiness(served, "ok")
        await watched.has_moved(3)
        await watched.check()


async def test_a_process_starts_and_serves_without_its_redis(
    redis: RedisServer, postgres_url: str, tmp_path: Path
) -> None:
    await _without_its_redis(redis, postgres_url, tmp_path)


async def test_who_trusts_in_hints_alone_is_found_out(
    redis: RedisServer, postgres_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="did not come"):
        await _without_its_redis(
            redis, postgres_url, tmp_path, builds.hearing_hints_alone, patience=10 * TICK
        )


async def _without_its_redis(
    redis: RedisServer,
    postgres_url: str,
    tmp_path: Path,
    build: Callable[[], None] = nothing,
    patience: float = SECONDS,
) -> None:
    redis.kill()
    async with pair(tmp_path, postgres_url, redis, tick=TICK, build=build) as both:
        assert await readiness(both[0]) == "degraded"
        async with watched_play(both, patience) as watched:
            await watched.has_moved(3)
            redis.start()
            await until_readiness(both[0], "ok")
            await watched.check()


class Watched:
    """Matches played move by move through two processes, and subscribers at both, each of whom
    sees a move within `patience` seconds.
    """

    playing: asyncio.Task[None]

    def __init__(self, both: tuple[Service, Service], patience: float) -> None:
        self._both = both
        self._patience = patience
        self._is_enough = False
        self._is_over = False
        self._moves = 0
        self._moved = asyncio.Condition()
        self._seen: list[tuple[Table, list[Subscriber]]] = []

    async def has_moved(self, times: int) -> None:
        """Returns when so many more moves have been seen on both sides. Raises: AssertionError."""
        wanted = self._moves + times
        async with asyncio.timeout(2 * SECONDS), self._moved:
            await self._moved.wait_for(lambda: self._moves >= wanted or self._is_over)
        if self._moves < wanted:
            await self.playing

    async def play(self) -> None:
        """One move, seen by all, then the next. Raises: AssertionError."""
        try:
            await self._play()
        finally:
            self._is_over = True
            async with self._moved:
                self._moved.notify_all()

    async def _play(self) -> None:
        rng = Random(5)
        async with alternating(*self._both) as http:
            while not self._is_enough:
                table = await open_table(http, rounds=3)
                async with AsyncExitStack() as stack:
                    watchers = [
                        await stack.enter_async_context(subscribed(each.url, table, KEY))
                        for each in self._both
                    ]
                    self._seen.append((table, watchers))
                    while not self._is_enough and (asks := await next_answers(http, table, rng)):
                        receipt = (await give(http, table, asks[0])).json()
                        for watcher in watchers:
                            await watcher.until(receipt["last"], self._patience)
                        async with self._moved:
                            self._moves += 1
                            self._moved.notify_all()

    async def check(self) -> None:
        """Ends the play. Every version came once and in order, as the log has it."""
        self._is_enough = True
        await self.playing
        for table, watchers in self._seen:
            seen = final_of(await assert_sound(self._both[0], table.match_id)).seen[SPECTATOR]
            for watcher in watchers:
                assert watcher.events == seen[: len(watcher.events)]
                assert watcher.cuts == 0


@asynccontextmanager
async def watched_play(
    both: tuple[Service, Service], patience: float = SECONDS
) -> AsyncIterator[Watched]:
    watched = Watched(both, patience)
    async with under_way(watched.play()) as watched.playing:
        yield watched
