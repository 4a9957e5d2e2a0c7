"""Hints: "match m is at version v". They may be lost, doubled, reordered: readers read the log."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from events.database import DatabaseFault

Hint = tuple[str, int]  # match id, version
Heads = Callable[[list[str]], Awaitable[dict[str, int]]]

TICK_SECONDS = 1.5


class Watch:
    """One reader's interest in one match."""

    def __init__(self) -> None:
        self.version = 0
        self._news = asyncio.Event()

    def notice(self, version: int) -> None:
        if version > self.version:
            self.version = version
            self._news.set()

    async def wait(self, seconds: float) -> bool:
        """Whether there was news since the last call, waiting for it at most `seconds`."""
        try:
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        self._news.clear()
        return True


class News:
    """The hints of this process: announced after each commit, and by a tick that asks the store."""

    def __init__(self) -> None:
        self._watches: dict[str, set[Watch]] = {}

    def announce(self, hints: Iterable[Hint]) -> None:
        for match_id, version in hints:
            for watch in self._watches.get(match_id, ()):
                watch.notice(version)

    @contextmanager
    def watch(self, match_id: str) -> Iterator[Watch]:
        """Register before the first read, or news in between is missed until the tick."""
        own = Watch()
        watches = self._watches.setdefault(match_id, set())
        watches.add(own)
        try:
            yield own
        finally:
            watches.discard(own)
            if not watches and self._watches.get(match_id) is watches:
                del self._watches[match_id]

    def watched(self) -> list[str]:
        return list(self._watches)

    @asynccontextmanager
    async def ticking(self, heads: Heads, seconds: float = TICK_SECONDS) -> AsyncIterator[None]:
        """While open, ask for the heads of all watched matches every `seconds`."""
        task = asyncio.create_task(self._tick(heads, seconds))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _tick(self, heads: Heads, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            watched = self.watched()
            for start in range(0, len(watched), 500):
                # A database that is away for a while must not end the ticking; readers report it.
                with suppress(DatabaseFault):
                    self.announce((await heads(watched[start : start + 500])).items())
