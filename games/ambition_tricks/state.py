"""The options, the state of a match, its opening, and the helpers that lead to the next state."""

from collections.abc import Iterator
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Annotated, Final, Literal, TypeVar

import msgspec

from games.ambition_tricks.cards import SUITS, Card, Suit, set_of
from games.core.game import OptionsRefused, Seat

SEATS: Final = 4
POOL: Final = 80  # the card points of a hand
TRICKS: Final = 13

T = TypeVar("T")


class PassCycle(StrEnum):
    SEED = "seed"
    AUTHOR = "author"


class NilBy(StrEnum):
    TRICKS = "tricks"
    POINTS = "points"


class Ties(StrEnum):
    SHARED = "shared"
    PLAY_ON = "play_on"


def _range(low: int, high: int) -> msgspec.Meta:
    """Shown in the schema; `new` refuses, with a pointer."""
    return msgspec.Meta(extra_json_schema={"minimum": low, "maximum": high})


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass_cycle: PassCycle = PassCycle.SEED
    nil_by: NilBy = NilBy.TRICKS
    target_score: Annotated[int, _range(1, 1000)] = 100
    ties: Ties = Ties.SHARED
    max_hands: Annotated[int, _range(1, 100)] | None = None
    first_dealer: Literal["drawn", 0, 1, 2, 3] = "drawn"


class Phase(StrEnum):
    FIRST_DEALER = "first_dealer"
    DEAL = "deal"
    PASS = "pass"  # noqa: S105 - a phase
    KICKOFF = "kickoff"
    PLAY = "play"
    OVER = "over"


class Direction(StrEnum):
    LEFT = "left"
    ACROSS = "across"
    RIGHT = "right"
    SCATTER = "scatter"


class Label(StrEnum):
    """What a seat has made of a hand."""

    SLAM = "slam"
    SHUT_OUT = "shut_out"  # by another seat's slam
    NIL = "nil"
    STRIKE = "strike"
    UNDERSTRIKE = "understrike"
    SCORED = "scored"


class Trick(msgspec.Struct, frozen=True):
    """A finished trick: cards in order of play, clockwise from the leader.

    The kickoff has no leader; its cards stand by seat.
    """

    leader: Seat | None
    cards: tuple[Card, ...]
    winner: Seat
    points: int


class ScoredHand(msgspec.Struct, frozen=True):
    """A finished hand, by seat; `totals` are the game points after it."""

    tricks_won: tuple[int, ...]
    points: tuple[int, ...]
    labels: tuple[Label, ...]
    awards: tuple[int, ...]
    totals: tuple[int, ...]
    last_trick: Trick


class State(msgspec.Struct, frozen=True):
    """Per-seat tuples stand by seat; `hands` are sets of cards.

    `deck` is the permutation dealt, () before the deal. A seat that has not committed its pass has
    () in `passed`. A sealed `kickoff` card still counts as held. `tricks` are those of this hand;
    the winner of the last one leads, or led, `trick`.
    """

    options: Options
    phase: Phase
    hand_no: int
    dealer: Seat | None
    scores: tuple[int, ...]
    history: tuple[ScoredHand, ...]
    deck: tuple[Card, ...]
    passed: tuple[tuple[Card, ...], ...]
    kickoff: tuple[Card | None, ...]
    hands: tuple[int, ...]
    trick: tuple[Card, ...]
    tricks: tuple[Trick, ...]


NO_CARDS: Final = (0,) * SEATS
NO_PASSES: Final[tuple[tuple[Card, ...], ...]] = ((),) * SEATS
NO_KICKOFF: Final[tuple[Card | None, ...]] = (None,) * SEATS

CYCLES: Final = {
    PassCycle.SEED: (Direction.RIGHT, Direction.RIGHT, Direction.ACROSS, Direction.SCATTER),
    PassCycle.AUTHOR: (Direction.LEFT, Direction.RIGHT, Direction.ACROSS, Direction.SCATTER),
}
STEPS: Final = {Direction.LEFT: 1, Direction.ACROSS: 2, Direction.RIGHT: 3}  # clockwise


