"""What webhooks are told of series, queued with what they are told of."""

import msgspec
from sqlalchemy import Connection

from events.canonical import prefixed
from events.sandbox import is_test
from service.parts import Parts
from service.series.rows import SeriesRow
from service.series.terms import Game, SeriesState, Tally
from service.webhooks.rows import EventType


class SeriesNews(msgspec.Struct, frozen=True, kw_only=True):
    """So it is since `revision`.

    `match_id` is the match that opened, `number` its place; `winner` is an entrant.
    """

    series_id: str
    external_id: str | None
    batch_id: str | None
    test: bool
    game: str
    revision: int
    state: SeriesState
    number: int | None
    match_id: str | None
    winner: int | None


def tell_opened(connection: Connection, parts: Parts, row: SeriesRow, game: Game) -> None:
    told = _news(row, row.revision, row.state, number=game.number, match_id=game.match_id)
    name = prefixed("opened", row.id, game.number, game.attempt)
    _tell(connection, parts, row, EventType.MATCH_OPENED, told, name)


def tell_tally(connection: Connection, parts: Parts, row: SeriesRow, tally: Tally) -> None:
    """That it was decided, or that what was decided is another now."""
    was_decided = row.state is SeriesState.DECIDED
    if not was_decided and tally.state is not SeriesState.DECIDED:
        return
    revision = row.revision + 1
    told = _news(row, revision, tally.state, winner=tally.winner)
    kind = EventType.SERIES_REVISED if was_decided else EventType.DECIDED
    _tell(connection, parts, row, kind, told, prefixed("tally", row.id, revision))


def _news(
    row: SeriesRow, revision: int, state: SeriesState, **more: str | int | None
) -> SeriesNews:
    fields: dict[str, str | int | None] = {"number": None, "match_id": None, "winner": None, **more}
    return msgspec.convert(
        {
            "series_id": row.id,
            "external_id": row.external_id,
            "batch_id": row.batch_id,
            "test": is_test(row.org),
            "game": row.terms.game,
            "revision": revision,
            "state": state.value,
            **fields,
        },
        SeriesNews,
    )


def _tell(
    connection: Connection,
    parts: Parts,
    row: SeriesRow,
    kind: EventType,
    told: SeriesNews,
    name: bytes,
) -> None:
    queue = parts.webhooks.queue
    queue.tell(connection, row.org, kind, row.id, told, name, row.terms.game, row.external_id)
