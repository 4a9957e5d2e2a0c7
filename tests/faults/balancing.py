"""Clients of several processes that come and go, as a load balancer would send them there."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx

from tests.faults.players import Insisting
from tests.faults.serving import SECONDS


class Balanced(Insisting):
    """Sends each request to the next of the servers, or, if it `is_sticky`, to the one that has
    answered last; to another when that fails or answers 503.
    """

    def __init__(self, urls: Sequence[str], *, is_sticky: bool) -> None:
        super().__init__(2 * SECONDS)
        self._urls = [httpx.URL(url) for url in urls]
        self._is_sticky = is_sticky
        self._place = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        deadline = time.monotonic() + self._seconds
        # A place of its own: requests that fail at the same time would else lead each other back.
        place = self._place
        if not self._is_sticky:
            self._place += 1
        while True:
            url = self._urls[place % len(self._urls)]
            request.url = request.url.copy_with(host=url.host, port=url.port)
            found = await self._sent(request)
            if isinstance(found, httpx.Response) and found.status_code != 503:
                if self._is_sticky:
                    self._place = place
                return found
            if time.monotonic() > deadline:
                if isinstance(found, httpx.Response):
                    return found
                raise found
            place += 1
            self.repeats += 1
            await asyncio.sleep(0.02)


@asynccontextmanager
async def balanced(*urls: str, is_sticky: bool = False) -> AsyncIterator[httpx.AsyncClient]:
    transport = Balanced(urls, is_sticky=is_sticky)
    async with httpx.AsyncClient(base_url=urls[0], transport=transport, timeout=SECONDS) as http:
        yield http
