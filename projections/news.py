"""Hints: "match m is at version v". They may be lost, doubled, reordered: readers read the log."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Final, Protocol

from events.database import DatabaseFault

Hint = tuple[str, int]  # match id, version
Heads = Callable[[list[str]], Awaitable[dict[str, int]]]

TICK_SECONDS: Final = 1.5
_EARLY: Final = 0.002  # seconds by which an alarm may ring early: loops count in milliseconds
_PIECE: Final = 500  # matches whose heads are asked for in one query


class Wire(Protocol):
    """What carries hints to other processes. Its calls return at once and never fail."""

    @property
    def is_up(self) -> bool: ...

    def send(self, hints: Iterable[Hint]) -> None: ...

    def want(self, match_id: str) -> None:
        """Somebody watches the match here now; before, nobody did."""

    def leave(self, match_id: str) -> None:
        """Nobody watches the match here any more."""


class Watch:
    """One reader's interest in one match. `version` is the newest it was told of."""

    __slots__ = ("_alarm", "_is_new", "_rings_at", "_until", "_waiting", "version")

    def __init__(self) -> None:
        self.version = 0
        self._is_new = False
        self._waiting: asyncio.Future[None] | None = None
        self._until = 0.0
        self._alarm: asyncio.TimerHandle | None = None
        self._rings_at = 0.0

    def notice(self, version: int) -> None:
        if version > self.version:
            self.version = version
            self._is_new = True
            self.wake()

    def wake(self) -> None:
        """End the wait, if there is one, as if its time were over."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def correct(self, version: int) -> None:
        """The log says that there is no more than this yet: a hint told too much."""
        self.version = min(self.version, version)

    async def wait(self, seconds: float) -> bool:
        """Whether there was news since the last call, waiting for it at most `seconds`."""
        if not self._is_new and seconds > 0:
            loop = asyncio.get_running_loop()
            self._until = loop.time() + seconds
            if self._alarm is None or self._rings_at > self._until:
                self._arm(loop)
            self._waiting = loop.create_future()
            try:
                await self._waiting
            finally:
                self._waiting = None
        was_new, self._is_new = self._is_new, False
        return was_new

    def close(self) -> None:
        """Nobody waits any more."""
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _arm(self, loop: asyncio.AbstractEventLoop) -> None:
        self.close()
        self._rings_at = self._until
        self._alarm = loop.call_later(self._until - loop.time(), self._ring, loop)

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        """An alarm outlives the waits that had news: it is set again only when it comes too soon.

        To set one for each wait costs a tenth of a push.
        """
        self._alarm = None
        if self._waiting is None:
            return
        if loop.time() >= self._until - _EARLY:
            self.wake()
        else:
            self._arm(loop)


class News:
    """The hints of this process: announced after each commit, heard from others, or found by a
    tick that asks the store.
    """

    def __init__(self) -> None:
        self._watches: dict[str, set[Watch]] = {}
        self._dirty: set[str] = set()
        self._stirred = asyncio.Event()
        self._wire: Wire | None = None
        self._committed: Callable[[], None] | None = None

    @property
    def is_degraded(self) -> bool:
        """Hints from other processes do not come; the tick serves."""
        return self._wire is not None and not self._wire.is_up

    def connect(self, wire: Wire) -> None:
        """From now on hints go to other processes as well. Before anybody watches."""
        assert not self._watches
        self._wire = wire

    def on_commit(self, call: Callable[[], None]) -> None:
        """From now on `call`, which returns at once, is told that something was committed here."""
        self._committed = call

    def announce(self, hints: Iterable[Hint]) -> None:
        """What was committed here."""
        known = tuple(hints)
        self.hear(known)
        if self._wire is not None:
            self._wire.send(known)
        if self._committed is not None:
            self._committed()

    def hear(self, hints: Iterable[Hint]) -> None:
        """What was committed anywhere."""
        for match_id, version in hints:
            for watch in self._watches.get(match_id, ()):
                watch.notice(version)

    def doubt(self, match_ids: Iterable[str]) -> None:
        """Hints about these may have been missed: the store is asked, soon and in one go."""
        self._dirty.update(match_ids)
        if self._dirty:
            self._stirred.set()

    @contextmanager
    def watch(self, match_id: str) -> Iterator[Watch]:
        """Register before the first read, or news in between is missed until the tick."""
        own = Watch()
        watches = self._watches.get(match_id)
        if watches is None:
            watches = self._watches[match_id] = set()
            if self._wire is not None:
                self._wire.want(match_id)
        watches.add(own)
        try:
            yield own
        finally:
            own.close()
            watches.discard(own)
            if not watches and self._watches.get(match_id) is watches:
                del self._watches[match_id]
                if self._wire is not None:
                    self._wire.leave(match_id)

    @property
    def watched_count(self) -> int:
        return len(self._watches)

    def watched(self) -> list[str]:
        return list(self._watches)

    @asynccontextmanager
    async def ticking(self, heads: Heads, seconds: float = TICK_SECONDS) -> AsyncIterator[None]:
        """While open, ask for the heads of all watched matches every `seconds`, and of those in
        doubt at once.
        """
        task = asyncio.create_task(self._tick(heads, seconds))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _tick(self, heads: Heads, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + seconds
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(due):
                    await self._stirred.wait()
            self._stirred.clear()
            asked = [match_id for match_id in self._dirty if match_id in self._watches]
            self._dirty.clear()
            if loop.time() >= due:
                asked, due = self.watched(), loop.time() + seconds
            await self._ask(heads, asked)

    async def _ask(self, heads: Heads, asked: list[str]) -> None:
        for start in range(0, len(asked), _PIECE):
            # A database that is away for a while must not end the ticking; readers report it.
            with suppress(DatabaseFault):
                self.hear((await heads(asked[start : start + _PIECE])).items())
