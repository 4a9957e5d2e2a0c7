"""What follows of itself in a match: what is drawn, and what is played for an absent seat."""

from events.canonical import raw
from events.closing import is_played_on
from events.dealer import Dealer, offer_digest
from events.disputes import GoBack, open_takeback, owed_consents
from events.match import Match
from events.observe import sealed_as
from events.types import By, ChanceDrawn, MatchRewound, MovePlayed
from games.core.game import OPEN, Chance, Decision, Seat
from games.core.moves import Choice, wire_move


def fallback_of(current: Match, seat: Seat, dealer: Dealer, at: int) -> MovePlayed:
    decision = f"{current.asked[seat]}.{seat}"
    move = raw(wire_move(current.game.fallback(current.state, seat)))
    return MovePlayed(
        version=current.version + 1,
        at=at,
        seat=seat,
        decision=decision,
        move=move,
        by=By.FALLBACK,
        sealed=sealed_as(current, seat, decision, move, dealer),
    )


def absent_seat(current: Match, decision: Decision) -> Seat | None:
    """A resigned seat whose fallback is due; in an open decision only if nobody else can act.

    Once the match is played on after its closing, every seat is absent.
    """
    asked = sorted(decision.offers)
    absent = [seat for seat in asked if seat in current.resigned or is_played_on(current)]
    if decision.mode is OPEN and len(absent) < len(asked):
        return None
    return absent[0] if absent else None


def draw_of(turn: Chance, dealer: Dealer, version: int, at: int, redraw: int) -> ChanceDrawn:
    (choice,) = turn.offer.fields.values()
    assert isinstance(choice, Choice)
    return ChanceDrawn(
        version=version,
        at=at,
        label=turn.label,
        redraw=redraw,
        options=len(choice.options),
        offer=offer_digest(turn.offer).hex(),
        picks=dealer.places(turn.label, turn.offer, redraw),
    )


def rewind_of(current: Match, at: int) -> MatchRewound | None:
    """The rewind that a ruling or the last consent leads to."""
    version, due = current.version + 1, current.due
    if isinstance(due, GoBack):
        return MatchRewound(version=version, at=at, to=due.to, cause=due.cause)
    asked = open_takeback(current)
    if due is not None or asked is None or owed_consents(current, asked):
        return None
    return MatchRewound(version=version, at=at, to=asked.move - 1, cause=asked.asked)
