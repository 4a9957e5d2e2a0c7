"""Results kept by this process as the feed grows, and what follows of them elsewhere begun.

Every process has one; of those that take the same rows of the feed one does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

from events.consumers import Take
from events.database import Database
from service.keeping_up import Follower
from service.logs import Logger
from service.result_rows import CONSUMER
from service.rounds import News, Rounds


class Recording:
    """`news` rings when the feed has grown; `seconds` is how long nothing is looked for without.

    What `running` is given does what follows of results: once they are kept, and now and then.
    """

    def __init__(
        self,
        database: Database,
        take: Take,
        clock: Callable[[], int],
        news: News,
        log: Logger,
        seconds: float,
    ) -> None:
        self._follower = Follower(database, CONSUMER, take, clock, log, self._ring)
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
        return await self._follower.position()

    async def catch_up(self) -> None:
        """Keep all there is. Raises: DatabaseFault."""
        await self._follower.catch_up()

    def _ring(self) -> None:
        rung, self._rung = self._rung, asyncio.Event()
        rung.set()
