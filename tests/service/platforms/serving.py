"""A platform behind a port of its own, and connections to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
import msgspec

from service.platforms.told import Call
from service.reaching import Reply
from tests.service.conftest import Door
from tests.service.platforms.fakes import Fake
from tests.waiting import PATIENCE

Json = dict[str, Any]
CONNECTIONS = "/v1/connections"


@dataclass
class Served:
    """`fakes` by the path their calls begin with; `gate` is waited for before an answer."""

    url: str
    fakes: dict[str, Fake] = field(default_factory=dict)
    ahead: list[Reply] = field(default_factory=list)
    gate: asyncio.Event | None = None
    hangs: bool = False
    calls: list[Call] = field(default_factory=list)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: int = 0
    most_at_once: int = 0

    async def until(self, count: int) -> None:
        """Waits for so many calls."""
        async with asyncio.timeout(PATIENCE):
            while len(self.calls) < count:
                self.news.clear()
                await self.news.wait()

    async def answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answered(reader, writer)
        finally:
            self.at_once -= 1
            writer.close()

    async def _answered(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        method, path, _ = first.split(" ")
        pairs = (line.partition(": ") for line in rest if line)
        headers = {name.lower(): value for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        call = Call(method, path, headers, body or None)
        self.calls.append(call)
        self.news.set()
        if self.hangs:
            await asyncio.sleep(3600)
        if self.gate is not None:
            await self.gate.wait()
        reply = self.ahead.pop(0) if self.ahead else self._of(call)
        more = "" if reply.retry_after is None else f"retry-after: {reply.retry_after}\r\n"
        head = f"HTTP/1.1 {reply.status} x\r\ncontent-length: {len(reply.body)}\r\n{more}\r\n"
        writer.write(head.encode() + reply.body)
        await writer.drain()

    def _of(self, call: Call) -> Reply:
        """As the platform that the path belongs to, at its own address."""
        for begins, fake in self.fakes.items():
            if call.url.startswith(begins):
                host = fake.target.address.split("/")[2]
                url = f"https://{host}{call.url.removeprefix(begins)}"
                return fake.answer(msgspec.structs.replace(call, url=url))
        return Reply(404, b"")


@asynccontextmanager
async def served() -> AsyncIterator[Served]:
    known = Served("")
    server = await asyncio.start_server(known.answered, "127.0.0.1", 0)
    known.url = f"http://localhost:{server.sockets[0].getsockname()[1]}"
    try:
        yield known
    finally:
        if known.gate is not None:
            known.gate.set()
        server.close()


async def connected(door: Door, token: str = "", **body: Any) -> Json:
    made = await door.post(CONNECTIONS, token or door.key, json=body)
    assert made.status_code == 201, made.text
    connection: Json = made.json()
    return connection


def link_path(connection: Json, match_id: str) -> str:
    return f"{CONNECTIONS}/{connection['id']}/links/{match_id}"


async def put(door: Door, path: str, body: Json, token: str = "") -> httpx.Response:
    headers = {"Authorization": f"Bearer {token or door.key}"}
    return await door.http.put(path, json=body, headers=headers)


async def linked(
    door: Door, connection: Json, match_id: str, target: str, *participants: str
) -> Json:
    body = {"target": target, "participants": participants}
    made = await put(door, link_path(connection, match_id), body)
    assert made.status_code == 200, made.text
    link: Json = made.json()
    return link


async def settled(
    door: Door, connection: Json, match_id: str, state: str, attempts: int = 0
) -> Json:
    """The link, once it is in that state after (at least) so many noted attempts."""
    found: Json = {}
    try:
        async with asyncio.timeout(PATIENCE):
            while True:
                found = (await door.get(link_path(connection, match_id))).json()
                if found["state"] == state and len(found["log"]) >= attempts:
                    return found
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(found) from None


def pass_time(door: Door, milliseconds: int) -> None:
    door.clock.now += milliseconds
    door.app.parts.reporting.stir()
