"""Results as rows, one for each row of the feed that changed one, and the logs they are made of.

Of a match of a deal group there is none before its reveal: a row made by the reveal says what the
result is by then.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import Connection, Row, Table, func, select

from events import stored
from events.feed import Entry
from events.feedsql import versions_of_kinds
from events.filling import filled_up
from events.match import decode
from events.results import CHANGING, KINDS, Result, changes_in, result_in
from events.rulings import ReplaceSeat
from events.tables import LISTED, MATCH, SEAT
from events.types import DisputeRuled, Event, MatchCreated, MatchRevealed, Record
from service.asking import some_at_a_time
from service.tournament_tables import BATCH_MATCH, RESULT

CONSUMER: Final = "results"  # the name of the position in the feed
Names: TypeAlias = dict[tuple[str, int], str]


class ResultLog(msgspec.Struct, frozen=True):
    """The events of a match that its result depends on, in order, and the hash of each (hex)."""

    events: tuple[Event, ...]
    hashes: tuple[str, ...]

    @property
    def match_id(self) -> str:
        return self._created.match_id

    @property
    def game(self) -> str:
        return self._created.game

    @property
    def _created(self) -> MatchCreated:
        created = self.events[0]
        assert isinstance(created, MatchCreated)
        return created

    def until(self, version: int) -> "ResultLog":
        """As it was after so many events of the match."""
        place = sum(event.version <= version for event in self.events)
        return ResultLog(self.events[:place], self.hashes[:place])

    def head_at(self, version: int) -> str:
        """The hash of an event that is among them."""
        return self.hashes[self._place(version)]

    def time_of(self, version: int) -> int:
        """When an event that is among them happened, in ms."""
        return self.events[self._place(version)].at

    def _place(self, version: int) -> int:
        return next(n for n, event in enumerate(self.events) if event.version == version)

    @property
    def told(self) -> list[Result]:
        """Every result that others than its seats may be told of, in order.

        Of a deal group the first is the one that its reveal shows.
        """
        changes = changes_in(self.events)
        if self._created.deal_group is None:
            return changes
        revealed = next((e.version for e in self.events if isinstance(e, MatchRevealed)), None)
        if revealed is None:
            return []
        shown = max((each for each in changes if each.version <= revealed), key=_version)
        later = [each for each in changes if each.version > revealed]
        return [msgspec.structs.replace(shown, version=revealed), *later]

    @property
    def replaced(self) -> frozenset[int]:
        """The seats that a ruling has given to somebody else."""
        rulings = (each.ruling for each in self.events if isinstance(each, DisputeRuled))
        return frozenset(each.seat for each in rulings if isinstance(each, ReplaceSeat))

    @property
    def newest(self) -> Result:
        """What the result is, for who may see all of the log."""
        told = self.told
        return told[-1] if told else result_in(self.events)


class Changed(msgspec.Struct, frozen=True):
    """A row of the feed that changed a result: `results` is what it became, one after the other,
    and `before` what was told last, None if nothing was.
    """

    entry: Entry
    log: ResultLog
    results: tuple[Result, ...]
    before: Result | None


class ResultRow(msgspec.Struct, frozen=True):
    """What the result of a match became with the row of the feed at `position`."""

    position: int
    match_id: str
    org: str
    external_id: str | None
    game: str
    deal_group: str | None
    result: Result


def changed_by(connection: Connection, entries: Sequence[Entry]) -> Iterator[Changed]:
    """The rows that changed a result, and what it became."""
    asked = _candidates(connection, entries)
    logs = logs_of(connection, {each.match_id or "" for each in asked})
    for entry in asked:
        log = logs.get(entry.match_id or "")
        if log is None:
            continue
        told = log.until(entry.last).told
        new = [each for each in told if each.version >= entry.first and each.revision]
        if new:
            earlier = [each for each in told if each.version < entry.first and each.revision]
            yield Changed(entry, log, tuple(new), earlier[-1] if earlier else None)


def logs_of(connection: Connection, ids: Collection[str]) -> dict[str, ResultLog]:
    """By match, what its result depends on."""
    found = stored.of_kinds(connection, ids, KINDS)
    return {match_id: _log(records) for match_id, records in found.items()}


def log_of(connection: Connection, match_id: str) -> ResultLog:
    """Of a match that is there."""
    return logs_of(connection, (match_id,))[match_id]


def page(
    connection: Connection, org: str, after: int, limit: int, batch_id: str | None = None
) -> list[ResultRow]:
    """Those of an organisation, or of one of its batches, after a position of the feed."""
    query = select(RESULT).where(RESULT.c.org == org, RESULT.c.position > after)
    if batch_id is not None:
        own = select(BATCH_MATCH.c.match_id).where(BATCH_MATCH.c.batch_id == batch_id)
        query = query.where(RESULT.c.match_id.in_(own))
    rows = connection.execute(query.order_by(RESULT.c.position).limit(limit))
    return [_row(row) for row in rows]


def newest(connection: Connection, ids: Collection[str]) -> dict[str, ResultRow]:
    """By match, what its result is by now; matches that never had one are left out."""
    found: dict[str, ResultRow] = {}
    of = RESULT.c
    for some in some_at_a_time(ids):
        last = select(func.max(of.position)).where(of.match_id.in_(some)).group_by(of.match_id)
        rows = connection.execute(select(RESULT).where(of.position.in_(last)))
        found |= {row.match_id: _row(row) for row in rows}
    return found


def accounts(connection: Connection, ids: Collection[str]) -> Names:
    """By match and seat, whom it stands for: who holds it, else who may claim it."""
    return listed(connection, ids) | _named(connection, SEAT, ids)


def listed(connection: Connection, ids: Collection[str]) -> Names:
    """By match and seat, who may claim it."""
    return _named(connection, LISTED, ids)


def games(connection: Connection, ids: Collection[str]) -> dict[str, str]:
    """By match, which game it is."""
    query = select(MATCH.c.match_id, MATCH.c.game).where(MATCH.c.match_id.in_(filled_up(ids)))
    return {row.match_id: row.game for row in connection.execute(query)}


def _named(connection: Connection, table: Table, ids: Collection[str]) -> Names:
    query = select(table.c.match_id, table.c.seat, table.c.account)
    found: Names = {}
    for some in some_at_a_time(ids):
        rows = connection.execute(query.where(table.c.match_id.in_(some)))
        found |= {(each.match_id, each.seat): each.account for each in rows if each.account}
    return found


def _candidates(connection: Connection, entries: Sequence[Entry]) -> list[Entry]:
    """Rows with an event that a result can change with: only the log says so to every reader of the
    feed alike, whoever of them is ahead.
    """
    parts = [(e.match_id, e.first, e.last) for e in entries if e.match_id is not None]
    found = versions_of_kinds(connection, parts, CHANGING)
    return [
        each
        for each in entries
        if any(each.first <= version <= each.last for version in found.get(each.match_id or "", ()))
    ]


def _log(records: Sequence[Record]) -> ResultLog:
    return ResultLog(
        tuple(decode(each) for each in records), tuple(each.hash.hex() for each in records)
    )


def _row(row: "Row[Any]") -> ResultRow:
    fields = dict(row._mapping)
    body = fields.pop("body")
    return ResultRow(**fields, result=msgspec.json.decode(body, type=Result))


def _version(each: Result) -> int:
    return each.version
