"""The mutations about clocks: each does what its REST address does."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service import timing
from service.clock_bodies import ExtendBody
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context
from service.graphql.disputing import done_of
from service.graphql.ids import about
from service.graphql.payloads import MatchInput, Payload
from service.graphql.scalars import WholeNumber
from service.rest.dispute_bodies import AccountBody

_UNSET: Final = strawberry.UNSET


@strawberry.input(description="`account` is whom an arbiter acts for.")
class PauseMatchInput(MatchInput):
    account: str | None = _UNSET


@strawberry.input(description="`account` is whom an arbiter acts for.")
class ResumeMatchInput(MatchInput):
    account: str | None = _UNSET


@strawberry.input(description="So many milliseconds more for the seat, or for each.")
class ExtendMatchInput(MatchInput):
    ms: WholeNumber
    seat: int | None = _UNSET
    account: str | None = _UNSET


@strawberry.type
class PauseMatchPayload(Payload):
    pass


@strawberry.type
class ResumeMatchPayload(Payload):
    pass


@strawberry.type
class ExtendMatchPayload(Payload):
    pass


async def pause_match(context: Context, given: PauseMatchInput) -> PauseMatchPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(AccountBody, account=given.account)
    done = await timing.pause_match(context.parts, caller, match_id, body.account, key_of(given))
    return PauseMatchPayload(**done_of(match_id, done))


async def resume_match(context: Context, given: ResumeMatchInput) -> ResumeMatchPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(AccountBody, account=given.account)
    done = await timing.resume_match(context.parts, caller, match_id, body.account, key_of(given))
    return ResumeMatchPayload(**done_of(match_id, done))


async def extend_match(context: Context, given: ExtendMatchInput) -> ExtendMatchPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(ExtendBody, ms=given.ms, seat=given.seat, account=given.account)
    done = await timing.add_time(
        context.parts, caller, match_id, body.seat, body.ms, body.account, key_of(given)
    )
    return ExtendMatchPayload(**done_of(match_id, done))


RESOLVERS: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "pause_match": (pause_match, PauseMatchInput, PauseMatchPayload),
    "resume_match": (resume_match, ResumeMatchInput, ResumeMatchPayload),
    "extend_match": (extend_match, ExtendMatchInput, ExtendMatchPayload),
}
