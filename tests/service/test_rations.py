"""Of a connection little is read, in small helpings, between which others have their turn."""

# ruff: noqa: ASYNC109 - the signatures are those of httpcore

import asyncio
import ssl

import httpcore
import pytest

from service.rations import HELPING, RationedStream


class Endless(httpcore.AsyncNetworkStream):
    """Gives as much as is asked for, at once."""

    def __init__(self) -> None:
        self.given: list[int] = []

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self.given.append(max_bytes)
        return b"x" * max_bytes

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        return self


async def read_on(stream: httpcore.AsyncNetworkStream) -> None:
    while True:
        await stream.read(65_536)


@pytest.mark.parametrize("is_secured", [False, True])
async def test_no_more_is_read_than_the_ration(is_secured: bool) -> None:
    endless = Endless()
    stream: httpcore.AsyncNetworkStream = RationedStream(endless, 10_000)
    if is_secured:
        stream = await stream.start_tls(ssl.create_default_context())
    with pytest.raises(httpcore.ReadError):
        await read_on(stream)
    assert endless.given == [HELPING, HELPING, 10_000 - 2 * HELPING]


async def test_others_have_their_turn_before_every_helping() -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    endless, other = Endless(), asyncio.create_task(count())
    with pytest.raises(httpcore.ReadError):
        await read_on(RationedStream(endless, 16 * HELPING))
    other.cancel()
    assert turns >= len(endless.given)
