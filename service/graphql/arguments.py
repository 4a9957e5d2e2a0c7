"""What the inputs of mutations say, by the rules of the REST door's bodies and headers."""

from typing import Any, Final, TypeVar

import msgspec
import strawberry

from service.errors import Fault, Invalid, ParameterInvalid, SeatNotFound
from service.faulting import fault_in

T = TypeVar("T")
UNSET: Final = strawberry.UNSET


def body_of(kind: type[T], **given: Any) -> T:
    """What REST takes as a body, by the same rules. Raises: Invalid."""
    try:
        return msgspec.convert({n: v for n, v in given.items() if v is not UNSET}, kind)
    except msgspec.ValidationError as error:
        raise Invalid(fault_in(error, kind)) from None


def or_none(value: T) -> T | None:
    """What is left out is null."""
    return None if value is UNSET else value


def key_of(given: Any) -> str | None:
    """Raises: ParameterInvalid."""
    key: str | None = or_none(given.idempotency_key)
    if key is not None and not (1 <= len(key) <= 255 and key.isascii() and key.isprintable()):
        raise ParameterInvalid(
            Fault("idempotencyKey", "malformed", "has 1 to 255 printable ASCII characters")
        )
    return key


def seat_of(given: Any) -> int:
    """Raises: SeatNotFound."""
    seat: int = given.seat
    if seat < 0:
        raise SeatNotFound
    return seat
