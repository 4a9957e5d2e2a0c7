"""When the seats of a match were last there: kept while it is to be looked who has come.

A seat is there when its credential is used, at any door, or when it holds a feed open. This process
keeps what it sees for a moment, and writes it down for all.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias

from sqlalchemy import Connection, bindparam, delete, select, update

from events.database import Database, DatabaseFault
from events.filling import filled_up
from events.tables import PRESENCE
from service.callers import Caller
from service.identities import insert_new

EVERY_SECONDS: Final = 0.4
_AT_ONCE: Final = 256

Place: TypeAlias = tuple[str, int]  # match, seat


class Presence:
    """What this process has seen of seats. `note` costs next to nothing, for any match."""

    def __init__(self, database: Database, clock: Callable[[], int], most: int = 50_000) -> None:
        self._database = database
        self._clock = clock
        self._most = most
        self._seen: dict[Place, int] = {}
        self._others: OrderedDict[str, None] = OrderedDict()  # of which nobody wants to know
        self._writing = asyncio.Lock()

    def note(self, caller: Caller) -> None:
        """The caller is there, if it is a seat."""
        match_id = caller.match_id
        if match_id is None or match_id in self._others:
            return
        seats = (caller.seat,) if caller.user is None else caller.user.seats
        for seat in seats:
            if seat is not None:
                self._seen[match_id, seat] = self._clock()

    async def flush(self) -> None:
        """All that was seen is written down. Raises: DatabaseFault; then it is kept."""
        async with self._writing:
            seen, self._seen = self._seen, {}
            if not seen:
                return
            try:
                wanted = await self._database.write(lambda c: _put(c, seen))
            except BaseException:
                self._seen = seen | self._seen
                raise
        for match_id in {each for each, _ in seen} - wanted:
            self._others[match_id] = None
        while len(self._others) > self._most:
            self._others.popitem(last=False)

    async def used(self, match_id: str, seats: int) -> tuple[int | None, ...]:
        """By seat, when it was last there, as far as it was written down."""
        found = await self._database.read(lambda c: _seen_of(c, match_id))
        return tuple(found.get(seat) or None for seat in range(seats))

    async def forget(self, match_id: str, seat: int | None = None) -> None:
        """Nobody was there at that seat; without one, nobody wants to know any more."""
        await self._database.write(lambda c: _forget(c, match_id, seat))

    @asynccontextmanager
    async def flushing(self, failed: Callable[[Exception], None]) -> AsyncIterator[None]:
        """Writes down as long as the context is open, and once more at its end."""
        task = asyncio.create_task(self._flush_on(failed))
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            with suppress(DatabaseFault):
                await self.flush()

    async def _flush_on(self, failed: Callable[[Exception], None]) -> None:
        while True:
            await asyncio.sleep(EVERY_SECONDS)
            try:
                await self.flush()
            except DatabaseFault as error:
                failed(error)


def expect(connection: Connection, match_id: str, seats: int) -> None:
    """It will be asked who was there. Called before the match is stored: none is missed."""
    for seat in range(seats):
        insert_new(connection, PRESENCE, {"match_id": match_id, "seat": seat, "seen_at": 0})


def _put(connection: Connection, seen: Mapping[Place, int]) -> set[str]:
    """The matches of which it is wanted."""
    ids, wanted = sorted({match_id for match_id, _ in seen}), set[str]()
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        wanted.update(connection.execute(_WANTED, {"ids": filled_up(some)}).scalars())
    # In order: two processes wait for each other, and for nothing else.
    rows: Sequence[dict[str, object]] = [
        {"of": match_id, "at_seat": seat, "moment": moment}
        for (match_id, seat), moment in sorted(seen.items())
        if match_id in wanted
    ]
    if rows:
        connection.execute(_SEEN, rows)
    return wanted


def _seen_of(connection: Connection, match_id: str) -> dict[int, int]:
    rows = connection.execute(_OF_MATCH, {"of": match_id})
    return {row.seat: row.seen_at for row in rows}


def _forget(connection: Connection, match_id: str, seat: int | None) -> None:
    own = PRESENCE.c.match_id == match_id
    if seat is None:
        connection.execute(delete(PRESENCE).where(own))
    else:
        connection.execute(update(PRESENCE).where(own, PRESENCE.c.seat == seat).values(seen_at=0))


_WANTED: Final = (
    select(PRESENCE.c.match_id)
    .where(PRESENCE.c.match_id.in_(bindparam("ids", expanding=True)))
    .distinct()
)
_OF_MATCH: Final = select(PRESENCE.c.seat, PRESENCE.c.seen_at).where(
    PRESENCE.c.match_id == bindparam("of")
)
_SEEN: Final = (
    update(PRESENCE)
    .where(
        PRESENCE.c.match_id == bindparam("of"),
        PRESENCE.c.seat == bindparam("at_seat"),
        PRESENCE.c.seen_at < bindparam("moment"),
    )
    .values(seen_at=bindparam("moment"))
)
