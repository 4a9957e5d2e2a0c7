"""The play phase: all seats choose their live card at once and in secret."""

from msgspec.structs import replace

from games.ambition_characters.asking import asides
from games.ambition_characters.characters import Character
from games.ambition_characters.moves import ChooseLive
from games.ambition_characters.state import (
    EVERYBODY,
    NOBODY,
    Phase,
    Source,
    State,
    put,
    without,
)
from games.core.game import Decision
from games.core.moves import Choice, offer


def begin(state: State) -> State:
    return replace(state, asked=EVERYBODY)


def turn(state: State) -> Decision:
    offers = {
        seat: (offer(ChooseLive, card=Choice(_choosable(state, seat))),)
        for seat, choice in enumerate(state.chosen)
        if choice is None
    }
    return Decision("choose_live", offers, asides=asides(state))


def apply(state: State, seat: int, move: ChooseLive) -> State:
    """Rules: AC-29, AC-31."""
    chosen = put(state.chosen, seat, move.card)
    if any(choice is None for choice in chosen):
        return replace(state, chosen=chosen)
    count = len(chosen)
    return replace(
        state,
        phase=Phase.BLOCK,
        asked=NOBODY,
        hands=tuple(
            without(hand, choice)
            for hand, choice in zip(state.hands, chosen, strict=True)
            if choice is not None
        ),
        live=chosen,
        face_up=(False,) * count,
        sources=(Source.CHOSEN,) * count,
        chosen=(None,) * count,
        sneak_placed=state.sneak != NOBODY,
    )


def _choosable(state: State, seat: int) -> tuple[Character, ...]:
    """Rules: AC-32."""
    hand = state.hands[seat]
    if state.sneak == seat:
        return tuple(card for card in hand if card is not Character.SPY)
    return hand
