"""Results kept by this process as the feed grows, and what follows of them elsewhere begun.

Every process has one; of those that take the same rows of the feed one does.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from sqlalchemy.exc import IntegrityError

from events.consumers import Consumer, Overtaken, Take
from events.database import Database, DatabaseFault
from service.logs import Logger
from service.result_rows import CONSUMER

_ROWS: Final = 200  # of the feed, in one transaction

News = Callable[[], asyncio.Event]


class Recording:
    """`news` rings when the feed has grown; `seconds` is how long nothing is looked for without.

    What `running` is given does what follows of results: once they are kept, and now and then.
    """

    def __init__(
        self, database: Database, take: Take, news: News, log: Logger, seconds: float
    ) -> None:
        self._consumer = Consumer(database, CONSUMER, take, _ROWS)
        self._news = news
        self._log = log
        self._seconds = seconds
        self._rung = asyncio.Event()
        self._waits = False  # for the database

    @property
    def news(self) -> asyncio.Event:
        """Set when results were kept here. Get it before reading; it rings once."""
        return self._rung

    @asynccontextmanager
    async def running(self, follow: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        task = asyncio.create_task(self._run(follow))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def position(self) -> int:
        """Up to which position of the feed results are kept."""
        return await self._consumer.position()

    async def catch_up(self) -> None:
        """Keep all there is. Raises: DatabaseFault."""
        # Another process that takes the same rows at the same moment is as good.
        with suppress(Overtaken, IntegrityError):
            while await self._consumer.step():
                rung, self._rung = self._rung, asyncio.Event()
                rung.set()

    async def _run(self, follow: Callable[[], Awaitable[None]]) -> None:
        while True:
            news = self._news()
            try:
                await self.catch_up()
                await follow()
                self._waits = False
            except DatabaseFault as fault:
                if not self._waits:
                    self._log.warning("results_wait", error=type(fault).__name__)
                self._waits = True
            except Exception as error:
                self._log.error("results_failed", exc_info=error)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await news.wait()
