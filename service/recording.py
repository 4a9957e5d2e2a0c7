"""Results kept by this process as the feed grows, and what follows of them elsewhere begun.

Every process has one; of those that take the same rows of the feed one does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

from events.consumers import Consumer, Take
from events.database import Database
from service.logs import Logger
from service.result_rows import CONSUMER
from service.rounds import News, Rounds, catch_up

_ROWS: Final = 200  # of the feed, in one transaction


class Recording:
    """`news` rings when the feed has grown; `seconds` is how long nothing is looked for without.

    What `running` is given does what follows of results: once they are kept, and now and then.
    """

    def __init__(
        self, database: Database, take: Take, news: News, log: Logger, seconds: float
    ) -> None:
        self._consumer = Consumer(database, CONSUMER, take, _ROWS)
        self._rounds = Rounds[None]("results", news, log, seconds)
        self._rung = asyncio.Event()

    @property
    def news(self) -> asyncio.Event:
        """Set when results were kept here. Get it before reading; it rings once."""
        return self._rung

    def running(self, follow: Callable[[], Awaitable[None]]) -> AbstractAsyncContextManager[None]:
        async def once() -> None:
            await self.catch_up()
            await follow()

        return self._rounds.running(once)

    async def position(self) -> int:
        """Up to which position of the feed results are kept."""
        return await self._consumer.position()

    async def catch_up(self) -> None:
        """Keep all there is. Raises: DatabaseFault."""
        await catch_up(self._consumer, self._ring)

    def _ring(self) -> None:
        rung, self._rung = self._rung, asyncio.Event()
        rung.set()
