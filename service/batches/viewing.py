"""Batches as their organisation sees them: what is fixed, how far they are, how all compare."""

from collections import Counter
from collections.abc import Sequence

import msgspec
from sqlalchemy import Connection, select

from events.results import ResultStatus
from events.sandbox import is_test
from events.store import MatchRow
from events.tables import MATCH
from events.types import Status
from projections.matches import MatchSummary, summary
from service import result_rows
from service.asking import some_at_a_time
from service.auth import Caller, require
from service.batches import points, rows
from service.batches.links import arbiter_link, seat_link, watch_link
from service.batches.points import Played, Scoring, StandingLine
from service.batches.rows import BatchRow, Member, Place, Watching
from service.callers import Scope
from service.parts import Parts
from service.player_page import Link
from service.tournament_errors import BatchNotFound


class BatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """`counts` is how many of its matches have which status. Time in ms."""

    id: str
    external_id: str | None
    test: bool
    created_at: int
    match_count: int
    counts: dict[str, int]
    scoring: Scoring
    spectators: Watching | None


class SeatOfBatch(msgspec.Struct, frozen=True):
    """`link` claims the seat and then plays it; `external_id` is whom it is for."""

    seat: int
    external_id: str | None
    link: Link


class ArbiterOfBatch(msgspec.Struct, frozen=True):
    """`link` arbitrates the match; `external_id` is whom it is for."""

    external_id: str
    link: Link


