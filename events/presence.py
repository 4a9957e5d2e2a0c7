"""What a schedule makes possible and due: checks of who is there, stand-ins, openings, starts."""

from collections.abc import Sequence

from events.attended import Attended, PresenceChecked, SeatingOpened, StandInSeated
from events.closing import is_closed, refusal_of
from events.match import Match
from events.refusals import AlreadyResigned, MatchNotRunning, NoStandInDue, RulingImpossible
from events.scheduling import put_off
from events.seating import unseated
from events.types import DONE, LIVE, Start, Status


def opens_since(current: Match) -> int:
    """From when on being there counts."""
    schedule = current.created.schedule
    return max(current.created.at, (schedule and schedule.opens_at) or 0)


def allow_attending(current: Match, event: Attended) -> None:
    """Nothing, if the event may follow. Raises: Refused."""
    match event:
        case SeatingOpened():
            raise RulingImpossible  # It follows of itself, or not at all.
        case PresenceChecked():
            _allow_checking(current, event)
        case StandInSeated(seat=seat, holder=holder):
            if current.status not in (Status.SEATING, *LIVE):
                raise MatchNotRunning
            if is_closed(current, event.at):
                raise refusal_of(current)
            if current.presence is None or seat not in current.presence.vacant:
                raise NoStandInDue
            if seat in current.resigned:
                raise AlreadyResigned
            if not 0 < len(holder) <= 64:
                raise RulingImpossible


def is_check_due(current: Match, at: int) -> bool:
    """Whether it is time to look who is there."""
    moment = check_due_at(current)
    return moment is not None and moment <= at


def is_awaited(current: Match | None) -> bool:
    """Whether it will be looked at who is there."""
    if current is None or current.created.schedule is None or current.presence is None:
        return False
    is_over = current.status in DONE or current.closed is not None
    awaits = current.created.schedule.join_by is not None
    return awaits and not current.presence.is_checked and not is_over


def check_due_at(current: Match) -> int | None:
    """When it is to be looked at who is there (ms), if that has not been done."""
    schedule = current.created.schedule
    if schedule is None or not is_awaited(current) or current.status is Status.SCHEDULED:
        return None
    return schedule.join_by


def _allow_checking(current: Match, event: PresenceChecked) -> None:
    presence = current.presence
    if presence is None or not is_check_due(current, event.at) or len(event.seen) != current.seats:
        raise RulingImpossible
    since = opens_since(current)
    for seat, seen in enumerate(event.seen):
        if seen is None and presence.acted[seat] is not None:
            raise RulingImpossible
        if seen is not None and not (current.holders[seat] and since <= seen <= event.at):
            raise RulingImpossible


def scheduled_moment(current: Match) -> int | None:
    """When something follows by the time alone (ms), but for flags and windows for disputes."""
    created = current.created
    if current.status in DONE:
        return None
    found = [created.closes_at] if created.deal_group is None else []
    schedule = created.schedule
    if schedule is not None:
        found.append(check_due_at(current))
        if current.status is Status.SCHEDULED:
            found.append(schedule.opens_at)
        entropy = current.entropy
        is_ready = not unseated(current) and (entropy is None or entropy.is_complete)
        if current.status is Status.SEATING and created.start is Start.AUTO and is_ready:
            found.append(schedule.starts_at)
    return min((each for each in found if each is not None), default=None)


def presence_of(current: Match, used: Sequence[int | None], at: int) -> tuple[int | None, ...]:
    """When each seat was last there, as of `at`: by the use of its credential, or by what it did.

    `used` (ms) is by seat. Clocks of processes may differ by a little.
    """
    presence, since = current.presence, opens_since(current)
    assert presence is not None
    found: list[int | None] = []
    for seat, moment in enumerate(used):
        acted = presence.acted[seat]
        known = [each for each in (moment, acted) if each is not None]
        late = [each for each in known if each >= since or each == acted]
        is_there = current.holders[seat] is not None and bool(late)
        found.append(min(at, max(since, *late)) if is_there else None)
    return tuple(found)


def check_deadline(current: Match, outages: Sequence[tuple[int, int]]) -> int | None:
    """When it is to be looked at who is there: time in which nobody could come is given back."""
    moment = check_due_at(current)
    return None if moment is None else put_off(moment, opens_since(current), outages)
