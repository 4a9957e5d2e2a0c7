"""The setup: starting characters, the deck, and the two cards every seat keeps."""

from typing import Final, assert_never

from msgspec.structs import replace

from games.ave_cesar.characters import CHARACTERS, NUMBER, Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.moves import DrawCharacters, Keep, SetUp, ShuffleDeck
from games.ave_cesar.state import NOBODY, Phase, State, put
from games.core.game import Chance, Decision, Seat
from games.core.moves import Choice, offer

DEALT: Final = 4
KEPT: Final = 2


def turn(deck: Deck, state: State) -> Chance | Decision:
    if state.sp == NOBODY:
        return _characters(state.seats)
    if not is_dealt(state):
        cards = Choice(deck.cards, len(deck.cards), len(deck.cards), ordered=True)
        return Chance("setup deck", offer(ShuffleDeck, cards=cards))
    choices = {
        seat: (offer(Keep, cards=Choice(deck.sorted(state.hands[seat]), KEPT, KEPT)),)
        for seat in asked(state)
    }
    return Decision("setup_keep", choices)


def asked(state: State) -> tuple[Seat, ...]:
    return tuple(seat for seat, kept in enumerate(state.kept) if not kept)


def is_dealt(state: State) -> bool:
    return any(state.hands)


def apply(deck: Deck, state: State, seat: Seat, move: SetUp) -> State:
    match move:
        case DrawCharacters(characters=characters):
            return _led(state, characters)
        case ShuffleDeck(cards=cards):
            return _dealt(state, cards)
        case Keep(cards=cards):
            chosen = replace(state, kept=put(state.kept, seat, cards))
            return chosen if () in chosen.kept else _opened(deck, chosen)
    assert_never(move)


def _characters(seats: int) -> Chance:
    """Rules: AV-10."""
    each = Choice(CHARACTERS, seats, seats, ordered=True)
    return Chance("setup characters", offer(DrawCharacters, characters=each))


def _led(state: State, characters: tuple[Character, ...]) -> State:
    """Rules: AV-03, AV-10."""
    numbers = [NUMBER[each] for each in characters]
    return replace(state, sp=numbers.index(min(numbers)))


def _dealt(state: State, cards: tuple[str, ...]) -> State:
    """Rules: AV-12."""
    hands = tuple(
        cards[DEALT * place : DEALT * (place + 1)]
        for place in ((seat - state.sp) % state.seats for seat in range(state.seats))
    )
    return replace(state, hands=hands, deck=cards[DEALT * state.seats :])


def _opened(deck: Deck, state: State) -> State:
    """All have chosen. Rules: AV-12, AV-13."""
    returned: list[str] = []
    hands = list(state.hands)
    for step in range(state.seats):
        seat = (state.sp + step) % state.seats
        kept = state.kept[seat]
        returned += deck.sorted(card for card in hands[seat] if card not in kept)
        hands[seat] = tuple(card for card in hands[seat] if card in kept)
    return replace(
        state,
        phase=Phase.DRAFT,
        hands=tuple(hands),
        deck=(*state.deck, *returned),
        kept=((),) * state.seats,
        leader=state.sp,
    )
