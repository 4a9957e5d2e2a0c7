"""Streams of an application in this process, read part by part and dropped at will."""

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from service.app import App
from tests.service.client import bearer
from tests.waiting import PATIENCE


class Reading:
    """An open stream. `pause` makes the connection as if full: writes wait."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self._parts: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._gone = asyncio.Event()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._was_asked = False

    def pause(self) -> None:
        self._flowing.clear()

    def drop(self) -> None:
        self._gone.set()

    async def part(self, seconds: float = PATIENCE) -> bytes | None:
        """What is sent next, None at the end."""
        return await asyncio.wait_for(self._parts.get(), seconds)

    async def until(self, wanted: bytes, seconds: float = PATIENCE) -> bytes:
        """All that is sent until `wanted` is in it."""
        seen = b""
        async with asyncio.timeout(seconds):
            while wanted not in seen:
                part = await self._parts.get()
                assert part is not None, f"ended without {wanted!r}: {seen[-200:]!r}"
                seen += part
        return seen

    async def rest(self, seconds: float = PATIENCE) -> bytes:
        """All that is sent until the end."""
        seen = b""
        async with asyncio.timeout(seconds):
            while (part := await self._parts.get()) is not None:
                seen += part
        return seen

    async def receive(self) -> MutableMapping[str, Any]:
        if not self._was_asked:
            self._was_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        await self._flowing.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            return
        if message.get("body"):
            self._parts.put_nowait(message["body"])
        if not message.get("more_body"):
            self._parts.put_nowait(None)


@asynccontextmanager
async def reading(
    app: App, path: str, token: str | None, accept: str, query: str = "", **headers: str
) -> AsyncIterator[Reading]:
    """GET a stream; it is dropped on leaving."""
    stream = Reading()
    own = {} if token is None else bearer(token)
    named = {**own, "accept": accept, **headers}
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(k.lower().replace("_", "-").encode(), v.encode()) for k, v in named.items()],
    }
    task = asyncio.create_task(app(scope, stream.receive, stream.send))
    try:
        yield stream
    finally:
        stream.drop()
        stream._flowing.set()
        await asyncio.wait_for(task, PATIENCE)
