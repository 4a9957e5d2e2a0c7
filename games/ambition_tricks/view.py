"""Who knows what: the view of a viewer, and the steps it saw. `resampling.py` has the rest."""

import msgspec

from games.ambition_tricks import scoring
from games.ambition_tricks.cards import DECK, Card, Suit, cards_in, set_of
from games.ambition_tricks.moves import Deal, Kickoff, Move, Pass
from games.ambition_tricks.state import (
    POOL,
    SEATS,
    Direction,
    Options,
    Phase,
    ScoredHand,
    State,
    Trick,
    asked,
    dealt,
    direction,
    has_exchanged,
    points,
    received,
    receivers,
    tricks_won,
)
from games.core.game import Seat, Seen, Viewer
from games.core.moves import Wire, wire_move


class SeatView(msgspec.Struct, frozen=True):
    """What all know of a seat; `has_committed` its pass or kickoff card, while others choose."""

    hand_size: int
    has_committed: bool
    tricks_won: int
    points: int


class TrickView(msgspec.Struct, frozen=True):
    """The current trick: cards in order of play, clockwise from the leader."""

    number: int
    leader: Seat | None  # None: the kickoff, whose cards are turned up together
    suit: Suit | None
    cards: tuple[Card, ...]


class Handed(msgspec.Struct, frozen=True):
    """Cards passed to, or received from, another seat."""

    seat: Seat
    cards: tuple[Card, ...]


class OwnView(msgspec.Struct, frozen=True):
    """What a seat knows besides; `choice` is what it has sealed while others choose.

    Cards stand in canonical order, but those of a sealed scatter pass go left, across, right.
    """

    hand: tuple[Card, ...]
    dealt: tuple[Card, ...]
    passed: tuple[Handed, ...]
    received: tuple[Handed, ...]
    choice: tuple[Card, ...] | None


class OutcomeView(msgspec.Struct, frozen=True):
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    winners: tuple[Seat, ...]
    hands_played: int
    ended_by: str


class View(msgspec.Struct, frozen=True):
    """`scores` are the totals before the hand, `pool` the card points still to win in it.

    `tricks` are the finished ones of this hand.
    """

    options: Options
    phase: Phase
    hand_no: int
    direction: Direction
    dealer: Seat | None
    scores: tuple[int, ...]
    pool: int
    seats: tuple[SeatView, ...]
    asked: tuple[Seat, ...]
    trick: TrickView | None
    tricks: tuple[Trick, ...]
    history: tuple[ScoredHand, ...]
    outcome: OutcomeView | None
    own: OwnView | None  # None for spectators


def view(state: State, viewer: Viewer) -> View:
    taken = points(state)
    return View(
        options=state.options,
        phase=state.phase,
        hand_no=state.hand_no,
        direction=direction(state),
        dealer=state.dealer,
        scores=state.scores,
        pool=POOL - sum(taken),
        seats=_seats(state, taken),
        asked=asked(state),
        trick=_trick(state),
        tricks=state.tricks,
        history=state.history,
        outcome=_outcome(state),
        own=_own(state, viewer) if viewer >= 0 else None,
    )


def redact(before: State, seat: Seat, move: Move, viewer: Viewer) -> Seen:
    match move:
        case Deal():
            # A seat finds its cards in its view: in which order they came is hidden (AT-44).
            return Seen({"type": "deal", "cards": [None] * len(DECK)})
        case Pass(cards=cards) if viewer != seat:
            return Seen({"type": "pass", "cards": [None] * len(cards)})
        case Kickoff() if before.kickoff.count(None) == 1:
            return Seen(wire_move(move), _sealed(before))
        case Kickoff() if viewer != seat:
            return Seen({"type": "kickoff", "card": None})
        case _:
            return Seen(wire_move(move))


def _seats(state: State, taken: tuple[int, ...]) -> tuple[SeatView, ...]:
    won = tricks_won(state)
    return tuple(
        SeatView(
            hand_size=state.hands[seat].bit_count(),
            has_committed=_choice(state, seat) is not None,
            tricks_won=won[seat],
            points=taken[seat],
        )
        for seat in range(SEATS)
    )


def _trick(state: State) -> TrickView | None:
    if state.phase is Phase.KICKOFF:
        return TrickView(1, None, Suit.DIAMONDS, ())
    if state.phase is Phase.PLAY:
        suit = state.trick[0].suit if state.trick else None
        return TrickView(len(state.tricks) + 1, state.tricks[-1].winner, suit, state.trick)
    return None


def _outcome(state: State) -> OutcomeView | None:
    if state.phase is not Phase.OVER:
        return None
    over = scoring.outcome(state)
    winners = tuple(seat for seat, rank in enumerate(over.ranks) if rank == 1)
    return OutcomeView(over.scores, over.ranks, winners, state.hand_no, over.note)


def _own(state: State, seat: Seat) -> OwnView:
    return OwnView(
        hand=cards_in(state.hands[seat]),
        dealt=cards_in(set_of(dealt(state, seat))) if state.deck else (),
        passed=_passed(state, seat) if has_exchanged(state) else (),
        received=_received(state, seat) if has_exchanged(state) else (),
        choice=_choice(state, seat),
    )


def _choice(state: State, seat: Seat) -> tuple[Card, ...] | None:
    card = state.kickoff[seat]
    if state.phase is Phase.PASS:
        return state.passed[seat] or None
    return None if card is None else (card,)


def _passed(state: State, seat: Seat) -> tuple[Handed, ...]:
    to = sorted(set(receivers(direction(state), seat)))
    return tuple(Handed(receiver, received(state, receiver, seat)) for receiver in to)


def _received(state: State, seat: Seat) -> tuple[Handed, ...]:
    got = ((giver, received(state, seat, giver)) for giver in range(SEATS) if giver != seat)
    return tuple(Handed(giver, cards) for giver, cards in got if cards)


def _sealed(before: State) -> tuple[tuple[Seat, Wire], ...]:
    return tuple(
        (seat, wire_move(Kickoff(card)))
        for seat, card in enumerate(before.kickoff)
        if card is not None
    )
