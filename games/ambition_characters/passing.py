"""The pass phase: one card each travels to the left, and the Seeress may come home."""

from msgspec.structs import replace

from games.ambition_characters.asking import ask
from games.ambition_characters.characters import Character
from games.ambition_characters.moves import PassCard
from games.ambition_characters.state import (
    NOBODY,
    Phase,
    State,
    gain,
    is_late,
    left_of,
    put,
    with_card,
    without,
)
from games.core.game import Decision
from games.core.moves import offer, one_of


def begin(state: State) -> State:
    return replace(state, asked=state.scarab)


def turn(state: State) -> Decision:
    return ask(
        state, "pass_card", state.asked, offer(PassCard, card=one_of(state.hands[state.asked]))
    )


def apply(state: State, seat: int, move: PassCard) -> State:
    """Rules: AC-23 to AC-26, AC-200, AC-201."""
    taker = left_of(state, seat)
    hands = put(state.hands, seat, without(state.hands[seat], move.card))
    hands = put(hands, taker, with_card(hands[taker], move.card))
    if taker != state.scarab:
        first = move.card if seat == state.scarab else state.first_passed
        return replace(state, hands=hands, asked=taker, first_passed=first)
    reward = len(hands) if brings_home(state, seat, move.card) else 0
    state = gain(replace(state, hands=hands, first_passed=None, asked=NOBODY), taker, reward)
    return state if state.ending else replace(state, phase=Phase.PLAY)


def brings_home(state: State, seat: int, card: Character) -> bool:
    """Whether this pass gives the first seat back the Seeress it passed. Rules: AC-65, AC-200."""
    return (
        left_of(state, seat) == state.scarab
        and card == state.first_passed
        and is_seeress(state, card)
    )


def is_seeress(state: State, card: Character) -> bool:
    """Outside the activation phase the late Knight is a Seeress too. Rules: AC-65, R-27."""
    if card is Character.KNIGHT:
        return state.options.strange_allies and is_late(state)
    return card is Character.SEERESS
