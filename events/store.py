"""The log and what is stored beside it: `Store.append` writes, everything else reads."""

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, bindparam, select

from events import stored
from events.append import (
    Answer,
    Append,
    Appended,
    Conflict,
    GameData,
    KeyReused,
    NewMatch,
    NotFound,
    Replayed,
    SeatRow,
    Secret,
)
from events.batching import BATCH, Batcher, CrashPoint, Observer, inert, unobserved
from events.database import Database, Work
from events.flush import latest, locked
from events.tables import GAME_DATA, MATCH, SEAT, SECRET, TEXT
from events.types import Record, TextRow

__all__ = [
    "Answer",
    "Append",
    "Appended",
    "CommandRow",
    "Conflict",
    "GameData",
    "KeyReused",
    "MatchFilter",
    "MatchRow",
    "NewMatch",
    "NotFound",
    "Replayed",
    "SeatRow",
    "Secret",
    "Store",
]

Values = tuple[Any, ...]  # a row

_REWINDING = ("match_rewound",)
PAGE = 1000  # records or rows read at once unless the caller says otherwise


class MatchRow(msgspec.Struct, frozen=True):
    """The head of a match's stream: public values only."""

    match_id: str
    org: str
    external_id: str | None
    game: str
    rules_version: int
    seats: int
    data_digest: str
    deal_group: str | None
    created_at: int
    version: int
    head: bytes
    status: str
    result: bytes | None
    due_at: int | None = None


class CommandRow(msgspec.Struct, frozen=True):
    """What a key was answered: versions `first` to `last`, `head` the hash of `last`."""

    request_hash: bytes
    first: int
    last: int
    head: bytes


class MatchFilter(msgspec.Struct, frozen=True):
    """What a list of matches is narrowed to; None is everything."""

    status: str | None = None
    game: str | None = None
    external_id: str | None = None


