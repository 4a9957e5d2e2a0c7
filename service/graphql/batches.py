"""Batches as nodes, in pages, and what is done to them."""

from typing import Any, Final, cast

import msgspec
import strawberry

from events.canonical import canonical
from service import cursors
from service.batches import acting, creating, viewing
from service.errors import Fault, Invalid
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context, Info
from service.graphql.enums import ActionOutcome
from service.graphql.ids import (
    AFTER,
    BATCH,
    MATCH,
    Node,
    PageInfo,
    checked_first,
    node_id,
    node_of,
    page_info,
)
from service.graphql.problems import raw
from service.graphql.results import ResultPage, result_page
from service.graphql.scalars import JSON, Milliseconds
from service.http import Answer
from service.ids import match_id_in
from service.repeating import once
from service.rest.batch_bodies import BatchBody
from service.rest.batches import wanted_of
from service.tournament_errors import BatchNotFound

_UNSET: Final = strawberry.UNSET
_ROUTE: Final = "graphql createBatch"


@strawberry.input(one_of=True, description="A batch by one of its names.")
class BatchRef:
    id: strawberry.ID | None = strawberry.UNSET
    external_id: str | None = strawberry.UNSET


@strawberry.input(
    description="`body` is what POST /v1/batches takes. The same key is the same request."
)
class CreateBatchInput:
    body: JSON
    idempotency_key: str | None = _UNSET


@strawberry.input(description="The same key is the same request: it is done once.")
class BatchActionInput:
    batch: BatchRef
    idempotency_key: str | None = _UNSET


@strawberry.type(description="A token, and the page that takes it; null where none is set.")
class Link:
    token: str
    url: str | None


@strawberry.type(description="A seat with its link; `externalId` is whom it is for.")
class SeatOfBatch:
    seat: int
    external_id: str | None
    link: Link


@strawberry.type(description="A match of a new batch; `number` is its place in the request.")
class LinkedMatch:
    number: int
    match_id: str
    external_id: str | None
    seats: list[SeatOfBatch]
    spectator: Link | None


@strawberry.type(description="What all results of one external id are worth together.")
class StandingLine:
    rank: int
    external_id: str
    points: int
    played: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: int


@strawberry.type(description="By rank. `final`: every match has a final result.")
class BatchStandings:
    final: bool
    pending: int
    provisional: int
    standings: list[StandingLine]


@strawberry.type(description="A match of a batch; what is played in place of it is behind it.")
class BatchMatch:
    number: int
    attempt: int
    match_id: str
    external_id: str | None
    status: str

    @strawberry.field(description="The id of the match.")
    def match(self) -> strawberry.ID:
        return node_id(MATCH, self.match_id)


@strawberry.type(description="Matches that were made at once.")
class Batch(Node):
    shown: strawberry.Private[viewing.BatchSummary]

    @strawberry.field
    def batch_id(self) -> str:
        return self.shown.id

    @strawberry.field
    def external_id(self) -> str | None:
        return self.shown.external_id

    @strawberry.field(description="Made in a sandbox, to rehearse.")
    def test(self) -> bool:
        return self.shown.test

    @strawberry.field
    def created_at(self) -> Milliseconds:
        return self.shown.created_at

    @strawberry.field
    def match_count(self) -> int:
        return self.shown.match_count

    @strawberry.field(description="How many of its matches have which status, by its name.")
    def counts(self) -> JSON:
        return raw(self.shown.counts)

    @strawberry.field(description="What a result is worth in the standings.")
    def scoring(self) -> JSON:
        return raw(self.shown.scoring)

    @strawberry.field(description="Those after a place, by place: its number and attempt.")
    async def matches(
        self, info: Info, first: int, after_number: int = -1, after_attempt: int = 0
    ) -> list[BatchMatch]:
        after = (after_number, after_attempt)
        limit = checked_first(first)
        found = await viewing.matches_of(info.context.parts, self.shown.id, after, limit)
        return [_match(each) for each in found]

    @strawberry.field(description="What became of its results after a position of the feed.")
    async def results(self, info: Info, first: int, after: int = 0) -> ResultPage:
        return await result_page(info.context, first, after, self.shown.id)

    @strawberry.field
    async def standings(self, info: Info) -> BatchStandings:
        context = info.context
        caller = await context.caller()
        found = await viewing.standings_of(context.parts, caller, self.shown.id)
        return cast(BatchStandings, found)  # Its fields are found by name.


@strawberry.type
class BatchEdge:
    cursor: str
    node: Batch


@strawberry.type(description="A page of your organisation's batches, newest first.")
class BatchConnection:
    edges: list[BatchEdge]
    page_info: PageInfo


