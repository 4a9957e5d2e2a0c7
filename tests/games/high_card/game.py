"""High card: the whole game in one file, as small as the contract allows."""

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Annotated, ClassVar, TypeAlias, TypeVar, assert_never

import msgspec
from msgspec.structs import replace

from games.core.game import (
    OPEN,
    Asked,
    Chance,
    Decision,
    Game,
    OptionsRefused,
    Over,
    Seat,
    Seen,
    Viewer,
    drawn_by_several,
)
from games.core.moves import Choice, Move, Number, Offer, Text, Wire, offer, one_of, wire_move
from games.core.tables import digest

TABLES = b'{"cards":10}'


class Options(msgspec.Struct, frozen=True):
    rounds: Annotated[int, msgspec.Meta(ge=1, le=5)] = 2
    talk: bool = True


class Deal(Move, frozen=True):
    cards: tuple[int, ...]


class Arrange(Move, frozen=True):
    shows: ClassVar[bool] = False
    cards: tuple[int, ...]


class Choose(Move, frozen=True):
    card: int


class Ring(Move, frozen=True):
    stake: int


class Waive(Move, frozen=True):
    pass


class Speak(Move, frozen=True):
    text: str


AnyMove: TypeAlias = Deal | Arrange | Choose | Ring | Waive | Speak


class State(msgspec.Struct, frozen=True):
    """`phase` is deal, arrange, choose, ring or over; `deck` is hidden from everybody."""

    options: Options
    round: int
    phase: str
    points: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    chosen: tuple[int | None, ...]
    deck: tuple[int, ...]


class View(msgspec.Struct, frozen=True):
    """`hand` is the viewer's own; `shown` are the cards all have chosen, once they have."""

    round: int
    phase: str
    points: tuple[int, ...]
    hand_counts: tuple[int, ...]
    has_chosen: tuple[bool, ...]
    shown: tuple[int | None, ...]
    hand: tuple[int, ...] | None
    choice: int | None


