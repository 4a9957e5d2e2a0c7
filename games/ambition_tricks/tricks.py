"""Tricks: who takes them and for how much, the kickoff, and tricks 2 to 13."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from games.ambition_tricks import scoring
from games.ambition_tricks.cards import DIAMONDS, LOWEST_HONOR, SUITS, TWO, Card, Suit, cards_in
from games.ambition_tricks.moves import Kickoff, Play
from games.ambition_tricks.state import (
    NO_KICKOFF,
    SEATS,
    TRICKS,
    Phase,
    State,
    Trick,
    actor,
    asked,
    put,
    with_trick,
)
from games.core.game import Decision, Seat
from games.core.moves import Choice, Offer, offer, one_of

KICKOFF_POINTS: Final = 3


def kickoff_turn(state: State) -> Decision:
    """Rules: AT-16."""
    return Decision("kickoff", {seat: (_kickoff(state.hands[seat]),) for seat in asked(state)})


def kickoff_cards(hand: int) -> int:
    """What a seat may play to the kickoff, as a set. Rules: AT-16."""
    return hand & DIAMONDS or hand


def kicked_off(state: State, seat: Seat, card: Card) -> State:
    """Seals a card; the fourth turns all up. Rules: AT-06, AT-17, AT-18, AT-19."""
    kickoff = put(state.kickoff, seat, card)
    cards = tuple(each for each in kickoff if each is not None)
    if len(cards) < SEATS:
        return replace(state, kickoff=kickoff)
    winner = winning_place(cards, Suit.DIAMONDS)
    won = Trick(None, cards, winner, worth(cards) + KICKOFF_POINTS)
    hands = tuple(hand ^ each.bit for hand, each in zip(state.hands, cards, strict=True))
    return replace(state, phase=Phase.PLAY, kickoff=NO_KICKOFF, hands=hands, tricks=(won,))


def play_turn(state: State) -> Decision:
    """Asked even with one legal card: that it is the only one is nobody's business."""
    seat = actor(state)
    card = Choice(cards_in(playable(state, seat)))
    return Decision("play", {seat: (Offer(Play, {"card": card}),)})


def playable(state: State, seat: Seat) -> int:
    """What a seat may play to a trick, as a set. Rules: AT-20, AT-22, AT-23."""
    hand = state.hands[seat]
    if not state.trick:
        return hand
    return hand & SUITS[state.trick[0].suit] or hand


def played(state: State, seat: Seat, card: Card) -> State:
    """Rules: AT-21, AT-28, AT-29."""
    hands = put(state.hands, seat, state.hands[seat] ^ card.bit)
    trick = (*state.trick, card)
    if len(trick) < SEATS:
        return with_trick(state, hands, trick, state.tricks)
    tricks = (*state.tricks, taken(state.tricks[-1].winner, trick))
    after = with_trick(state, hands, (), tricks)
    return after if len(tricks) < TRICKS - 1 else _ended(after)


def taken(leader: Seat, cards: tuple[Card, ...]) -> Trick:
    winner = (leader + winning_place(cards, cards[0].suit)) % SEATS
    return Trick(leader, cards, winner, worth(cards))


def winning_place(cards: Sequence[Card], suit: Suit) -> int:
    """Which of the cards takes a trick of the suit. Rules: AT-24, AT-25, AT-26, AT-27."""
    best, place, two = -1, -1, -1
    for at, card in enumerate(cards):
        if card.suit is suit:
            rank = card.rank
            if rank > best:
                best, place = rank, at
            if rank == TWO:
                two = at
    return two if two >= 0 and best >= LOWEST_HONOR else place


def worth(cards: Sequence[Card]) -> int:
    """Rules: AT-05, AT-28."""
    first, second, third, fourth = cards
    return first.points + second.points + third.points + fourth.points


def _ended(state: State) -> State:
    """Plays the last trick, in which nobody has a choice, and scores. Rules: AT-30."""
    leader = state.tricks[-1].winner
    order = [(leader + step) % SEATS for step in range(SEATS)]
    last = tuple(cards_in(state.hands[seat])[0] for seat in order)
    return scoring.hand_scored(
        with_trick(state, (0,) * SEATS, (), (*state.tricks, taken(leader, last)))
    )


def _kickoff(hand: int) -> Offer:
    return offer(Kickoff, card=one_of(cards_in(kickoff_cards(hand))))
