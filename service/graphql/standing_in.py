"""The mutation about stand-ins: it does what its REST address does."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service import standing_in
from service.graphql.arguments import body_of, key_of, seat_of
from service.graphql.context import Context
from service.graphql.disputing import done_of
from service.graphql.ids import about
from service.graphql.payloads import Payload, SeatInput
from service.schedule_bodies import StandInBody

_UNSET: Final = strawberry.UNSET


@strawberry.input(description="`account` is whom the seat stands for from now on.")
class SeatStandInInput(SeatInput):
    account: str | None = _UNSET


@strawberry.type
class SeatStandInPayload(Payload):
    seat: int
    token: str | None


async def seat_stand_in(context: Context, given: SeatStandInInput) -> SeatStandInPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(StandInBody, account=given.account)
    key, seat = key_of(given), seat_of(given)
    claimed = await standing_in.seat_stand_in(
        context.parts, caller, match_id, seat, body.account, key
    )
    return SeatStandInPayload(**done_of(match_id, claimed.done), seat=seat, token=claimed.token)


RESOLVERS: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "seat_stand_in": (seat_stand_in, SeatStandInInput, SeatStandInPayload),
}