class Tables(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    cards: Annotated[int, msgspec.Meta(ge=8, le=99)]


def make(tables: bytes) -> Game[State, AnyMove]:
    """The game with as many cards as `tables` say. Raises: msgspec.ValidationError."""
    cards = msgspec.json.decode(tables, type=Tables).cards

    def new(options: Options, seats: int) -> State:
        if seats not in (2, 3, 4):
            raise OptionsRefused("/seats", "two to four")
        deck = tuple(range(1, cards + 1))
        return State(options, 1, "deal", (0,) * seats, ((),) * seats, (None,) * seats, deck)

    return Game(
        slug="high_card",
        name="High card",
        rules_version=1,
        seats=(2, 3, 4),
        options=Options,
        state=State,
        move=AnyMove,
        views=View,
        new=new,
        turn=turn,
        apply=apply,
        view=view,
        redact=redact,
        resample=resample,
        fallback=fallback,
        boundary=lambda state: "over" if state.phase == "over" else f"round {state.round}",
        bound=lambda options, seats: options.rounds * (seats + 2),
        invariants=invariants,
        imagine=partial(imagine, cards),
        trials=((Options(), 3), (Options(rounds=1, talk=False), 2), (Options(rounds=3), 4)),
        agreed_draw=drawn_by_several,
        data_digest=digest(tables),
    )


def turn(state: State) -> Chance | Decision | Over:
    seats = range(len(state.points))
    asides = dict.fromkeys(seats, (offer(Speak, text=Text(80)),)) if state.options.talk else {}
    match state.phase:
        case "deal":
            deck, everything = tuple(sorted(state.deck)), len(state.deck)
            cards = Choice(deck, everything, everything, ordered=True)
            return Chance(f"round {state.round} deal", offer(Deal, cards=cards))
        case "arrange":
            hand = Choice(tuple(sorted(state.hands[leader(state)])), 2, 2, ordered=True)
            return Decision(
                "arrange", {leader(state): (offer(Arrange, cards=hand),)}, asides=asides
            )
        case "choose":
            asked = [seat for seat in seats if state.chosen[seat] is None]
            choices = {s: (offer(Choose, card=one_of(sorted(state.hands[s]))),) for s in asked}
            return Decision("choose", choices, asides=asides)
        case "ring":
            bell: tuple[Offer, ...] = (offer(Ring, stake=Number(0, 2)), offer(Waive))
            return Decision("ring", dict.fromkeys(seats, bell), mode=OPEN, asides=asides)
        case _:
            ranks = tuple(1 + sum(other > own for other in state.points) for own in state.points)
            return Over(state.points, ranks)


def apply(state: State, seat: Seat, move: AnyMove) -> State:
    match move:
        case Deal(cards=cards):
            seats = len(state.points)
            hands = tuple(cards[2 * s : 2 * s + 2] for s in range(seats))
            return replace(state, phase="arrange", hands=hands, deck=cards[2 * seats :])
        case Arrange(cards=cards):
            return replace(state, phase="choose", hands=_put(state.hands, seat, cards))
        case Choose(card=card):
            chosen = _put(state.chosen, seat, card)
            hand = tuple(each for each in state.hands[seat] if each != card)
            phase = "choose" if None in chosen else "ring"
            return replace(state, phase=phase, chosen=chosen, hands=_put(state.hands, seat, hand))
        case Ring(stake=stake):
            return _scored(state, seat, stake)
        case Waive():
            return _scored(state, seat, 0)
        case Speak():
            return state
    assert_never(move)


def view(state: State, viewer: Viewer) -> View:
    seated = viewer >= 0
    return View(
        round=state.round,
        phase=state.phase,
        points=state.points,
        hand_counts=tuple(len(hand) for hand in state.hands),
        has_chosen=tuple(card is not None for card in state.chosen),
        shown=state.chosen if state.phase == "ring" else (),
        hand=state.hands[viewer] if seated else None,
        choice=state.chosen[viewer] if seated else None,
    )


def redact(before: State, seat: Seat, move: AnyMove, viewer: Viewer) -> Seen:
    wire = wire_move(move)
    match move:
        case Deal(cards=cards):
            own = range(2 * viewer, 2 * viewer + 2) if viewer >= 0 else range(0)
            seen = [card if place in own else None for place, card in enumerate(cards)]
            return Seen({**wire, "cards": seen})
        case Arrange() if viewer != seat:
            return Seen({**wire, "cards": [None, None]})
        case Choose() if before.chosen.count(None) == 1:
            return Seen(wire, _sealed(before, seat))
        case Choose() if viewer != seat:
            return Seen({**wire, "card": None})
        case _:
            return Seen(wire)


def resample(state: State, viewer: Viewer, rng: Random) -> State:
    """Deals the cards the viewer cannot see anew to the places they can lie at."""
    if state.phase in ("deal", "over"):
        deck = rng.sample(state.deck, len(state.deck))
        return replace(state, deck=tuple(deck))
    others = [s for s in range(len(state.hands)) if s != viewer]
    sealed = [s for s in others if state.phase == "choose" and state.chosen[s] is not None]
    hidden = [*state.deck, *(card for s in others for card in state.hands[s])]
    hidden += [card for s in sealed if (card := state.chosen[s]) is not None]
    rng.shuffle(hidden)
    hands, chosen = state.hands, state.chosen
    for s in others:
        hands = _put(hands, s, tuple(hidden.pop() for _ in hands[s]))
    for s in sealed:
        chosen = _put(chosen, s, hidden.pop())
    return replace(state, hands=hands, chosen=chosen, deck=tuple(hidden))


def imagine(cards: int, options: Options, view: View, viewer: Viewer, asked: Asked) -> State:
    """Whatever is nowhere to be seen lies in the other hands, in order, and in the deck."""
    seen = [card for card in (*(view.hand or ()), *view.shown, view.choice) if card is not None]
    hidden = [card for card in range(1, cards + 1) if card not in seen]
    is_own = [seat == viewer for seat in range(len(view.points))]
    hands = tuple(
        view.hand or () if own else tuple(hidden.pop() for _ in range(count))
        for own, count in zip(is_own, view.hand_counts, strict=True)
    )
    chosen = view.shown or tuple(
        view.choice if own else hidden.pop() if has else None
        for own, has in zip(is_own, view.has_chosen, strict=True)
    )
    return State(options, view.round, view.phase, view.points, hands, chosen, tuple(hidden))


def fallback(state: State, seat: Seat) -> AnyMove:
    match state.phase:
        case "arrange":
            return Arrange(state.hands[seat])
        case "choose":
            return Choose(state.hands[seat][0])
        case _:
            return Waive()


def invariants(state: State) -> str | None:
    cards = [*state.deck, *(card for hand in state.hands for card in hand)]
    cards += [card for card in state.chosen if card is not None]
    return None if sorted(cards) == list(range(1, len(cards) + 1)) else "a card is lost or doubled"


def leader(state: State) -> Seat:
    return (state.round - 1) % len(state.points)


T = TypeVar("T")


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _sealed(state: State, last: Seat) -> tuple[tuple[Seat, Wire], ...]:
    made: Sequence[tuple[Seat, int | None]] = list(enumerate(state.chosen))
    return tuple((s, wire_move(Choose(c))) for s, c in made if c is not None and s != last)


def _scored(state: State, ringer: Seat, stake: int) -> State:
    shown = [card or 0 for card in state.chosen]
    best = shown.index(max(shown))
    gains = [3 * (s == best) for s in range(len(shown))]
    gains[ringer] += stake if ringer == best else -stake
    seats, is_last = len(shown), state.round == state.options.rounds
    return State(
        options=state.options,
        round=state.round + (not is_last),
        phase="over" if is_last else "deal",
        points=tuple(own + gain for own, gain in zip(state.points, gains, strict=True)),
        hands=((),) * seats,
        chosen=(None,) * seats,
        deck=(*state.deck, *(c for hand in state.hands for c in hand), *shown),
    )


GAME = make(TABLES)
