"""Subscribers that come, read a while and go: each has to see every version once, in order."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from service.graphql.sockets import PROTOCOL
from tests.service.client import Json
from tests.soak.doors import Unexpected, address, reference

_LINE = 2**22  # bytes; a line holds one event
_FOLLOW = """
subscription($match: MatchRef!, $after: Int!) {
  matchEvents(match: $match, after: $after) {
    __typename ... on Event { version kind json } ... on CaughtUp { version }
  }
}"""


async def follow(by_graphql: bool, url: str, match_id: str, token: str, seconds: float) -> int:
    """Follow a match from its first event for so long, or to its end; the version it came to.

    Raises: Unexpected, OSError.
    """
    versions = _by_graphql if by_graphql else _by_sse
    came = 0
    try:
        async with asyncio.timeout(seconds), aclosing(versions(url, match_id, token)) as told:
            async for version in told:
                if version != came + 1:
                    raise Unexpected(f"{version} came after {came}")
                came = version
    except TimeoutError:
        pass
    return came


async def _by_sse(url: str, match_id: str, token: str) -> AsyncGenerator[int, None]:
    reader, writer = await asyncio.open_connection(*address(url), limit=_LINE)
    try:
        writer.write(
            f"GET /v1/matches/{match_id}/events HTTP/1.1\r\nhost: soak\r\n"
            f"accept: text/event-stream\r\nauthorization: Bearer {token}\r\n\r\n".encode()
        )
        status = await reader.readline()
        if b" 200 " not in status:
            raise Unexpected(f"a subscription got {status!r}")
        version: int | None = None
        while line := await reader.readline():
            if line.startswith(b"event: end"):
                return
            if line.startswith(b"id: "):
                version = int(line[4:])
            elif version is not None and not line.strip():
                yield version
                version = None
        raise Unexpected("a stream ended without saying so")
    finally:
        writer.transport.abort()


async def _by_graphql(url: str, match_id: str, token: str) -> AsyncGenerator[int, None]:
    host, port = address(url)
    socket: ClientConnection | None = None
    try:
        async with connect(
            f"ws://{host}:{port}/graphql",
            subprotocols=[Subprotocol(PROTOCOL)],
            proxy=None,
            max_size=_LINE,
            close_timeout=1,
        ) as socket:
            await _subscribe(socket, match_id, token)
            async for text in socket:
                told = msgspec.json.decode(text)
                if told["type"] == "complete":
                    return
                if (version := await _version_in(socket, told)) is not None:
                    yield version
        raise Unexpected("a socket was closed before the match was over")
    except ConnectionClosed as closed:
        raise Unexpected(f"a socket was closed: {closed}") from closed
    finally:
        # Closing it in peace may have been cut short.
        if socket is not None:
            socket.transport.abort()


async def _subscribe(socket: ClientConnection, match_id: str, token: str) -> None:
    init = {"type": "connection_init", "payload": {"authorization": f"Bearer {token}"}}
    variables = {"match": reference(match_id), "after": 0}
    asked = {"query": _FOLLOW, "variables": variables}
    for frame in (init, {"id": "1", "type": "subscribe", "payload": asked}):
        await socket.send(msgspec.json.encode(frame).decode())


async def _version_in(socket: ClientConnection, told: Json) -> int | None:
    """Of an event. Raises: Unexpected."""
    match told["type"]:
        case "connection_ack":
            return None
        case "ping":
            await socket.send('{"type":"pong"}')
            return None
        case "next" if told["payload"].get("data"):
            item = told["payload"]["data"]["matchEvents"]
            return int(item["version"]) if item["__typename"] == "Event" else None
        case _:
            raise Unexpected(f"a subscription got {told!r}"[:500])
