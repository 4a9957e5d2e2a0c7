"""The mutations that erase: each does what its REST address does."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service import erasures
from service.erasing import Target
from service.graphql.arguments import body_of, key_of
from service.graphql.context import Context
from service.graphql.disputing import done_of
from service.graphql.ids import about
from service.graphql.payloads import MatchInput, Payload
from service.rest.inputs import AccountErasureBody, ErasureBody

_UNSET: Final = strawberry.UNSET


@strawberry.input(
    description="The text `field` of event `event`, or all that `seat` said so far. `reason` is "
    "kept beside the log."
)
class EraseTextsInput(MatchInput):
    event: int | None = _UNSET
    field: str | None = _UNSET
    seat: int | None = _UNSET
    reason: str | None = _UNSET


@strawberry.input(description="`reason` is kept, the account is not.")
class EraseAccountInput:
    account: str
    reason: str | None = _UNSET


@strawberry.type
class EraseTextsPayload(Payload):
    pass


@strawberry.type(
    description="`matches` were done now; `failed` are ids of those that can't be. With `more` "
    "there is more to do: ask again."
)
class EraseAccountPayload:
    matches: int
    failed: list[str]
    more: bool


async def erase_texts(context: Context, given: EraseTextsInput) -> EraseTextsPayload:
    caller, match_id = await about(context, given.match)
    body = body_of(
        ErasureBody, event=given.event, field=given.field, seat=given.seat, reason=given.reason
    )
    done = await erasures.erase_in_match(
        context.parts,
        caller,
        match_id,
        Target(body.event, body.field, body.seat),
        body.reason,
        key_of(given),
    )
    return EraseTextsPayload(**done_of(match_id, done))


async def erase_account(context: Context, given: EraseAccountInput) -> EraseAccountPayload:
    caller = await context.caller()
    body = body_of(AccountErasureBody, account=given.account, reason=given.reason)
    found = await erasures.forget_account(context.parts, caller, body.account, body.reason)
    return EraseAccountPayload(matches=found.matches, failed=list(found.failed), more=found.more)


ERASING: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "erase_texts": (erase_texts, EraseTextsInput, EraseTextsPayload),
    "erase_account": (erase_account, EraseAccountInput, EraseAccountPayload),
}
