"""Who stands apart from a match of a deal group, and what is told of it meanwhile.

Until such a match is revealed, everybody but its own seats and arbiters lives at its start, on
every channel: who shares its draws must not learn of them, nor how others fare.
"""

from collections.abc import Iterable

from events.match import Match
from events.types import DONE, LIVE, Status
from service.callers import Caller, Scope
from service.group_rows import unrevealed
from service.parts import Parts


def is_inside(caller: Caller) -> bool:
    """At a seat of the match the caller is let in to, or an arbiter."""
    return caller.seat is not None or Scope.ARBITRATE in caller.scopes


def is_apart(caller: Caller, current: Match) -> bool:
    """The match shows no more than its start to the caller, for now."""
    is_shared = current.created.deal_group is not None and not current.is_revealed
    return is_shared and not is_inside(caller)


def told_apart(status: Status) -> Status:
    """What those who stand apart are told of a status: that the match has started, and is over.

    Neither a dispute shows to them nor how the match came to its end.
    """
    if status in DONE:
        return Status.OVER
    return Status.RUNNING if status in LIVE else status


def stored_as(told: Status) -> tuple[Status, ...]:
    """Every status that somebody may be told of as `told`."""
    return tuple(each for each in Status if told in (each, told_apart(each)))


async def groups_apart(parts: Parts, caller: Caller, groups: Iterable[str | None]) -> set[str]:
    """Those of the groups whose matches the caller stands apart from."""
    named = {each for each in groups if each is not None}
    if is_inside(caller) or not named:
        return set()
    return await parts.database.read(lambda c: unrevealed(c, named))
