"""The mutations that direct a batch: each does what its REST address does to every match."""

from collections.abc import Callable
from typing import Any, Final

import strawberry

from service.batches import acting, viewing
from service.batches.acting import BatchAction
from service.clock_bodies import ExtendBody
from service.errors import CODES
from service.graphql.arguments import body_of, key_of
from service.graphql.batches import Batch, BatchRef, batch_id_of, node_of_batch
from service.graphql.context import Context
from service.graphql.enums import ActionOutcome, ProblemCode
from service.graphql.scalars import WholeNumber
from service.rest.dispute_bodies import AccountBody

_UNSET: Final = strawberry.UNSET


@strawberry.input(description="The same key is the same request: it is done once.")
class BatchActionInput:
    batch: BatchRef
    idempotency_key: str | None = _UNSET


@strawberry.input(description="`account` is whom an arbiter acts for.")
class ArbiterOfBatchInput(BatchActionInput):
    account: str | None = _UNSET


@strawberry.input(description="So many milliseconds more for the seat, or for each.")
class ExtendBatchInput(ArbiterOfBatchInput):
    ms: WholeNumber
    seat: int | None = _UNSET


@strawberry.type(description="What came of a match; `code` says why it was refused.")
class ActionLine:
    number: int
    match_id: str
    external_id: str | None
    outcome: ActionOutcome
    code: ProblemCode | None


@strawberry.type(description="What came of an action on each match of a batch.")
class BatchActionPayload:
    batch: Batch
    done: int
    refused: int
    matches: list[ActionLine]


async def start_batch(context: Context, given: BatchActionInput) -> BatchActionPayload:
    return await _acted(context, given, acting.start_batch)


async def cancel_batch(context: Context, given: BatchActionInput) -> BatchActionPayload:
    return await _acted(context, given, acting.cancel_batch)


async def start_batch_clocks(context: Context, given: ArbiterOfBatchInput) -> BatchActionPayload:
    return await _acted(context, given, acting.start_clocks, _account(given))


async def pause_batch(context: Context, given: ArbiterOfBatchInput) -> BatchActionPayload:
    return await _acted(context, given, acting.pause_batch, _account(given))


async def resume_batch(context: Context, given: ArbiterOfBatchInput) -> BatchActionPayload:
    return await _acted(context, given, acting.resume_batch, _account(given))


async def extend_batch(context: Context, given: ExtendBatchInput) -> BatchActionPayload:
    body = body_of(ExtendBody, ms=given.ms, seat=given.seat, account=given.account)
    return await _acted(context, given, acting.extend_batch, body.seat, body.ms, body.account)


async def _acted(
    context: Context, given: BatchActionInput, act: Callable[..., Any], *said: Any
) -> BatchActionPayload:
    batch_id = await batch_id_of(context, given.batch)
    parts, caller = context.parts, await context.caller()
    done: BatchAction = await act(parts, caller, batch_id, *said, key_of(given))
    return BatchActionPayload(
        batch=node_of_batch(await viewing.new_batch(parts, batch_id)),
        done=done.done,
        refused=done.refused,
        matches=[_line(each) for each in done.matches],
    )


def _account(given: ArbiterOfBatchInput) -> str | None:
    """Raises: Invalid."""
    return body_of(AccountBody, account=given.account).account


def _line(each: acting.ActionLine) -> ActionLine:
    return ActionLine(
        number=each.number,
        match_id=each.match_id,
        external_id=each.external_id,
        outcome=each.outcome.value,
        code=None if each.code is None else CODES[each.code].graphql,
    )


DIRECTING: Final[dict[str, tuple[Callable[..., Any], Any, Any]]] = {
    "start_batch": (start_batch, BatchActionInput, BatchActionPayload),
    "cancel_batch": (cancel_batch, BatchActionInput, BatchActionPayload),
    "start_batch_clocks": (start_batch_clocks, ArbiterOfBatchInput, BatchActionPayload),
    "pause_batch": (pause_batch, ArbiterOfBatchInput, BatchActionPayload),
    "resume_batch": (resume_batch, ArbiterOfBatchInput, BatchActionPayload),
    "extend_batch": (extend_batch, ExtendBatchInput, BatchActionPayload),
}
