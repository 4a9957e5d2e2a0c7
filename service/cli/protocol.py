"""HTTP as it is spoken on a connection: bounds on what a client may send before it is heard."""

import asyncio
import socket
import struct
from typing import Any, Final

import msgspec
from uvicorn.protocols.http.httptools_impl import (
    HEADER_VALUE_RE,
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from service.entropy import POOL
from service.errors import PROBLEM_JSON
from service.http import WHOLE, Header, Send
from service.streams import ABORT, PART

REQUEST_SECONDS: Final = 30  # from its first byte (or the connection) a request is whole within
HEAD_BYTES: Final = 32 * 1024  # request line and headers together
HEADERS: Final = 100
_TOO_LARGE: Final = "The request line and headers are too large."


class HeadTooLarge(Exception):
    """The request line or the headers are larger than anybody needs."""


class Protocol(HttpToolsProtocol):
    """Ends connections whose requests are too slow or whose heads are too large.

    It also lets a request drop its connection without waiting for the reader, and takes whole
    answers and parts of streams.
    """

    _deadline: asyncio.TimerHandle | None = None
    _has_begun = False  # a request, in what is being read now
    _head = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._has_begun:
            self._has_begun = False
            self._expect()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["extensions"] = _EXTENSIONS
        self._head = 0
        self._has_begun = True

    def on_url(self, url: bytes) -> None:
        self._grown(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._grown(len(name) + len(value))
        if len(self.headers) >= HEADERS:
            self._grown(HEAD_BYTES)
        super().on_header(name, value)

    def on_message_complete(self) -> None:
        # Most requests come in one piece: for these no alarm is ever set.
        self._has_begun = False
        self._stop_expecting()
        super().on_message_complete()

    def handle_websocket_upgrade(self) -> None:
        self._has_begun = False
        self._stop_expecting()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """What is no request has no address, and is answered as others are all the same."""
        title, detail, status = "No request", "This is not HTTP as it is spoken here.", 400
        if self._head > HEAD_BYTES:
            title, detail, status = "The head is too large", _TOO_LARGE, 431
        about = {"type": "about:blank", "title": title, "status": status, "detail": detail}
        body = msgspec.json.encode(about)
        headers = (
            (b"content-type", PROBLEM_JSON),
            (b"x-request-id", POOL(8).hex().encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
            (b"content-length", b"%d" % len(body)),
        )
        lines = b"".join(b"%b: %b\r\n" % each for each in headers)
        self.transport.write(STATUS_LINE[status] + lines + b"\r\n" + body)
        self.transport.close()

    def _grown(self, by: int) -> None:
        """Raises: HeadTooLarge, which ends the parser."""
        self._head += by
        if self._head > HEAD_BYTES:
            raise HeadTooLarge

    def _expect(self) -> None:
        self._stop_expecting()
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.abort)

    def _stop_expecting(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _cycle(send: Send) -> RequestResponseCycle:
    """The request that `send` answers, which is a method of it."""
    cycle: RequestResponseCycle = send.__self__  # type: ignore[attr-defined]
    return cycle


def _abort(send: Send) -> None:
    """The kernel too forgets at once what the peer has not taken."""
    transport = _cycle(send).transport
    own = transport.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    transport.abort()


async def _answer(
    send: Send, status: int, lines: bytes, headers: list[Header], body: bytes
) -> None:
    """A whole answer in one write. `lines` are headers as they are sent."""
    cycle = _cycle(send)
    if cycle.flow.write_paused and not cycle.disconnected:
        await cycle.flow.drain()
    if cycle.disconnected:
        return
    content = [STATUS_LINE[status], lines]
    for name, value in (*cycle.default_headers, *headers):
        if HEADER_VALUE_RE.search(value):
            raise ValueError(name)
        content += (name, b": ", value, b"\r\n")
    content += (b"\r\n" if cycle.keep_alive else b"connection: close\r\n\r\n", body)
    cycle.response_started = cycle.response_complete = True
    cycle.waiting_for_100_continue = False
    cycle.transport.write(b"".join(content))
    cycle.message_event.set()
    if not cycle.keep_alive:
        cycle.transport.close()
    cycle.on_response()


def _part(send: Send, data: bytes) -> bool:
    """A part of a stream, if nothing is in the way: then `send` knows what to do."""
    cycle = _cycle(send)
    is_open = cycle.chunked_encoding and not (cycle.disconnected or cycle.response_complete)
    if not is_open or cycle.flow.write_paused or not data:
        return False
    cycle.transport.write(b"%x\r\n%b\r\n" % (len(data), data))
    return True


# The same for all requests: one that referred to its request would make garbage in a cycle.
_EXTENSIONS: Final[dict[Any, Any]] = {ABORT: _abort, PART: _part, WHOLE: _answer}
