"""Open streams: ended when their client goes, when it reads too slowly, or when the process stops.

A stream is only ever a way to read the log, so each can be taken up again after its last event.
Nothing is queued for a reader: what it has not taken yet is read when it takes it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from contextlib import aclosing, contextmanager
from functools import partial
from typing import Any, Final

from service.errors import TooManyStreams

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Write = Callable[[bytes], Awaitable[None]]
AtOnce = Callable[[bytes], bool]  # whether it wrote that; False says that it did nothing

SWEEP_SECONDS: Final = 0.25
ABORT: Final = "plyscribe.abort"  # the ASGI extension: drops the connection of a `send`
# The ASGI extension: writes a part of the stream, or a text, of a `send` if nothing is in the way,
# and tells whether it did. A message to `send` costs more than the write.
PART: Final = "plyscribe.part"


def at_once(scope: Mapping[str, Any], send: Callable[..., Awaitable[None]]) -> AtOnce:
    """The extension of the connection, if it has that; else what never writes anything."""
    part = scope.get("extensions", {}).get(PART)
    return _never if part is None else partial(part, send)


def _never(_: bytes) -> bool:
    return False


class SlowReader(Exception):
    """What was sent was not taken in time; the connection is dropped, nothing is skipped."""


class Streams:
    """All open streams of the process. `send_seconds` is how long one write may wait, `most` how
    many may be open, requests that wait for news included.
    """

    def __init__(self, send_seconds: float, most: int = 10_000) -> None:
        self._send_seconds = send_seconds
        self._most = most
        self._open: set[asyncio.Future[Any]] = set()
        self._writing: dict[asyncio.Task[None], float] = {}  # since when
        self._slow: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.TimerHandle | None = None
        self._waiting = 0
        self._stopping = False

    def __len__(self) -> int:
        return len(self._open)

    @property
    def open_count(self) -> int:
        """Requests that wait for news included: what the limit is about."""
        return len(self._open) + self._waiting

    @property
    def stopping(self) -> bool:
        return self._stopping

    def stop(self) -> None:
        """End every stream, those to come included; clients resume elsewhere."""
        self._stopping = True
        for task in tuple(self._open):
            task.cancel()

    def require_room(self) -> None:
        """Before a stream begins. Raises: TooManyStreams."""
        if self.open_count >= self._most:
            raise TooManyStreams

    @contextmanager
    def counted(self) -> Iterator[None]:
        """A request that waits for news. Raises: TooManyStreams."""
        self.require_room()
        self._waiting += 1
        try:
            yield
        finally:
            self._waiting -= 1

    @contextmanager
    def held(self, ended: "asyncio.Future[Any]") -> Iterator[None]:
        """A connection that has its own way of ending: cancelled when streams stop. What it writes
        meanwhile may go through `written`.
        """
        self._open.add(ended)
        if self._sweeper is None:
            self._sweep()
        if self._stopping:
            ended.cancel()
        try:
            yield
        finally:
            self._open.discard(ended)

    async def run(
        self,
        parts: AsyncIterator[bytes],
        write: Write,
        receive: Receive,
        now: AtOnce = _never,
    ) -> bool:
        """Write until `parts` end. Whether the end may be told: the client is still there.

        `now` is tried before `write`, which may wait. Raises: SlowReader; whatever `parts` raise.
        """
        if self._stopping:
            return True
        work = asyncio.create_task(self._copy(parts, write, now))
        gone = asyncio.create_task(_disconnected(receive))
        self._open.add(work)
        if self._sweeper is None:
            self._sweep()
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            is_there = not gone.done()
            self._open.discard(work)
            work.cancel()
            gone.cancel()
            await asyncio.gather(work, gone, return_exceptions=True)
        if not work.cancelled() and (error := work.exception()) is not None:
            raise error
        return is_there

    async def written(self, writing: Awaitable[None]) -> None:
        """One write of a stream that is open. Raises: SlowReader when it has waited too long."""
        own = asyncio.current_task()
        assert own is not None
        self._writing[own] = asyncio.get_running_loop().time()
        try:
            await writing
        except asyncio.CancelledError:
            if own in self._slow and own.uncancel() == 0:
                raise SlowReader from None
            raise
        finally:
            self._slow.discard(own)
            del self._writing[own]

    async def _copy(self, parts: AsyncIterator[bytes], write: Write, now: AtOnce) -> None:
        async with aclosing(parts) as closing:  # type: ignore[type-var]
            async for part in closing:
                if not now(part):
                    await self.written(write(part))

    def _sweep(self) -> None:
        """One timer finds slow readers: one for every write would cost as much as the write."""
        self._sweeper = None
        if not self._open:
            return
        loop = asyncio.get_running_loop()
        for task, since in self._writing.items():
            if loop.time() - since > self._send_seconds and task not in self._slow:
                self._slow.add(task)
                task.cancel()
        self._sweeper = loop.call_later(SWEEP_SECONDS, self._sweep)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
