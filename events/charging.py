"""What clocks say as events follow each other: a part of the fold, which knows no rule of a game.

A seat's clock runs from the event that asks it until its answer arrived, in sealed and open
decisions alike. It stands while nobody may move, and for who is out. A draw takes no time.
"""

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from events.clocks import MOST, Clock, Flag
from events.entropy import put
from events.rulings import AdjustClock
from events.timed import (
    FlagFell,
    MatchPaused,
    MatchResumed,
    TimeAdded,
    TimeCredited,
    Timed,
)
from events.types import By, ChanceDrawn, DisputeRuled, Event, MovePlayed, Status
from games.core.game import Chance, Decision, Seat

if TYPE_CHECKING:
    from events.match import Match


class SeatClock(msgspec.Struct, frozen=True, gc=False):
    """The clock of a seat, in ms.

    `left` is what it had when it last began to run or stood; `used` is what was counted before
    that for the open decision; `since` is when it began to run, None while it stands. `misses` are
    its flag falls in a row, `fell` is the latest decision in which its flag fell.
    """

    left: int
    used: int = 0
    since: int | None = None
    misses: int = 0
    fell: str | None = None


class Clocks(msgspec.Struct, frozen=True):
    """The clocks of a match.

    `fallen` are seats for which a fallback is due; `falling` is the moment of the flag fall that
    came last, if nothing followed yet. `falls` counts flag falls since somebody moved, `out` are
    the seats that lost by the clock, each with the moment. `drawing` is when that happened after
    which chance is to draw.
    """

    seats: tuple[SeatClock, ...]
    fallen: tuple[Seat, ...] = ()
    falling: int | None = None
    falls: int = 0
    out: tuple[tuple[Seat, int], ...] = ()
    drawing: int | None = None


class SeatTime(msgspec.Struct, frozen=True):
    """A seat's clock at some moment, in ms. `deadline` is None while it stands."""

    left: int
    delay_left: int
    since: int | None
    deadline: int | None


def at_first(clock: Clock, seats: int) -> Clocks:
    return Clocks(tuple(SeatClock(clock.first(seat)) for seat in range(seats)))


def clocks_at(current: "Match", now: int) -> tuple[SeatTime, ...]:
    """What the clocks show at `now`, by seat; () where there are none."""
    clock, clocks = current.created.clock, current.clocks
    if clock is None or clocks is None:
        return ()
    shown = []
    for seat, own in enumerate(clocks.seats):
        stood = own if own.since is None else _stopped(clock, seat, own, now)
        delay_left = clock.delay_left(seat, stood.used)
        shown.append(SeatTime(stood.left, delay_left, own.since, deadline(clock, seat, own)))
    return tuple(shown)


def deadline(clock: Clock, seat: Seat, own: SeatClock) -> int | None:
    """When the flag falls if nothing happens before; None while the clock stands."""
    if own.since is None:
        return None
    return clock.reached(own.since, own.left + clock.delay_left(seat, own.used))


def deadlines(current: "Match") -> dict[Seat, int]:
    """Of the seats whose clocks run."""
    clock, clocks = current.created.clock, current.clocks
    if clock is None or clocks is None:
        return {}
    found = {seat: deadline(clock, seat, own) for seat, own in enumerate(clocks.seats)}
    return {seat: moment for seat, moment in found.items() if moment is not None}


def next_deadline(current: "Match") -> int | None:
    return min(deadlines(current).values(), default=None)


def timed(current: "Match", event: Timed) -> "Match":
    """The match after an event of clocks, but for the clocks themselves."""
    version, status = event.version, current.status
    match event:
        case FlagFell(seat=seat):
            clock = current.created.clock
            assert clock is not None
            if clock.flag is Flag.FALLBACK:
                return replace(current, version=version)
            return replace(
                current, version=version, resigned=(*current.resigned, seat), takeback=None
            )
        case MatchPaused():
            status = Status.PAUSED
        case MatchResumed():
            status = Status.RUNNING
    return replace(current, version=version, status=status)


def restored(clocks: Clocks) -> Clocks:
    """After a rewind: each seat has what it had when the decision was opened that is asked again,
    and nobody was absent."""
    seats = tuple(replace(own, since=None, misses=0) for own in clocks.seats)
    return replace(clocks, seats=seats, fallen=(), falling=None, falls=0)


def ticked(event: Event, after: "Match") -> "Match":
    """The match after `event` with its clocks as that leaves them, before it with those before."""
    clock, clocks = after.created.clock, after.clocks
    assert clock is not None
    assert clocks is not None
    moment = _moment(clocks, event)
    if isinstance(event, FlagFell) or clocks.falling is not None:
        falling = event.fell if isinstance(event, FlagFell) else None
        clocks = replace(clocks, falling=falling)
    clocks = _running(clock, _changed(clock, clocks, event, moment), event, after, moment)
    if clocks is not after.clocks:
        # The fold owns its newest value: nobody else holds it yet.
        msgspec.structs.force_setattr(after, "clocks", clocks)
    return after


