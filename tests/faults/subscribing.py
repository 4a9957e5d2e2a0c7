"""A subscriber to server-sent events that takes its stream up again wherever it breaks off."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from itertools import cycle
from typing import Any

import httpx
import msgspec

from tests.faults.serving import SECONDS, plain_client
from tests.service.client import Table, bearer


class Subscriber:
    """`events` are those received, doubled ones too. It subscribed `starts` times; so often the
    stream was cut instead of ended: `cuts`.
    """

    def __init__(self, urls: tuple[str, ...], table_path: str, token: str) -> None:
        self.events: list[Any] = []
        self.starts = 0
        self.cuts = 0
        self.is_at_end = False
        self._urls = cycle(urls)
        self._path = table_path + "/events"
        self._token = token
        self._last = 0
        self._news = asyncio.Condition()

    @property
    def versions(self) -> list[int]:
        return [each["version"] for each in self.events]

    @property
    def last(self) -> int:
        """The version that came last."""
        return self._last

    async def until(self, version: int, seconds: float = SECONDS) -> None:
        """Returns when that version has come. Raises: AssertionError."""
        await self._until(lambda: self._last >= version, seconds, f"version {version}")

    async def to_the_end(self, seconds: float = SECONDS) -> None:
        """Returns when the server has said that nothing more will come. Raises: AssertionError."""
        await self._until(lambda: self.is_at_end, seconds, "the end")

    async def _until(self, has_come: Callable[[], bool], seconds: float, what: str) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), self._news:
                await self._news.wait_for(has_come)
        assert has_come(), f"{what} did not come, {self._last} was the last"

    async def follow(self) -> None:
        while not self.is_at_end:
            async with plain_client(next(self._urls)) as http:
                with suppress(httpx.TransportError):
                    await self._subscribe(http)
            await asyncio.sleep(0.02)

    async def _subscribe(self, http: httpx.AsyncClient) -> None:
        headers = {
            **bearer(self._token),
            "accept": "text/event-stream",
            "last-event-id": str(self._last),
        }
        async with http.stream("GET", self._path, headers=headers) as stream:
            if stream.status_code != 200:
                assert stream.status_code == 503, stream.status_code
                return
            self.starts += 1
            try:
                await self._read(stream)
            except httpx.TransportError:
                self.cuts += 1

    async def _read(self, stream: httpx.Response) -> None:
        block: dict[str, str] = {}
        async for line in stream.aiter_lines():
            if line:
                name, _, value = line.partition(":")
                block[name] = value.strip()
            else:
                await self._take(block)
                block = {}

    async def _take(self, block: dict[str, str]) -> None:
        """A block counts when it is whole: one that was cut comes again."""
        if "id" not in block:
            return
        async with self._news:
            if block.get("event") == "end":
                self.is_at_end = True
            else:
                self.events.append(msgspec.json.decode(block["data"]))
                self._last = int(block["id"])
            self._news.notify_all()


@asynccontextmanager
async def subscribed(
    url: str, table: Table | str, token: str, *others: str
) -> AsyncIterator[Subscriber]:
    """At `url`, and each time that the stream ends at the next of `others`."""
    path = table if isinstance(table, str) else table.path
    subscriber = Subscriber((url, *others), path, token)
    task = asyncio.create_task(subscriber.follow())
    try:
        yield subscriber
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
