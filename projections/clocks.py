"""Clocks as everybody sees them: facts of a version, whenever they are looked at."""

import msgspec

from events.charging import deadline
from events.match import Match


class ClockLine(msgspec.Struct, frozen=True):
    """The clock of a seat, times in ms.

    It had `remaining` when it last began to run, at `since`, and first of all `delay` that is not
    taken from it; at `deadline` its flag falls. While it stands, `since` and `deadline` are null.
    """

    seat: int
    remaining: int
    delay: int
    since: int | None
    deadline: int | None


def clock_lines(current: Match) -> tuple[ClockLine, ...] | None:
    """By seat; None where there are no clocks."""
    clock, clocks = current.created.clock, current.clocks
    if clock is None or clocks is None:
        return None
    return tuple(
        ClockLine(
            seat=seat,
            remaining=own.left,
            delay=clock.delay_left(seat, own.used),
            since=own.since,
            deadline=deadline(clock, seat, own),
        )
        for seat, own in enumerate(clocks.seats)
    )
