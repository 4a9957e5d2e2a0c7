"""Questions about many things at once, in as many statements as a database takes them in."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

MOST: Final = 1000  # parameters of one statement, far below what any of the databases takes


def some_at_a_time(names: Collection[str]) -> Iterator[Sequence[str]]:
    """All of them, sorted, so many at a time."""
    ordered = sorted(names)
    for start in range(0, len(ordered), MOST):
        yield ordered[start : start + MOST]
