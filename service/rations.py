"""Connections of which little is read, in small helpings: what answers may be hostile.

httpcore reads answers that say "wait for another one" for as long as they come, and works through
all that one read gave before anything else has its turn.
"""

# ruff: noqa: ASYNC109 - the signatures are those of httpcore

import asyncio
from collections.abc import Iterable
from ssl import SSLContext
from typing import Any, Final

import httpcore
from httpcore import SOCKET_OPTION

HELPING: Final = 4096  # bytes of one read; all of them can be answers of 16 bytes each


class Rationed(httpcore.AsyncNetworkBackend):
    """Connects by TCP. Of each connection `most` bytes are read; after them it raises ReadError."""

    def __init__(self, most: int) -> None:
        self._plain = httpcore.AnyIOBackend()
        self._most = most

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._plain.connect_tcp(host, port, timeout, local_address, socket_options)
        return RationedStream(stream, self._most)

    async def sleep(self, seconds: float) -> None:
        await self._plain.sleep(seconds)


class RationedStream(httpcore.AsyncNetworkStream):
    """`left` is how many bytes may still be read."""

    def __init__(self, stream: httpcore.AsyncNetworkStream, left: int) -> None:
        self._stream = stream
        self._left = left

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        # What waits decrypted is given without a pause: let others have their turn first.
        await asyncio.sleep(0)
        if not self._left:
            raise httpcore.ReadError("too much was sent")
        data = await self._stream.read(min(max_bytes, HELPING, self._left), timeout)
        self._left -= len(data)
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.AsyncNetworkStream:
        stream = await self._stream.start_tls(ssl_context, server_hostname, timeout)
        return RationedStream(stream, self._left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
