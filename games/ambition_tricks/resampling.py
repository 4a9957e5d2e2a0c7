"""Another state that a viewer cannot tell apart from the given one."""

from collections.abc import Mapping, Sequence
from random import Random

from msgspec.structs import replace

from games.ambition_tricks import tricks
from games.ambition_tricks.cards import SUITS, Card, Suit, cards_in, set_of
from games.ambition_tricks.passing import PASSED
from games.ambition_tricks.state import (
    NO_PASSES,
    SEATS,
    Direction,
    State,
    direction,
    has_exchanged,
    played,
    put,
    received,
    receivers,
    voids,
)
from games.core.game import Seat, Viewer

Hands = tuple[int, ...]  # a set of cards by seat
Passed = tuple[tuple[Card, ...], ...]


def resample(state: State, viewer: Viewer, rng: Random) -> State:
    """Deals everything anew that the viewer has not seen, in the present and then backwards."""
    if not state.deck:
        return state
    hands = _hands(state, viewer, rng)
    if has_exchanged(state):
        held = tuple(hand | played(state, seat) for seat, hand in enumerate(hands))
        passed = _passes_into(state, held, viewer, rng)
        start = _before_exchange(state, held, passed)
    else:
        passed = _sealed_passes(state, hands, viewer, rng)
        start = hands
    return replace(
        state,
        deck=_deck(state, start, rng),
        passed=passed,
        hands=hands,
        kickoff=_sealed_kickoff(state, hands, viewer, rng),
    )


def _hands(state: State, viewer: Viewer, rng: Random) -> Hands:
    """The cards the viewer cannot place go anywhere they can lie."""
    others = [seat for seat in range(SEATS) if seat != viewer]
    fixed = {seat: _known(state, seat, viewer) for seat in others}
    room = {seat: (state.hands[seat] ^ fixed[seat]).bit_count() for seat in others}
    loose = cards_in(sum(state.hands[seat] ^ fixed[seat] for seat in others))
    spread = _spread(loose, room, {seat: voids(state, seat) for seat in others}, rng)
    return tuple(
        state.hands[seat] if seat == viewer else fixed[seat] | spread[seat] for seat in range(SEATS)
    )


def _known(state: State, seat: Seat, viewer: Viewer) -> int:
    """What the viewer has passed to a seat and has not seen played."""
    if viewer < 0 or not has_exchanged(state):
        return 0
    return state.hands[seat] & set_of(received(state, seat, viewer))


def _spread(
    cards: Sequence[Card], room: Mapping[Seat, int], lacks: Mapping[Seat, int], rng: Random
) -> dict[Seat, int]:
    """Fills the seats at random, never with a suit that a seat lacks.

    The cards with the fewest places go first; a place, each of those free as likely as another, is
    taken only if the rest still fits.
    """
    left, filled = dict(room), dict.fromkeys(room, 0)
    by_suit = {suit: tuple(seat for seat in room if not lacks[seat] & SUITS[suit]) for suit in Suit}
    rest = {suit: sum(card.suit is suit for card in cards) for suit in Suit}
    order = sorted(rng.sample(cards, len(cards)), key=lambda card: len(by_suit[card.suit]))
    for card in order:
        rest[card.suit] -= 1
        seats = _fitting(card.suit, by_suit, rest, left)
        (seat,) = rng.choices(seats, [left[each] for each in seats])
        left[seat] -= 1
        filled[seat] |= card.bit
    return filled


def _fitting(
    suit: Suit,
    by_suit: Mapping[Suit, tuple[Seat, ...]],
    rest: Mapping[Suit, int],
    left: Mapping[Seat, int],
) -> list[Seat]:
    """The seats that a card of the suit may go to."""
    free = [seat for seat in by_suit[suit] if left[seat]]
    if all(len(by_suit[each]) == len(left) for each in Suit if rest[each]):
        return free
    return [s for s in free if _is_soluble(by_suit, rest, {**left, s: left[s] - 1})]


def _is_soluble(
    by_suit: Mapping[Suit, tuple[Seat, ...]], rest: Mapping[Suit, int], left: Mapping[Seat, int]
) -> bool:
    """Hall's condition: no set of suits has more cards than there is room for them."""
    todo = [suit for suit in Suit if rest[suit]]
    for chosen in range(1, 1 << len(todo)):
        suits = [suit for place, suit in enumerate(todo) if chosen >> place & 1]
        seats = {seat for suit in suits for seat in by_suit[suit]}
        if sum(rest[suit] for suit in suits) > sum(left[seat] for seat in seats):
            return False
    return True


def _sealed_passes(state: State, hands: Hands, viewer: Viewer, rng: Random) -> Passed:
    passed = state.passed
    for seat in range(SEATS):
        if seat != viewer and passed[seat]:
            passed = put(passed, seat, _ordered(state, rng.sample(cards_in(hands[seat]), PASSED)))
    return passed


def _passes_into(state: State, held: Hands, viewer: Viewer, rng: Random) -> Passed:
    """Passes that end in `held`, the cards by seat after the exchange."""
    given: dict[tuple[Seat, Seat], list[Card]] = {}
    for receiver in range(SEATS):
        known = {
            giver: received(state, receiver, giver)
            for giver in range(SEATS)
            if viewer in (giver, receiver)
        }
        loose = cards_in(held[receiver] & ~sum(set_of(cards) for cards in known.values()))
        picks = iter(rng.sample(loose, len(loose)))
        for giver in range(SEATS):
            to = receivers(direction(state), giver)
            fresh = (next(picks) for each in to if each == receiver)
            given[giver, receiver] = list(known.get(giver, fresh))
    passed = NO_PASSES
    for giver in range(SEATS):
        to = receivers(direction(state), giver)
        cards = [given[giver, receiver].pop(0) for receiver in to]
        passed = put(passed, giver, _ordered(state, cards))
    return passed


def _ordered(state: State, cards: Sequence[Card]) -> tuple[Card, ...]:
    is_scatter = direction(state) is Direction.SCATTER
    return tuple(cards) if is_scatter else cards_in(set_of(cards))


def _before_exchange(state: State, held: Hands, passed: Passed) -> Hands:
    start = list(held)
    for giver, cards in enumerate(passed):
        for receiver, card in zip(receivers(direction(state), giver), cards, strict=True):
            start[receiver] ^= card.bit
            start[giver] ^= card.bit
    return tuple(start)


def _deck(state: State, start: Hands, rng: Random) -> tuple[Card, ...]:
    """A permutation that deals `start`; nobody knows the order, not even of its own cards."""
    assert state.dealer is not None
    hands = [cards_in(start[(state.dealer + 1 + step) % SEATS]) for step in range(SEATS)]
    mixed = [rng.sample(hand, len(hand)) for hand in hands]
    return tuple(card for round_ in zip(*mixed, strict=True) for card in round_)


def _sealed_kickoff(
    state: State, hands: Hands, viewer: Viewer, rng: Random
) -> tuple[Card | None, ...]:
    kickoff = state.kickoff
    for seat, sealed in enumerate(kickoff):
        if seat != viewer and sealed is not None:
            kickoff = put(kickoff, seat, rng.choice(cards_in(tricks.kickoff_cards(hands[seat]))))
    return kickoff
