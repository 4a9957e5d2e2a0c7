"""When to look for flags that fall, and which matches are left alone for a while."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Final

from service.pauses import Pauses
from service.signals import Work

LONGEST_PAUSE_MS: Final = 30_000  # before a match that could not be dealt with is tried again
TICK_SECONDS: Final = 1.0  # how long what another process appended may go unnoticed


class FlagWatch:
    """Wakes whoever looks for flags in time for what was appended here. `pauses` are of matches."""

    def __init__(self) -> None:
        self._next: int | None = None
        self._wake = asyncio.Event()
        self.pauses = Pauses(Work.FLAGS, LONGEST_PAUSE_MS)

    def notice(self, due_at: int | None) -> None:
        """The first flag of a match falls then (ms), if none falls before."""
        if due_at is not None and (self._next is None or due_at < self._next):
            self._next = due_at
            self._wake.set()

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
