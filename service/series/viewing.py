"""Series as their organisation sees them, and the current match for whoever has a link."""

from collections.abc import Mapping, Sequence
from itertools import groupby

import msgspec
from sqlalchemy import Connection

from events.results import Ending, ResultStatus
from events.sandbox import is_test
from service import credentials, identities
from service.auth import Caller, require
from service.batches.links import seat_link, seat_token
from service.batches.points import Scoring
from service.callers import Scope
from service.errors import NoCredentials
from service.parts import Parts
from service.player_page import Link, page_link
from service.series import rows
from service.series.creating import link_token
from service.series.rows import SeriesRow
from service.series.terms import Game, Join, Length, OpensOn, Rotation, SeriesState, counted_of
from service.tournament_errors import SeriesNotFound, SeriesOver


class SeriesEntrant(msgspec.Struct, frozen=True):
    entrant: int
    external_id: str
    points: int


class SeriesGame(msgspec.Struct, frozen=True, kw_only=True):
    """A match of the series, with the entrant at each seat.

    `attempt` counts those that were played in place of one without a result. `counted`: it is among
    what `points` are made of.
    """

    number: int
    attempt: int
    match_id: str
    seating: tuple[int, ...]
    status: ResultStatus
    terminal: Ending | None
    counted: bool


class SeriesSummary(msgspec.Struct, frozen=True, kw_only=True):
    """How it was last said to stand, `revision` times. `winner` is an external id."""

    id: str
    external_id: str | None
    batch_id: str | None
    test: bool
    game: str
    created_at: int
    length: Length
    games: int
    rotation: Rotation
    scoring: Scoring
    opens_on: OpensOn
    join: Join | None
    state: SeriesState
    revision: int
    played: int
    winner: str | None
    entrants: tuple[SeriesEntrant, ...]
    matches: tuple[SeriesGame, ...]


class LinkedEntrant(msgspec.Struct, frozen=True):
    """`link` leads to the entrant's seat in the current match, throughout the series."""

    entrant: int
    external_id: str
    link: Link


