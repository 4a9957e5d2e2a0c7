"""When to look for flags that fall, and which matches have failed."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

PAUSE_SECONDS: Final = 30.0  # before a match that could not be dealt with is tried again
TICK_SECONDS: Final = 1.0  # how long what another process appended may go unnoticed


class FlagWatch:
    """Wakes whoever looks for flags in time for what was appended here; keeps what has failed."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._wake = asyncio.Event()
        self._paused: dict[str, float] = {}

    def notice(self, due_at: int | None) -> None:
        """The first flag of a match falls then (ms), if none falls before."""
        if due_at is not None and (self._next is None or due_at < self._next):
            self._next = due_at
            self._wake.set()

    def is_paused(self, match_id: str) -> bool:
        return self._paused.get(match_id, 0.0) > monotonic()

    def pause(self, match_id: str) -> None:
        now = monotonic()
        self._paused = {each: until for each, until in self._paused.items() if until > now}
        self._paused[match_id] = now + PAUSE_SECONDS

    async def rest(self, found: int | None, grace: int, clock: Callable[[], int]) -> None:
        """Until something is due, `grace` ms later: `found` is when, as the database says."""
        self._next, end = found, monotonic() + TICK_SECONDS
        while True:
            self._wake.clear()
            left = end - monotonic()
            if self._next is not None:
                left = min(left, (self._next + grace - clock()) / 1000)
            if left <= 0:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._wake.wait()
