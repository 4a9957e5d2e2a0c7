"""What is written past the server's messages is what it would have written, or is left to it."""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from uvicorn import Config, Server
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle
from websockets.asyncio.client import connect

from service.cli.messages import Messages
from service.cli.protocol import Protocol
from service.http import WHOLE, Receive, Scope, Send
from service.streams import at_once
from tests.waiting import PATIENCE, eventually

SIZES = (1, 125, 126, 15, 65_535, 65_536, 100_000)
PIECE = 60_000


class Writer:
    """An application that writes `texts`, or for ever the like until that is no more done at once;
    then a last word. `now_count` were written at once; `is_too_late`: nothing was, at the end.
    """

    def __init__(self, texts: tuple[bytes, ...] = ()) -> None:
        self._texts = texts
        self.sent: list[bytes] = []
        self.now_count = 0
        self.is_too_late = False
        self.is_full = asyncio.Event()
        self.has_ended = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        now = at_once(scope, send)
        is_http = scope["type"] == "http"
        await receive()
        assert not now(b"too early")
        if is_http:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        else:
            await send({"type": "websocket.accept"})
        for text in self._texts:
            await self._write(now(text), text, send, is_http)
        while not self._texts and not self.is_full.is_set():
            text = b"%d " % len(self.sent) * PIECE
            await self._write(now(text[:PIECE]), text[:PIECE], send, is_http)
        await self._write(False, b"the last", send, is_http)
        if is_http:
            await send({"type": "http.response.body", "body": b""})
        else:
            await send({"type": "websocket.close"})
        self.is_too_late = not now(b"too late")
        self.has_ended.set()

    async def _write(self, was_written: bool, text: bytes, send: Send, is_http: bool) -> None:
        self.sent.append(text)
        if was_written:
            self.now_count += 1
            return
        self.is_full.set()
        if is_http:
            await send({"type": "http.response.body", "body": text, "more_body": True})
        else:
            await send({"type": "websocket.send", "text": text.decode()})


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[str]:
    """Where it is, without the scheme."""
    config = Config(
        app, port=0, http=Protocol, ws=Messages, lifespan="off", log_config=None,
        ws_per_message_deflate=False,
    )  # fmt: skip
    server = Server(config)
    task = asyncio.create_task(server.serve())

    async def has_started() -> bool:
        return server.started

    await eventually(has_started)
    try:
        yield f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@pytest.mark.parametrize("texts", [tuple(b"x" * size for size in SIZES), ()], ids=["sizes", "full"])
async def test_a_stream_comes_whole(texts: tuple[bytes, ...]) -> None:
    app = Writer(texts)
    async with (
        serving(app) as place,
        httpx.AsyncClient() as http,
        http.stream("GET", f"http://{place}/") as answer,
    ):
        if not texts:
            await asyncio.wait_for(app.is_full.wait(), PATIENCE)
        assert await answer.aread() == b"".join(app.sent)
        await asyncio.wait_for(app.has_ended.wait(), PATIENCE)
    assert app.now_count >= len(texts) - 2 > 0 or app.now_count > 10
    assert app.is_too_late


@pytest.mark.parametrize("texts", [tuple(b"x" * size for size in SIZES), ()], ids=["sizes", "full"])
async def test_texts_come_one_by_one(texts: tuple[bytes, ...]) -> None:
    app = Writer(texts)
    async with serving(app) as place, connect(f"ws://{place}/", max_queue=1) as socket:
        if not texts:
            await asyncio.wait_for(app.is_full.wait(), PATIENCE)
        assert [each.encode() async for each in socket if isinstance(each, str)] == app.sent
        await asyncio.wait_for(app.has_ended.wait(), PATIENCE)
    assert app.now_count >= len(texts) - 2 > 0 or app.now_count > 10
    assert app.is_too_late


async def _answering(scope: Scope, receive: Receive, send: Send) -> None:
    await receive()
    await scope["extensions"][WHOLE](send, 200, b"", [(b"content-length", b"2")], b"ok")


async def test_a_request_that_was_answered_is_no_garbage_in_a_cycle() -> None:
    """Its server lets go of it by itself: nobody has to search for it."""
    async with serving(_answering) as place, httpx.AsyncClient(trust_env=False) as client:
        gc.collect()
        gc.disable()
        try:
            for _ in range(20):
                assert (await client.get(f"http://{place}/")).text == "ok"
            kept = sum(isinstance(each, RequestResponseCycle) for each in gc.get_objects())
        finally:
            gc.enable()
    assert kept <= 1
