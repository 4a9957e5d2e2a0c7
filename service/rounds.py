"""Work of this process that goes on for as long as it runs, round after round."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar

from events.database import DatabaseFault
from service.logs import Logger

News = Callable[[], asyncio.Event]
About = TypeVar("About")

# Seconds after a failed attempt: ten attempts in 75 hours and a half.
STEPS: Final = (5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
_JITTER: Final = 0.1  # by how much of itself a pause changes


class Rounds(Generic[About]):
    """Runs `once` whenever there is news, it is stirred, or `seconds` have passed; and beside it
    what a round began, each with what it is about.

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
        self._going: dict[asyncio.Task[None], About] = {}

    @property
    def going(self) -> list[About]:
        """What is begun and not at its end."""
        return list(self._going.values())

    def begin(self, work: Coroutine[object, object, None], about: About) -> None:
        """Its end begins another round."""
        task = asyncio.create_task(work)
        self._going[task] = about
        task.add_done_callback(self._ended)

    @asynccontextmanager
    async def running(self, once: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """In the end all of it is cut off, wherever it is."""
        task = asyncio.create_task(self._run(once))
        try:
            yield
        finally:
            tasks = (task, *self._going)
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def stir(self) -> None:
        self._stirred.set()

    async def _run(self, once: Callable[[], Awaitable[None]]) -> None:
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

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self._going[task]
        self._stirred.set()
        if task.cancelled():
            return
        error = task.exception()
        if isinstance(error, DatabaseFault):
            self._log.warning(f"{self._name}_wait", error=type(error).__name__)
        elif error is not None:
            self._log.error(f"{self._name}_failed", exc_info=error)


def pause_after(attempts: int) -> float | None:
    """Seconds from so many failed attempts to the next one; None if there is none."""
    if attempts > len(STEPS):
        return None
    return jittered(STEPS[attempts - 1])


def jittered(seconds: int) -> float:
    """A tenth more or less, so that not all who wait come back at the same moment."""
    return seconds * (1 + _JITTER * (secrets.randbelow(2001) / 1000 - 1))


async def _any_of(*events: asyncio.Event, seconds: float) -> None:
    waiting = [asyncio.create_task(each.wait()) for each in events]
    try:
        await asyncio.wait(waiting, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for each in waiting:
            each.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
