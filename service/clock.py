"""The time of day: this machine's, or the one that all processes on a PostgreSQL share."""

import time
from collections.abc import Callable
from typing import Final

from sqlalchemy import Connection

from events import feedsql
from events.database import Database

Clock = Callable[[], int]  # milliseconds since 1970


def wall_clock() -> int:
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class DatabaseClock:
    """The database's clock, kept by this process between two looks at it.

    So processes agree about the time, and what happens to the clocks of their machines is nothing
    to a match. Nothing is known of the time before the first `read`.
    """

    def __init__(self) -> None:
        self._ahead = wall_clock() - _ticks()

    def __call__(self) -> int:
        return _ticks() + self._ahead

    def read(self, connection: Connection) -> int:
        """What the database's clock shows (ms); this one is set by it, as far as it is wrong."""
        began = _ticks()
        there = feedsql.now(connection)
        pause = _ticks() - began
        # It was read some time within the pause: what that explains is left as it is.
        earliest, latest = there - began - pause, there - began
        self._ahead = min(max(self._ahead, earliest), latest)
        return there


class OwnClock:
    """A clock that needs no database to be read, as a `SharedClock` is."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def __call__(self) -> int:
        return self._clock()

    def read(self, _connection: Connection) -> int:
        return self._clock()


SharedClock = DatabaseClock | OwnClock


async def shared_clock(database: Database, given: Clock) -> SharedClock:
    """The clock that all who write to the database go by: its own, if many may; else `given`.

    Another than the machine's is left as it is. Raises: DatabaseFault.
    """
    if given is not wall_clock or database.dialect == _ONE_MACHINE:
        return OwnClock(given)
    shared = DatabaseClock()
    await database.read(shared.read)
    return shared


def _ticks() -> int:
    """Milliseconds that go by evenly, whatever the clock of the machine is set to."""
    return time.monotonic_ns() // 1_000_000


_ONE_MACHINE: Final = "sqlite"
