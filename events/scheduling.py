"""When a match opens, starts and looks whether its seats have come: what event 1 may pin of it.

Times are in milliseconds. When a match ends at the latest is `closes_at` in event 1 itself.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import msgspec

LATEST: Final = 2**53 - 1
NOTHING: Final = ("", "says nothing")


class NoShow(StrEnum):
    """What becomes of a match if a seat has not come by the time to join."""

    FORFEIT = "forfeit"  # it is out, the others play on; at once over if one is left at most
    VOID = "void"  # the match does not count
    WAIT = "wait"  # the match stands until an arbiter has decided
    STAND_IN = "stand_in"  # somebody else may be put on the seat


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each is None where nothing is pinned; `join_by` and `no_show` are there together.

    Nobody claims a seat before `opens_at`; the match does not start before `starts_at`; at
    `join_by` it is looked at who was there since it opened.
    """

    opens_at: int | None
    starts_at: int | None
    join_by: int | None
    no_show: NoShow | None

    def fault(self, closes_at: int | None, *, takes_entropy: bool) -> tuple[str, str] | None:
        """What keeps it from being the schedule of a match: where (a JSON pointer), and why."""
        if (self.join_by is None) != (self.no_show is None):
            return "/no_show", "is there with join_by, and only with it"
        named = ("opens_at", "starts_at", "join_by")
        moments = {name: getattr(self, name) for name in named}
        if all(each is None for each in moments.values()):
            return NOTHING
        if any(each is not None and not 0 <= each <= LATEST for each in moments.values()):
            return "", "has a time that can't be"
        opens_at = -1 if self.opens_at is None else self.opens_at
        for name in ("starts_at", "join_by"):
            later = moments[name]
            if later is not None and later < opens_at + (name == "join_by"):
                return f"/{name}", "comes before the seats can be claimed"
        for name, moment in moments.items():
            if moment is not None and closes_at is not None and moment >= closes_at:
                return f"/{name}", "comes after the match has to be over"
        if takes_entropy and self.no_show in (NoShow.FORFEIT, NoShow.STAND_IN):
            return "/no_show", "needs every seat, where all of them put something into the seed"
        return None


def put_off(moment: int, since: int, outages: Sequence[tuple[int, int]]) -> int:
    """A deadline that stands still while nobody is served; `since` is when its time began.

    `outages` (from, to) are in order.
    """
    for start, end in outages:
        if start < moment and end > since:
            moment += end - max(start, since)
    return moment
