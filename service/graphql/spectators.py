"""Tokens that only watch a match, as whoever issues them knows them."""

import strawberry

from events.canonical import canonical
from service import cursors, spectating
from service.graphql.context import Context
from service.graphql.ids import AFTER, PageInfo, checked_first, page_info
from service.graphql.scalars import Milliseconds


@strawberry.type(
    description="A token that watches a match, behind by so many versions and seconds at least. "
    "`spectatorId` names it and is no secret."
)
class Spectator:
    spectator_id: str
    delay_versions: int
    delay_seconds: int
    created_at: Milliseconds
    expires_at: Milliseconds | None
    revoked_at: Milliseconds | None


def spectator_of(line: spectating.Spectator) -> Spectator:
    return Spectator(
        spectator_id=line.id,
        delay_versions=line.delay_versions,
        delay_seconds=line.delay_seconds,
        created_at=line.created_at,
        expires_at=line.expires_at,
        revoked_at=line.revoked_at,
    )


@strawberry.type
class SpectatorEdge:
    cursor: str
    node: Spectator


@strawberry.type(description="A page of the tokens that watch a match, newest first.")
class SpectatorConnection:
    edges: list[SpectatorEdge]
    page_info: PageInfo


async def spectator_page(
    context: Context, match_id: str, first: int, after: str | None
) -> SpectatorConnection:
    """Raises: NoCredentials, MatchNotFound, ApiKeyRequired, ScopeMissing, ParameterInvalid."""
    parts, limit = context.parts, checked_first(first)
    caller = await context.caller(match_id)
    bound = canonical(["graphql spectators", caller.org, match_id])
    place = cursors.opened(parts.vault, after, bound, name=AFTER)
    found = await spectating.list_spectators(parts, caller, match_id, place, limit + 1)
    edges = [
        SpectatorEdge(
            cursor=cursors.sealed(parts.vault, each.place, bound), node=spectator_of(each)
        )
        for each in found[:limit]
    ]
    info = page_info(
        [each.cursor for each in edges],
        has_next=len(found) > limit,
        has_previous=place is not None,
    )
    return SpectatorConnection(edges=edges, page_info=info)
