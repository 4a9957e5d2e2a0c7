"""The platform's receiver of webhooks, which fails one delivery in three in all the usual ways."""

import asyncio
import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from random import Random
from typing import Any, Final

import msgspec

_FRESH_SECONDS: Final = 300
_WELL: Final = ""
_WAYS: Final = ("refuse", "break off", "take and refuse", "take and break off")


class Received(msgspec.Struct):
    """How many deliveries came, failed on purpose, came again, and were not as they have to be."""

    deliveries: int = 0
    failed: int = 0
    repeated: int = 0
    wrong: list[str] = msgspec.field(default_factory=list)


class Receiver:
    """Hands each message on once, by its id, to `hand`. `secret` is set as soon as it is known."""

    def __init__(self, rng: Random, hand: Callable[[str, Any], None]) -> None:
        self.secret = ""
        self.url = ""
        self.count = Received()
        self._rng, self._hand = rng, hand
        self._seen: dict[str, bytes] = {}
        self._ways: list[str] = []

    def take(self, headers: dict[str, str], body: bytes) -> None:
        """As Standard Webhooks has it: signed, fresh, and each id once."""
        identity = headers.get("webhook-id", "")
        if not self._is_signed(headers, body):
            self.count.wrong.append(f"message {identity} is not signed by the service")
            return
        if identity in self._seen:
            self.count.repeated += 1
            if self._seen[identity] != body:
                self.count.wrong.append(f"message {identity} came again with another body")
            return
        self._seen[identity] = body
        self._hand(identity, msgspec.json.decode(body))

    def _way(self) -> str:
        """How the next delivery is answered: of every three one fails."""
        if not self._ways:
            self._ways = [_WELL, _WELL, self._rng.choice(_WAYS)]
            self._rng.shuffle(self._ways)
        return self._ways.pop()

    def _is_signed(self, headers: dict[str, str], body: bytes) -> bool:
        sent = headers.get("webhook-timestamp", "")
        if not sent.isdigit() or abs(time.time() - int(sent)) > _FRESH_SECONDS:
            return False
        key = b64decode(self.secret.removeprefix("whsec_"))
        content = b".".join([headers["webhook-id"].encode(), sent.encode(), body])
        made = "v1," + b64encode(hmac.new(key, content, sha256).digest()).decode()
        given = headers.get("webhook-signature", "").split(" ")
        return any(hmac.compare_digest(made, each) for each in given)

    async def answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            headers, body = await _request(reader)
            self.count.deliveries += 1
            way = self._way()
            self.count.failed += way != _WELL
            if way == _WELL or way.startswith("take"):
                self.take(headers, body)
            if not way.endswith("break off"):
                status = "204 No Content" if way == _WELL else "500 Internal Server Error"
                writer.write(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())
                await writer.drain()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def receiving(receiver: Receiver) -> AsyncIterator[None]:
    """Listens on a free port of this machine as long as the block lasts."""
    server = await asyncio.start_server(receiver.answered, "127.0.0.1", 0)
    receiver.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hooks"
    try:
        yield
    finally:
        server.close()
        await server.wait_closed()


async def _request(reader: asyncio.StreamReader) -> tuple[dict[str, str], bytes]:
    """Headers by their names in lower case, and the body."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return headers, await reader.readexactly(int(headers.get("content-length", "0")))
