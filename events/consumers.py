"""Readers of the feed that keep what they make of it and how far they came in one transaction."""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from events.database import Database
from events.feed import Entry, entries_after
from events.tables import CONSUMER

MOST: Final = 500  # rows in one transaction

Take = Callable[[Connection, Sequence[Entry]], None]


class Overtaken(Exception):
    """Another process moved the same consumer on; nothing of this step was written."""


class Consumer:
    """`name` is whose position it is; every process may run the same one.

    `take` writes what it makes of some rows over the connection it is given, and nothing that could
    not be rolled back. It is called for every row of the feed, in order; what it wrote stays for
    each exactly once.
    """

    def __init__(self, database: Database, name: str, take: Take, most: int = MOST) -> None:
        self._database = database
        self._name = name
        self._take = take
        self._most = most

    async def position(self) -> int:
        """The last position it has taken, 0 before the first."""
        found = await self._database.read(
            lambda c: c.execute(_POSITION, {"of": self._name}).scalar()
        )
        return found or 0

    async def step(self) -> int:
        """Take the next rows; how many there were. Raises: Overtaken, DatabaseFault."""
        before = await self.position()
        rows = await self._database.read(lambda c: entries_after(c, before, self._most))
        if rows:
            await self._database.write(lambda c: self._write(c, before, rows))
        return len(rows)

    def _write(self, connection: Connection, before: int, rows: Sequence[Entry]) -> None:
        # First of all: whoever else tries the same waits here, and then finds it done.
        if not _moved(connection, self._name, before, rows[-1].position):
            raise Overtaken(self._name)
        self._take(connection, rows)


def hold(connection: Connection, name: str) -> None:
    """Until this transaction ends the consumer, which has a row, takes nothing.

    What it has taken can be seen by what is read from now on, and it will see what is written here.
    First of all, as in a step of it: whoever has locked what it writes must not wait here.
    """
    # On SQLite one writes at a time, and there is nothing to lock.
    connection.execute(_POSITION.with_for_update(read=True), {"of": name})


def _moved(connection: Connection, name: str, before: int, after: int) -> bool:
    """Whether the position was `before`; then it is `after`."""
    own = {"of": name, "was": before, "becomes": after}
    if connection.execute(_MOVE, own).rowcount == 1:
        return True
    if before or connection.execute(_POSITION, own).first() is not None:
        return False
    # Two that begin at the same moment collide on the key, and one of them is refused.
    connection.execute(insert(CONSUMER), [{"name": name, "position": after}])
    return True


_POSITION = select(CONSUMER.c.position).where(CONSUMER.c.name == bindparam("of"))
_MOVE = (
    update(CONSUMER)
    .where(CONSUMER.c.name == bindparam("of"), CONSUMER.c.position == bindparam("was"))
    .values(position=bindparam("becomes"))
)
