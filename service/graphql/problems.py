"""Refusals as data: the problems of the REST door, by the same table."""

from collections.abc import Awaitable
from typing import Any, Final, TypeVar

import msgspec
import strawberry

from service.errors import body_of, row_of
from service.graphql.decisions import Decision
from service.graphql.enums import ProblemCode
from service.graphql.evidence import SignedRefusal
from service.graphql.scalars import JSON
from service.signals import PROBLEMS

T = TypeVar("T")

_UNAUTHORIZED: Final = 401
_FAILURE: Final = 500


@strawberry.type(
    description="One thing that is wrong; `pointer` is a JSON pointer, or a name. `code` is the "
    "word that REST has; there may be more of them."
)
class Fault:
    pointer: str
    code: str
    detail: str


@strawberry.type(description="Why something was not done. Nothing was.")
class Problem:
    code: ProblemCode
    type: str
    title: str
    status: int
    detail: str
    errors: list[Fault]
    decision: Decision | None = strawberry.field(description="What your seat is asked now.")
    evidence: SignedRefusal | None = strawberry.field(
        description="There if a move was refused and that is kept as evidence."
    )


async def told(work: Awaitable[T]) -> T | Problem:
    """What `work` gives, or its refusal as data. Missing credentials and failures are raised."""
    try:
        return await work
    except Exception as error:
        status = row_of(error).status
        if status == _UNAUTHORIZED or status >= _FAILURE:
            raise
        return problem(error)


def problem(error: Exception) -> Problem:
    body, row = body_of(error), row_of(error)
    PROBLEMS.labels(row.code).inc()
    return Problem(
        code=row.graphql,
        type=body.type,
        title=body.title,
        status=body.status,
        detail=body.detail,
        errors=[Fault(pointer=e.pointer, code=e.code, detail=e.detail) for e in body.errors],
        decision=None if body.decision is None else Decision(own=body.decision),
        # Its fields are found by name.
        evidence=body.evidence,
    )


def extensions(error: BaseException) -> dict[str, Any]:
    """What an error in an answer says besides its message; the same words as a problem's."""
    body, row = body_of(error), row_of(error)
    PROBLEMS.labels(row.code).inc()
    told: dict[str, Any] = {
        "code": row.graphql,
        "type": body.type,
        "status": body.status,
    }
    if body.errors:
        told["errors"] = body.errors
    if body.decision is not None:
        told["decision"] = body.decision
    return told


def raw(value: Any) -> JSON:
    """A value encoded once, to be put into the answer as it is."""
    return msgspec.Raw(msgspec.json.encode(value, order="deterministic"))
