"""What clocks lead to: flags that fall and what follows, moves that come too late, time given back.

Everything is decided by moments that the log says; when it was acted on changes nothing.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, TypeAlias, get_args

from events.charging import Clocks, deadline, deadlines, next_deadline
from events.clocks import MOST, Clock, Flag
from events.closing import is_closed, refusal_of
from events.match import Match
from events.outcome import nobody_won, outcome_of
from events.refusals import (
    FlagDue,
    FlagHasFallen,
    MatchIsPaused,
    MatchNotPaused,
    MatchNotRunning,
    NoClock,
    RulingImpossible,
)
from events.timed import FlagFell, MatchPaused, MatchResumed, TimeAdded, TimeCredited
from events.types import (
    DONE,
    LIVE,
    DisputeAppealed,
    DisputeClosed,
    DisputeOpened,
    Erased,
    Event,
    MatchClosed,
    MatchEnded,
    MovePlayed,
    Status,
    TakebackAsked,
    Terminal,
    Timed,
    Watched,
)
from games.core.game import Decision, Seat

Outage: TypeAlias = tuple[int, int]  # nobody was served: from, to (ms)

# These touch neither clocks nor play; who closes a whole deal group early cancels it for everybody.
_AT_ANY_TIME: Final = (
    *(DisputeOpened, DisputeAppealed, DisputeClosed, TakebackAsked, Erased, MatchClosed, FlagFell),
    *get_args(Watched),
)

# A seat that is never asked is never late, so that all others' flags are counted together too.
_FALLS: Final = 10  # times the seats


def refuse_fallen(current: Match, seat: Seat, decision: str | None) -> None:
    """Raises: FlagHasFallen for an answer to the decision in which the seat's flag fell last."""
    clocks = current.clocks
    if clocks is not None and decision is not None and clocks.seats[seat].fell == decision:
        raise FlagHasFallen


def arrival(current: Match, seat: Seat, arrived: int | None, at: int) -> int | None:
    """When an answer to the seat's open decision came in, as its clock is charged; None where
    there are no clocks.

    Not before it was asked, nor after it is decided at `at`. Raises: FlagHasFallen.
    """
    clock, clocks = current.created.clock, current.clocks
    if clock is None or clocks is None:
        return None
    own = clocks.seats[seat]
    latest = deadline(clock, seat, own)
    if own.since is None or latest is None:
        raise FlagHasFallen
    moment = max(own.since, at if arrived is None else min(arrived, at))
    if moment > latest:
        raise FlagHasFallen
    return moment


def refuse_slow(current: Match, seat: Seat, decision: str | None, at: int) -> None:
    """Raises: FlagHasFallen if an answer to the seat's open decision comes too late at `at`."""
    refuse_fallen(current, seat, decision)
    if decision is not None and decision == current.decision_of(seat):
        over = deadlines(current).get(seat)
        if over is not None and at > over:
            raise FlagHasFallen


def overdue_before(current: Match, event: Event) -> int | None:
    """When (ms) the time of a seat was over whose flag has to fall before `event`, the first of
    them; None if nothing keeps `event` from standing next.

    An answer happens when it arrived, time is credited from when on nobody was served, all else
    happens when it is decided: whose time was over before that loses it, whatever is done then.
    """
    if current.clocks is None or isinstance(event, _AT_ANY_TIME) or is_closed(current, event.at):
        return None
    moment = event.at
    if isinstance(event, MovePlayed) and event.arrived is not None:
        moment = event.arrived
    elif isinstance(event, TimeCredited):
        moment = event.since
    first = next_deadline(current)
    return first if first is not None and first < moment else None


def refuse_before_flags(current: Match, event: Event) -> None:
    """Raises: FlagDue."""
    over = overdue_before(current, event)
    if over is not None:
        raise FlagDue(over)


def flag_fall(current: Match, at: int, by: int) -> FlagFell | None:
    """The flag that fell first, if that was at `by` or before (ms); of several, the lowest seat's.

    The match runs, and no other event is due.
    """
    due = {} if is_closed(current, at) else deadlines(current)
    seat = min(due, key=lambda each: (due[each], each), default=None)
    if seat is None or due[seat] > by:
        return None
    decision = current.decision_of(seat)
    assert decision is not None
    return FlagFell(
        version=current.version + 1, at=at, seat=seat, decision=decision, fell=due[seat]
    )


