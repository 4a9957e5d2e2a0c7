"""The cheapest subscribers that will do: they note when a version comes."""

import asyncio
import re
import time
from urllib.parse import urlsplit

_ID = re.compile(rb"id: (\d+)\n")


class Receiver(asyncio.Protocol):
    """`came` is when each version did. A frame has to begin within one read, as small ones do."""

    def __init__(self) -> None:
        self.came: dict[int, float] = {}
        self.bytes = 0
        self._wanted = -1
        self._waiting: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None

    @staticmethod
    async def open(url: str, opening: bytes = b"") -> "Receiver":
        at = urlsplit(url)
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(Receiver, str(at.hostname), at.port or 80)
        assert made._transport is not None
        if opening:
            made._transport.write(opening)
        return made

    @staticmethod
    async def subscribe(url: str, path: str, token: str) -> "Receiver":
        """To the events of a match as server-sent events."""
        return await Receiver.open(
            url,
            f"GET {path}/events HTTP/1.1\r\nhost: bench\r\naccept: text/event-stream\r\n"
            f"authorization: Bearer {token}\r\n\r\n".encode(),
        )

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        self.bytes += len(data)
        for found in _ID.finditer(data):
            self.came[int(found[1])] = now
        if self._waiting is not None and self._wanted in self.came:
            self._waiting.set_result(None)
            self._waiting = None

    async def until(self, version: int, seconds: float = 30) -> float:
        """When that version came."""
        if version not in self.came:
            self._wanted = version
            self._waiting = asyncio.get_running_loop().create_future()
            await asyncio.wait_for(self._waiting, seconds)
        return self.came[version]

    def send(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    def close(self) -> None:
        assert self._transport is not None
        self._transport.abort()
