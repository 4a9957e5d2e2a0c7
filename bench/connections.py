"""The cheapest HTTP/1.1 client that will do: kept-alive connections, one request at a time."""

import asyncio
import time
from collections.abc import Callable
from urllib.parse import urlsplit

_END = b"\r\n\r\n"
_LENGTH = b"content-length: "


class Refused(Exception):
    """An answer that is neither 200 nor 201: its status and body."""


class Connection(asyncio.Protocol):
    """One connection; `send` gives the body of a 200 or 201."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[bytes] | None = None
        self._read = bytearray()

    @staticmethod
    async def open(url: str) -> "Connection":
        at = urlsplit(url)
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(Connection, str(at.hostname), at.port or 80)
        return made

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    async def send(self, request: bytes) -> bytes:
        """Raises: Refused, ConnectionError."""
        assert self._transport is not None
        if self._transport.is_closing():
            raise ConnectionError("the server closed the connection")
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return await self._answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self._transport = transport  # type: ignore[assignment]

    def connection_lost(self, error: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(ConnectionError("the server closed the connection"))

    def data_received(self, data: bytes) -> None:
        self._read += data
        head = self._read.find(_END)
        if head < 0:
            return
        start = self._read.find(_LENGTH, 0, head) + len(_LENGTH)
        length = int(self._read[start : self._read.find(b"\r", start)])
        end = head + len(_END) + length
        if len(self._read) < end:
            return
        status, body = bytes(self._read[9:12]), bytes(self._read[head + len(_END) : end])
        self._read.clear()
        assert self._answer is not None
        if status in (b"200", b"201"):
            self._answer.set_result(body)
        else:
            self._answer.set_exception(Refused(f"{status.decode()} {body.decode()}"))


def asking(path: str, credential: str) -> bytes:
    """A GET, ready to be sent."""
    head = f"GET {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {credential}\r\n\r\n"
    return head.encode()


def request(path: str, credential: str, body: bytes) -> bytes:
    """A POST of JSON, ready to be sent."""
    head = (
        f"POST {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {credential}\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Tally:
    """What a run acknowledged, in what time, and how long each answer took."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.latencies: list[float] = []

    @property
    def rate(self) -> float:
        return len(self.latencies) / self.seconds

    def milliseconds(self, share: float) -> float:
        """The latency that so large a share of the answers did not exceed."""
        ordered = sorted(self.latencies)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def drive(url: str, queue: list[list[bytes]], connections: int, seconds: float) -> Tally:
    """Send the lists of requests, one list a connection at a time, until one finds no more.

    Lists must not share anything that has an order. Stops after `seconds` at the latest; what was
    sent is waited for and counted.
    """
    opened = [await Connection.open(url) for _ in range(connections)]
    tally = Tally()
    start = time.perf_counter()
    running = _until(start + seconds)

    async def work(connection: Connection) -> None:
        nonlocal running
        while queue and running():
            for each in queue.pop():
                if not running():
                    return
                began = time.perf_counter()
                await connection.send(each)
                tally.latencies.append(time.perf_counter() - began)
        running = _never

    try:
        await asyncio.gather(*map(work, opened))
        tally.seconds = time.perf_counter() - start
    finally:
        for each in opened:
            each.close()
    return tally


def _until(deadline: float) -> Callable[[], bool]:
    return lambda: time.perf_counter() < deadline


def _never() -> bool:
    return False
