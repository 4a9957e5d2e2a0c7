"""The queries."""

import strawberry

from events.canonical import canonical
from events.sandbox import is_test, live_org
from events.store import MatchFilter
from games import registry
from service import cursors, queries
from service.callers import Delay, Kind
from service.graphql.batches import Batch, BatchConnection, BatchRef, batch_in, batch_of, batch_page
from service.graphql.context import Context, Info
from service.graphql.deal_groups import (
    DealGroup,
    DealGroupConnection,
    DealGroupRef,
    Standings,
    group_id_of,
    group_of,
    group_page,
    standings_of,
)
from service.graphql.decisions import SeatDecision
from service.graphql.enums import CallerKind, GroupState, Perspective, Scope, SeriesState, Status
from service.graphql.events import EventConnection, event_page
from service.graphql.games import KIND, Game, game_of
from service.graphql.ids import (
    AFTER,
    BATCH,
    DEAL_GROUP,
    MATCH,
    MatchRef,
    Node,
    checked_first,
    match_id_of,
    node_of,
    page_info,
)
from service.graphql.matches import (
    Match,
    MatchConnection,
    MatchEdge,
    decision_in,
    match_of,
)
from service.graphql.moves import MoveConnection, move_page
from service.graphql.results import ResultPage, result_page
from service.graphql.scalars import Milliseconds, WholeNumber
from service.graphql.series import Series, SeriesConnection, series_in, series_page
from service.graphql.views import Look, View, view_of
from service.group_rows import GroupFilter
from service.ids import match_id_in


@strawberry.type(description="What one request may ask for.")
class Limits:
    body_bytes: int
    page_events: int
    long_poll_seconds: int


@strawberry.type(
    description="Who calls: a key, the token of a seat, a spectator or an arbiter, or a user."
)
class Me:
    kind: CallerKind
    org: str | None
    test: bool
    prefix: str | None
    scopes: list[Scope]
    match: Match | None
    seat: int | None
    delay_versions: int
    delay_seconds: int
    account: str | None
    seats: list[int]
    listed: list[int]
    arbiter: str | None
    expires_at: Milliseconds | None
    limits: Limits


