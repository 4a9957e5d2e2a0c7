"""A TCP proxy that loses what tests want lost between the service and its database."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy.engine import make_url

_EVENTS = re.compile(rb"INSERT INTO \"?event\"? ")
_PREPARED = re.compile(rb"(__asyncpg_\w+__)\0([^\0]+)\0")


class Proxy:
    """Forwards to one address. `losses` is how many commits are still to go unanswered.

    The service writes at any moment beside play: with `is_of_events` only events count.

    Their connections are cut, or stay open and silent if `is_silent`. If `is_early` they are cut
    before the database has seen the commit: a COMMIT, or a statement that writes by itself.
    """

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0
        self.losses = 0
        self.is_silent = False
        self.is_early = False
        self.is_of_events = False
        self.lost = 0

    async def start(self) -> None:
        """Listens, on the same port as before after a stop."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Refuses connections and cuts those that are open."""
        assert self._server is not None
        self._server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers.add(writer)
        try:
            behind, to_behind = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
        else:
            self._writers.add(to_behind)
            link = _Link(self, writer)
            there = asyncio.create_task(link.forward(reader, to_behind))
            await link.answer(behind, writer)
            to_behind.transport.abort()
            await there
            self._writers.discard(to_behind)
        self._writers.discard(writer)
        self._tasks.discard(task)


class _Link:
    """One connection: whether the answer that comes next is one to lose."""

    def __init__(self, proxy: Proxy, client: asyncio.StreamWriter) -> None:
        self._proxy = proxy
        self._client = client
        self._is_to_lose = False
        self._is_mute = False
        self._is_in_transaction = False
        self._has_events = False  # in the transaction that is open
        self._inserting: dict[bytes, bool] = {}  # prepared statements, and whether events

    async def forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if self._commits(data) and self._proxy.losses > 0:
                    self._proxy.losses -= 1
                    if self._proxy.is_early:
                        self._proxy.lost += 1
                        break
                    self._is_to_lose = True
                writer.write(data)
                await writer.drain()
        writer.transport.abort()

    def _commits(self, data: bytes) -> bool:
        """Whether this, sent by the client in one go, ends with something durable that counts."""
        for name, text in _PREPARED.findall(data):
            if b"INSERT" in text:
                self._inserting[name] = bool(_EVENTS.search(text))
        bound = [of for name, of in self._inserting.items() if b"\0" + name + b"\0" in data]
        if b"BEGIN" in data:
            self._is_in_transaction, self._has_events = True, False
        elif b"COMMIT;" in data or b"ROLLBACK;" in data:
            self._is_in_transaction = False
            return b"COMMIT;" in data and (self._has_events or not self._proxy.is_of_events)
        self._has_events = self._has_events or any(bound)
        if self._is_in_transaction or not data.startswith(b"B"):  # Bind
            return False
        return any(bound) if self._proxy.is_of_events else bool(bound)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                if self._is_to_lose:
                    # The server has committed and said so; nobody hears it.
                    self._proxy.lost += 1
                    self._is_to_lose = False
                    if not self._proxy.is_silent:
                        break
                    self._is_mute = True
                if self._is_mute:
                    continue
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[tuple[str, Proxy]]:
    """The URL of a database by way of a proxy."""
    parsed = make_url(url)
    proxy = Proxy(str(parsed.host), int(parsed.port or 5432))
    await proxy.start()
    through = parsed.set(host="127.0.0.1", port=proxy.port)
    try:
        yield through.render_as_string(hide_password=False), proxy
    finally:
        await proxy.stop()
