"""Hints across processes through Redis: nothing else is in it, and everything may be lost.

Hints about a match go through one of 256 channels; a process hears those of the matches that are
watched in it. A hint says `match id, version`, never what happened.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from time import monotonic
from typing import Final

from projections.news import Hint, News
from projections.redis_link import Link
from projections.redis_nodes import SECONDS, Layout, Place, bucket_of, nodes_at

LOOK_SECONDS: Final = 10.0  # between two looks where the servers are
LINGER_SECONDS: Final = 30.0  # a bucket nobody watches is left after; who polls comes back

Trouble = Callable[[Exception], None]


class RedisWire:
    """Carries hints between `News` of many processes. `on_trouble` is told when it goes down.

    Raises: RedisRefused for a URL that names no Redis. Whether there is one is seen later.
    """

    def __init__(self, url: str, news: News, on_trouble: Trouble) -> None:
        self._nodes = nodes_at(url)
        self._news = news
        self._on_trouble = on_trouble
        self._watched: defaultdict[int, set[str]] = defaultdict(set)
        self._left: dict[int, float] = {}
        self._links: dict[Place, tuple[Link, asyncio.Task[None]]] = {}
        self._by_bucket: dict[int, Link] = {}
        self._lost = asyncio.Event()
        self._was_up = True

    @property
    def is_up(self) -> bool:
        links = [link for link, _ in self._links.values()]
        return bool(links) and all(link.is_up for link in links)

    def send(self, hints: Iterable[Hint]) -> None:
        for match_id, version in hints:
            link = self._by_bucket.get(bucket_of(match_id))
            if link is not None:
                link.send(match_id, version)

    def want(self, match_id: str) -> None:
        bucket = bucket_of(match_id)
        is_heard = self.wanted(bucket)
        self._watched[bucket].add(match_id)
        self._left.pop(bucket, None)
        if not is_heard:
            self._tune(bucket)

    def leave(self, match_id: str) -> None:
        bucket = bucket_of(match_id)
        self._watched[bucket].discard(match_id)
        if not self._watched[bucket]:
            del self._watched[bucket]
            self._left[bucket] = monotonic()

    def wanted(self, bucket: int) -> bool:
        return bucket in self._watched or bucket in self._left

    def hear(self, hints: Iterable[Hint]) -> None:
        self._news.hear(hints)

    def doubt(self, bucket: int) -> None:
        self._news.doubt(self._watched.get(bucket, ()))

    def trouble(self, link: Link, error: Exception) -> None:
        self._tell(error)
        self._lost.set()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While open, it is connected or tries to be."""
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            tasks = [task, *(each for _, each in self._links.values())]
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self) -> None:
        """Look where the servers are, now and then and whenever one is lost."""
        while True:
            try:
                async with asyncio.timeout(3 * SECONDS):
                    self._arrange(await self._nodes.layout())
            except Exception as error:
                self._tell(error)
            self._leave_idle()
            self._was_up = self._was_up or self.is_up
            self._lost.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._lost.wait()
            await asyncio.sleep(0.2)  # A server that is away must not be asked in a tight loop.

    def _arrange(self, layout: Layout) -> None:
        """One link for each server; those that carry what they carried stay as they are."""
        for place, (link, task) in list(self._links.items()):
            if layout.get(place) != link.buckets:
                task.cancel()
                del self._links[place]
        for place, buckets in layout.items():
            if place not in self._links:
                link = Link(place, buckets, self._nodes.is_sharded, self)
                self._links[place] = (link, asyncio.create_task(link.keep()))
        self._by_bucket = {b: link for link, _ in self._links.values() for b in link.buckets}

    def _leave_idle(self) -> None:
        limit = monotonic() - LINGER_SECONDS
        for bucket in [bucket for bucket, since in self._left.items() if since < limit]:
            del self._left[bucket]
            self._tune(bucket)

    def _tune(self, bucket: int) -> None:
        link = self._by_bucket.get(bucket)
        if link is not None:
            link.tune()

    def _tell(self, error: Exception) -> None:
        """Once for each time it goes down, however often it tries to come back."""
        if self._was_up:
            self._was_up = False
            self._on_trouble(error)
