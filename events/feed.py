"""The order of all matches: a fenced sequencer gives positions to what has been committed.

Any process may run one; a lease says whose turn it is, and an epoch, which every take-over raises,
keeps whoever lost it from writing. Positions are given after the commit of the events, so no reader
of positions can miss one that comes late.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection, bindparam, insert, select, update

from events import feedsql
from events.batching import CrashPoint, inert
from events.canonical import canonical
from events.chain import genesis
from events.database import Database
from events.tables import FEED, FEED_STATE, STATEMENT

MOST: Final = 1000  # matches taken in at once
_STATEMENTS: Final = 100


class Deposed(Exception):
    """Another process has the lease, or something was written since: begin again."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the feed: events `first` to `last` of a match, or a statement of the log itself.

    `before` and `head` are the hashes before `first` and of `last`; `status` is that at `last`.
    """

    position: int
    match_id: str | None = None
    org: str | None = None
    external_id: str | None = None
    deal_group: str | None = None
    first: int = 0
    last: int = 0
    before: bytes = b""
    head: bytes = b""
    status: str = ""
    statement: bytes | None = None

    @property
    def leaf(self) -> bytes:
        """What the Merkle tree holds of it."""
        if self.statement is not None:
            return self.statement
        return canonical(
            {
                "first": self.first,
                "head_after": self.head.hex(),
                "head_before": self.before.hex(),
                "kind": "match",
                "last": self.last,
                "match_id": self.match_id,
            }
        )


class State(msgspec.Struct, frozen=True):
    """`lease_until` and `now` in ms, by the clock of the database."""

    size: int
    epoch: int
    holder: str | None
    lease_until: int
    origin: str | None
    now: int


class Gathered(msgspec.Struct, frozen=True):
    """What a round found to be done. `heads` are versions by match, known to be in the feed once
    `entries` are; `statements` are the ids of those among the entries; `cursor` is where the next
    round goes on.
    """

    epoch: int
    size: int
    entries: tuple[Entry, ...]
    statements: tuple[str, ...]
    heads: tuple[tuple[str, int], ...]
    cursor: str | None


class Sequencer:
    """`name` tells this process from the others; the lease lasts `lease_ms`, renewed by each round
    that writes and before half of it is over.
    """

    def __init__(
        self,
        database: Database,
        name: str,
        lease_ms: int = 5000,
        crash_at: CrashPoint = inert,
        most: int = MOST,
    ) -> None:
        self._database = database
        self._name = name
        self._lease = lease_ms
        self._crash_at = crash_at
        self._most = most
        self._cursor: str | None = None

    @property
    def is_behind(self) -> bool:
        """The last round did not get to all marks."""
        return self._cursor is not None

    async def lead(self) -> int | None:
        """The epoch under which this process may write; None while another one holds the lease."""
        state = await self._database.read(state_of)
        if state.holder == self._name and state.lease_until - state.now > self._lease // 2:
            return state.epoch
        if state.holder not in (None, self._name) and state.lease_until > state.now:
            return None
        return await self._database.write(lambda c: _take(c, state, self._name, self._lease))

    async def resign(self) -> None:
        """Let go of the lease, so that another need not wait for its end."""
        await self._database.write(lambda connection: _resign(connection, self._name))

    async def round(self, epoch: int) -> int:
        """Take in what was committed: how many rows that are. Raises: Deposed, DatabaseFault."""
        found = await self.gather(epoch)
        if found.entries:
            self._crash_at("feed_gathered")
            await self.integrate(found)
        await self.forget(found)
        self._cursor = found.cursor
        return len(found.entries)

    async def gather(self, epoch: int) -> Gathered:
        """Raises: Deposed."""
        return await self._database.read(
            lambda connection: _gather(connection, epoch, self._cursor, self._most)
        )

    async def integrate(self, found: Gathered) -> None:
        """Write the rows, if the epoch still holds and nothing came between.

        Raises: Deposed, with nothing written; also where an earlier attempt whose outcome was not
        known has been committed after all.
        """
        await self._database.write(lambda connection: self._write(connection, found))
        self._crash_at("after_feed")

    async def forget(self, found: Gathered) -> None:
        """Delete the marks of what is in the feed, unless there is more by now."""
        if not found.heads:
            return
        if self._database.is_cluster:
            # Rows of many shards, so one at a time: no two can wait for each other.
            for each in found.heads:
                await self._database.write(lambda c, each=each: self._forget(c, [each]))  # type: ignore[misc]
            return
        await self._database.write(lambda c: self._forget(c, found.heads))

    def _forget(self, connection: Connection, heads: Sequence[tuple[str, int]]) -> None:
        # Appends wait for the marks, so nobody may stand still on them.
        feedsql.bound_pause(connection, self._lease)
        feedsql.forget(connection, heads)

    def _write(self, connection: Connection, found: Gathered) -> None:
        # The lock on this row is held to the end, so that whoever takes over waits for it.
        feedsql.bound_pause(connection, self._lease)
        after = found.size + len(found.entries)
        if not _advance(connection, found, after, self._lease):
            raise Deposed
        connection.execute(insert(FEED), [msgspec.structs.asdict(each) for each in found.entries])
        places = zip(found.statements, found.entries, strict=False)
        placed = [{"of": identity, "at": entry.position} for identity, entry in places]
        if placed:
            connection.execute(_PLACE, placed)
        self._crash_at("before_feed")


def state_of(connection: Connection) -> State:
    row = connection.execute(_STATE).mappings().one()
    return State(**row, now=feedsql.now(connection))


def still_leads(connection: Connection, epoch: int) -> bool:
    """Whether the epoch holds; if so it does until the end of the transaction."""
    feedsql.bound_pause(connection)
    held = update(FEED_STATE).where(FEED_STATE.c.epoch == epoch).values(epoch=epoch)
    return connection.execute(held).rowcount == 1


def entries_after(
    connection: Connection, after: int, limit: int, org: str | None = None
) -> list[Entry]:
    """Rows in the order of their positions; with `org`, those of its matches alone."""
    query = _ENTRIES if org is None else _OF_ORG
    rows = connection.execute(query, {"after": after, "most": limit, "owner": org})
    return [Entry(**row) for row in rows.mappings()]


def entries_of(
    connection: Connection, match_id: str, after: int, upto: int, limit: int
) -> list[Entry]:
    """Rows of a match behind one position and up to another, in their order."""
    own = {"of": match_id, "after": after, "upto": upto, "most": limit}
    return [Entry(**row) for row in connection.execute(_OF_MATCH, own).mappings()]


def _take(connection: Connection, seen: State, name: str, lease_ms: int) -> int | None:
    """The new epoch; None if somebody else was faster. The same holder keeps its epoch."""
    feedsql.bound_pause(connection, lease_ms)
    now = feedsql.now(connection)
    epoch = seen.epoch if seen.holder == name else seen.epoch + 1
    is_free = FEED_STATE.c.lease_until <= now
    taken = connection.execute(
        update(FEED_STATE)
        .where(FEED_STATE.c.epoch == seen.epoch)
        .where(is_free if epoch != seen.epoch else FEED_STATE.c.holder == name)
        .values(epoch=epoch, holder=name, lease_until=now + lease_ms)
    )
    return epoch if taken.rowcount == 1 else None


def _resign(connection: Connection, name: str) -> None:
    feedsql.bound_pause(connection)
    own = update(FEED_STATE).where(FEED_STATE.c.holder == name)
    connection.execute(own.values(holder=None, lease_until=0))


def _advance(connection: Connection, found: Gathered, size: int, lease_ms: int) -> bool:
    moved = connection.execute(
        update(FEED_STATE)
        .where(FEED_STATE.c.epoch == found.epoch, FEED_STATE.c.size == found.size)
        .values(size=size, lease_until=feedsql.now(connection) + lease_ms)
    )
    return moved.rowcount == 1


def _gather(connection: Connection, epoch: int, cursor: str | None, most: int) -> Gathered:
    """The order of these reads is the contract: how far the feed is, marks, heads, last fed."""
    state = state_of(connection)
    if state.epoch != epoch:
        raise Deposed
    statements = connection.execute(_UNPLACED).all()
    marked = feedsql.marks(connection, cursor, most)
    heads = feedsql.heads(connection, marked)
    fed = feedsql.fed(connection, marked)
    entries = [
        Entry(position=place, statement=bytes(leaf))
        for place, (_, leaf) in enumerate(statements, state.size + 1)
    ]
    for head in heads:
        last, before = fed.get(head.match_id, (0, b""))
        if last < head.version:
            before = before or genesis(head.match_id, head.seats)
            entries.append(_entry(state.size + 1 + len(entries), head, last + 1, before))
    return Gathered(
        epoch=epoch,
        size=state.size,
        entries=tuple(entries),
        statements=tuple(identity for identity, _ in statements),
        heads=tuple((head.match_id, head.version) for head in heads),
        cursor=_next(marked, most),
    )


def _entry(position: int, head: feedsql.Head, first: int, before: bytes) -> Entry:
    return Entry(
        position=position,
        match_id=head.match_id,
        org=head.org,
        external_id=head.external_id,
        deal_group=head.deal_group,
        first=first,
        last=head.version,
        before=before,
        head=head.head,
        status=head.status,
    )


def _next(marked: Sequence[str], most: int) -> str | None:
    """Where to go on, so that matches that move all the time keep no other waiting."""
    return marked[-1] if len(marked) == most else None


_STATE = select(
    *(FEED_STATE.c[name] for name in ("size", "epoch", "holder", "lease_until", "origin"))
)
_UNPLACED = (
    select(STATEMENT.c.id, STATEMENT.c.leaf)
    .where(STATEMENT.c.position.is_(None))
    .order_by(STATEMENT.c.id)
    .limit(_STATEMENTS)
)
_PLACE = update(STATEMENT).where(STATEMENT.c.id == bindparam("of")).values(position=bindparam("at"))
_ENTRIES = (
    select(FEED)
    .where(FEED.c.position > bindparam("after"))
    .order_by(FEED.c.position)
    .limit(bindparam("most"))
)
_OF_ORG = _ENTRIES.where(FEED.c.org == bindparam("owner"))
_OF_MATCH = _ENTRIES.where(FEED.c.match_id == bindparam("of"), FEED.c.position <= bindparam("upto"))
