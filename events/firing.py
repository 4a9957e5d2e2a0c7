"""What clocks make follow without anybody's doing: the steps of one append."""

from collections.abc import Sequence

from events.dealer import Dealer
from events.decide import Step, settle
from events.flags import Outage, credit, flag_fall, overdue_before
from events.match import Match
from events.types import Status


def credited(
    current: Match, dealer: Dealer, at: int, outages: Sequence[Outage]
) -> tuple[Step, ...]:
    """What running clocks are owed for `outages`, which are in order and don't overlap.

    Flags of who was late before an outage fall first.
    """
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
    """The flag that fell first, if it was at `by` or before, others that fell at that moment, and
    all that follows. () if there is none.

    Flags that fell later are for another append: what follows of this one may change them.
    """
    if current.status is not Status.RUNNING:
        return ()
    fall = flag_fall(current, at, min(by, at))
    return () if fall is None else settle(current, fall, (), dealer, at)