@strawberry.type
class Query:
    @strawberry.field(description="A match, a deal group, a batch or a game by its id.")
    async def node(self, info: Info, id: strawberry.ID) -> Node | None:
        kind, name = node_of(id)
        match_id = match_id_in(name) if kind == MATCH else None
        await info.context.caller(match_id)
        if match_id is not None:
            await info.context.detail(match_id)
            return match_of(match_id)
        if kind == DEAL_GROUP:
            group_id = match_id_in(name)
            return None if group_id is None else await group_of(info.context, group_id)
        if kind == BATCH:
            batch_id = match_id_in(name)
            return None if batch_id is None else await batch_of(info.context, batch_id)
        if kind == KIND:
            slug, _, version = name.partition("/")
            is_number = version.isascii() and version.isdigit() and len(version) < 8
            return game_of(registry.game(slug, int(version))) if is_number else None
        return None

    @strawberry.field(description="Every game of this service.")
    async def games(self, info: Info) -> list[Game] | None:
        await info.context.caller()
        return [game_of(each) for each in registry.games()]

    @strawberry.field
    async def game(self, info: Info, slug: str, rules_version: int | None = None) -> Game | None:
        await info.context.caller()
        return game_of(registry.game(slug, rules_version))

    @strawberry.field
    async def match(self, info: Info, match: MatchRef) -> Match | None:
        match_id = await match_id_of(info.context, match)
        await info.context.detail(match_id)
        return match_of(match_id)

    @strawberry.field(description="Your organisation's matches, newest first.")
    async def matches(
        self,
        info: Info,
        first: int,
        after: str | None = None,
        status: Status | None = None,
        game: str | None = None,
        external_id: str | None = None,
    ) -> MatchConnection | None:
        narrowed = MatchFilter(None if status is None else status.value, game, external_id)
        return await _matches(info.context, narrowed, first, after)

    @strawberry.field(description="For keys of its organisation, and who has a seat in it.")
    async def deal_group(self, info: Info, group: DealGroupRef) -> DealGroup | None:
        return await group_of(info.context, await group_id_of(info.context, group))

    @strawberry.field(
        description="How the matches of a deal group compare, as far as you may know."
    )
    async def standings(self, info: Info, group: DealGroupRef) -> Standings | None:
        return await standings_of(info.context, await group_id_of(info.context, group))

    @strawberry.field(description="Your organisation's deal groups, newest first.")
    async def deal_groups(
        self,
        info: Info,
        first: int,
        after: str | None = None,
        state: GroupState | None = None,
        game: str | None = None,
        external_id: str | None = None,
    ) -> DealGroupConnection | None:
        narrowed = GroupFilter(None if state is None else state.value, game, external_id)
        return await group_page(info.context, narrowed, first, after)

    @strawberry.field(description="For keys of its organisation.")
    async def batch(self, info: Info, batch: BatchRef) -> Batch | None:
        return await batch_in(info.context, batch)

    @strawberry.field(description="Your organisation's batches, newest first.")
    async def batches(
        self, info: Info, first: int, after: str | None = None, external_id: str | None = None
    ) -> BatchConnection | None:
        return await batch_page(info.context, external_id, first, after)

    @strawberry.field(description="A series of your organisation; `seriesId` is its id over REST.")
    async def series(self, info: Info, series_id: str) -> Series | None:
        return await series_in(info.context, series_id)

    @strawberry.field(description="Your organisation's series, newest first.")
    async def series_list(
        self,
        info: Info,
        first: int,
        after: str | None = None,
        state: SeriesState | None = None,
        external_id: str | None = None,
    ) -> SeriesConnection | None:
        narrowed = {"state": None if state is None else state.value, "external_id": external_id}
        return await series_page(info.context, narrowed, first, after)

    @strawberry.field(description="What became of results after a position of the feed.")
    async def results(self, info: Info, first: int, after: WholeNumber = 0) -> ResultPage | None:
        return await result_page(info.context, first, after)

    @strawberry.field(description="A match as you see it, or as you saw it after version `at`.")
    async def view(
        self, info: Info, match: MatchRef, at: int | None = None, look: Look | None = None
    ) -> View | None:
        return await view_of(info.context, await match_id_of(info.context, match), at, look)

    @strawberry.field(description="What your seat is asked; for the holder of a seat.")
    async def decision(self, info: Info, match: MatchRef) -> SeatDecision | None:
        return await decision_in(info, await match_id_of(info.context, match))

    @strawberry.field(description="The moves that your open decision offers.")
    async def moves(
        self, info: Info, match: MatchRef, first: int, after: str | None = None
    ) -> MoveConnection | None:
        match_id = await match_id_of(info.context, match)
        return await move_page(info.context, match_id, first, after)

    @strawberry.field(description="The events of a match as you saw them.")
    async def events(
        self,
        info: Info,
        match: MatchRef,
        first: int,
        after: str | None = None,
        perspective: Perspective = Perspective.OWN,
        proof: bool = False,
    ) -> EventConnection | None:
        match_id = await match_id_of(info.context, match)
        is_full = perspective is Perspective.FULL
        return await event_page(info.context, match_id, first, after, full=is_full, proof=proof)

    @strawberry.field
    async def me(self, info: Info) -> Me | None:
        caller, settings = await info.context.caller(), info.context.parts.settings
        delay, user = caller.delay or Delay(0, 0), caller.user
        return Me(
            kind=caller.kind.value,
            org=live_org(caller.org) if caller.kind is Kind.KEY else None,
            test=is_test(caller.org),
            prefix=caller.prefix,
            scopes=[each.value for each in caller.scopes],
            delay_versions=delay.versions,
            delay_seconds=delay.ms // 1000,
            account=None if user is None else user.account,
            seats=[] if user is None else list(user.seats),
            listed=[] if user is None else list(user.listed),
            arbiter=caller.arbiter,
            expires_at=None if user is None else user.expires_at,
            match=None if caller.match_id is None else match_of(caller.match_id),
            seat=caller.seat,
            limits=Limits(
                body_bytes=settings.body_limit,
                page_events=settings.page_limit,
                long_poll_seconds=settings.long_poll_seconds,
            ),
        )


async def _matches(
    context: Context, narrowed: MatchFilter, first: int, after: str | None
) -> MatchConnection:
    parts, caller, limit = context.parts, await context.caller(), checked_first(first)
    bound = canonical(["graphql", caller.org, narrowed.status, narrowed.game, narrowed.external_id])
    before = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await queries.list_matches(parts, caller, narrowed, before, limit + 1)
    edges = [
        MatchEdge(
            cursor=cursors.sealed(parts.vault, each.match_id, bound),
            node=match_of(each.match_id, each),
        )
        for each in found[:limit]
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=len(found) > limit,
        has_previous=before is not None,
    )
    return MatchConnection(edges=edges, page_info=info)
