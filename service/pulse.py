"""That some process serves matches: each says so all the time, and a gap in all of that is known.

No clock of a match runs while nobody serves it. Who says that it is alive finds how long nobody
did, and reads what others found; so a process knows every outage that began before its own beat.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from sqlalchemy import Connection, bindparam, delete, func, select, update

from events.database import Database, DatabaseFault
from events.flags import Outage
from events.tables import MATCH, OUTAGE, PULSE
from service.clock import SharedClock
from service.identities import insert_new

EVERY_SECONDS: Final = 1.0
_KEPT_MS: Final = 86_400_000  # outages, at least: what is decided before one is stored by then
_STARTED_MS: Final = 1500  # a process that starts knows that it did not serve before
SET_BACK_MS: Final = 5000  # a beat that much before the last: the clock they go by was set back


class Pulse:
    """The beats of this process. `beaten` (ms) is the latest; `outages` are those known, in order.

    `threshold` (ms) is how long a silence of all processes may be that is no outage. A clock that
    is set back is followed: what was said of the time that is to come again is forgotten, so that
    it is noticed then if nobody serves, or if the clock is set forward again.
    """

    def __init__(self, database: Database, clock: SharedClock, threshold: int) -> None:
        self._database = database
        self._clock = clock
        self._threshold = threshold
        self._turn = asyncio.Lock()
        self._is_heard = True
        self.beaten = 0
        self.outages: tuple[Outage, ...] = ()

    @property
    def is_heard(self) -> bool:
        """Somebody serves, as far as is known here: this process does, unless it has no doors."""
        return self._is_heard

    async def beat(self) -> None:
        """Raises: DatabaseFault."""
        threshold = self._threshold if self.beaten else min(self._threshold, _STARTED_MS)
        known, before = self.outages[-1][1] if self.outages else 0, self.beaten
        now, new = await self._database.write(
            lambda c: _beat(c, self._clock, threshold, known, before)
        )
        # Two beats may have been under way at once.
        if now < before - SET_BACK_MS:
            self.beaten, self.outages = now, tuple(new)
        else:
            self.beaten = max(self.beaten, now)
            self.outages = tuple(sorted({*self.outages, *new}))

    async def knows(self, moment: int) -> None:
        """Sees to it that every outage that began before `moment`, which is past, is known here.

        Raises: DatabaseFault.
        """
        if self.beaten < moment:
            async with self._turn:
                if self.beaten < moment:
                    await self.beat()

    async def catch_up(self) -> None:
        """Sees to it that every outage that is over is known here.

        A process that could not run, or not write, may be at work again before its next beat.
        Raises: DatabaseFault.
        """
        await self.knows(self._clock() - min(self._threshold, _STARTED_MS))

    async def prune(self) -> None:
        """Forget what no clock that runs now can be owed. Raises: DatabaseFault."""
        before = self._clock() - _KEPT_MS
        await self._database.write(lambda c: _prune(c, before))

    @asynccontextmanager
    async def beating(self, failed: Callable[[Exception], None]) -> AsyncIterator[None]:
        """Beats at once, and as long as the context is open. Raises: DatabaseFault, at first."""
        await self.prune()
        await self.beat()
        task = asyncio.create_task(self._beat_on(failed))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _beat_on(self, failed: Callable[[Exception], None]) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            try:
                await self.beat()
            except DatabaseFault as error:
                failed(error)


def _beat(
    connection: Connection, clock: SharedClock, threshold: int, known: int, before: int
) -> tuple[int, list[Outage]]:
    """The moment of this beat, and the outages that ended after `known`; all of them if it lies
    well before the process's last beat, at `before`."""
    last: int | None = connection.execute(_LAST).scalar_one_or_none()
    if last is None:
        insert_new(connection, PULSE, {"id": 1, "beat_at": clock.read(connection)})
        last = connection.execute(_LAST).scalar_one()
    now = clock.read(connection)  # Since it is locked: one beat after another.
    if now < last - SET_BACK_MS:
        connection.execute(_NOT_YET, {"now": now})
        connection.execute(_CUT, {"now": now})
    elif now - last > threshold:
        insert_new(connection, OUTAGE, {"since": last, "until": now})
    if now > last or now < last - SET_BACK_MS:
        connection.execute(_BEAT, {"now": now})
    if now < before - SET_BACK_MS:
        known = 0
    return now, outages_after(connection, known)


def outages_after(connection: Connection, known: int) -> list[Outage]:
    """Those that ended after `known` (ms), in order."""
    return [(since, until) for since, until in connection.execute(_KNOWN, {"known": known})]


def _prune(connection: Connection, before: int) -> None:
    """Of outages that ended before then, those from before every match whose clocks run."""
    oldest: int | None = connection.execute(_OLDEST).scalar_one()
    bound = before if oldest is None else min(before, oldest)
    connection.execute(delete(OUTAGE).where(OUTAGE.c.until < bound))


_NOT_YET: Final = delete(OUTAGE).where(OUTAGE.c.since >= bindparam("now"))
_CUT: Final = update(OUTAGE).where(OUTAGE.c.until > bindparam("now")).values(until=bindparam("now"))
_OLDEST: Final = select(func.min(MATCH.c.created_at)).where(MATCH.c.due_at.is_not(None))
_LAST: Final = select(PULSE.c.beat_at).where(PULSE.c.id == 1).with_for_update()
_BEAT: Final = update(PULSE).where(PULSE.c.id == 1).values(beat_at=bindparam("now"))
_KNOWN: Final = (
    select(OUTAGE.c.since, OUTAGE.c.until)
    .where(OUTAGE.c.until > bindparam("known"))
    .order_by(OUTAGE.c.since)
)
