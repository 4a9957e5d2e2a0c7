"""The deal and the pass."""

from msgspec.structs import replace

from games.ambition_tricks.cards import DECK, Card, cards_in, set_of
from games.ambition_tricks.moves import Deal, DrawDealer, Pass
from games.ambition_tricks.state import (
    SEATS,
    Direction,
    Phase,
    State,
    asked,
    direction,
    put,
    receivers,
)
from games.core.game import Chance, Decision, Seat
from games.core.moves import Choice, Offer, offer, one_of

PASSED = 3

_DEALER = offer(DrawDealer, dealer=one_of(range(SEATS)))
_SHUFFLE = offer(Deal, cards=Choice(DECK, len(DECK), len(DECK), ordered=True))


def dealer_turn() -> Chance:
    """Rules: AT-07."""
    return Chance("first dealer", _DEALER)


def dealer_drawn(state: State, dealer: Seat) -> State:
    return replace(state, phase=Phase.DEAL, dealer=dealer)


def deal_turn(state: State) -> Chance:
    """Rules: AT-09."""
    return Chance(f"hand {state.hand_no} deal", _SHUFFLE)


def cards_dealt(state: State, deck: tuple[Card, ...]) -> State:
    """Rules: AT-09, AT-41."""
    assert state.dealer is not None
    first = state.dealer + 1
    hands = tuple(set_of(deck[(seat - first) % SEATS :: SEATS]) for seat in range(SEATS))
    return replace(state, phase=Phase.PASS, deck=deck, hands=hands, tricks=())


def pass_turn(state: State) -> Decision:
    """Rules: AT-11, AT-12, AT-13, AT-14."""
    is_ordered = direction(state) is Direction.SCATTER
    return Decision(
        "pass", {seat: (_pass(state.hands[seat], is_ordered),) for seat in asked(state)}
    )


def committed(state: State, seat: Seat, cards: tuple[Card, ...]) -> State:
    """Seals a pass; with the fourth the cards change hands. Rules: AT-14, AT-15."""
    passed = put(state.passed, seat, cards)
    if () in passed:
        return replace(state, passed=passed)
    way, hands = direction(state), list(state.hands)
    for giver, given in enumerate(passed):
        for receiver, card in zip(receivers(way, giver), given, strict=True):
            hands[giver] ^= card.bit
            hands[receiver] ^= card.bit
    return replace(state, phase=Phase.KICKOFF, passed=passed, hands=tuple(hands))


def _pass(hand: int, is_ordered: bool) -> Offer:
    return offer(Pass, cards=Choice(cards_in(hand), PASSED, PASSED, ordered=is_ordered))
