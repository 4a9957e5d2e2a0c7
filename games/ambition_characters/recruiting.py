"""The recruit phase: before the first card is passed, two coins buy a card."""

from typing import Final

from msgspec.structs import replace

from games.ambition_characters.asking import ask
from games.ambition_characters.moves import Move, NoRecruit, Recruit
from games.ambition_characters.state import (
    NOBODY,
    Phase,
    State,
    clockwise,
    draw_top,
    pay,
)
from games.core.game import Decision
from games.core.moves import Offer, offer

PRICE: Final = 2
RECRUIT: Final = offer(Recruit)
NO_RECRUIT: Final = offer(NoRecruit)


def begin(state: State) -> State:
    return _ask_next(state, clockwise(state, state.scarab))


def turn(state: State) -> Decision:
    """The fine for speaking may have made it unaffordable since it was asked: AC-58."""
    offers: tuple[Offer, ...] = (NO_RECRUIT,)
    if _can_recruit(state, state.asked):
        offers = (RECRUIT, NO_RECRUIT)
    return ask(state, "recruit", state.asked, *offers)


def apply(state: State, seat: int, move: Move) -> State:
    """Rules: AC-18, AC-19, AC-21."""
    if isinstance(move, Recruit):
        state = draw_top(pay(state, seat, PRICE), seat)
    order = clockwise(state, state.scarab)
    return _ask_next(state, order[order.index(seat) + 1 :])


def _ask_next(state: State, seats: tuple[int, ...]) -> State:
    """Rules: AC-20."""
    for seat in seats:
        if _can_recruit(state, seat):
            return replace(state, asked=seat)
    return replace(state, phase=Phase.PASS, asked=NOBODY)


def _can_recruit(state: State, seat: int) -> bool:
    return state.coins[seat] >= PRICE and bool(state.deck)