def _moment(clocks: Clocks, event: Event) -> int:
    """Until when clocks that the event stops have run; it may have been acted on later."""
    match event:
        case MovePlayed(arrived=int(arrived)):
            return arrived
        case MovePlayed(by=By.FALLBACK) if clocks.falling is not None:
            return clocks.falling
        case ChanceDrawn() if clocks.drawing is not None:
            return clocks.drawing
        case _:
            return event.at


def _changed(clock: Clock, clocks: Clocks, event: Event, moment: int) -> Clocks:
    """What the event itself does to the clocks."""
    match event:
        case MovePlayed(seat=seat, decision=decision) if decision is not None:
            own = _closed(clock, seat, clocks.seats[seat], moment, answered=True)
            fallen = tuple(each for each in clocks.fallen if each != seat)
            if event.by is not By.SEAT:
                return replace(clocks, seats=put(clocks.seats, seat, own), fallen=fallen)
            seats = put(clocks.seats, seat, replace(own, misses=0))
            return replace(clocks, seats=seats, fallen=fallen, falls=0)
        case FlagFell(seat=seat, decision=decision, fell=fell):
            own = _stopped(clock, seat, clocks.seats[seat], fell)
            own = replace(own, left=0, misses=own.misses + 1, fell=decision)
            clocks = replace(clocks, seats=put(clocks.seats, seat, own), falls=clocks.falls + 1)
            if clock.flag is Flag.FALLBACK:
                return replace(clocks, fallen=(*clocks.fallen, seat))
            return replace(clocks, out=(*clocks.out, (seat, fell)))
        case TimeAdded(seat=named, ms=ms) | DisputeRuled(ruling=AdjustClock(seat=named, ms=ms)):
            return replace(clocks, seats=_adjusted(clocks, named, ms))
        case TimeCredited(since=since, until=until):
            seats = tuple(
                _credited(clock, seat, own, since, until) for seat, own in enumerate(clocks.seats)
            )
            return replace(clocks, seats=seats)
        case _:
            return clocks


def _running(clock: Clock, clocks: Clocks, event: Event, after: "Match", moment: int) -> Clocks:
    """Clocks run for those who are asked and may answer, from the moment on that they are asked."""
    plays = after.status is Status.RUNNING and after.closed is None
    turn = after.turn if plays else None
    drawing = moment if isinstance(turn, Chance) else None
    if drawing != clocks.drawing:
        clocks = replace(clocks, drawing=drawing)
    if isinstance(turn, Chance):
        return clocks  # What it leads to is in the same append.
    asked = turn.offers if isinstance(turn, Decision) else {}
    seats, is_changed = [], False
    for seat, own in enumerate(clocks.seats):
        is_open = seat in asked
        runs = is_open and seat not in after.resigned and seat not in clocks.fallen
        now = own
        if runs and own.since is None:
            now = replace(own, since=event.at)
        elif not runs and own.since is not None:
            # One whose decision closes without its answer goes on to the next.
            leaves = plays and not is_open
            now = (
                _closed(clock, seat, own, moment, answered=False)
                if leaves
                else _stopped(clock, seat, own, moment)
            )
        elif seat in clocks.fallen and plays and not is_open:
            now = _closed(clock, seat, own, moment, answered=False)
        is_changed = is_changed or now is not own
        seats.append(now)
    fallen = tuple(each for each in clocks.fallen if each in asked)
    if plays and fallen != clocks.fallen:
        return replace(clocks, seats=tuple(seats), fallen=fallen)
    return replace(clocks, seats=tuple(seats)) if is_changed else clocks


def _stopped(clock: Clock, seat: Seat, own: SeatClock, moment: int) -> SeatClock:
    """Standing, with what went by until then charged."""
    if own.since is None:
        return own
    used = clock.counted(own.since, moment)
    charged = max(0, used - clock.delay_left(seat, own.used))
    return replace(own, left=max(0, own.left - charged), used=own.used + used, since=None)


def _closed(clock: Clock, seat: Seat, own: SeatClock, moment: int, *, answered: bool) -> SeatClock:
    """Ready for the next decision."""
    own = _stopped(clock, seat, own, moment)
    left = clock.after(seat, own.left, own.used, answered=answered)
    return replace(own, left=min(left, MOST), used=0)


def _adjusted(clocks: Clocks, named: Seat | None, ms: int) -> tuple[SeatClock, ...]:
    return tuple(
        replace(own, left=min(MOST, max(0, own.left + ms))) if named in (None, seat) else own
        for seat, own in enumerate(clocks.seats)
    )


def _credited(clock: Clock, seat: Seat, own: SeatClock, since: int, until: int) -> SeatClock:
    if own.since is None or own.since >= until:
        return own
    return replace(_stopped(clock, seat, own, since), since=until)
