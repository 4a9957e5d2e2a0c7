"""How a match ends that still runs when it, or its deal group, closes."""

from typing import Final

from events.match import Match
from events.outcome import nobody_won
from events.refusals import GroupClosed, MatchIsClosed, Refused
from events.types import (
    UNSTARTED,
    Closing,
    MatchCancelled,
    MatchEnded,
    Terminal,
)
from games.core.game import Over

# A game need not end by fallbacks alone: after so many events it is forfeited.
PLAYED_ON_MOST: Final = 2_000


def is_closing_due(current: Match, at: int) -> bool:
    """Whether the closing time of the match itself, which is not over, has come."""
    created = current.created
    if created.closes_at is None or created.deal_group is not None:
        return False
    return current.closed is None and at >= created.closes_at


def is_closed(current: Match, at: int) -> bool:
    """Whether a closing time, the match's own or its deal group's, has come by `at`."""
    closes_at = current.created.closes_at
    return current.closed is not None or (closes_at is not None and at >= closes_at)


def refusal_of(current: Match) -> Refused:
    """What is refused from the closing time on."""
    return MatchIsClosed() if current.created.deal_group is None else GroupClosed()


def ending(current: Match, at: int) -> MatchEnded | MatchCancelled | None:
    """What ends a closed match that is not over; None while it is played on, or is not closed."""
    version = current.version + 1
    match _policy(current):
        case Closing.CANCEL:
            return MatchCancelled(version=version, at=at)
        case Closing.FORFEIT:
            return MatchEnded(version=version, at=at, outcome=nobody_won(current, Terminal.CLOSED))
        case _:
            return None


def is_played_on(current: Match) -> bool:
    """By fallbacks alone, to its end."""
    return _policy(current) is Closing.FALLBACK


def _policy(current: Match) -> Closing | None:
    """The policy holds at the time that was promised; nobody forfeits anything before it."""
    closed = current.closed
    if closed is None:
        return None
    if closed.early or current.status in UNSTARTED:
        return Closing.CANCEL
    if isinstance(current.turn, Over):
        return Closing.FALLBACK  # It is at its end.
    if current.version - closed.version >= PLAYED_ON_MOST:
        return Closing.FORFEIT
    return current.created.closing