class MadeSeries(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    external_id: str | None
    test: bool
    created_at: int
    match_id: str
    entrants: tuple[LinkedEntrant, ...]


class CurrentSeat(msgspec.Struct, frozen=True, kw_only=True):
    """Where the link of an entrant leads by now: the newest match, and its own seat there.

    `link` is null where it opens nothing: somebody else came to the seat, or has other tokens.
    """

    series_id: str
    state: SeriesState
    entrant: int
    points: tuple[int, ...]
    number: int
    match_id: str
    seat: int
    link: Link | None


async def series_of(parts: Parts, caller: Caller, series_id: str) -> SeriesSummary:
    """Raises: SeriesNotFound, ApiKeyRequired, ScopeMissing."""
    row = await _visible(parts, caller, series_id, Scope.MATCHES_READ)
    return await parts.database.read(lambda c: _summary(c, row))


async def new_series(parts: Parts, series_id: str) -> SeriesSummary:
    """As whoever made it is told of it, even with a key that reads none."""

    def work(connection: Connection) -> SeriesSummary:
        row = rows.find(connection, series_id)
        assert row is not None, "it was made"
        return _summary(connection, row)

    return await parts.database.read(work)


async def list_series(
    parts: Parts,
    caller: Caller,
    narrowed: Mapping[str, str | None],
    before: str | None,
    limit: int,
) -> list[SeriesSummary]:
    """The organisation's series, newest first. Raises: ApiKeyRequired, ScopeMissing."""
    require(caller, Scope.MATCHES_READ)

    def work(connection: Connection) -> list[SeriesSummary]:
        found = rows.newest(connection, caller.org, narrowed, before, limit)
        ids = [each.id for each in found]
        entrants, games = rows.entrants_of(connection, ids), rows.kept_games(connection, ids)
        return [_told(each, entrants[each.id], games[each.id]) for each in found]

    return await parts.database.read(work)


async def made_series(parts: Parts, caller: Caller, series_id: str) -> MadeSeries:
    """With its links, for the request that made it. Raises: SeriesNotFound."""

    def work(connection: Connection) -> tuple[SeriesRow | None, list[rows.Entrant], list[Game]]:
        return (
            rows.find(connection, series_id),
            rows.entrants(connection, series_id),
            rows.games(connection, series_id),
        )

    row, entrants, games = await parts.database.read(work)
    if row is None or row.org != caller.org:
        raise SeriesNotFound
    return MadeSeries(
        id=row.id,
        external_id=row.external_id,
        test=is_test(row.org),
        created_at=row.created_at,
        match_id=games[0].match_id,
        entrants=tuple(
            LinkedEntrant(each.entrant, each.external_id, _link(parts, each)) for each in entrants
        ),
    )


async def cancel_series(parts: Parts, caller: Caller, series_id: str) -> SeriesSummary:
    """No further match opens; the current one is as it is. Again, it is cancelled already.

    Raises: SeriesNotFound, ApiKeyRequired, ScopeMissing, SeriesOver.
    """
    await _visible(parts, caller, series_id, Scope.MATCHES_MANAGE)

    def work(connection: Connection) -> SeriesSummary:
        row = rows.locked(connection, series_id)
        assert row is not None
        if row.state is SeriesState.DECIDED:
            raise SeriesOver
        if row.state is not SeriesState.CANCELLED:
            tally = msgspec.structs.replace(row.tally, state=SeriesState.CANCELLED)
            rows.told(connection, series_id, tally)
        after = rows.find(connection, series_id)
        assert after is not None
        return _summary(connection, after)

    return await parts.database.write(work)


async def current_seat(parts: Parts, token: str, series_id: str) -> CurrentSeat:
    """For the bearer of an entrant's link. Raises: NoCredentials, SeriesNotFound."""
    stored = credentials.stored(token)
    entrant = await parts.database.read(lambda c: rows.entrant_by(c, stored))
    if entrant is None:
        raise NoCredentials
    if entrant.series_id != series_id:
        raise SeriesNotFound

    row, last = await parts.database.read(
        lambda c: (rows.find(c, series_id), rows.last(c, series_id))
    )
    assert row is not None
    seat = last.seating.index(entrant.entrant)
    own = credentials.stored(seat_token(parts.vault, last.match_id, seat))
    now = parts.clock()
    works = await parts.database.read(lambda c: identities.working(c, [own], now))
    return CurrentSeat(
        series_id=row.id,
        state=row.state,
        entrant=entrant.entrant,
        points=row.tally.points,
        number=last.number,
        match_id=last.match_id,
        seat=seat,
        link=seat_link(parts, last.match_id, seat) if works else None,
    )


async def _visible(parts: Parts, caller: Caller, series_id: str, scope: Scope) -> SeriesRow:
    """Raises: SeriesNotFound, ApiKeyRequired, ScopeMissing."""
    require(caller, scope)
    row = await parts.database.read(lambda c: rows.find(c, series_id))
    if row is None or row.org != caller.org:
        raise SeriesNotFound
    return row


def _link(parts: Parts, each: rows.Entrant) -> Link:
    token = link_token(parts.vault, each.series_id, each.entrant)
    return page_link(parts, token, series=each.series_id)


def _summary(connection: Connection, row: SeriesRow) -> SeriesSummary:
    """As it was last said to stand; its matches as they are."""
    return _told(row, rows.entrants(connection, row.id), rows.games(connection, row.id))


def _told(row: SeriesRow, entrants: Sequence[rows.Entrant], games: Sequence[Game]) -> SeriesSummary:
    terms, tally = row.terms, row.tally
    winner = None if tally.winner is None else entrants[tally.winner].external_id
    points = zip(entrants, tally.points, strict=True)
    return SeriesSummary(
        id=row.id,
        external_id=row.external_id,
        batch_id=row.batch_id,
        test=is_test(row.org),
        game=terms.game,
        created_at=row.created_at,
        length=terms.length,
        games=terms.games,
        rotation=terms.rotation,
        scoring=terms.scoring,
        opens_on=terms.opens_on,
        join=terms.join,
        state=row.state,
        revision=row.revision,
        played=tally.played,
        winner=winner,
        entrants=tuple(SeriesEntrant(e.entrant, e.external_id, own) for e, own in points),
        matches=_games(games, tally.played),
    )


def _games(games: Sequence[Game], played: int) -> tuple[SeriesGame, ...]:
    counted = _counted(games)
    return tuple(
        SeriesGame(
            number=each.number,
            attempt=each.attempt,
            match_id=each.match_id,
            seating=each.seating,
            status=ResultStatus.PENDING if each.result is None else each.result.status,
            terminal=None if each.result is None else each.result.terminal,
            counted=each.number < played and each.match_id in counted,
        )
        for each in games
    )


def _counted(games: Sequence[Game]) -> set[str]:
    """Of each number the attempt that counts, by its match; games in their order."""
    by_number = groupby(games, key=lambda each: each.number)
    return {counted_of(tuple(own)).match_id for _, own in by_number}
