"""The mutations about tokens that only watch a match."""

import msgspec
import strawberry

from service import spectating
from service.graphql.arguments import UNSET, body_of, key_of
from service.graphql.context import Context
from service.graphql.ids import MatchRef, about
from service.graphql.matches import Match, match_of
from service.graphql.payloads import MatchInput
from service.graphql.scalars import Milliseconds
from service.graphql.spectators import Spectator, spectator_of
from service.http import Answer
from service.rest.bodies import SpectatorBody
from service.rest.creating import made_once
from service.spectating import MadeSpectator, NewSpectator


@strawberry.input(
    description="The token is behind by `delayVersions` and by `delaySeconds`; it ends at "
    "`expiresAt` if that is given."
)
class IssueSpectatorTokenInput(MatchInput):
    delay_versions: int = 0
    delay_seconds: int = 0
    expires_at: Milliseconds | None = UNSET


@strawberry.type(
    description="`token` watches the match. It is shown this once: null in a repetition under the "
    "same idempotencyKey."
)
class IssueSpectatorTokenPayload:
    match: Match
    spectator: Spectator
    token: str | None


@strawberry.input
class RevokeSpectatorTokenInput:
    match: MatchRef
    spectator_id: str


@strawberry.type(description="Streams that were opened with the token end.")
class RevokeSpectatorTokenPayload:
    match: Match
    spectator_id: str


async def issue_spectator_token(
    context: Context, given: IssueSpectatorTokenInput
) -> IssueSpectatorTokenPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(
        SpectatorBody,
        delay_versions=given.delay_versions,
        delay_seconds=given.delay_seconds,
        expires_at=given.expires_at,
    )
    wanted = NewSpectator(body.delay_versions, body.delay_seconds, body.expires_at)
    parts = context.parts

    async def make() -> Answer:
        made = await spectating.issue_spectator(parts, caller, match_id, wanted)
        return Answer(201, msgspec.json.encode(made))

    route = f"graphql issueSpectatorToken {match_id}"
    right = spectating.right_to_issue(match_id)
    answer = await made_once(parts, caller, right, route, key_of(given), body, make)
    made = msgspec.json.decode(answer.body, type=MadeSpectator)
    return IssueSpectatorTokenPayload(
        match=match_of(match_id), spectator=spectator_of(made), token=made.token
    )


async def revoke_spectator_token(
    context: Context, given: RevokeSpectatorTokenInput
) -> RevokeSpectatorTokenPayload:
    caller, match_id = await about(context, given.match)
    await spectating.revoke_spectator(context.parts, caller, match_id, given.spectator_id)
    return RevokeSpectatorTokenPayload(match=match_of(match_id), spectator_id=given.spectator_id)
