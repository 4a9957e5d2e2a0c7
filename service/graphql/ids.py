"""Opaque ids of nodes, cursors of connections, and how a match is referred to."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any, Final

import strawberry

from service import queries
from service.auth import Caller
from service.errors import Fault, MatchNotFound, ParameterInvalid
from service.graphql.context import Context
from service.ids import match_id_in

MOST: Final = 100  # of a page
AFTER: Final = "after"  # the argument a cursor comes by
MATCH: Final = "Match"
DEAL_GROUP: Final = "DealGroup"
BATCH: Final = "Batch"


def by_id(kind: str, plain: str) -> Any:
    """The field of a reference that takes both ids of a thing."""
    told = f"The id of a {kind}, or its `{plain}`, the id that it has over REST."
    return strawberry.field(default=strawberry.UNSET, description=told)


@strawberry.interface(description="Whatever has an id of its own.")
class Node:
    id: strawberry.ID = strawberry.field(description="Opaque: it is given, never put together.")


@strawberry.input(one_of=True, description="A match by one of its names.")
class MatchRef:
    id: strawberry.ID | None = by_id("Match", "matchId")
    external_id: str | None = strawberry.UNSET


@strawberry.type(description="Where a page of a connection lies.")
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


def node_id(kind: str, name: str) -> strawberry.ID:
    return strawberry.ID(urlsafe_b64encode(f"{kind}:{name}".encode()).decode().rstrip("="))


def node_of(given: str) -> tuple[str, str]:
    """Kind and name; two empty texts for what is no id."""
    try:
        kind, _, name = urlsafe_b64decode(given + "=" * (-len(given) % 4)).decode().partition(":")
    except ValueError:
        return "", ""
    return (kind, name) if node_id(kind, name) == given else ("", "")


def id_in(kind: str, given: str) -> str | None:
    """The plain id in what was given: that id or the opaque one. None for that of another kind.

    No plain id is an opaque one as well, for that begins with the capitals of its kind.
    """
    own, name = node_of(given)
    return match_id_in(name if own == kind else given)


async def match_id_of(context: Context, ref: MatchRef) -> str:
    """Raises: NoCredentials, MatchNotFound, ApiKeyRequired."""
    if isinstance(ref.id, str):
        match_id = id_in(MATCH, ref.id)
        if match_id is None:
            # Whether an id is one is told to callers alone.
            await context.caller()
            raise MatchNotFound
        return match_id
    assert isinstance(ref.external_id, str)
    caller = await context.caller()
    return await queries.match_named(context.parts, caller, ref.external_id)


async def about(context: Context, ref: MatchRef) -> tuple[Caller, str]:
    """The caller at the match, and the match.

    Raises: NoCredentials, MatchNotFound, ApiKeyRequired.
    """
    match_id = await match_id_of(context, ref)
    return await context.caller(match_id), match_id


def checked_first(first: int) -> int:
    """Raises: ParameterInvalid."""
    if not 1 <= first <= MOST:
        raise ParameterInvalid(Fault("first", "out-of-range", f"has to lie between 1 and {MOST}"))
    return first


def page_info(cursors: list[str], *, has_next: bool, has_previous: bool) -> PageInfo:
    start, end = (cursors[0], cursors[-1]) if cursors else (None, None)
    return PageInfo(
        has_next_page=has_next,
        has_previous_page=has_previous,
        start_cursor=start,
        end_cursor=end,
    )
