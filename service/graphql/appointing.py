"""The mutations about tokens that arbitrate a match."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
import strawberry

from service import arbiters
from service.arbiters import MadeArbiter
from service.batches.bodies import ArbiterBody
from service.graphql.arbiters import Arbiter, arbiter_of
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context
from service.graphql.ids import MatchRef, about
from service.graphql.matches import Match, match_of
from service.graphql.payloads import MatchInput
from service.http import Answer
from service.rest.creating import made_once


@strawberry.input(description="`externalId` is an account that plays no part in the match.")
class IssueArbiterTokenInput(MatchInput):
    external_id: str


@strawberry.type(
    description="`token` arbitrates the match. It is shown this once: null in a repetition under "
    "the same idempotencyKey."
)
class IssueArbiterTokenPayload:
    match: Match
    arbiter: Arbiter
    token: str | None


@strawberry.input
class RevokeArbiterTokenInput:
    match: MatchRef
    arbiter_id: str


@strawberry.type(description="Streams that were opened with the token end.")
class RevokeArbiterTokenPayload:
    match: Match
    arbiter_id: str


async def issue_arbiter_token(
    context: Context, given: IssueArbiterTokenInput
) -> IssueArbiterTokenPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(ArbiterBody, external_id=given.external_id)
    parts = context.parts

    async def make() -> Answer:
        made = await arbiters.issue_arbiter(parts, caller, match_id, body.external_id)
        return Answer(201, msgspec.json.encode(made))

    route = f"graphql issueArbiterToken {match_id}"
    right = arbiters.right_to_issue(match_id)
    answer = await made_once(parts, caller, right, route, key_of(given), body, make)
    made = msgspec.json.decode(answer.body, type=MadeArbiter)
    return IssueArbiterTokenPayload(
        match=match_of(match_id), arbiter=arbiter_of(made), token=made.token
    )


async def revoke_arbiter_token(
    context: Context, given: RevokeArbiterTokenInput
) -> RevokeArbiterTokenPayload:
    caller, match_id = await about(context, given.match)
    await arbiters.revoke_arbiter(context.parts, caller, match_id, given.arbiter_id)
    return RevokeArbiterTokenPayload(match=match_of(match_id), arbiter_id=given.arbiter_id)


APPOINTING: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "issue_arbiter_token": (issue_arbiter_token, IssueArbiterTokenInput, IssueArbiterTokenPayload),
    "revoke_arbiter_token": (
        revoke_arbiter_token,
        RevokeArbiterTokenInput,
        RevokeArbiterTokenPayload,
    ),
}
