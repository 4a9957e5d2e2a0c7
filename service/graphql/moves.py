"""The moves that a seat's open decision offers, page by page."""

from typing import Any

import strawberry

from service import cursors, queries
from service.graphql.context import Context
from service.graphql.decisions import Offer, offer_of
from service.graphql.generated import GameTypes, Move
from service.graphql.ids import AFTER, PageInfo, checked_first, page_info
from service.graphql.scalars import JSON
from service.queries import Listed


@strawberry.type(description="A move on offer; or, where free text is to be filled in, the offer.")
class ListedMove:
    move: Move | None
    move_json: JSON | None
    offer: Offer | None


@strawberry.type
class MoveEdge:
    cursor: str
    node: ListedMove


@strawberry.type(description="`count` is null where an offer takes free text, or it is too large.")
class MoveConnection:
    edges: list[MoveEdge]
    page_info: PageInfo
    version: int
    decision: str | None
    count: float | None
    exact: bool


async def move_page(
    context: Context, match_id: str, first: int, after: str | None
) -> MoveConnection:
    """Raises: NoCredentials, MatchNotFound, SeatTokenRequired, DecisionClosed, ParameterInvalid."""
    parts, limit = context.parts, checked_first(first)
    caller = await context.caller(match_id)
    current, seat = await queries.own_match(parts, caller, match_id)
    bound = queries.moves_list(match_id, seat)
    place = cursors.opened(parts.vault, after, bound, name=AFTER)
    page = queries.moves_page(current, seat, place, limit)
    types = context.types_of(current.game)
    edges = [
        MoveEdge(
            cursor=cursors.sealed(parts.vault, page.place(number), bound),
            node=_listed(each, types),
        )
        for number, each in enumerate(page.moves, page.start + 1)
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=page.after is not None,
        has_previous=place is not None,
    )
    return MoveConnection(
        edges=edges,
        page_info=info,
        version=page.version,
        decision=page.decision,
        count=page.count,
        exact=page.exact,
    )


def _listed(each: Listed, types: GameTypes | None) -> ListedMove:
    move: Any = None if types is None or each.move is None else types.shown_move(each.move)
    offer = None if each.offer is None else offer_of(each.offer)
    return ListedMove(move=move, move_json=each.move, offer=offer)
