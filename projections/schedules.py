"""The schedule of a match as everybody who may see it does."""

import msgspec

from events.match import Match
from events.scheduling import NoShow
from events.types import Closing


class ScheduleLine(msgspec.Struct, frozen=True, kw_only=True):
    """Times in ms, as event 1 pins them; none is null. `overrun` is what becomes of it at `end_by`.

    `checked`: it was looked who is there. `missed` are the seats that are out because they did not
    come, `vacant` those on which a stand-in may be put.
    """

    opens_at: int | None
    starts_at: int | None
    join_by: int | None
    no_show: NoShow | None
    end_by: int | None
    overrun: Closing | None
    checked: bool
    missed: tuple[int, ...]
    vacant: tuple[int, ...]


def schedule_line(current: Match) -> ScheduleLine | None:
    """None where nothing is scheduled; a deal group says itself when it closes."""
    created, schedule, presence = current.created, current.created.schedule, current.presence
    own_end = created.deal_group is None and created.closes_at is not None
    if schedule is None and not own_end:
        return None
    names = ("opens_at", "starts_at", "join_by", "no_show")
    return ScheduleLine(
        **{name: None if schedule is None else getattr(schedule, name) for name in names},
        end_by=created.closes_at,
        overrun=created.closing,
        checked=presence is not None and presence.is_checked,
        missed=() if presence is None else presence.missed,
        vacant=() if presence is None else presence.vacant,
    )
