"""What follows of itself in a match: what is drawn, and what is played for an absent seat."""

from events.canonical import raw
from events.closing import is_played_on
from events.dealer import Dealer, offer_digest
from events.match import Match
from events.observe import sealed_as
from events.types import By, ChanceDrawn, MovePlayed
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


def draw_of(turn: Chance, dealer: Dealer, version: int, at: int) -> ChanceDrawn:
    (choice,) = turn.offer.fields.values()
    assert isinstance(choice, Choice)
    return ChanceDrawn(
        version=version,
        at=at,
        label=turn.label,
        options=len(choice.options),
        offer=offer_digest(turn.offer).hex(),
        picks=dealer.places(turn.label, turn.offer),
    )
