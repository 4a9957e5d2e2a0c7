"""What mutations share: inputs checked as REST checks its bodies, receipts told alike."""

from typing import Any, Final, TypeVar

import msgspec
import strawberry

from service.committing import Done
from service.errors import Fault, Invalid, ParameterInvalid
from service.graphql.matches import match_of
from service.http import fault_in

T = TypeVar("T")
_UNSET: Final = strawberry.UNSET


def body_of(kind: type[T], **given: Any) -> T:
    """What REST takes as a body, by the same rules. Raises: Invalid."""
    try:
        return msgspec.convert({n: v for n, v in given.items() if v is not _UNSET}, kind)
    except msgspec.ValidationError as error:
        raise Invalid(fault_in(error)) from None


def key_of(given: Any) -> str | None:
    """Raises: ParameterInvalid."""
    key: str | None = given.idempotency_key or None
    if key is not None and not (len(key) <= 255 and key.isascii() and key.isprintable()):
        raise ParameterInvalid(
            Fault("idempotencyKey", "malformed", "has 1 to 255 printable ASCII characters")
        )
    return key


def done_of(match_id: str, done: Done) -> dict[str, Any]:
    # The fields of a receipt are found by name.
    return {"match": match_of(match_id), "receipt": done.receipt, "replayed": done.replayed}
