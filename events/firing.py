"""Flags that are to fall: the steps of one append."""

from collections.abc import Sequence

from events.dealer import Dealer
from events.decide import Step, credited, settle
from events.flags import Outage, flag_fall
from events.match import Match
from events.types import Status


def fired(
    current: Match, dealer: Dealer, at: int, by: int, outages: Sequence[Outage] = ()
) -> tuple[Step, ...]:
    """The flag that fell first, if it was at `by` or before, others that fell at that moment, and
    all that follows; before it what clocks are owed for `outages`. () if there is nothing to do.

    Flags that fell later are for another append: what follows of this one may change them.
    """
    if current.status is not Status.RUNNING:
        return ()
    steps = credited(current, dealer, at, outages)
    before = steps[-1].after if steps else current
    fall = flag_fall(before, at, min(by, at))
    return steps if fall is None else (*steps, *settle(before, fall, (), dealer, at))
