"""Clocks of machines that are wrong, and are set while the service runs."""

import os
import time
from pathlib import Path

from sqlalchemy import Connection

from events import decide, feedsql, firing
from events.database import Database
from service import app, pulse
from service.clock import Clock, OwnClock, SharedClock

MACHINE, DATABASE = "TEST_MACHINE_CLOCK", "TEST_DATABASE_CLOCK"  # files of the milliseconds ahead
HOUR, DAY = 3_600_000, 86_400_000


class Offset:
    """How much a clock is ahead (ms)."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.set(0)

    def set(self, ms: int) -> None:
        written = self.path.with_suffix(".new")
        written.write_text(str(ms))
        written.replace(self.path)


def wrong_clocks() -> None:
    """The machine's clock, and the database's where it is another's, are ahead as the files say."""
    plain, database = time.time_ns, feedsql.now
    machine, there = (os.environ.pop(name, None) for name in (MACHINE, DATABASE))

    def time_ns() -> int:
        return plain() + _ahead(machine) * 1_000_000

    def now(connection: Connection) -> int:
        ahead = _ahead(there) if feedsql.is_postgres(connection) else 0
        return database(connection) + ahead

    time.time_ns = time_ns
    feedsql.now = now


def clocks_never_set_back() -> None:
    """Broken: nobody notices that a clock was set back."""
    wrong_clocks()
    pulse.SET_BACK_MS = 10**15  # type: ignore[misc]


def clocks_of_machines() -> None:
    """Broken: each process goes by the clock of its own machine, whatever others say."""
    clocks_never_set_back()

    async def own(_database: Database, given: Clock) -> SharedClock:
        return OwnClock(given)

    vars(app)["shared_clock"] = own


def moments_as_they_come() -> None:
    """Broken: an event may be dated before the one that it follows."""
    wrong_clocks()
    for module in (decide, firing):
        vars(module)["max"] = lambda at, _before: at


def _ahead(file: str | None) -> int:
    return 0 if file is None else int(Path(file).read_text())
