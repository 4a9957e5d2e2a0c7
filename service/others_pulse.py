"""The pulse as a process without doors has it: it hears who serves, and says nothing itself.

Such a process alone is nobody who serves, so its life must not end an outage. It knows of every
outage that began before the last beat it heard, as whoever beats does before its own; until it
hears a newer one it decides nothing about clocks, as if it were away together with the doors.
"""

import asyncio
from typing import Final

from sqlalchemy import Connection, select

from events.flags import Outage
from events.tables import PULSE
from service.clock import SharedClock
from service.pulse import SET_BACK_MS, Pulse, outages_after

_PAUSE_SECONDS: Final = 0.1  # between two looks for a beat that is waited for


class OthersPulse(Pulse):
    """`beaten` (ms) is the last beat of whoever serves."""

    async def beat(self) -> None:
        """Hear the last beat and the outages before it. Raises: DatabaseFault."""
        known, before = self.outages[-1][1] if self.outages else 0, self.beaten
        now, last, new = await self._database.read(lambda c: _heard(c, self._clock, known, before))
        if last < before - SET_BACK_MS:
            self.beaten, self.outages = last, tuple(new)
        else:
            self.beaten = max(self.beaten, last)
            self.outages = tuple(sorted({*self.outages, *new}))
        self._is_heard = now - last <= self._threshold

    async def knows(self, moment: int) -> None:
        """As of any pulse, but it takes until somebody serves.

        A moment that is none of the past any more, since the clock was set back, is not waited for.
        """
        while self.beaten < moment <= self._clock():
            async with self._turn:
                if self.beaten < moment:
                    await self.beat()
            if self.beaten < moment:
                await asyncio.sleep(_PAUSE_SECONDS)


def _heard(
    connection: Connection, clock: SharedClock, known: int, before: int
) -> tuple[int, int, list[Outage]]:
    """The time, the last beat, and the outages that ended after `known`; all of them if the beat
    lies well before the one heard last, at `before`."""
    # The beat first: what was stored together with it, or before, is seen by the next statement.
    last: int = connection.execute(_LAST).scalar_one_or_none() or 0
    if last < before - SET_BACK_MS:
        known = 0
    return clock.read(connection), last, outages_after(connection, known)


_LAST: Final = select(PULSE.c.beat_at).where(PULSE.c.id == 1)
