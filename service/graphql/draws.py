"""The mutations about draws by agreement: each does what its REST address does."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service import draws
from service.graphql.arguments import key_of
from service.graphql.context import Context
from service.graphql.disputing import done_of
from service.graphql.ids import about
from service.graphql.payloads import MatchInput, Payload


@strawberry.input
class AnswerDrawInput(MatchInput):
    draw: int
    accepts: bool


@strawberry.type(description="`draw` is its id.")
class OfferDrawPayload(Payload):
    draw: int


@strawberry.type
class AnswerDrawPayload(Payload):
    pass


async def offer_draw(context: Context, given: MatchInput) -> OfferDrawPayload:
    caller, match_id = await about(context, given.match)
    done, draw = await draws.offer_draw(context.parts, caller, match_id, key_of(given))
    return OfferDrawPayload(**done_of(match_id, done), draw=draw)


async def answer_draw(context: Context, given: AnswerDrawInput) -> AnswerDrawPayload:
    caller, match_id = await about(context, given.match)
    done = await draws.answer_draw(
        context.parts, caller, match_id, given.draw, key_of(given), accepts=given.accepts
    )
    return AnswerDrawPayload(**done_of(match_id, done))


RESOLVERS: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "offer_draw": (offer_draw, MatchInput, OfferDrawPayload),
    "answer_draw": (answer_draw, AnswerDrawInput, AnswerDrawPayload),
}
