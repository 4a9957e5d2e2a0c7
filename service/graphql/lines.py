"""What a match, a view and a decision tell alike: seats, their clocks, and how it ended."""

from collections.abc import Iterable
from typing import cast

import strawberry

from projections.clocks import ClockLine
from projections.projection import SeatLine
from service.graphql.enums import Terminal
from service.graphql.scalars import Milliseconds, WholeNumber


@strawberry.type(description="`holder` is a pseudonym; `asked`: the match waits for this seat.")
class Seat:
    seat: int
    holder: str | None
    resigned: bool
    asked: bool


@strawberry.type(
    description="The clock of a seat, in ms. It had `remaining` when it last began to run, at "
    "`since`, and before that `delay` that is not taken from it; at `deadline` its flag falls. "
    "While it stands, `since` and `deadline` are null."
)
class SeatClock:
    seat: int
    remaining: Milliseconds
    delay: Milliseconds
    since: Milliseconds | None
    deadline: Milliseconds | None


@strawberry.type(description="By seat. Rank 1 is best, ties share a rank.")
class Outcome:
    terminal: Terminal
    ranks: list[int]
    scores: list[WholeNumber] | None
    note: str


def clocks_of(lines: Iterable[ClockLine] | None) -> list[SeatClock] | None:
    # Their fields are found by name.
    return None if lines is None else cast(list[SeatClock], list(lines))


def seats_of(lines: Iterable[SeatLine]) -> list[Seat]:
    # Their fields are found by name.
    return cast(list[Seat], list(lines))
