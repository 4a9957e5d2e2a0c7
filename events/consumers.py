"""Readers of the feed that keep what they make of it and how far they came in one transaction.

A match of which nothing can be made is put aside, so that it holds up no other: it gets a position
of its own, from which it is taken later.
"""

from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, bindparam, delete, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from events.database import Database, DatabaseFault
from events.feed import Entry, entries_after, entries_of
from events.tables import CONSUMER

MOST: Final = 500  # rows in one transaction

Take = Callable[[Connection, Sequence[Entry]], None]
PutAside = Callable[[str, Exception], None]  # a match, and why


class Overtaken(Exception):
    """Another process moved the same consumer on; nothing of this step was written."""


# Of the database or of another process, and not of a match.
_ELSEWHERE: Final = (DatabaseFault, SQLAlchemyError, Overtaken)


class Consumer:
    """`name` is whose position it is; every process may run the same one.

    `take` writes what it makes of some rows over the connection it is given, and nothing that could
    not be rolled back. It is called for every row of the feed; what it wrote stays for each exactly
    once, in order for each match, and for all of them but those that are put aside: those for which
    it raised, of which `aside` is told.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        take: Take,
        most: int = MOST,
        aside: PutAside = lambda _match_id, _error: None,
    ) -> None:
        self._database = database
        self._name = name
        self._take = take
        self._most = most
        self._told_aside = aside

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
            try:
                await self._database.write(lambda c: self._write(c, before, rows))
            except _ELSEWHERE:
                raise
            except Exception:
                await self._each_alone(before, rows)
        return len(rows)

    async def aside(self) -> list[str]:
        """The matches that are put aside, those first that are owed the oldest rows."""
        return await self._database.read(self._aside)

    async def take_owed(self, match_id: str) -> None:
        """Take what a match is owed that is put aside; once that is all, it is so no more.

        Raises: DatabaseFault; what `take` raises, and then it is as it was.
        """
        await self._database.write(lambda c: self._write_owed(c, match_id))

    async def _each_alone(self, before: int, rows: Sequence[Entry]) -> None:
        """Row by row, so that what can't be taken is found. Raises: Overtaken, DatabaseFault."""
        for row in rows:
            try:
                await self._database.write(lambda c, b=before, r=row: self._write(c, b, [r]))  # type: ignore[misc]
            except _ELSEWHERE:
                raise
            except Exception as error:
                if row.match_id is None:
                    raise
                await self._database.write(lambda c, b=before, r=row: self._put_aside(c, b, r))  # type: ignore[misc]
                self._told_aside(row.match_id, error)
            before = row.position

    def _write(self, connection: Connection, before: int, rows: Sequence[Entry]) -> None:
        self._move(connection, before, rows[-1].position)
        aside = set(self._aside(connection))
        free = [each for each in rows if each.match_id not in aside]
        if free:
            self._take(connection, free)

    def _put_aside(self, connection: Connection, before: int, row: Entry) -> None:
        assert row.match_id is not None
        self._move(connection, before, row.position)
        own = {"name": self._own(row.match_id), "position": row.position - 1}
        connection.execute(insert(CONSUMER), [own])

    def _move(self, connection: Connection, before: int, after: int) -> None:
        # First of all: whoever else tries the same waits here, and then finds it done.
        if not _moved(connection, self._name, before, after):
            raise Overtaken(self._name)

    def _write_owed(self, connection: Connection, match_id: str) -> None:
        # As long as the consumer stands still, it is certain which rows it has passed over. Nobody
        # takes any others meanwhile either: what is written may depend on what was written last.
        upto = connection.execute(_POSITION.with_for_update(), {"of": self._name}).scalar_one()
        own = self._own(match_id)
        after = connection.execute(_POSITION.with_for_update(), {"of": own}).scalar()
        if after is None:
            return  # Another process was faster.
        rows = entries_of(connection, match_id, after, upto, self._most)
        if rows:
            self._take(connection, rows)
        if len(rows) < self._most:
            connection.execute(_END, {"of": own})
        else:
            connection.execute(_MOVE, {"of": own, "was": after, "becomes": rows[-1].position})

    def _aside(self, connection: Connection) -> list[str]:
        return [match_id for name, match_id in all_aside(connection) if name == self._name]

    def _own(self, match_id: str) -> str:
        return f"{self._name}{_OF}{match_id}"


def hold(connection: Connection, name: str) -> None:
    """Until this transaction ends the consumer, which has a row, takes nothing.

    What it has taken can be seen by what is read from now on, and it will see what is written here.
    First of all, as in a step of it: whoever has locked what it writes must not wait here.
    """
    # On SQLite one writes at a time, and there is nothing to lock.
    connection.execute(_POSITION.with_for_update(read=True), {"of": name})


def all_aside(connection: Connection) -> list[tuple[str, str]]:
    """Which consumers have put which matches aside, those first that are owed the oldest rows."""
    rows = connection.execute(_ASIDE).scalars()
    return [(name, match_id) for name, _, match_id in (row.rpartition(_OF) for row in rows)]


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


_OF: Final = "/"  # between a consumer and a match that it has put aside
_ASIDE = (
    select(CONSUMER.c.name)
    .where(CONSUMER.c.name.contains(_OF, autoescape=True))
    .order_by(CONSUMER.c.position, CONSUMER.c.name)
)
_END = delete(CONSUMER).where(CONSUMER.c.name == bindparam("of"))
_POSITION = select(CONSUMER.c.position).where(CONSUMER.c.name == bindparam("of"))
_MOVE = (
    update(CONSUMER)
    .where(CONSUMER.c.name == bindparam("of"), CONSUMER.c.position == bindparam("was"))
    .values(position=bindparam("becomes"))
)
