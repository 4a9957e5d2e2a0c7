"""Who is asked anew by an event: what its `asks` has to say."""

from events.match import Match
from events.types import LIVE, Event, MatchRewound, MovePlayed
from games.core.game import Chance, Seat


def asked_seats(current: Match) -> frozenset[Seat]:
    """The seats with an open decision."""
    return frozenset(current.decision.offers) if current.decision else frozenset()


def still_asked(waiting: frozenset[Seat], event: Event, after: Match) -> frozenset[Seat]:
    """The seats with an open decision after `event`; a draw in between closes none."""
    if after.decision is not None:
        return frozenset(after.decision.offers)
    if after.status in LIVE and isinstance(after.turn, Chance):
        return _unanswered(waiting, event)
    return frozenset()


def newly_asked(waiting: frozenset[Seat], event: Event, after: Match) -> tuple[Seat, ...]:
    """The seats that get a new decision by `event`, ascending: what its `asks` must say."""
    if after.decision is None:
        return ()
    return tuple(sorted(set(after.decision.offers) - _unanswered(waiting, event)))


def _unanswered(waiting: frozenset[Seat], event: Event) -> frozenset[Seat]:
    if isinstance(event, MovePlayed) and event.decision is not None:
        return waiting - {event.seat}
    if isinstance(event, MatchRewound):
        return frozenset()  # Whoever is asked after a rewind is asked anew.
    return waiting
