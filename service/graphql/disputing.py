"""The mutations about takebacks and disputes: each does what its REST address does."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service import disputes, ruling
from service.committing import Done
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context
from service.graphql.ids import about
from service.graphql.matches import match_of
from service.graphql.payloads import MatchInput, Payload
from service.graphql.scalars import JSON
from service.rest.dispute_bodies import (
    AccountBody,
    AppealBody,
    DisputeBody,
    ReviewBody,
    RulingRequest,
    wanted_of,
)

_UNSET: Final = strawberry.UNSET


@strawberry.input
class AnswerTakebackInput(MatchInput):
    takeback: int
    consents: bool


@strawberry.input(description="A claim about the event of version `about`.")
class OpenDisputeInput(MatchInput):
    about: int
    claim: str
    account: str | None = _UNSET


@strawberry.input(
    description="With `pause` nobody moves until the ruling; only a match that is running can be "
    "paused."
)
class ReviewDisputeInput(MatchInput):
    dispute: int
    pause: bool = False
    account: str | None = _UNSET


@strawberry.input(description="`ruling` is one as `POST …/rulings` takes it.")
class RuleDisputeInput(MatchInput):
    dispute: int
    ruling: JSON
    reason: str
    account: str | None = _UNSET


@strawberry.input
class AppealDisputeInput(MatchInput):
    dispute: int
    reason: str


@strawberry.input
class CloseDisputeInput(MatchInput):
    dispute: int
    account: str | None = _UNSET


@strawberry.type(description="`takeback` is its id.")
class AskTakebackPayload(Payload):
    takeback: int


@strawberry.type
class AnswerTakebackPayload(Payload):
    pass


@strawberry.type(description="`dispute` is its id.")
class OpenDisputePayload(Payload):
    dispute: int


@strawberry.type
class ReviewDisputePayload(Payload):
    pass


@strawberry.type(
    description="`token` plays a seat that was replaced; `replacement` is the id of the match to "
    "be played in place of this one."
)
class RuleDisputePayload(Payload):
    token: str | None
    replacement: str | None


@strawberry.type
class AppealDisputePayload(Payload):
    pass


@strawberry.type
class CloseDisputePayload(Payload):
    pass


async def ask_takeback(context: Context, given: MatchInput) -> AskTakebackPayload:
    caller, match_id = await about(context, given.match)
    done, takeback = await disputes.ask_takeback(context.parts, caller, match_id, key_of(given))
    return AskTakebackPayload(**done_of(match_id, done), takeback=takeback)


async def answer_takeback(context: Context, given: AnswerTakebackInput) -> AnswerTakebackPayload:
    caller, match_id = await about(context, given.match)
    done = await disputes.answer_takeback(
        context.parts, caller, match_id, given.takeback, key_of(given), consents=given.consents
    )
    return AnswerTakebackPayload(**done_of(match_id, done))


async def open_dispute(context: Context, given: OpenDisputeInput) -> OpenDisputePayload:
    caller, match_id = await about(context, given.match)
    body = body_of(DisputeBody, about=given.about, claim=given.claim, account=given.account)
    done, dispute = await disputes.open_dispute(
        context.parts, caller, match_id, body.about, body.claim, body.account, key_of(given)
    )
    return OpenDisputePayload(**done_of(match_id, done), dispute=dispute)


async def review_dispute(context: Context, given: ReviewDisputeInput) -> ReviewDisputePayload:
    caller, match_id = await about(context, given.match)
    body = body_of(ReviewBody, pause=given.pause, account=given.account)
    done = await disputes.review_dispute(
        context.parts,
        caller,
        match_id,
        given.dispute,
        body.account,
        key_of(given),
        pause=body.pause,
    )
    return ReviewDisputePayload(**done_of(match_id, done))


async def rule_dispute(context: Context, given: RuleDisputeInput) -> RuleDisputePayload:
    caller, match_id = await about(context, given.match)
    body = body_of(RulingRequest, ruling=given.ruling, reason=given.reason, account=given.account)
    ruled = await ruling.rule(
        context.parts,
        caller,
        match_id,
        given.dispute,
        wanted_of(body.ruling),
        body.reason,
        body.account,
        key_of(given),
    )
    told = done_of(match_id, ruled.done)
    return RuleDisputePayload(**told, token=ruled.token, replacement=ruled.match_id)


async def appeal_dispute(context: Context, given: AppealDisputeInput) -> AppealDisputePayload:
    caller, match_id = await about(context, given.match)
    body = body_of(AppealBody, reason=given.reason)
    done = await disputes.appeal_dispute(
        context.parts, caller, match_id, given.dispute, body.reason, key_of(given)
    )
    return AppealDisputePayload(**done_of(match_id, done))


async def close_dispute(context: Context, given: CloseDisputeInput) -> CloseDisputePayload:
    caller, match_id = await about(context, given.match)
    body = body_of(AccountBody, account=given.account)
    done = await disputes.close_dispute(
        context.parts, caller, match_id, given.dispute, body.account, key_of(given)
    )
    return CloseDisputePayload(**done_of(match_id, done))


def done_of(match_id: str, done: Done) -> dict[str, Any]:
    """What a payload holds of what was done."""
    # The fields of a receipt are found by name.
    return {"match": match_of(match_id), "receipt": done.receipt, "replayed": done.replayed}


RESOLVERS: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "ask_takeback": (ask_takeback, MatchInput, AskTakebackPayload),
    "answer_takeback": (answer_takeback, AnswerTakebackInput, AnswerTakebackPayload),
    "open_dispute": (open_dispute, OpenDisputeInput, OpenDisputePayload),
    "review_dispute": (review_dispute, ReviewDisputeInput, ReviewDisputePayload),
    "rule_dispute": (rule_dispute, RuleDisputeInput, RuleDisputePayload),
    "appeal_dispute": (appeal_dispute, AppealDisputeInput, AppealDisputePayload),
    "close_dispute": (close_dispute, CloseDisputeInput, CloseDisputePayload),
}
