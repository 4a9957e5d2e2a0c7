"""Moments that a request names."""

from service.errors import Fault, Invalid


def require_future(pointer: str, at: int | None, now: int) -> None:
    """`at` (ms), if one is named, is still to come. Raises: Invalid."""
    if at is not None and at <= now:
        raise Invalid(Fault(pointer, "in-the-past", "has to lie in the future"))
