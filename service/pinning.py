"""When a match opens, starts, looks who is there and ends, as callers set it."""

import msgspec

from events.scheduling import NOTHING, NoShow, Schedule
from events.types import Closing
from service.errors import Fault, Invalid
from service.times import require_future


class WantedSchedule(msgspec.Struct, frozen=True):
    """Times in ms. `overrun` says what becomes of the match at `end_by`."""

    opens_at: int | None = None
    starts_at: int | None = None
    join_by: int | None = None
    no_show: NoShow | None = None
    end_by: int | None = None
    overrun: Closing | None = None


class Pinned(msgspec.Struct, frozen=True):
    """What event 1 says of it."""

    schedule: Schedule | None = None
    closes_at: int | None = None
    closing: Closing | None = None


def pinned_of(wanted: WantedSchedule | None, now: int, *, takes_entropy: bool) -> Pinned:
    """Raises: Invalid."""
    if wanted is None:
        return Pinned()
    for name in ("opens_at", "starts_at", "join_by", "end_by"):
        require_future(f"/schedule/{name}", getattr(wanted, name), now)
    if (wanted.end_by is None) != (wanted.overrun is None):
        reason = "is there with end_by, and only with it"
        raise Invalid(Fault("/schedule/overrun", "impossible", reason))
    schedule: Schedule | None = Schedule(
        opens_at=wanted.opens_at,
        starts_at=wanted.starts_at,
        join_by=wanted.join_by,
        no_show=wanted.no_show,
    )
    assert schedule is not None
    fault = schedule.fault(wanted.end_by, takes_entropy=takes_entropy)
    if fault == NOTHING and wanted.end_by is not None:
        schedule, fault = None, None
    if fault is not None:
        raise Invalid(Fault(f"/schedule{fault[0]}", "impossible", fault[1]))
    return Pinned(schedule, wanted.end_by, wanted.overrun)