class Store:
    """The log of one database. Every method raises DatabaseFault when the database is away."""

    def __init__(
        self,
        database: Database,
        crash_at: CrashPoint = inert,
        most: int = BATCH,
        observe: Observer = unobserved,
    ) -> None:
        self._database = database
        self._batcher = Batcher(database, crash_at, most, observe)

    @property
    def database(self) -> Database:
        return self._database

    async def append(self, append: Append) -> Answer:
        """Add events to a match, all or none, durable when this returns.

        Answered by the first that holds: unknown match – NotFound; key known for the same request
        – Replayed, even if the version moved on; for another – KeyReused; version or hash differs
        – Conflict; else Appended. Raises: DatabaseFault.
        """
        versions = [record.version for record in append.records]
        start = append.expected_version + 1
        assert versions == list(range(start, start + len(versions))) != []
        assert (append.created is None) or append.expected_version == 0
        return await self._batcher.append(append)

    @property
    def is_full(self) -> bool:
        """Whether the database has no room for events."""
        return self._batcher.is_full

    async def drained(self) -> None:
        """Returns when no append is waiting for its answer: before the process goes."""
        await self._batcher.drained()

    async def match(self, match_id: str) -> MatchRow | None:
        row = await self._one(_MATCH_BY_ID, of=match_id)
        return None if row is None else MatchRow(*row)

    async def records(self, match_id: str, after: int = 0, limit: int = PAGE) -> list[Record]:
        """The records after a version, in order; a page shorter than `limit` is the last."""
        return await self._database.read(lambda c: stored.records(c, match_id, after, limit))

    async def rewinds(self, match_id: str, through: int) -> list[Record]:
        """The records that rewound the match, up to a version."""
        found = await self._database.read(lambda c: stored.of_kinds(c, (match_id,), _REWINDING))
        return [each for each in found.get(match_id, ()) if each.version <= through]

    async def texts(self, match_id: str, after: int, through: int) -> list[TextRow]:
        """The texts of the events after `after` up to and with `through`."""
        rows = await self._all(_TEXTS, of=match_id, after=after, through=through)
        return [TextRow(*row) for row in rows]

    async def command(self, match_id: str, key: str) -> CommandRow | None:
        """What a key was answered, as durable as the first answer. Raises: DatabaseFault."""
        row = await self._database.read(lambda c: stored.command(c, match_id, key))
        if row is None:
            return None
        # A commit that gave up waiting for its standby can be read, and is lost with its server.
        await self._database.write(lambda connection: locked(connection, [match_id]))
        return CommandRow(*row)

    async def heads(self, ids: Sequence[str]) -> dict[str, int]:
        """The versions of those matches that exist."""
        found = await self.latest(ids)
        return {match_id: version for match_id, (version, _) in found.items()}

    async def latest(self, ids: Sequence[str]) -> dict[str, tuple[int, bytes]]:
        """Version and hash of the last event of those matches that exist."""
        return await self._database.read(lambda connection: latest(connection, ids))

    async def seats(self, match_id: str) -> list[SeatRow]:
        """The seats somebody holds, ascending."""
        return [SeatRow(*row) for row in await self._all(_SEATS, of=match_id)]

    async def secret(self, secret_id: str) -> Secret | None:
        """Of a match or of a deal group, encrypted."""
        row = await self._one(_SECRET, of=secret_id)
        return None if row is None else Secret(*row)

    async def secret_of_each_key(self) -> list[Secret]:
        """One for every key that secrets were encrypted with."""
        found: list[Secret] = []
        while True:
            query = _SECRETS.where(SECRET.c.key_id.not_in([each.key_id for each in found])).limit(1)
            row = await self._database.read(lambda c, query=query: c.execute(query).first())  # type: ignore[misc]
            if row is None:
                return found
            found.append(Secret(*row))

    async def newest_secret(self) -> Secret | None:
        query = _SECRETS.order_by(SECRET.c.id.desc()).limit(1)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        return None if row is None else Secret(*row)

    async def tables(self, digest: str) -> bytes | None:
        """A game's component tables."""
        row = await self._one(_TABLES, of=digest)
        return None if row is None else bytes(row[0])

    async def list_matches(
        self,
        org: str,
        narrowed: MatchFilter | None = None,
        before_id: str | None = None,
        limit: int = 50,
        statuses: tuple[str, ...] = (),
    ) -> list[MatchRow]:
        """An organisation's matches, newest first, those before `before_id` in that order.

        `statuses`, if there are any, stand in for the one that is asked for.
        """
        query = select(MATCH).where(MATCH.c.org == org)
        for name, value in msgspec.structs.asdict(narrowed or MatchFilter()).items():
            if name == "status" and statuses:
                query = query.where(MATCH.c.status.in_(statuses))
            elif value is not None:
                query = query.where(MATCH.c[name] == value)
        if before_id is not None:
            query = query.where(MATCH.c.match_id < before_id)
        rows = await self._all(query.order_by(MATCH.c.match_id.desc()).limit(limit))
        return [MatchRow(*row) for row in rows]

    async def _all(self, query: Select[Any], **parameters: Any) -> Sequence[Values]:
        return await self._database.read(_rows(query, parameters))

    async def _one(self, query: Select[Any], **parameters: Any) -> Values | None:
        rows = await self._database.read(_rows(query, parameters))
        return rows[0] if rows else None


def _rows(query: Select[Any], parameters: dict[str, Any]) -> Work[Sequence[Values]]:
    def work(connection: Connection) -> Sequence[Values]:
        rows: Sequence[Values] = connection.execute(query, parameters).all()
        return rows

    return work


# Built once, so that a read does no more than run one.
_MATCH_BY_ID = select(MATCH).where(MATCH.c.match_id == bindparam("of"))
_TEXTS = (
    select(TEXT.c.version, TEXT.c.field, TEXT.c.salt, TEXT.c.text)
    .where(TEXT.c.match_id == bindparam("of"), TEXT.c.version > bindparam("after"))
    .where(TEXT.c.version <= bindparam("through"))
    .order_by(TEXT.c.version, TEXT.c.field)
)
_SEATS = (
    select(SEAT.c.seat, SEAT.c.holder, SEAT.c.account)
    .where(SEAT.c.match_id == bindparam("of"))
    .order_by(SEAT.c.seat)
)
_SECRETS = select(SECRET.c.id, SECRET.c.ciphertext, SECRET.c.key_id)
_SECRET = _SECRETS.where(SECRET.c.id == bindparam("of"))
_TABLES = select(GAME_DATA.c.tables).where(GAME_DATA.c.digest == bindparam("of"))
