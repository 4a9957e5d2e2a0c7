"""How a match of a deal group ends when the group closes while it still runs."""

from typing import Final

from events.match import Match
from events.outcome import nobody_won
from events.types import (
    Closing,
    MatchCancelled,
    MatchEnded,
    Status,
    Terminal,
)
from games.core.game import Over

# A game need not end by fallbacks alone: after so many events it is forfeited.
PLAYED_ON_MOST: Final = 2_000


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
    if closed.early or current.status is Status.SEATING:
        return Closing.CANCEL
    if isinstance(current.turn, Over):
        return Closing.FALLBACK  # It is at its end.
    if current.version - closed.version >= PLAYED_ON_MOST:
        return Closing.FORFEIT
    return current.created.closing
