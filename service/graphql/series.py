"""Series over GraphQL: how they stand, and what is done to them."""

from collections.abc import Mapping
from typing import Final, cast

import msgspec
import strawberry

from events.canonical import canonical
from service import cursors
from service.errors import Fault, Invalid
from service.graphql.arguments import body_of, key_of
from service.graphql.batches import Link
from service.graphql.context import Context
from service.graphql.enums import Ending, ResultStatus
from service.graphql.ids import AFTER, PageInfo, checked_first, page_info
from service.graphql.problems import raw
from service.graphql.scalars import JSON, Milliseconds, WholeNumber
from service.http import Answer
from service.ids import match_id_in
from service.repeating import once
from service.series import creating, viewing
from service.series.bodies import SeriesBody
from service.tournament_errors import SeriesNotFound

_UNSET: Final = strawberry.UNSET
_ROUTE: Final = "graphql createSeries"


@strawberry.input(
    description="`body` is what POST /v1/series takes. The same key is the same request."
)
class CreateSeriesInput:
    body: JSON
    idempotency_key: str | None = _UNSET


@strawberry.input
class CancelSeriesInput:
    series_id: str


@strawberry.type
class SeriesEntrant:
    entrant: int
    external_id: str
    points: WholeNumber


@strawberry.type(description="A match of the series, with the entrant at each seat.")
class SeriesGame:
    number: int
    attempt: int
    match_id: str
    seating: list[int]
    status: ResultStatus
    terminal: Ending | None
    counted: bool


@strawberry.type(
    description="`winner` is an external id; null while there is none, and for a draw."
)
class Series:
    series_id: str
    external_id: str | None
    test: bool
    batch_id: str | None
    game: str
    created_at: Milliseconds
    games: int
    state: str
    revision: int
    played: int
    winner: str | None
    entrants: list[SeriesEntrant]
    matches: list[SeriesGame]
    terms: JSON


@strawberry.type
class SeriesEdge:
    cursor: str
    node: Series


@strawberry.type(description="A page of your organisation's series, newest first.")
class SeriesConnection:
    edges: list[SeriesEdge]
    page_info: PageInfo


@strawberry.type(description="The link of an entrant, good for the whole series.")
class LinkedEntrant:
    entrant: int
    external_id: str
    link: Link


@strawberry.type
class CreateSeriesPayload:
    series: Series
    entrants: list[LinkedEntrant]
    replayed: bool


@strawberry.type
class CancelSeriesPayload:
    series: Series


async def series_in(context: Context, series_id: str) -> Series:
    """Raises: NoCredentials, SeriesNotFound, ApiKeyRequired, ScopeMissing."""
    caller = await context.caller()
    return _told(await viewing.series_of(context.parts, caller, _checked(series_id)))


async def series_page(
    context: Context, narrowed: Mapping[str, str | None], first: int, after: str | None
) -> SeriesConnection:
    """Raises: NoCredentials, ApiKeyRequired, ScopeMissing, ParameterInvalid."""
    parts, caller, limit = context.parts, await context.caller(), checked_first(first)
    bound = canonical(["graphql series", caller.org, dict(narrowed)])
    before = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await viewing.list_series(parts, caller, narrowed, before, limit + 1)
    edges = [
        SeriesEdge(cursor=cursors.sealed(parts.vault, each.id, bound), node=_told(each))
        for each in found[:limit]
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=len(found) > limit,
        has_previous=before is not None,
    )
    return SeriesConnection(edges=edges, page_info=info)


async def create_series(context: Context, given: CreateSeriesInput) -> CreateSeriesPayload:
    parts, caller = context.parts, await context.caller()
    if not isinstance(given.body, dict):
        raise Invalid(Fault("", "wrong-shape", "is no object"))
    body: SeriesBody = body_of(SeriesBody, **given.body)
    key = key_of(given)

    async def make(series_id: str | None) -> Answer:
        made = await creating.create_series(parts, caller, body, series_id)
        return Answer(201, made.encode())

    asked = canonical([msgspec.json.encode(body).decode()])
    done = await once(parts, caller, creating.RIGHT, _ROUTE, key, asked, make)
    series_id = done.body.decode()
    made = await viewing.made_series(parts, caller, series_id)
    return CreateSeriesPayload(
        series=_told(await viewing.new_series(parts, series_id)),
        entrants=cast(list[LinkedEntrant], list(made.entrants)),
        replayed=bool(done.headers),
    )


async def cancel_series(context: Context, given: CancelSeriesInput) -> CancelSeriesPayload:
    caller, series_id = await context.caller(), _checked(given.series_id)
    return CancelSeriesPayload(
        series=_told(await viewing.cancel_series(context.parts, caller, series_id))
    )


def _checked(series_id: str) -> str:
    """Raises: SeriesNotFound."""
    found = match_id_in(series_id)
    if found is None:
        raise SeriesNotFound
    return found


def _told(shown: viewing.SeriesSummary) -> Series:
    names = ("length", "rotation", "scoring", "opens_on", "join")
    terms = {name: getattr(shown, name) for name in names}
    return Series(
        series_id=shown.id,
        external_id=shown.external_id,
        test=shown.test,
        batch_id=shown.batch_id,
        game=shown.game,
        created_at=shown.created_at,
        games=shown.games,
        state=shown.state.value,
        revision=shown.revision,
        played=shown.played,
        winner=shown.winner,
        # The fields of these are found by name.
        entrants=cast(list[SeriesEntrant], list(shown.entrants)),
        matches=[_game(each) for each in shown.matches],
        terms=raw(terms),
    )


def _game(each: viewing.SeriesGame) -> SeriesGame:
    return SeriesGame(
        number=each.number,
        attempt=each.attempt,
        match_id=each.match_id,
        seating=list(each.seating),
        status=each.status.value,
        terminal=None if each.terminal is None else each.terminal.value,
        counted=each.counted,
    )
