"""Streams of a real server are bounded: in number, in time for a reader that stalls, in memory."""

import asyncio
import resource
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT

from tests.service.client import Table, bearer, open_table
from tests.service.conftest import Door
from tests.service.driving import reading
from tests.service.process import Server, server
from tests.waiting import PATIENCE

SEND_SECONDS = 1.0
ESTABLISHED = 1  # the first byte of TCP_INFO
SPARE_BYTES = 6 * 2**20  # what caches of a few more events may take
WAITING_BYTES = HIGH_WATER_LIMIT  # what may wait for one reader before it is waited for


@pytest.fixture
def served(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    with server(sqlite_url, tmp_path, SEND_SECONDS=str(SEND_SECONDS)) as started:
        yield started


def resident(process: Server) -> int:
    """Bytes."""
    pages = int(Path(f"/proc/{process.process.pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


class Spectator:
    """A bare connection with a stream on it, which is read or not."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.received = b""

    @staticmethod
    async def open(process: Server, table: Table, receive_buffer: int = 0) -> "Spectator":
        at = urlsplit(process.address)
        own = socket.socket()
        if receive_buffer:
            own.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        own.setblocking(False)
        await asyncio.get_running_loop().sock_connect(own, (at.hostname, at.port))
        # Limit: an unread stream must fill the socket, not this process.
        reader, writer = await asyncio.open_connection(sock=own, limit=1024)
        writer.write(
            f"GET {table.path}/events HTTP/1.1\r\nhost: here\r\naccept: text/event-stream\r\n"
            f"authorization: Bearer {process.key}\r\n\r\n".encode()
        )
        return Spectator(reader, writer)

    async def until(self, wanted: bytes, seconds: float = PATIENCE) -> None:
        async with asyncio.timeout(seconds):
            while wanted not in self.received:
                part = await self._reader.read(2**16)
                assert part, self.received[-200:]
                self.received = (self.received + part)[-4096:]

    async def until_cut(self) -> None:
        """Returns when the server has given the connection up, with nothing read meanwhile."""
        own = self._writer.get_extra_info("socket")
        async with asyncio.timeout(PATIENCE):
            while _state(own) == ESTABLISHED:  # noqa: ASYNC110 - only the kernel knows
                await asyncio.sleep(0.05)

    async def close(self) -> None:
        self._writer.transport.abort()
        await asyncio.sleep(0)


@asynccontextmanager
async def spectators(process: Server, table: Table, count: int) -> AsyncIterator[list[Spectator]]:
    async with AsyncExitStack() as stack:
        found = []
        for _ in range(count):
            found.append(await Spectator.open(process, table))
            stack.push_async_callback(found[-1].close)
        yield found


def _state(own: socket.socket) -> int:
    return own.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]


async def talk(http: httpx.AsyncClient, table: Table, words: int) -> int:
    """Say so many things aside: the version afterwards."""
    last = 0
    for number in range(words):
        body = {"decision": None, "move": {"type": "speak", "text": f"{number} " + "x" * 70}}
        headers = {**bearer(table.tokens[0]), "Idempotency-Key": str(uuid4())}
        done = await http.post(table.path + "/moves", json=body, headers=headers)
        assert done.status_code == 200, done.text
        last = done.json()["last"]
    return last


async def test_a_reader_that_never_reads_is_cut_within_a_bound(served: Server) -> None:
    async with served.client() as http:
        table = await open_table(http, served.key, "high_card", 2)
        version = await talk(http, table, 700)
        stalled = await Spectator.open(served, table, receive_buffer=4096)
        async with spectators(served, table, 1) as (reader,):
            await stalled.until_cut()
            await reader.until(b"id: %d\n" % version)
            again = await talk(http, table, 1)
            await reader.until(b"id: %d\n" % again)
        await stalled.close()


async def test_memory_is_flat_under_subscribers_that_read_and_that_do_not(served: Server) -> None:
    await _assert_flat(served, readers=80, stalled=20, seconds=6)


@pytest.mark.soak
async def test_memory_is_flat_under_a_thousand_for_a_minute(served: Server) -> None:
    await _assert_flat(served, readers=800, stalled=200, seconds=60)


async def _assert_flat(served: Server, readers: int, stalled: int, seconds: float) -> None:
    async with (
        served.client() as http,
        AsyncExitStack() as stack,
    ):
        table = await open_table(http, served.key, "high_card", 2)
        version = await talk(http, table, 30)
        reading = await stack.enter_async_context(spectators(served, table, readers))
        await stack.enter_async_context(spectators(served, table, stalled))
        await asyncio.gather(*(each.until(b"id: %d\n" % version) for each in reading))
        settled, until = 0, time.monotonic() + seconds
        while time.monotonic() < until:
            version = await talk(http, table, 5)
            await asyncio.gather(*(each.until(b"id: %d\n" % version) for each in reading))
            # What the first news to so many makes once is no growth.
            settled = settled or resident(served)
            await asyncio.sleep(0.2)
        grown = resident(served) - settled
        assert grown < SPARE_BYTES + stalled * WAITING_BYTES, (settled, grown, version)


async def test_a_process_holds_a_bounded_number_of_streams(
    door: Door, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door.app.parts.streams, "_most", 2)
    path, sse = table.path + "/events", {"Accept": "text/event-stream"}
    async with (
        reading(door.app, path, door.key, "text/event-stream") as stream,
        reading(door.app, path, door.key, "application/x-ndjson") as other,
    ):
        await stream.part()
        await other.part()
        for more in ({"headers": sse}, {"params": {"wait": 1}}):
            refused = await door.get(path, **more)
            assert (refused.status_code, refused.json()["code"]) == (503, "too-many-streams")
            assert refused.headers["retry-after"] == "1"
        assert (await door.get(path)).status_code == 200
    async with reading(door.app, path, door.key, "text/event-stream") as stream:
        assert await stream.part()


async def test_a_hint_that_tells_too_much_does_no_harm(door: Door, table: Table) -> None:
    news, path = door.app.parts.news, table.path + "/events"
    async with reading(door.app, path, door.key, "text/event-stream") as stream:
        await stream.until(b"chance_drawn")
        for too_much in (10**6, 7 * 10**14):
            news.hear([(table.match_id, too_much)])
            await asyncio.sleep(0.05)
        version = await talk(door.http, table, 1)
        assert await stream.until(b"id: %d\n" % version)
