"""Tokens that arbitrate a match, as whoever issues them knows them."""

import strawberry

from events.canonical import canonical
from service import arbiters, cursors
from service.graphql.context import Context
from service.graphql.ids import AFTER, PageInfo, checked_first, page_info
from service.graphql.scalars import Milliseconds


@strawberry.type(
    description="A token that arbitrates a match. `arbiterId` names it and is no secret; `arbiter` "
    "is how the log of the match names whom it was made for."
)
class Arbiter:
    arbiter_id: str
    arbiter: str
    created_at: Milliseconds
    revoked_at: Milliseconds | None


def arbiter_of(line: arbiters.Arbiter) -> Arbiter:
    return Arbiter(
        arbiter_id=line.id,
        arbiter=line.arbiter,
        created_at=line.created_at,
        revoked_at=line.revoked_at,
    )


@strawberry.type
class ArbiterEdge:
    cursor: str
    node: Arbiter


@strawberry.type(description="A page of the tokens that arbitrate a match, newest first.")
class ArbiterConnection:
    edges: list[ArbiterEdge]
    page_info: PageInfo


async def arbiter_page(
    context: Context, match_id: str, first: int, after: str | None
) -> ArbiterConnection:
    """Raises: NoCredentials, MatchNotFound, ApiKeyRequired, ScopeMissing, ParameterInvalid."""
    parts, limit = context.parts, checked_first(first)
    caller = await context.caller(match_id)
    bound = canonical(["graphql arbiters", caller.org, match_id])
    place = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await arbiters.list_arbiters(parts, caller, match_id, place, limit + 1)
    edges = [
        ArbiterEdge(cursor=cursors.sealed(parts.vault, each.place, bound), node=arbiter_of(each))
        for each in found[:limit]
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=len(found) > limit,
        has_previous=place is not None,
    )
    return ArbiterConnection(edges=edges, page_info=info)
