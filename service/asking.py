"""Questions about many things at once, in as many statements as a database takes them in."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from events.filling import filled_up

MOST: Final = 1024  # parameters of one statement, far below what any of the databases takes


def some_at_a_time(names: Collection[str]) -> Iterator[Sequence[str]]:
    """All of them, sorted, so many at a time; some may come again, which is nothing to `IN`."""
    ordered = sorted(names)
    for start in range(0, len(ordered), MOST):
        yield filled_up(ordered[start : start + MOST])