def new(options: Options, seats: int) -> State:
    """Raises: OptionsRefused. Rules: AT-01, AT-07."""
    if seats != SEATS:
        raise OptionsRefused("/seats", "exactly four seats play")
    if not 1 <= options.target_score <= 1000:
        raise OptionsRefused("/target_score", "1 to 1000")
    if options.max_hands is not None and not 1 <= options.max_hands <= 100:
        raise OptionsRefused("/max_hands", "none or 1 to 100")
    is_drawn = options.first_dealer == "drawn"
    return State(
        options=options,
        phase=Phase.FIRST_DEALER if is_drawn else Phase.DEAL,
        hand_no=1,
        dealer=None if options.first_dealer == "drawn" else options.first_dealer,
        scores=(0,) * SEATS,
        history=(),
        deck=(),
        passed=NO_PASSES,
        kickoff=NO_KICKOFF,
        hands=NO_CARDS,
        trick=(),
        tricks=(),
    )


def with_trick(
    state: State, hands: tuple[int, ...], trick: tuple[Card, ...], tricks: tuple[Trick, ...]
) -> State:
    """The state after one more card of a trick.

    Almost every move of a match passes here, and `replace` would take three times as long.
    """
    return State(
        state.options,
        state.phase,
        state.hand_no,
        state.dealer,
        state.scores,
        state.history,
        state.deck,
        state.passed,
        state.kickoff,
        hands,
        trick,
        tricks,
    )


def put(values: tuple[T, ...], seat: Seat, value: T) -> tuple[T, ...]:
    changed = list(values)
    changed[seat] = value
    return tuple(changed)


def direction(state: State) -> Direction:
    """Rules: AT-10."""
    return CYCLES[state.options.pass_cycle][(state.hand_no - 1) % 4]


def actor(state: State) -> Seat:
    """Who plays the next card of a trick with a leader."""
    return (state.tricks[-1].winner + len(state.trick)) % SEATS


def tricks_won(state: State) -> tuple[int, ...]:
    winners = [trick.winner for trick in state.tricks]
    return tuple(winners.count(seat) for seat in range(SEATS))


def points(state: State) -> tuple[int, ...]:
    """The card points of this hand so far."""
    won = [0] * SEATS
    for trick in state.tricks:
        won[trick.winner] += trick.points
    return tuple(won)


def dealt(state: State, seat: Seat) -> tuple[Card, ...]:
    """The cards dealt to a seat in the order of the deal, which is hidden from everybody.

    Rules: AT-09.
    """
    assert state.dealer is not None
    return state.deck[(seat - state.dealer - 1) % SEATS :: SEATS]


def receivers(way: Direction, seat: Seat) -> tuple[Seat, ...]:
    """Who gets the first, second and third card a seat passes.

    Rules: AT-12, AT-13.
    """
    if way is Direction.SCATTER:
        return tuple((seat + step) % SEATS for step in (1, 2, 3))
    return ((seat + STEPS[way]) % SEATS,) * 3


def has_exchanged(state: State) -> bool:
    return () not in state.passed


def received(state: State, seat: Seat, giver: Seat) -> tuple[Card, ...]:
    """What a seat has got from another in the pass of this hand."""
    to = receivers(direction(state), giver)
    cards = zip(to, state.passed[giver], strict=False)
    return tuple(card for receiver, card in cards if receiver == seat)


def asked(state: State) -> tuple[Seat, ...]:
    """Who is waited for."""
    if state.phase is Phase.PLAY:
        return (actor(state),)
    if state.phase is Phase.PASS:
        return tuple(seat for seat in range(SEATS) if not state.passed[seat])
    if state.phase is Phase.KICKOFF:
        return tuple(seat for seat in range(SEATS) if state.kickoff[seat] is None)
    return ()


def played(state: State, seat: Seat) -> int:
    """The set of cards a seat has played in this hand."""
    return set_of(card for card, _ in _plays(state, seat))


def voids(state: State, seat: Seat) -> int:
    """The suits, as a set of cards, that a seat has not followed in this hand."""
    return reduce(or_, (SUITS[led] for card, led in _plays(state, seat) if card.suit is not led), 0)


def _plays(state: State, seat: Seat) -> Iterator[tuple[Card, Suit]]:
    """The cards a seat has played in this hand, each with the suit of its trick."""
    for trick in state.tricks:
        led = Suit.DIAMONDS if trick.leader is None else trick.cards[0].suit
        yield trick.cards[(seat - (trick.leader or 0)) % SEATS], led
    if state.trick:
        place = (seat - state.tricks[-1].winner) % SEATS
        for card in state.trick[place : place + 1]:
            yield card, state.trick[0].suit
