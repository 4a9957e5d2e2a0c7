"""What clocks make follow without anybody's doing: the steps of one append."""

from collections.abc import Sequence

from events.charging import next_deadline
from events.dealer import Dealer
from events.decide import CheckPresence, Step, decide, overdue, settle, waits_for_time
from events.flags import Outage, credit, flag_fall, overdue_before
from events.match import Match
from events.presence import check_deadline, presence_of, scheduled_moment
from events.types import DONE, Status


def credited(
    current: Match, dealer: Dealer, at: int, outages: Sequence[Outage]
) -> tuple[Step, ...]:
    """What running clocks are owed for `outages`, which are in order and don't overlap.

    Flags of who was late before an outage fall first.
    """
    at = max(at, current.at)
    steps: list[Step] = []
    owed = credit(current, outages, at)
    while owed is not None:
        over = overdue_before(current, owed)
        first = owed if over is None else flag_fall(current, at, over)
        assert first is not None
        steps += settle(current, first, (), dealer, at)
        current = steps[-1].after
        owed = credit(current, outages, at)
    return tuple(steps)


def fired(current: Match, dealer: Dealer, at: int, by: int) -> tuple[Step, ...]:
    """What is due by the schedule; else the flag that fell first, if it was at `by` or before,
    others that fell at that moment, and all that follows. () if there is none.

    Flags that fell later are for another append: what follows of this one may change them.
    """
    if current.status not in DONE and waits_for_time(current):
        steps = overdue(current, dealer, at)
        if steps:
            return steps
    if current.status is not Status.RUNNING:
        return ()
    at = max(at, current.at)
    fall = flag_fall(current, at, min(by, at))
    return () if fall is None else settle(current, fall, (), dealer, at)


def checked(
    current: Match, dealer: Dealer, at: int, used: Sequence[int | None]
) -> tuple[Step, ...]:
    """That it is looked who is there, and all that follows; `used` as in `presence_of`."""
    return decide(current, CheckPresence(presence_of(current, used, at)), dealer, at)


def is_check_due(current: Match, by: int, outages: Sequence[Outage]) -> bool:
    """Whether it is to be looked at who is there, at `by` or before."""
    moment = check_deadline(current, outages)
    return moment is not None and moment <= by


def reveal_due_at(current: Match) -> int | None:
    """When (ms) a match that is over is revealed, if that waits for the end of its window alone."""
    is_waiting = current.status in DONE and not current.is_revealed
    return current.reveal_at if is_waiting and current.created.deal_group is None else None


def next_due(current: Match) -> int | None:
    """When (ms) something follows by the time alone."""
    if current.status in DONE:
        return reveal_due_at(current)
    flag = None if current.clocks is None else next_deadline(current)
    moment = scheduled_moment(current) if waits_for_time(current) else None
    return flag if moment is None else moment if flag is None else min(flag, moment)
