"""The cheapest subscribers that will do: they note when a version comes."""

import asyncio
import re
import time
from base64 import b64encode
from struct import pack
from urllib.parse import urlsplit

import msgspec

from service.graphql.ids import MATCH, node_id
from service.graphql.sockets import PROTOCOL

_ID = re.compile(rb"id: (\d+)\ndata: ")  # of an event; the end of a stream has one as well
_VERSION = re.compile(rb'"version":(\d+)[,}]')
_MOST = 32  # bytes of what tells a version
_SWITCH = (
    "GET /graphql HTTP/1.1\r\nhost: bench\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    f"sec-websocket-version: 13\r\nsec-websocket-protocol: {PROTOCOL}\r\n"
    f"sec-websocket-key: {b64encode(bytes(16)).decode()}\r\n\r\n"
)
FOLLOW = (
    "subscription($match: MatchRef!) { matchEvents(match: $match) { "
    "... on Event { version json } ... on CaughtUp { version } } }"
)


class Receiver(asyncio.Protocol):
    """`came` is when each version did, found by `pattern`, also where it comes in two reads."""

    def __init__(self, pattern: re.Pattern[bytes] = _ID) -> None:
        self._pattern = pattern
        self.came: dict[int, float] = {}
        self.bytes = 0
        self.strange = 0  # versions that did not follow the one before
        self.heard = asyncio.Event()  # that anything came
        self._wanted = -1
        self._last = 0
        self._rest = b""
        self._waiting: asyncio.Future[None] | None = None
        self._transport: asyncio.Transport | None = None

    @staticmethod
    async def open(url: str, opening: bytes = b"", pattern: re.Pattern[bytes] = _ID) -> "Receiver":
        at = urlsplit(url)
        loop = asyncio.get_running_loop()
        _, made = await loop.create_connection(
            lambda: Receiver(pattern), str(at.hostname), at.port or 80
        )
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

    @staticmethod
    async def subscribe_by_graphql(url: str, path: str, token: str) -> "Receiver":
        """To the same by graphql-transport-ws."""
        made = await Receiver.open(url, _SWITCH.encode(), _VERSION)
        await asyncio.wait_for(made.heard.wait(), 30)
        init = {"type": "connection_init", "payload": {"authorization": f"Bearer {token}"}}
        variables = {"match": {"id": node_id(MATCH, path.rpartition("/")[2])}}
        asked = {"query": FOLLOW, "variables": variables}
        made.send(_frame(init) + _frame({"id": "1", "type": "subscribe", "payload": asked}))
        return made

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        self.bytes += len(data)
        self.heard.set()
        data, end = self._rest + data, 0
        for found in self._pattern.finditer(data):
            version, end = int(found[1]), found.end()
            self.strange += version != self._last + 1
            self._last = version
            self.came[version] = now
        self._rest = data[max(end, len(data) - _MOST) :]
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


def _frame(message: object) -> bytes:
    """A text frame of a client. A mask of zeros leaves the text as it is."""
    text = msgspec.json.encode(message)
    size = bytes([0x80 | len(text)]) if len(text) < 126 else bytes([0xFE]) + pack(">H", len(text))
    return b"\x81" + size + bytes(4) + text
