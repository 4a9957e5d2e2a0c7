"""A WebSocket to an application in this process."""

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from typing import Any

from service.app import App
from service.graphql.sockets import PROTOCOL
from tests.service.client import bearer
from tests.waiting import PATIENCE

Json = dict[str, Any]

FOLLOW = """
subscription($match: MatchRef!, $after: Int! = 0) {
  matchEvents(match: $match, after: $after) {
    __typename
    ... on Event { version kind json }
    ... on CaughtUp { version head }
  }
}
"""


class Closed(Exception):
    """The server closed the connection."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Wire:
    """The client's end. `pause` makes the connection as if full: the server's writes wait."""

    def __init__(self) -> None:
        self.subprotocol: str | None = None
        self._up: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        self._down: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._held = asyncio.Event()
        self._is_cut = False
        self._up.put_nowait({"type": "websocket.connect"})

    def pause(self) -> None:
        self._held.clear()
        self._flowing.clear()

    async def held(self) -> None:
        """Returns when the server waits to write."""
        async with asyncio.timeout(PATIENCE):
            await self._held.wait()

    def flow(self) -> None:
        self._flowing.set()

    def tell(self, **frame: Any) -> None:
        self.tell_text(json.dumps(frame))

    def tell_text(self, text: str) -> None:
        self._up.put_nowait({"type": "websocket.receive", "text": text})

    def cut(self) -> None:
        """Writing is an error from now on, as ASGI has it, before anything says that it left."""
        self._is_cut = True

    def drop(self) -> None:
        self._up.put_nowait({"type": "websocket.disconnect", "code": 1006})

    def subscribe(self, query: str, identity: str = "1", **variables: Any) -> None:
        payload = {"query": query, "variables": variables}
        self.tell(id=identity, type="subscribe", payload=payload)

    async def next(self, seconds: float = PATIENCE) -> Json:
        """The next message. Raises: Closed."""
        message = await asyncio.wait_for(self._down.get(), seconds)
        if message["type"] == "websocket.accept":
            self.subprotocol = message.get("subprotocol")
            return await self.next(seconds)
        if message["type"] == "websocket.close":
            # A longer one can't be sent: the client would see the connection break.
            assert len(message["reason"].encode()) <= 123
            raise Closed(message["code"])
        told: Json = json.loads(message["text"])
        return told

    async def data(self, identity: str = "1") -> Any:
        """The value of the one field of the next item."""
        told = await self.next()
        assert (told["type"], told["id"]) == ("next", identity), told
        assert "errors" not in told["payload"], told
        (value,) = told["payload"]["data"].values()
        return value

    async def closed(self, seconds: float = PATIENCE) -> int:
        """The code the server closes with, whatever it says before."""
        try:
            while True:
                await self.next(seconds)
        except Closed as closed:
            return closed.code

    async def receive(self) -> MutableMapping[str, Any]:
        return await self._up.get()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self._is_cut:
            raise ConnectionResetError
        if message["type"] == "websocket.send":
            if not self._flowing.is_set():
                self._held.set()
            await self._flowing.wait()
        self._down.put_nowait(message)


@asynccontextmanager
async def socket(
    app: App,
    token: str | None,
    *,
    subprotocols: tuple[str, ...] = (PROTOCOL,),
    query: str = "",
    header: str | None = None,
) -> AsyncIterator[Wire]:
    """An open connection, acknowledged if a token is given. `header` is a token that comes with the
    upgrade.
    """
    wire = Wire()
    scope = {
        "type": "websocket",
        "path": "/graphql",
        "headers": [] if header is None else [(b"authorization", b"Bearer " + header.encode())],
        "query_string": query.encode(),
        "subprotocols": list(subprotocols),
    }
    task = asyncio.create_task(app(scope, wire.receive, wire.send))
    try:
        if token is not None:
            wire.tell(
                type="connection_init", payload={"authorization": bearer(token)["Authorization"]}
            )
            assert (await wire.next())["type"] == "connection_ack"
        yield wire
    finally:
        wire.drop()
        wire.flow()
        await asyncio.wait_for(task, PATIENCE)
