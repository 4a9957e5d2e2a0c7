"""Set-up: three draws that give the first seat, the cards and the stand-in order."""

from msgspec.structs import replace

from games.ambition_characters.moves import Deal, FirstSeat, Move, StandIn
from games.ambition_characters.state import NOBODY, Phase, State, clockwise
from games.core.game import Chance
from games.core.moves import Choice, Offer, Pick, offer, one_of


def turn(state: State) -> Chance:
    if state.scarab == NOBODY:
        return Chance("first seat", offer(FirstSeat, seat=one_of(range(len(state.coins)))))
    if not state.set_aside:
        return Chance("deal", Offer(Deal, {"order": shuffled(state.cast)}))
    return Chance("stand-in", Offer(StandIn, {"order": shuffled(state.cast)}))


def shuffled(cards: tuple[Pick, ...]) -> Choice:
    """An order of all `cards`."""
    return Choice(cards, len(cards), len(cards), ordered=True)


def apply(state: State, move: Move) -> State:
    match move:
        case FirstSeat(seat=seat):
            return replace(state, scarab=seat)
        case Deal():
            return _dealt(state, move)
        case StandIn(order=order):
            return replace(state, standin=order, phase=Phase.RECRUIT, asked=NOBODY)
    raise AssertionError(move)


def _dealt(state: State, move: Deal) -> State:
    """Rules: AC-11, AC-13."""
    aside = state.options.removed_cards
    hands = list(state.hands)
    for seat, place in dealt_places(state).items():
        hands[seat] = tuple(sorted(move.order[place : place + 2]))
    return replace(
        state,
        set_aside=move.order[:aside],
        hands=tuple(hands),
        deck=move.order[aside + 2 * len(hands) :],
    )


def dealt_places(state: State) -> dict[int, int]:
    """Where in the deal's order the two cards of each seat begin."""
    aside = state.options.removed_cards
    return {seat: aside + 2 * i for i, seat in enumerate(clockwise(state, state.scarab))}
