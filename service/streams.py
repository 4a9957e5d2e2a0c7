"""Open streams: ended when their client goes, when it reads too slowly, or when the process stops.

A stream is only ever a way to read the log, so each can be taken up again after its last event.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import aclosing, contextmanager
from typing import Any

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Write = Callable[[bytes], Awaitable[None]]


class SlowReader(Exception):
    """What was sent was not taken in time; the connection is dropped, nothing is skipped."""


class Streams:
    """All open streams of the process. `send_seconds` is how long one write may wait."""

    def __init__(self, send_seconds: float) -> None:
        self._send_seconds = send_seconds
        self._open: set[asyncio.Future[Any]] = set()
        self._stopping = False

    def __len__(self) -> int:
        return len(self._open)

    @property
    def stopping(self) -> bool:
        return self._stopping

    def stop(self) -> None:
        """End every stream, those to come included; clients resume elsewhere."""
        self._stopping = True
        for task in tuple(self._open):
            task.cancel()

    @contextmanager
    def held(self, ended: "asyncio.Future[Any]") -> Iterator[None]:
        """A connection that has its own way of ending: cancelled when streams stop."""
        self._open.add(ended)
        if self._stopping:
            ended.cancel()
        try:
            yield
        finally:
            self._open.discard(ended)

    async def run(self, parts: AsyncIterator[bytes], write: Write, receive: Receive) -> bool:
        """Write until `parts` end. Whether the end may be told: the client is still there.

        Raises: SlowReader; whatever `parts` raise.
        """
        if self._stopping:
            return True
        work = asyncio.create_task(self._copy(parts, write))
        gone = asyncio.create_task(_disconnected(receive))
        self._open.add(work)
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

    async def _copy(self, parts: AsyncIterator[bytes], write: Write) -> None:
        async with aclosing(parts) as closing:  # type: ignore[type-var]
            async for part in closing:
                try:
                    async with asyncio.timeout(self._send_seconds):
                        await write(part)
                except TimeoutError:
                    raise SlowReader from None


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
