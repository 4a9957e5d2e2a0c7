"""Work of this process that goes on for as long as it runs, round after round."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from events.database import DatabaseFault
from service.logs import Logger

News = Callable[[], asyncio.Event]

JITTER: Final = 0.1  # by how much of itself a pause between two attempts changes


class Rounds:
    """Runs `once` whenever there is news, it is stirred, or `seconds` have passed.

    `news` gives what rings next. A fault of the database is waited for, and said once; what else
    goes wrong is logged, as `NAME_wait` and `NAME_failed`, and the next round begins.
    """

    def __init__(self, name: str, news: News, log: Logger, seconds: float) -> None:
        self._name = name
        self._news = news
        self._log = log
        self._seconds = seconds
        self._stirred = asyncio.Event()
        self._waits = False  # for the database

    def stir(self) -> None:
        self._stirred.set()

    async def run(self, once: Callable[[], Awaitable[None]]) -> None:
        while True:
            news = self._news()
            self._stirred.clear()
            try:
                await once()
                self._waits = False
            except DatabaseFault as fault:
                if not self._waits:
                    self._log.warning(f"{self._name}_wait", error=type(fault).__name__)
                self._waits = True
            except Exception as error:
                self._log.error(f"{self._name}_failed", exc_info=error)
            await _any_of(news, self._stirred, seconds=self._seconds)

    def ended(self, task: "asyncio.Task[None]") -> None:
        """A task of its own came to an end: say how, and look for what is next."""
        self._stirred.set()
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, DatabaseFault):
            self._log.warning(f"{self._name}_wait", error=type(error).__name__)
        elif error is not None:
            self._log.error(f"{self._name}_failed", exc_info=error)


async def _any_of(*events: asyncio.Event, seconds: float) -> None:
    waiting = [asyncio.create_task(each.wait()) for each in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
