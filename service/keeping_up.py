"""How this process keeps up with the feed, past matches that can't be read here.

Such a match is put aside, in the database and so for every process. Each tries it again now and
then: one of a newer release can read it, or the match has been restored meanwhile.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Final

from sqlalchemy.exc import IntegrityError

from events.consumers import Consumer, Overtaken, Take
from events.database import Database, DatabaseFault
from service.logs import Logger
from service.pauses import Pauses
from service.signals import Work

ROWS: Final = 200  # of the feed, in one transaction
AT_ONCE: Final = 20  # matches that are put aside, tried again in one go


class Follower:
    """`name` is the position in the feed; `clock` tells ms. `ring` is called after each step."""

    def __init__(
        self,
        database: Database,
        name: str,
        take: Take,
        clock: Callable[[], int],
        log: Logger,
        ring: Callable[[], None] = lambda: None,
    ) -> None:
        self._consumer = Consumer(database, name, take, ROWS, self._put_aside)
        self._name = name
        self._clock = clock
        self._log = log
        self._ring = ring
        self._pauses = Pauses(Work(name))

    async def position(self) -> int:
        """How far it has come; of matches that are put aside less is taken."""
        return await self._consumer.position()

    async def catch_up(self) -> None:
        """Take all there is of the feed. Raises: DatabaseFault."""
        # Another process that takes the same rows at the same moment is as good.
        with suppress(Overtaken, IntegrityError):
            while await self._consumer.step():
                self._ring()
        await self._try_aside()

    async def _try_aside(self) -> None:
        now = self._clock()
        found = await self._consumer.aside()
        for match_id in [each for each in found if not self._pauses.rests(each, now)][:AT_ONCE]:
            try:
                await self._consumer.take_owed(match_id)
            except DatabaseFault:
                raise
            except Exception as error:
                self._pauses.failed(match_id, now)
                self._say(self._log.warning, "match_is_still_aside", match_id, error)
                continue
            self._pauses.went_on(match_id)
            self._log.info("match_was_taken_up_again", work=self._name, match_id=match_id)
            self._ring()

    def _put_aside(self, match_id: str, error: Exception) -> None:
        self._pauses.failed(match_id, self._clock())
        self._say(self._log.error, "match_was_put_aside", match_id, error)

    def _say(self, say: Callable[..., None], event: str, match_id: str, error: Exception) -> None:
        say(event, work=self._name, match_id=match_id, exc_info=error)
