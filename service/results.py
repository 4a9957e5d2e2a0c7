"""Results as callers see them: of one match, and of all matches since a position of the feed."""

from collections.abc import AsyncIterator, Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection

from events.evidence import Evidence
from events.results import Ending, Result, ResultStatus, SeatOutcome, SeatResult
from events.sandbox import is_test
from service import result_rows
from service.auth import Caller
from service.callers import Kind
from service.exporting import awaited
from service.parts import Parts
from service.queries import public_match
from service.result_rows import ResultLog, ResultRow

AT_ONCE: Final = 500  # results that are read together where all are told


class ResultSeat(msgspec.Struct, frozen=True):
    """`external_id` is whom the seat stands for, told to the organisation's keys alone."""

    seat: int
    external_id: str | None
    rank: int | None
    score: int | None
    outcome: SeatOutcome | None
    resigned: bool
    timed_out: bool
    forfeit: bool
    penalties: tuple[int, ...]


class MatchResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a match ended, as it stands since the event `version`; the higher version is the newer.

    `revision` counts what the result was said to be. `evidence` signs it, once there is one.
    """

    match_id: str
    test: bool
    status: ResultStatus
    revision: int
    version: int
    terminal: Ending | None
    replaced_by: str | None
    seats: tuple[ResultSeat, ...]
    evidence: Evidence | None


class ResultEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the result of a match became with the entry of the feed at `position`."""

    position: int
    match_id: str
    external_id: str | None
    game: str
    deal_group: str | None
    test: bool
    status: ResultStatus
    revision: int
    version: int
    terminal: Ending | None
    replaced_by: str | None
    seats: tuple[ResultSeat, ...]


class ResultPage(msgspec.Struct, frozen=True):
    """`after` is the position to go on from."""

    results: tuple[ResultEntry, ...]
    after: int

    @property
    def is_empty(self) -> bool:
        return not self.results


async def result_of(parts: Parts, caller: Caller, match_id: str) -> MatchResult:
    """Of the match as old as it is for the caller.

    Raises: MatchNotFound, ScopeMissing.
    """
    current, _ = await public_match(parts, caller, match_id)

    def work(connection: Connection) -> tuple[ResultLog, dict[tuple[str, int], str]]:
        names = result_rows.accounts(connection, (match_id,)) if _names(caller) else {}
        return result_rows.log_of(connection, match_id), names

    log, names = await parts.database.read(work)
    log = log.until(current.version)
    result = log.newest
    evidence = None
    if result.status is not ResultStatus.PENDING:
        evidence = parts.notary.result(match_id, result, log.head_at(result.version))
    return MatchResult(
        match_id=match_id,
        test=current.created.test,
        evidence=evidence,
        seats=_lines(match_id, result, names),
        **{n: getattr(result, n) for n in Result.__struct_fields__ if n != "seats"},
    )


async def page(
    parts: Parts, caller: Caller, after: int, limit: int, batch_id: str | None = None
) -> ResultPage:
    """What became of results after a position; of one batch, if it is named.

    The caller may read them, which was asked before.
    """
    rows, names = await parts.database.read(lambda c: _page(c, caller.org, after, limit, batch_id))
    return ResultPage(
        tuple(_entry(each, names) for each in rows), rows[-1].position if rows else after
    )


async def awaited_page(
    parts: Parts, caller: Caller, after: int, limit: int, seconds: float
) -> ResultPage:
    """A page as soon as there is anything on it, or an empty one after `seconds`.

    Raises: TooManyStreams; NoCredentials when the caller may not read any more.
    """

    async def read(place: int) -> ResultPage:
        return await page(parts, caller, place, limit)

    return await awaited(parts, caller, lambda: parts.recording.news, read, after, seconds)


async def everything(
    parts: Parts, caller: Caller, after: int, batch_id: str | None = None
) -> AsyncIterator[tuple[ResultEntry, ...]]:
    """All there is after a position, some at a time."""
    while True:
        found = await page(parts, caller, after, AT_ONCE, batch_id)
        if not found.results:
            return
        yield found.results
        after = found.after


def _page(
    connection: Connection, org: str, after: int, limit: int, batch_id: str | None
) -> tuple[list[ResultRow], dict[tuple[str, int], str]]:
    rows = result_rows.page(connection, org, after, limit, batch_id)
    return rows, result_rows.accounts(connection, {each.match_id for each in rows})


def _entry(row: ResultRow, names: dict[tuple[str, int], str]) -> ResultEntry:
    result = row.result
    fields = ("position", "match_id", "external_id", "game", "deal_group")
    return ResultEntry(
        **{name: getattr(row, name) for name in fields},
        test=is_test(row.org),
        **{n: getattr(result, n) for n in Result.__struct_fields__ if n != "seats"},
        seats=_lines(row.match_id, result, names),
    )


def _lines(
    match_id: str, result: Result, names: dict[tuple[str, int], str]
) -> tuple[ResultSeat, ...]:
    return tuple(_line(match_id, each, names) for each in result.seats)


def _line(match_id: str, seat: SeatResult, names: dict[tuple[str, int], str]) -> ResultSeat:
    fields: Sequence[str] = SeatResult.__struct_fields__
    said = {name: getattr(seat, name) for name in fields}
    return ResultSeat(external_id=names.get((match_id, seat.seat)), **said)


def _names(caller: Caller) -> bool:
    return caller.kind is Kind.KEY