def following_fall(current: Match, at: int) -> FlagFell | MatchEnded | None:
    """What a flag fall leads to at once: others at the same moment, or the end of the match."""
    clock, clocks = current.created.clock, current.clocks
    if clock is None or clocks is None:
        return None
    if clocks.falling is not None:
        other = flag_fall(current, at, min(at, clocks.falling))
        if other is not None:
            return other
    version = current.version + 1
    if clock.flag is Flag.FORFEIT and clocks.out:
        return MatchEnded(version=version, at=at, outcome=outcome_of(current, None))
    if _is_abandoned(current, clock, clocks):
        return MatchEnded(version=version, at=at, outcome=nobody_won(current, Terminal.ABANDONED))
    return None


def fallen_seat(current: Match, decision: Decision) -> Seat | None:
    """The lowest seat whose flag fell in the open decision, and whose fallback is due."""
    fallen = () if current.clocks is None else current.clocks.fallen
    return min((seat for seat in fallen if seat in decision.offers), default=None)


def credit(current: Match, outages: Sequence[Outage], at: int) -> TimeCredited | None:
    """The first of the outages in which a clock ran that has not been given it yet.

    They are in order, and none overlaps another.
    """
    if current.clocks is None or current.status is not Status.RUNNING or is_closed(current, at):
        return None
    running = [own.since for own in current.clocks.seats if own.since is not None]
    if not running:
        return None
    first = bisect_right(outages, min(running), key=_until)
    for since, until in outages[first:]:
        if until <= at and _ran_in(current, since, until):
            return TimeCredited(version=current.version + 1, at=at, since=since, until=until)
    return None


def allow_timed(current: Match, event: Timed) -> None:
    """Nothing, if the event may follow. Raises: Refused."""
    match event:
        case MatchPaused():
            if current.status is Status.PAUSED:
                raise MatchIsPaused
            if current.status is not Status.RUNNING:
                raise MatchNotRunning
        case MatchResumed():
            if current.status is not Status.PAUSED:
                raise MatchNotPaused
        case TimeAdded(seat=seat, ms=ms):
            _allow_adding(current, seat, ms)
        case FlagFell():
            due = flag_fall(current, event.at, event.at)
            if current.status is not Status.RUNNING or due is None:
                raise RulingImpossible
            if (event.seat, event.decision, event.fell) != (due.seat, due.decision, due.fell):
                raise RulingImpossible
        case TimeCredited(since=since, until=until):
            if not since < until <= event.at or not _ran_in(current, since, until):
                raise RulingImpossible
            if is_closed(current, event.at):
                raise RulingImpossible
    if isinstance(event, MatchPaused | MatchResumed | TimeAdded) and is_closed(current, event.at):
        raise refusal_of(current)


def allow_adjusting(current: Match, seat: Seat | None, ms: int) -> None:
    """Raises: NoClock, RulingImpossible."""
    if current.clocks is None:
        raise NoClock
    fits = seat is None or 0 <= seat < current.seats
    if not fits or ms == 0 or abs(ms) > MOST or current.status not in LIVE:
        raise RulingImpossible


def _allow_adding(current: Match, seat: Seat | None, ms: int) -> None:
    if current.clocks is None:
        raise NoClock
    if current.status in DONE:
        raise MatchNotRunning
    if not (seat is None or 0 <= seat < current.seats) or not 0 < ms <= MOST:
        raise RulingImpossible


def _is_abandoned(current: Match, clock: Clock, clocks: Clocks) -> bool:
    if not clocks.falls or clock.flag is not Flag.FALLBACK:
        return False  # Where it puts seats out, that ends the match.
    most = clock.abandon_after
    away = {*current.resigned, *current.game.out(current.state)}
    playing = [own for seat, own in enumerate(clocks.seats) if seat not in away]
    everybody = all(own.misses >= most for own in playing)
    return everybody or clocks.falls >= most * _FALLS * current.seats


def _ran_in(current: Match, since: int, until: int) -> bool:
    clock, clocks = current.created.clock, current.clocks
    if clock is None or clocks is None:
        return False
    return any(
        own.since is not None and clock.counted(max(own.since, since), until) > 0
        for own in clocks.seats
    )


def _until(outage: Outage) -> int:
    return outage[1]
