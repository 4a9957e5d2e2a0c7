"""The clocks of a match as callers set them, stop them, let them go on, and add to them."""

import msgspec

from events.canonical import prefixed
from events.clocks import Clock, Flag, Time, Window, faster
from events.decide import Command
from events.match import Match
from events.sandbox import is_test
from events.timing import AddTime, PauseMatch, ResumeMatch
from games.core.game import Seat
from service.arbitration import arbiter_of
from service.auth import Caller
from service.changing import change
from service.committing import Done
from service.errors import Fault, Invalid, SeatNotFound
from service.parts import Parts
from service.zones import offsets_from


class WantedWindow(msgspec.Struct, frozen=True):
    """Minutes after local midnight, in a time zone by its name."""

    zone: str
    opens: int
    closes: int


class WantedClock(msgspec.Struct, frozen=True):
    """The clocks a new match shall have: `times` by seat, or the one that `is_for_all`."""

    times: tuple[Time, ...]
    is_for_all: bool
    flag: Flag
    abandon_after: int
    window: WantedWindow | None
    speed: int = 1


def clock_of(wanted: WantedClock | Clock | None, seats: int, now: int, org: str) -> Clock | None:
    """What event 1 pins of a match of the organisation. Raises: Invalid."""
    if wanted is None or isinstance(wanted, Clock):
        return wanted
    if wanted.speed != 1:
        _refuse_speed(wanted, org)
    times = wanted.times * seats if wanted.is_for_all else wanted.times
    times = tuple(faster(each, wanted.speed) for each in times)
    window = None if wanted.window is None else _window(wanted.window, now)
    clock = Clock(times=times, flag=wanted.flag, abandon_after=wanted.abandon_after, window=window)
    fault = clock.fault(seats)
    if fault is not None:
        raise Invalid(Fault(f"/clock{fault[0]}", "impossible", fault[1]))
    return clock


async def pause_match(
    parts: Parts, caller: Caller, match_id: str, account: str | None, key: str | None
) -> Done:
    """Nobody moves and no clock runs from now on.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, MatchIsPaused,
    MatchNotRunning, DealGroupClosed.
    """
    arbiter = await arbiter_of(parts, caller, match_id, account)
    return await _done(parts, caller, match_id, PauseMatch(arbiter), key, prefixed(arbiter))


async def resume_match(
    parts: Parts, caller: Caller, match_id: str, account: str | None, key: str | None
) -> Done:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, MatchNotPaused,
    DealGroupClosed.
    """
    arbiter = await arbiter_of(parts, caller, match_id, account)
    return await _done(parts, caller, match_id, ResumeMatch(arbiter), key, prefixed(arbiter))


async def add_time(
    parts: Parts,
    caller: Caller,
    match_id: str,
    seat: Seat | None,
    ms: int,
    account: str | None,
    key: str | None,
) -> Done:
    """So many ms more for a seat, or for each.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, SeatNotFound, NoClock,
    MatchNotRunning, DealGroupClosed.
    """
    arbiter = await arbiter_of(parts, caller, match_id, account)
    body = prefixed(arbiter, -1 if seat is None else seat, ms)
    return await _done(parts, caller, match_id, AddTime(seat, arbiter, ms), key, body)


async def _done(
    parts: Parts,
    caller: Caller,
    match_id: str,
    command: PauseMatch | ResumeMatch | AddTime,
    key: str | None,
    body: bytes,
) -> Done:
    async def make(current: Match) -> Command:
        if isinstance(command, AddTime) and (command.seat or 0) >= current.seats:
            raise SeatNotFound
        return command

    return await change(parts, caller, match_id, type(command).__name__, make, key, body)


def _refuse_speed(wanted: WantedClock, org: str) -> None:
    """Raises: Invalid."""
    if not is_test(org):
        raise Invalid(Fault("/clock/speed", "sandbox-only", "is for test keys alone"))
    if wanted.window is not None:
        raise Invalid(Fault("/clock/speed", "impossible", "does not go with a daily window"))


def _window(wanted: WantedWindow, now: int) -> Window:
    """Raises: Invalid."""
    offsets = offsets_from(wanted.zone, now)
    if offsets is None:
        raise Invalid(Fault("/clock/window/zone", "unknown-value", "is no time zone"))
    return Window(wanted.zone, wanted.opens, wanted.closes, offsets)
