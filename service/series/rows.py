"""Series as rows: what is fixed, who plays, which matches there are, how it was said to stand."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, and_, insert, or_, select, update

from events.filling import filled_up
from events.results import Result
from service import result_rows
from service.series.terms import Game, SeriesState, Tally, Terms
from service.tournament_tables import SERIES, SERIES_ENTRANT, SERIES_MATCH

DUE_AT_ONCE: Final = 100
Due = tuple[str, int]  # a series, and since which position of the feed


class SeriesRow(msgspec.Struct, frozen=True, kw_only=True):
    """`due` is the position of the feed since which somebody has to look whether it goes on."""

    id: str
    org: str
    external_id: str | None
    batch_id: str | None
    number: int | None
    created_at: int
    terms: Terms
    state: SeriesState
    revision: int
    tally: Tally
    due: int | None = None


class Entrant(msgspec.Struct, frozen=True):
    """`hash` is that of the token in the link."""

    series_id: str
    entrant: int
    external_id: str
    hash: bytes


def add(connection: Connection, row: SeriesRow, entrants: Sequence[Entrant]) -> None:
    fields = msgspec.structs.asdict(row)
    fields |= {name: msgspec.json.encode(fields[name]) for name in ("terms", "tally")}
    connection.execute(insert(SERIES), [fields])
    connection.execute(insert(SERIES_ENTRANT), [msgspec.structs.asdict(e) for e in entrants])


def add_match(connection: Connection, series_id: str, game: Game) -> None:
    row = {
        "series_id": series_id,
        "number": game.number,
        "attempt": game.attempt,
        "match_id": game.match_id,
        "seating": " ".join(map(str, game.seating)),
    }
    connection.execute(insert(SERIES_MATCH), [row])


def find(connection: Connection, series_id: str) -> SeriesRow | None:
    row = connection.execute(select(SERIES).where(SERIES.c.id == series_id)).first()
    return None if row is None else _series(row)


def locked(connection: Connection, series_id: str) -> SeriesRow | None:
    """The series, held to the end of the transaction."""
    query = select(SERIES).where(SERIES.c.id == series_id).with_for_update()
    row = connection.execute(query).first()
    return None if row is None else _series(row)


def newest(
    connection: Connection,
    org: str,
    narrowed: Mapping[str, str | None],
    before: str | None,
    limit: int,
) -> list[SeriesRow]:
    """An organisation's series, newest first, those before `before` in that order."""
    query = select(SERIES).where(SERIES.c.org == org)
    for name, value in narrowed.items():
        if value is not None:
            query = query.where(SERIES.c[name] == value)
    if before is not None:
        query = query.where(SERIES.c.id < before)
    rows = connection.execute(query.order_by(SERIES.c.id.desc()).limit(limit))
    return [_series(row) for row in rows]


def entrants(connection: Connection, series_id: str) -> list[Entrant]:
    return entrants_of(connection, [series_id])[series_id]


def entrants_of(connection: Connection, ids: Collection[str]) -> dict[str, list[Entrant]]:
    """By series, in their order."""
    own = SERIES_ENTRANT.c
    query = select(SERIES_ENTRANT).where(own.series_id.in_(filled_up(ids))).order_by(own.entrant)
    found: dict[str, list[Entrant]] = {each: [] for each in ids}
    for row in connection.execute(query).mappings():
        found[row["series_id"]].append(_entrant(row))
    return found


def entrant_by(connection: Connection, stored: bytes) -> Entrant | None:
    query = select(SERIES_ENTRANT).where(SERIES_ENTRANT.c.hash == stored)
    row = connection.execute(query).mappings().first()
    return None if row is None else _entrant(row)


def games(connection: Connection, series_id: str) -> list[Game]:
    """In their order, with the results that their logs have by now."""
    query = select(SERIES_MATCH).where(SERIES_MATCH.c.series_id == series_id)
    ordered = query.order_by(SERIES_MATCH.c.number, SERIES_MATCH.c.attempt)
    rows = connection.execute(ordered).all()
    logs = result_rows.logs_of(connection, [row.match_id for row in rows])
    return [_game(row, logs[row.match_id].newest if row.match_id in logs else None) for row in rows]


def kept_games(connection: Connection, ids: Collection[str]) -> dict[str, list[Game]]:
    """By series, in their order, with the results that are kept by now: for many at once."""
    own = SERIES_MATCH.c
    query = (
        select(SERIES_MATCH)
        .where(own.series_id.in_(filled_up(ids)))
        .order_by(own.number, own.attempt)
    )
    rows = connection.execute(query).all()
    kept = result_rows.newest(connection, [row.match_id for row in rows])
    found: dict[str, list[Game]] = {each: [] for each in ids}
    for row in rows:
        result = kept[row.match_id].result if row.match_id in kept else None
        found[row.series_id].append(_game(row, result))
    return found


def last(connection: Connection, series_id: str) -> Game:
    """The newest match, as if it had no result."""
    own = SERIES_MATCH.c
    query = select(SERIES_MATCH).where(own.series_id == series_id)
    ordered = query.order_by(own.number.desc(), own.attempt.desc()).limit(1)
    return _game(connection.execute(ordered).one(), None)


def stir(connection: Connection, match_ids: Collection[str], position: int) -> None:
    """The results of matches changed: somebody has to look at their series."""
    own = select(SERIES_MATCH.c.series_id).where(SERIES_MATCH.c.match_id.in_(filled_up(match_ids)))
    connection.execute(update(SERIES).where(SERIES.c.id.in_(own)).values(due=position))


def due(connection: Connection, after: Due | None = None) -> list[Due]:
    """A bounded number of series that have to be looked at, and since when; in their order."""
    own = SERIES.c
    query = select(own.id, own.due).where(own.due.is_not(None))
    if after is not None:
        same = and_(own.due == after[1], own.id > after[0])
        query = query.where(or_(own.due > after[1], same))
    rows = connection.execute(query.order_by(own.due, own.id).limit(DUE_AT_ONCE))
    return [(identity, since) for identity, since in rows]


def looked_at(connection: Connection, series_id: str, since: int) -> None:
    """Unless something came since."""
    own = update(SERIES).where(SERIES.c.id == series_id, SERIES.c.due == since)
    connection.execute(own.values(due=None))


def told(connection: Connection, series_id: str, tally: Tally) -> None:
    """How it stands now: one more revision."""
    connection.execute(
        update(SERIES)
        .where(SERIES.c.id == series_id)
        .values(
            state=tally.state,
            tally=msgspec.json.encode(tally),
            revision=SERIES.c.revision + 1,
        )
    )


def _series(row: "Row[Any]") -> SeriesRow:
    fields: dict[str, Any] = dict(row._mapping)
    fields["terms"] = msgspec.json.decode(fields["terms"], type=Terms)
    fields["tally"] = msgspec.json.decode(fields["tally"], type=Tally)
    fields["state"] = SeriesState(fields["state"])
    return SeriesRow(**fields)


def _entrant(row: Mapping[Any, Any]) -> Entrant:
    return Entrant(**{**row, "hash": bytes(row["hash"])})


def _game(row: "Row[Any]", result: Result | None) -> Game:
    seats = tuple(map(int, row.seating.split()))
    return Game(row.number, row.attempt, row.match_id, seats, result)