class LinkedMatch(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    match_id: str
    external_id: str | None
    seats: tuple[SeatOfBatch, ...]
    spectator: Link | None
    arbiters: tuple[ArbiterOfBatch, ...]


class MadeBatch(msgspec.Struct, frozen=True, kw_only=True):
    """A batch with the links of its matches, as its creator is told of it."""

    id: str
    external_id: str | None
    test: bool
    created_at: int
    matches: tuple[LinkedMatch, ...]


class BatchMatch(MatchSummary, frozen=True, kw_only=True):
    """A match of a batch; those played in place of another have its number."""

    number: int
    attempt: int


class BatchStandings(msgspec.Struct, frozen=True, kw_only=True):
    """`final`: every match has a final result. `pending` is how many have none yet."""

    batch_id: str
    scoring: Scoring
    final: bool
    pending: int
    provisional: int
    standings: tuple[StandingLine, ...]


async def batch_of(parts: Parts, caller: Caller, batch_id: str) -> BatchSummary:
    """Raises: BatchNotFound, ApiKeyRequired, ScopeMissing."""
    row = await visible(parts, caller, batch_id)
    return await parts.database.read(lambda c: _told(c, [row])[0])


async def new_batch(parts: Parts, batch_id: str) -> BatchSummary:
    """As whoever made or directs it is told of it, even with a key that reads none."""

    def work(connection: Connection) -> BatchSummary:
        row = rows.find(connection, batch_id)
        assert row is not None, "it was made"
        return _told(connection, [row])[0]

    return await parts.database.read(work)


async def made_batch(
    parts: Parts, caller: Caller, batch_id: str, arbiters: Sequence[Sequence[str]]
) -> MadeBatch:
    """With its links, for the request that made it, which says who arbitrates each match: nothing
    else does. Raises: BatchNotFound.
    """

    def work(connection: Connection) -> tuple[BatchRow | None, list[_Seated]]:
        return rows.find(connection, batch_id), _seated(connection, batch_id)

    row, matches = await parts.database.read(work)
    if row is None or row.org != caller.org:
        raise BatchNotFound
    has_watchers = row.terms.spectators is not None
    return MadeBatch(
        id=row.id,
        external_id=row.external_id,
        test=is_test(row.org),
        created_at=row.created_at,
        matches=tuple(
            _linked(parts, each, arbiters[each.member.number], has_watchers=has_watchers)
            for each in matches
        ),
    )


async def list_batches(
    parts: Parts, caller: Caller, external_id: str | None, before: str | None, limit: int
) -> list[BatchSummary]:
    """The organisation's batches, newest first. Raises: ApiKeyRequired, ScopeMissing."""
    require(caller, Scope.MATCHES_READ)

    def work(connection: Connection) -> list[BatchSummary]:
        return _told(connection, rows.newest(connection, caller.org, external_id, before, limit))

    return await parts.database.read(work)


async def matches_of(
    parts: Parts, batch_id: str, after: Place | None, limit: int
) -> list[BatchMatch]:
    """By place, after a place and match. The caller may see the batch, which was asked before."""

    def work(connection: Connection) -> list[BatchMatch]:
        found = rows.members(connection, batch_id, after, limit)
        summaries = _summaries(connection, [each.match_id for each in found])
        return [
            BatchMatch(
                **msgspec.structs.asdict(summaries[each.match_id]),
                number=each.number,
                attempt=each.attempt,
            )
            for each in found
        ]

    return await parts.database.read(work)


async def standings_of(parts: Parts, caller: Caller, batch_id: str) -> BatchStandings:
    """Of all results that are kept by now, provisional ones too.

    Raises: BatchNotFound, ApiKeyRequired, ScopeMissing.
    """
    row = await visible(parts, caller, batch_id)
    return await parts.database.read(lambda c: _standings(c, row))


async def visible(
    parts: Parts, caller: Caller, batch_id: str, scope: Scope = Scope.MATCHES_READ
) -> BatchRow:
    """The batch, for keys of its organisation.

    Raises: BatchNotFound, ApiKeyRequired, ScopeMissing.
    """
    require(caller, scope)
    row = await parts.database.read(lambda c: rows.find(c, batch_id))
    if row is None or row.org != caller.org:
        raise BatchNotFound
    return row


class _Seated(msgspec.Struct, frozen=True):
    """A match that the batch was made with, and whom its seats were made for."""

    member: Member
    seats: tuple[str | None, ...]


def _seated(connection: Connection, batch_id: str) -> list[_Seated]:
    first = rows.made_with(connection, batch_id)
    ids = [each.match_id for each in first]
    summaries, names = _summaries(connection, ids), result_rows.listed(connection, ids)
    return [
        _Seated(
            each,
            tuple(
                names.get((each.match_id, seat)) for seat in range(summaries[each.match_id].seats)
            ),
        )
        for each in first
    ]


def _linked(
    parts: Parts, each: _Seated, arbiters: Sequence[str], *, has_watchers: bool
) -> LinkedMatch:
    match_id = each.member.match_id
    return LinkedMatch(
        number=each.member.number,
        match_id=match_id,
        external_id=each.member.external_id,
        seats=tuple(
            SeatOfBatch(seat, name, seat_link(parts, match_id, seat))
            for seat, name in enumerate(each.seats)
        ),
        spectator=watch_link(parts, match_id) if has_watchers else None,
        arbiters=tuple(
            ArbiterOfBatch(name, arbiter_link(parts, match_id, name)) for name in arbiters
        ),
    )


def _told(connection: Connection, found: Sequence[BatchRow]) -> list[BatchSummary]:
    counts = rows.counts(connection, [each.id for each in found])
    return [_summary(each, counts[each.id]) for each in found]


def _summary(row: BatchRow, counts: Counter[str]) -> BatchSummary:
    return BatchSummary(
        id=row.id,
        external_id=row.external_id,
        test=is_test(row.org),
        created_at=row.created_at,
        match_count=counts.total(),
        counts={status.value: counts[status.value] for status in Status},
        scoring=row.terms.scoring,
        spectators=row.terms.spectators,
    )


def _standings(connection: Connection, row: BatchRow) -> BatchStandings:
    ids = [each.match_id for each in rows.members(connection, row.id)]
    results = {each: found.result for each, found in result_rows.newest(connection, ids).items()}
    names: dict[str, dict[int, str]] = {}
    for (match_id, seat), name in result_rows.accounts(connection, ids).items():
        names.setdefault(match_id, {})[seat] = name
    # A match that is played elsewhere is that other one.
    open_ids = [m for m in ids if m not in results or results[m].replaced_by is None]
    told = [results.get(each) for each in open_ids]
    statuses = [ResultStatus.PENDING if each is None else each.status for each in told]
    return BatchStandings(
        batch_id=row.id,
        scoring=row.terms.scoring,
        final=all(each is ResultStatus.FINAL for each in statuses),
        pending=statuses.count(ResultStatus.PENDING),
        provisional=statuses.count(ResultStatus.PROVISIONAL),
        standings=points.standings(
            row.terms.scoring,
            [Played(results.get(each), names.get(each, {})) for each in open_ids],
        ),
    )


def _summaries(connection: Connection, ids: Sequence[str]) -> dict[str, MatchSummary]:
    found: dict[str, MatchSummary] = {}
    for some in some_at_a_time(ids):
        rows = connection.execute(select(MATCH).where(MATCH.c.match_id.in_(some)))
        found |= {each.match_id: summary(MatchRow(*each)) for each in rows}
    return found
