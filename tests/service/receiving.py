"""A receiver of webhooks that can be made to misbehave."""

import asyncio
import hmac
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec

from tests.waiting import PATIENCE

Json = dict[str, Any]


@dataclass(frozen=True)
class Received:
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> Json:
        event: Json = msgspec.json.decode(self.body)
        return event

    @property
    def type(self) -> str:
        return str(self.event["type"])

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    def is_signed_by(self, secret: str) -> bool:
        """As a receiver checks it."""
        content = f"{self.id}.{self.headers['webhook-timestamp']}.".encode() + self.body
        key = b64decode(secret.removeprefix("whsec_"))
        made = hmac.new(key, content, sha256).digest()
        given = self.headers["webhook-signature"].split(" ")
        return any(b64decode(each[3:]) == made for each in given if each.startswith("v1,"))


@dataclass
class Receiver:
    """`status` is answered, after those of `first`, with the headers `more`; `raw`, if set, is all
    that is said instead.

    `gate` is waited for before an answer.
    """

    url: str = ""
    status: int = 204
    first: list[int] = field(default_factory=list)
    raw: bytes | None = None
    more: dict[str, str] = field(default_factory=dict)
    gate: asyncio.Event | None = None
    asked: int = 0
    at_once: int = 0
    most_at_once: int = 0
    got: list[Received] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    def of(self, kind: str) -> list[Received]:
        return [each for each in self.got if each.type == kind]

    async def until(self, count: int, kind: str | None = None) -> list[Received]:
        """Waits for so many messages (of a type); all of them so far."""
        async with asyncio.timeout(PATIENCE):
            while len(found := self.got if kind is None else self.of(kind)) < count:
                self.news.clear()
                await self.news.wait()
        return found

    async def answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.asked += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answered(reader, writer)
        finally:
            self.at_once -= 1
            writer.close()
            self.writers.append(writer)

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        pairs = (line.partition(": ") for line in head[1:] if line)
        headers = {name.lower(): value for name, _, value in pairs}
        body = await reader.readexactly(int(headers["content-length"]))
        self.got.append(Received(headers, body))
        self.news.set()
        if self.gate is not None:
            await self.gate.wait()
        if self.raw is not None:
            writer.write(self.raw)
        else:
            status = self.first.pop(0) if self.first else self.status
            more = "".join(f"{name}: {value}\r\n" for name, value in self.more.items())
            writer.write(f"HTTP/1.1 {status} x\r\ncontent-length: 0\r\n{more}\r\n".encode())
        await writer.drain()


@asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    known = Receiver()
    server = await asyncio.start_server(known.answered, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    known.url = f"http://localhost:{port}/hooks"
    try:
        yield known
    finally:
        if known.gate is not None:
            known.gate.set()
        server.close()
        await server.wait_closed()
        for writer in known.writers:
            writer.transport.abort()  # some never read to the end
        await asyncio.sleep(0)
