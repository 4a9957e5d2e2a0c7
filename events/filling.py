"""Lists of a statement's parameters, of few lengths: each length is another statement.

A connection keeps what it has prepared, some kilobytes each, and a statement that it has not is
prepared by a round trip of its own.
"""

from collections.abc import Collection
from typing import Final, TypeVar

T = TypeVar("T")

_LENGTHS: Final = (1, 16, 256)


def filled_up(values: Collection[T]) -> list[T]:
    """The same values for `IN`, the last repeated up to the next of few lengths; none stay none."""
    filled = list(values)
    steps = -(-len(filled) // _LENGTHS[-1]) * _LENGTHS[-1]
    length = next((each for each in _LENGTHS if each >= len(filled)), steps)
    return filled + filled[-1:] * (length - len(filled))
