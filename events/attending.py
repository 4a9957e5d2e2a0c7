"""Who came to a match, as events follow each other: a part of the fold that knows no rule.

What it leads to that a seat did not come stands in event 1.
"""

from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from events.agreed import DrawAnswered, DrawOffered
from events.attended import Attended, PresenceChecked, SeatingOpened, StandInSeated
from events.disputes import ended
from events.entropy import put
from events.scheduling import NoShow, Schedule
from events.types import (
    By,
    DisputeAppealed,
    DisputeClosed,
    DisputeOpened,
    EntropyCommitted,
    EntropyOpened,
    Event,
    MovePlayed,
    SeatClaimed,
    SeatReleased,
    SeatResigned,
    Status,
    TakebackAnswered,
    TakebackAsked,
)
from games.core.game import Seat

if TYPE_CHECKING:
    from events.match import Match


class Presence(msgspec.Struct, frozen=True):
    """`acted` is by seat when it last did something that the log has. `missed` are the seats that
    are out because they did not come, `vacant` those on which a stand-in may be put."""

    acted: tuple[int | None, ...]
    is_checked: bool = False
    missed: tuple[Seat, ...] = ()
    vacant: tuple[Seat, ...] = ()


# Claims and releases may be a key's doing.
_OWN: Final = (
    DrawOffered,
    DrawAnswered,
    MovePlayed,
    SeatResigned,
    EntropyCommitted,
    EntropyOpened,
    TakebackAsked,
    TakebackAnswered,
    DisputeOpened,
    DisputeAppealed,
    DisputeClosed,
)


def first_status(schedule: Schedule | None) -> Status:
    waits = schedule is not None and schedule.opens_at is not None
    return Status.SCHEDULED if waits else Status.SEATING


def no_one_yet(seats: int) -> Presence:
    return Presence((None,) * seats)


def restored(current: Presence | None, target: Presence | None) -> Presence | None:
    """After a rewind: who was out by then for not coming. The rest lies beside the play."""
    if current is None or target is None:
        return None
    return replace(current, missed=target.missed)


def noticed(event: Event, after: "Match") -> None:
    """Keeps in the match after `event`, which nobody else holds yet, what a seat did itself."""
    presence = after.presence
    assert presence is not None
    seat: Seat | None = getattr(event, "seat", None)
    if seat is None:
        return
    is_own = isinstance(event, _OWN) and getattr(event, "by", By.SEAT) is By.SEAT
    if not is_own and not isinstance(event, SeatClaimed | SeatReleased):
        return
    acted = put(presence.acted, seat, event.at if is_own else None)
    vacant = tuple(each for each in presence.vacant if each != seat)
    msgspec.structs.force_setattr(after, "presence", replace(presence, acted=acted, vacant=vacant))


def attended(current: "Match", event: Attended) -> "Match":
    """The match after an event of who comes."""
    version = event.version
    match event:
        case SeatingOpened():
            return replace(current, version=version, status=Status.SEATING)
        case PresenceChecked():
            return _checked(current, event)
        case StandInSeated(seat=seat, holder=holder):
            presence = current.presence
            assert presence is not None
            vacant = tuple(each for each in presence.vacant if each != seat)
            return replace(
                current,
                version=version,
                holders=put(current.holders, seat, holder),
                keys=put(current.keys, seat, None),
                presence=replace(presence, vacant=vacant),
            )


def absent_seats(current: "Match", event: PresenceChecked) -> tuple[Seat, ...]:
    """Those that did not come, without those that are out already."""
    gone = current.resigned
    return tuple(s for s, seen in enumerate(event.seen) if seen is None and s not in gone)


def _checked(current: "Match", event: PresenceChecked) -> "Match":
    schedule, presence = current.created.schedule, current.presence
    assert schedule is not None
    assert presence is not None
    presence = replace(presence, is_checked=True)
    absent = absent_seats(current, event)
    after = replace(current, version=event.version, presence=presence)
    if not absent:
        return after
    match schedule.no_show:
        case NoShow.FORFEIT:
            resigned = (*current.resigned, *absent)
            out = replace(presence, missed=absent)
            return replace(after, resigned=resigned, presence=out, takeback=None)
        case NoShow.VOID:
            return ended(after, Status.VOID, None, event.at)
        case NoShow.WAIT:
            is_running = current.status is Status.RUNNING
            return replace(after, status=Status.PAUSED) if is_running else after
        case _:
            return replace(after, presence=replace(presence, vacant=absent))
