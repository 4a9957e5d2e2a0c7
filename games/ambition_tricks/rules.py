"""The switch over the phases, the stand-in, and where a rewind may aim."""

from typing import assert_never

from games.ambition_tricks import passing, scoring, tricks
from games.ambition_tricks.cards import Card, cards_in, set_of
from games.ambition_tricks.moves import Deal, DrawDealer, Kickoff, Move, Pass, Play
from games.ambition_tricks.state import SEATS, Direction, Options, Phase, State, dealt, direction
from games.core.game import Chance, Decision, Over, Seat

MOVES_OF_A_HAND = SEATS + SEATS + 11 * SEATS  # passes, kickoff cards, tricks 2 to 12


def turn(state: State) -> Chance | Decision | Over:
    match state.phase:
        case Phase.PLAY:
            return tricks.play_turn(state)
        case Phase.FIRST_DEALER:
            return passing.dealer_turn()
        case Phase.DEAL:
            return passing.deal_turn(state)
        case Phase.PASS:
            return passing.pass_turn(state)
        case Phase.KICKOFF:
            return tricks.kickoff_turn(state)
        case Phase.OVER:
            return scoring.outcome(state)
    assert_never(state.phase)


def apply(state: State, seat: Seat, move: Move) -> State:
    match move:
        case Play():
            return tricks.played(state, seat, move.card)
        case Kickoff():
            return tricks.kicked_off(state, seat, move.card)
        case Pass():
            return passing.committed(state, seat, move.cards)
        case Deal():
            return passing.cards_dealt(state, move.cards)
        case DrawDealer():
            return passing.dealer_drawn(state, move.dealer)
    assert_never(move)


def fallback(state: State, seat: Seat) -> Move:
    """Rules: AT-43, AT-44."""
    if state.phase is Phase.PASS:
        first = dealt(state, seat)[: passing.PASSED]
        is_scatter = direction(state) is Direction.SCATTER
        return Pass(first if is_scatter else cards_in(set_of(first)))
    if state.phase is Phase.KICKOFF:
        return Kickoff(_earliest(state, tricks.kickoff_cards(state.hands[seat])))
    return Play(_earliest(state, tricks.playable(state, seat)))


def boundary(state: State) -> str:
    """Rules: AT-45."""
    return f"hand {state.hand_no}"


def bound(options: Options, seats: int) -> int | None:
    return None if options.max_hands is None else options.max_hands * MOVES_OF_A_HAND


def _earliest(state: State, legal: int) -> Card:
    """The card of a set that stands first in the permutation dealt."""
    return next(card for card in state.deck if card.bit & legal)
