"""Batches as nodes, in pages, and what is done to them."""

from typing import Final, cast

import msgspec
import strawberry

from events.canonical import canonical
from service import cursors
from service.batches import creating, viewing
from service.batches.bodies import BatchBody
from service.errors import Fault, Invalid, ParameterInvalid
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context, Info
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
from service.graphql.scalars import JSON, Milliseconds, WholeNumber
from service.http import Answer
from service.ids import match_id_in
from service.repeating import once
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


@strawberry.type(description="A token, and the page that takes it; null where none is set.")
class Link:
    token: str
    url: str | None


@strawberry.type(description="A seat with its link; `externalId` is whom it is for.")
class SeatOfBatch:
    seat: int
    external_id: str | None
    link: Link


@strawberry.type(description="`link` arbitrates the match; `externalId` is whom it is for.")
class ArbiterOfBatch:
    external_id: str
    link: Link


@strawberry.type(description="A match of a new batch; `number` is its place in the request.")
class LinkedMatch:
    number: int
    match_id: str
    external_id: str | None
    seats: list[SeatOfBatch]
    spectator: Link | None
    arbiters: list[ArbiterOfBatch]


@strawberry.type(description="What all results of one external id are worth together.")
class StandingLine:
    rank: int
    external_id: str
    points: WholeNumber
    played: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: WholeNumber


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

    @strawberry.field(description="How far who watches by a link of the batch is behind.")
    def spectators(self) -> JSON | None:
        return None if self.shown.spectators is None else raw(self.shown.spectators)

    @strawberry.field(
        description="Those after a place, by place: its number, its attempt, and the id of the "
        "match there."
    )
    async def matches(
        self,
        info: Info,
        first: int,
        after_number: int = -1,
        after_attempt: int = 0,
        after_match: str | None = None,
    ) -> list[BatchMatch]:
        limit = checked_first(first)
        after = (after_number, after_attempt, _match_id(after_match))
        await self._require(info)
        found = await viewing.matches_of(info.context.parts, self.shown.id, after, limit)
        return [_match(each) for each in found]

    @strawberry.field(description="What became of its results after a position of the feed.")
    async def results(self, info: Info, first: int, after: WholeNumber = 0) -> ResultPage:
        await self._require(info)
        return await result_page(info.context, first, after, self.shown.id)

    @strawberry.field
    async def standings(self, info: Info) -> BatchStandings:
        context = info.context
        caller = await context.caller()
        found = await viewing.standings_of(context.parts, caller, self.shown.id)
        return cast(BatchStandings, found)  # Its fields are found by name.

    async def _require(self, info: Info) -> None:
        """Whoever makes or directs a batch is told of it, and reads its matches by the scope alone.

        Raises: BatchNotFound, ApiKeyRequired, ScopeMissing.
        """
        context = info.context
        await viewing.visible(context.parts, await context.caller(), self.shown.id)


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


async def batch_in(context: Context, ref: BatchRef) -> Batch:
    """Raises: NoCredentials, BatchNotFound, ApiKeyRequired, ScopeMissing."""
    return await batch_of(context, await batch_id_of(context, ref))


async def batch_of(context: Context, batch_id: str) -> Batch:
    """Raises: NoCredentials, BatchNotFound, ApiKeyRequired, ScopeMissing."""
    return node_of_batch(await viewing.batch_of(context.parts, await context.caller(), batch_id))


async def batch_page(
    context: Context, external_id: str | None, first: int, after: str | None
) -> BatchConnection:
    """Raises: NoCredentials, ApiKeyRequired, ScopeMissing, ParameterInvalid."""
    parts, caller, limit = context.parts, await context.caller(), checked_first(first)
    bound = canonical(["graphql batches", caller.org, external_id])
    before = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await viewing.list_batches(parts, caller, external_id, before, limit + 1)
    edges = [
        BatchEdge(cursor=cursors.sealed(parts.vault, each.id, bound), node=node_of_batch(each))
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
    right = creating.right_to(wanted)
    done = await once(parts, caller, right, _ROUTE, key, asked, make)
    batch_id = done.body.decode()
    made = await viewing.made_batch(parts, caller, batch_id, wanted.arbiters)
    return CreateBatchPayload(
        batch=node_of_batch(await viewing.new_batch(parts, batch_id)),
        matches=cast(list[LinkedMatch], list(made.matches)),
        replayed=bool(done.headers),
    )


async def batch_id_of(context: Context, ref: BatchRef) -> str:
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


def node_of_batch(shown: viewing.BatchSummary) -> Batch:
    return Batch(id=node_id(BATCH, shown.id), shown=shown)


def _match_id(given: str | None) -> str | None:
    """Raises: ParameterInvalid."""
    if given is None or match_id_in(given) is not None:
        return given
    raise ParameterInvalid(Fault("afterMatch", "malformed", "is not the id of a match"))


def _match(each: viewing.BatchMatch) -> BatchMatch:
    return BatchMatch(
        number=each.number,
        attempt=each.attempt,
        match_id=each.match_id,
        external_id=each.external_id,
        status=each.status.value,
    )
