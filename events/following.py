"""The one event that follows of itself after each state of a match, if any does."""

from events.agreeing import is_agreed
from events.attended import SeatingOpened
from events.automatic import absent_seat, draw_of, fallback_of, rewind_of
from events.closing import ending, is_closing_due
from events.dealer import Dealer
from events.disputes import redraw_count
from events.flags import fallen_seat, following_fall
from events.match import Match
from events.outcome import drawn, is_given_up, outcome_of
from events.seating import before_start
from events.types import DONE, HELD, Event, MatchClosed, MatchEnded, MatchRevealed, Status
from games.core.game import Chance, Decision, Over


def following(current: Match, dealer: Dealer, at: int) -> Event | None:
    """The next event that follows of itself, or None."""
    version, created = current.version + 1, current.created
    dealer = dealer.of(current.contributions)
    if current.status in DONE:
        if current.due is not None:
            return rewind_of(current, at)
        if current.is_revealed or created.deal_group is not None:
            return None
        if created.reveal != "at_end" and (current.reveal_at is None or at < current.reveal_at):
            return None
        return MatchRevealed(version=version, at=at, seed=dealer.seed().hex())
    if is_closing_due(current, at):
        return MatchClosed(version=version, at=at)
    end = ending(current, at)
    if end is not None:
        return end
    if current.status is Status.SCHEDULED:
        is_due = created.schedule is not None and at >= (created.schedule.opens_at or 0)
        return SeatingOpened(version=version, at=at) if is_due else None
    if current.status is Status.SEATING:
        return before_start(current, at)
    if current.due is not None or current.takeback is not None:
        rewind = rewind_of(current, at)
        if rewind is not None or current.due is not None:
            return rewind
    if current.status in HELD and current.closed is None:
        return None
    if current.draw_offer is not None and is_agreed(current):
        return MatchEnded(version=version, at=at, outcome=drawn(current))
    fall = following_fall(current, at) if current.clocks is not None else None
    if fall is not None:
        return fall
    turn = current.turn
    if isinstance(turn, Over):
        return MatchEnded(version=version, at=at, outcome=outcome_of(current, turn))
    if current.resigned and is_given_up(current):
        return MatchEnded(version=version, at=at, outcome=outcome_of(current, None))
    if isinstance(turn, Chance):
        return draw_of(turn, dealer, version, at, redraw_count(current, turn.label))
    assert isinstance(turn, Decision)
    seat = absent_seat(current, turn) if current.resigned or current.closed else None
    if seat is None and current.clocks is not None:
        seat = fallen_seat(current, turn)
    if seat is None:
        return None
    return fallback_of(current, seat, dealer, at)