@strawberry.type(description="`batch` is null, and there are no matches, after a dry run.")
class CreateBatchPayload:
    batch: Batch | None
    matches: list[LinkedMatch]
    replayed: bool


@strawberry.type(description="What came of a match; `code` is that of the problem.")
class ActionLine:
    number: int
    match_id: str
    external_id: str | None
    outcome: ActionOutcome
    code: str | None


@strawberry.type(description="What came of an action on each match of a batch.")
class BatchActionPayload:
    batch: Batch
    done: int
    refused: int
    matches: list[ActionLine]


async def batch_in(context: Context, ref: BatchRef) -> Batch:
    """Raises: NoCredentials, BatchNotFound, ApiKeyRequired, ScopeMissing."""
    return await batch_of(context, await _batch_id_of(context, ref))


async def batch_of(context: Context, batch_id: str) -> Batch:
    """Raises: NoCredentials, BatchNotFound, ApiKeyRequired, ScopeMissing."""
    return _node(await viewing.batch_of(context.parts, await context.caller(), batch_id))


async def batch_page(context: Context, first: int, after: str | None) -> BatchConnection:
    """Raises: NoCredentials, ApiKeyRequired, ScopeMissing, ParameterInvalid."""
    parts, caller, limit = context.parts, await context.caller(), checked_first(first)
    bound = canonical(["graphql batches", caller.org])
    before = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await viewing.list_batches(parts, caller, None, before, limit + 1)
    edges = [
        BatchEdge(cursor=cursors.sealed(parts.vault, each.id, bound), node=_node(each))
        for each in found[:limit]
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=len(found) > limit,
        has_previous=before is not None,
    )
    return BatchConnection(edges=edges, page_info=info)


async def create_batch(context: Context, given: CreateBatchInput) -> CreateBatchPayload:
    parts, caller = context.parts, await context.caller()
    if not isinstance(given.body, dict):
        raise Invalid(Fault("", "wrong-shape", "is no object"))
    body: BatchBody = body_of(BatchBody, **given.body)
    key, wanted = key_of(given), wanted_of(body)
    if body.dry_run:
        await creating.check_batch(parts, caller, wanted)
        return CreateBatchPayload(batch=None, matches=[], replayed=False)

    async def make(batch_id: str | None) -> Answer:
        made = await creating.create_batch(parts, caller, wanted, batch_id)
        return Answer(201, made.encode())

    asked = canonical([msgspec.json.encode(body).decode()])
    done = await (make(None) if key is None else once(parts, caller, _ROUTE, key, asked, make))
    batch_id = done.body.decode()
    made = await viewing.made_batch(parts, caller, batch_id)
    return CreateBatchPayload(
        batch=_node(await viewing.new_batch(parts, batch_id)),
        matches=cast(list[LinkedMatch], list(made.matches)),
        replayed=bool(done.headers),
    )


async def start_batch(context: Context, given: BatchActionInput) -> BatchActionPayload:
    return await _act(context, given, acting.start_batch)


async def cancel_batch(context: Context, given: BatchActionInput) -> BatchActionPayload:
    return await _act(context, given, acting.cancel_batch)


async def _act(context: Context, given: BatchActionInput, act: Any) -> BatchActionPayload:
    batch_id = await _batch_id_of(context, given.batch)
    parts, caller = context.parts, await context.caller()
    done = await act(parts, caller, batch_id, key_of(given))
    return BatchActionPayload(
        batch=_node(await viewing.new_batch(parts, batch_id)),
        done=done.done,
        refused=done.refused,
        matches=[_line(each) for each in done.matches],
    )


async def _batch_id_of(context: Context, ref: BatchRef) -> str:
    """Raises: NoCredentials, BatchNotFound, ApiKeyRequired, ScopeMissing."""
    caller = await context.caller()
    if isinstance(ref.id, str):
        kind, name = node_of(ref.id)
        batch_id = match_id_in(name) if kind == BATCH else None
        if batch_id is None:
            raise BatchNotFound
        return batch_id
    assert isinstance(ref.external_id, str)
    found = await viewing.list_batches(context.parts, caller, ref.external_id, None, 1)
    if not found:
        raise BatchNotFound
    return found[0].id


def _node(shown: viewing.BatchSummary) -> Batch:
    return Batch(id=node_id(BATCH, shown.id), shown=shown)


def _match(each: viewing.BatchMatch) -> BatchMatch:
    return BatchMatch(
        number=each.number,
        attempt=each.attempt,
        match_id=each.match_id,
        external_id=each.external_id,
        status=each.status.value,
    )


def _line(each: acting.ActionLine) -> ActionLine:
    return ActionLine(
        number=each.number,
        match_id=each.match_id,
        external_id=each.external_id,
        outcome=each.outcome.value,
        code=each.code,
    )
