"""What watches over deal groups in this process: it ends and reveals those that are due.

Every process has one, and each of them may do it: what is done already is found done.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from service.pauses import Pauses
from service.signals import Work

Finish = Callable[[str], Awaitable[None]]
Due = Callable[[], Awaitable[list[str]]]
Failed = Callable[[str | None, Exception], None]

LONGEST_PAUSE_MS: Final = 60_000  # before a group that could not be finished is tried again


class Closer:
    """Groups are finished as soon as a match of theirs ends here, and found by a tick otherwise.

    `heeds` is whether anybody here will: else what is stirred is left to other processes.
    """

    def __init__(self, *, heeds: bool = True) -> None:
        self._heeds = heeds
        self._stirred: set[str] = set()
        self._wake = asyncio.Event()
        self._pauses = Pauses(Work.DEAL_GROUPS, LONGEST_PAUSE_MS)  # by the clock of the loop

    def stir(self, group_id: str) -> None:
        """A match of the group ended, or the group was closed: it may be due."""
        if self._heeds:
            self._stirred.add(group_id)
            self._wake.set()

    @asynccontextmanager
    async def watching(
        self, due: Due, finish: Finish, failed: Failed, seconds: float
    ) -> AsyncIterator[None]:
        """While open: finish what is stirred, and every `seconds` what `due` finds.

        One that fails is told of and left alone for a while, and keeps no other from its end.
        """
        task = asyncio.create_task(self._watch(due, finish, failed, seconds))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _watch(self, due: Due, finish: Finish, failed: Failed, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        tick = loop.time()  # At once: the closing time may have come while nothing ran.
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(tick):
                    await self._wake.wait()
            self._wake.clear()
            found, self._stirred = self._stirred, set()
            if loop.time() >= tick:
                tick = loop.time() + seconds
                try:
                    found |= set(await due())
                except Exception as error:
                    failed(None, error)
            for group_id in sorted(found):
                await self._finish(group_id, finish, failed)

    async def _finish(self, group_id: str, finish: Finish, failed: Failed) -> None:
        now = round(1000 * asyncio.get_running_loop().time())
        if self._pauses.rests(group_id, now):
            return
        try:
            await finish(group_id)
        except Exception as error:
            self._pauses.failed(group_id, now)
            failed(group_id, error)
        else:
            self._pauses.went_on(group_id)
