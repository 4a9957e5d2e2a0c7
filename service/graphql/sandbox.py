"""The mutation that makes a test match end, as its REST address does."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service import sandbox
from service.errors import MatchNotFound
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context
from service.graphql.disputing import done_of
from service.graphql.enums import Forced
from service.graphql.ids import about
from service.graphql.payloads import MatchInput, Payload
from service.rest.sandbox import EndBody

_UNSET: Final = strawberry.UNSET


@strawberry.input(
    description="With a test key, a test match. `winner` is a seat, by default the first."
)
class EndTestMatchInput(MatchInput):
    terminal: Forced
    winner: int | None = _UNSET


@strawberry.type(description="`replacement` is the id of the match to be played in place.")
class EndTestMatchPayload(Payload):
    replacement: str | None


async def end_test_match(context: Context, given: EndTestMatchInput) -> EndTestMatchPayload:
    try:
        caller, match_id = await about(context, given.match)
    except MatchNotFound:
        sandbox.require_sandbox(await context.caller())
        raise
    body: EndBody = body_of(EndBody, terminal=given.terminal.value, winner=given.winner)
    ended = await sandbox.end_test(
        context.parts, caller, match_id, body.terminal, body.winner, key_of(given)
    )
    return EndTestMatchPayload(**done_of(match_id, ended.done), replacement=ended.match_id)


RESOLVERS: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "end_test_match": (end_test_match, EndTestMatchInput, EndTestMatchPayload),
}
