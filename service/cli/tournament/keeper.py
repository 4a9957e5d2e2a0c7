"""Whoever kills the service: every few seconds by SIGKILL, now and then while it starts."""

import asyncio
import time
from random import Random
from typing import Final

import httpx

from service.cli.demo.server import START_SECONDS, Server
from service.cli.tournament.flags import Outage

_AGAIN: Final = 0.15  # how often it dies while it starts
_DOWN_SECONDS: Final = (0.3, 2.0)  # before it is started again
_FIRST_SECONDS: Final = 1.6  # the first time: longer than any silence that is no outage


class Keeper:
    """`outages` are those so far, in order; of several kills in a row one."""

    def __init__(self, server: Server, every: float, rng: Random) -> None:
        self.outages: list[Outage] = []
        self.kills = 0
        self._server, self._every, self._rng = server, every, rng

    async def kill_until(self, stop: asyncio.Event) -> None:
        """Kill it again and again until then; it runs afterwards. Raises: CannotDo."""
        while not stop.is_set():
            pause = self._every * self._rng.uniform(0.6, 1.4)
            try:
                async with asyncio.timeout(pause):
                    await stop.wait()
            except TimeoutError:
                await self._kill()

    async def _kill(self) -> None:
        since, before = _now(), self.kills
        self._server.kill()
        self.kills += 1
        down = self._rng.uniform(*_DOWN_SECONDS) if self.outages else _FIRST_SECONDS
        await asyncio.sleep(down)
        self._server.begin()
        while self._rng.random() < _AGAIN:
            await asyncio.sleep(self._rng.uniform(0.1, 1.0))
            self._server.kill()
            self.kills += 1
            self._server.begin()
        await self._until_ready()
        self.outages.append(Outage(since, _now(), self.kills - before))

    async def _until_ready(self) -> None:
        """Raises: CannotDo."""
        deadline = time.monotonic() + START_SECONDS
        async with httpx.AsyncClient(base_url=self._server.url, trust_env=False) as http:
            while self._server.is_running and time.monotonic() < deadline:
                try:
                    if (await http.get("/readyz")).is_success:
                        return
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)
        raise self._server.silent()


def _now() -> int:
    return time.time_ns() // 1_000_000
