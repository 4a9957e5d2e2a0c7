"""Deal groups as nodes, in pages, and how their matches compare."""

from typing import cast

import strawberry

from events.canonical import canonical
from service import cursors, deal_groups, standings
from service.errors import DealGroupNotFound
from service.graphql.context import Context
from service.graphql.enums import Closing, EndedBy, Finish, GroupState, Start, TableState
from service.graphql.ids import (
    AFTER,
    DEAL_GROUP,
    MATCH,
    Node,
    PageInfo,
    by_id,
    checked_first,
    id_in,
    node_id,
    page_info,
)
from service.graphql.problems import raw
from service.graphql.scalars import JSON, Milliseconds, WholeNumber
from service.group_rows import GroupFilter


@strawberry.input(one_of=True, description="A deal group by one of its names.")
class DealGroupRef:
    id: strawberry.ID | None = by_id("DealGroup", "groupId")
    external_id: str | None = strawberry.UNSET


@strawberry.type(
    description="A match of a deal group, and all that is told of it while the group runs. "
    "`entrants` are by seat, for keys of the organisation alone."
)
class DealGroupTable:
    match: strawberry.ID = strawberry.field(description="The id of the match.")
    match_id: str
    state: TableState
    entrants: list[str] | None


@strawberry.type(
    description="One seat of one match that is over. `rank` is among those with the same draws, "
    "`matchRank` within the match."
)
class Standing:
    seat: int
    rank: int | None
    match_id: str
    entrant: str | None
    finish: Finish
    score: WholeNumber | None
    match_rank: int | None


@strawberry.type(description="By seat, the best first. `final`: nothing will change.")
class Standings:
    group_id: str
    state: GroupState
    final: bool
    standings: list[Standing]


@strawberry.type(description="Matches that share all draws.")
class DealGroup(Node):
    shown: strawberry.Private[deal_groups.DealGroup]

    @strawberry.field
    def group_id(self) -> str:
        return self.shown.id

    @strawberry.field
    def external_id(self) -> str | None:
        return self.shown.external_id

    @strawberry.field
    def game_slug(self) -> str:
        return self.shown.game

    @strawberry.field
    def rules_version(self) -> int:
        return self.shown.rules_version

    @strawberry.field
    def seat_count(self) -> int:
        return self.shown.seats

    @strawberry.field
    def table_count(self) -> int:
        return self.shown.table_count

    @strawberry.field
    def options_json(self) -> JSON:
        return self.shown.options

    @strawberry.field(description="The clocks of each match, as event 1 says.")
    def clock(self) -> JSON | None:
        return None if self.shown.clock is None else raw(self.shown.clock)

    @strawberry.field(description="When the seed is revealed, in the word that event 1 pins.")
    def reveal(self) -> str:
        return self.shown.reveal

    @strawberry.field
    def data_digest(self) -> str:
        return self.shown.data_digest

    @strawberry.field
    def seed_commitment(self) -> str:
        return self.shown.seed_commitment

    @strawberry.field
    def start(self) -> Start:
        return self.shown.start.value

    @strawberry.field
    def state(self) -> GroupState:
        return self.shown.state.value

    @strawberry.field(description="Made in a sandbox, to rehearse.")
    def test(self) -> bool:
        return self.shown.test

    @strawberry.field
    def created_at(self) -> Milliseconds:
        return self.shown.created_at

    @strawberry.field
    def closes_at(self) -> Milliseconds:
        return self.shown.closes_at

    @strawberry.field
    def closing(self) -> Closing:
        return self.shown.closing.value

    @strawberry.field(description="Null while it runs.")
    def ended_by(self) -> EndedBy | None:
        return self.shown.ended_by and self.shown.ended_by.value

    @strawberry.field(description="Null while it runs.")
    def ended_at(self) -> Milliseconds | None:
        return self.shown.ended_at

    @strawberry.field(description="In hex, once the group is revealed.")
    def seed(self) -> str | None:
        return self.shown.seed

    @strawberry.field
    def tables(self) -> list[DealGroupTable]:
        return [
            DealGroupTable(
                match=node_id(MATCH, each.match_id),
                match_id=each.match_id,
                state=each.state.value,
                entrants=None if each.entrants is None else list(each.entrants),
            )
            for each in self.shown.tables
        ]


@strawberry.type
class DealGroupEdge:
    cursor: str
    node: DealGroup


@strawberry.type(description="A page of your organisation's deal groups, newest first.")
class DealGroupConnection:
    edges: list[DealGroupEdge]
    page_info: PageInfo


async def group_of(context: Context, group_id: str) -> DealGroup:
    """Raises: NoCredentials, DealGroupNotFound, ScopeMissing."""
    shown = await deal_groups.group_of(context.parts, await context.caller(), group_id)
    return _node(shown)


async def standings_of(context: Context, group_id: str) -> Standings:
    """Raises: NoCredentials, DealGroupNotFound, ScopeMissing."""
    found = await standings.standings_of(context.parts, await context.caller(), group_id)
    # The fields of its lines are found by name.
    return Standings(
        group_id=found.group_id,
        state=found.state.value,
        final=found.final,
        standings=cast(list[Standing], list(found.standings)),
    )


async def created(context: Context, group_id: str) -> DealGroup:
    """As its creator is told of it. Raises: NoCredentials, DealGroupNotFound."""
    return _node(await deal_groups.new_group(context.parts, await context.caller(), group_id))


async def group_id_of(context: Context, ref: DealGroupRef) -> str:
    """Raises: NoCredentials, DealGroupNotFound, ApiKeyRequired, ScopeMissing."""
    if isinstance(ref.id, str):
        group_id = id_in(DEAL_GROUP, ref.id)
        if group_id is None:
            # Whether an id is one is told to callers alone.
            await context.caller()
            raise DealGroupNotFound
        return group_id
    assert isinstance(ref.external_id, str)
    return await deal_groups.group_named(context.parts, await context.caller(), ref.external_id)


async def group_page(
    context: Context, narrowed: GroupFilter, first: int, after: str | None
) -> DealGroupConnection:
    """Raises: NoCredentials, ApiKeyRequired, ScopeMissing, ParameterInvalid."""
    parts, caller, limit = context.parts, await context.caller(), checked_first(first)
    own = [narrowed.state, narrowed.game, narrowed.external_id]
    bound = canonical(["graphql deal groups", caller.org, *own])
    before = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await deal_groups.list_groups(parts, caller, narrowed, before, limit + 1)
    edges = [
        DealGroupEdge(
            cursor=cursors.sealed(parts.vault, each.id, bound),
            node=_node(await deal_groups.group_of(parts, caller, each.id)),
        )
        for each in found[:limit]
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=len(found) > limit,
        has_previous=before is not None,
    )
    return DealGroupConnection(edges=edges, page_info=info)


def _node(shown: deal_groups.DealGroup) -> DealGroup:
    return DealGroup(id=node_id(DEAL_GROUP, shown.id), shown=shown)
