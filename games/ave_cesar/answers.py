"""The questions that steps of the agenda ask, and what an answer does."""

from collections.abc import Callable, Mapping
from typing import Any, Final, assert_never

from msgspec.structs import replace

from games.ave_cesar import building, performing
from games.ave_cesar.agenda import (
    Actions,
    AnyStep,
    Espionage,
    Gift,
    Payment,
    Plot,
    Raid,
    Theft,
    TokenChoice,
    TurnOf,
)
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.effects import Demand, Draw, Peek
from games.ave_cesar.moves import (
    AnnounceTarget,
    AnnounceVictim,
    Answer,
    Give,
    KeepLooked,
    Leave,
    NoTarget,
    Pay,
    PlayNormally,
    Steal,
    Take,
    TokenDraw,
    TokenSkip,
)
from games.ave_cesar.moves import Demand as DemandOf
from games.ave_cesar.performing import demandable, demanded, done, given
from games.ave_cesar.state import Assassin, PlotStatus, Spy, State, handed, holder
from games.core.game import Decision, Seat
from games.core.moves import Choice, Offer, offer, one_of

VICTIMS: Final = CHARACTERS[1:]  # AV-71
TARGETS: Final = CHARACTERS[2:]  # AV-80
TOKEN_DRAWN: Final = Draw(1)

_PLOT: Final = (offer(AnnounceVictim, character=one_of(VICTIMS)), Offer(PlayNormally))
_ESPIONAGE: Final = (offer(AnnounceTarget, character=one_of(TARGETS)), Offer(NoTarget))
_TOKEN: Final = (Offer(TokenDraw), Offer(TokenSkip))


def asked(state: State) -> tuple[str, Seat]:
    """What kind of thing the step on top asks, and whom. All of it is public."""
    step = state.steps[0]
    match step:
        case Theft():
            assert state.spy is not None
            return "spy_steal", state.spy.seat
        case Plot():
            return "assassin", holder(state, Character.ASSASSIN)
        case Gift(giver=giver, kind=kind):
            return kind, giver
    return KINDS[type(step)], state.actor


def turn(deck: Deck, state: State) -> Decision:
    kind, seat = asked(state)
    step = state.steps[0]
    return Decision(kind, {seat: OFFERS[type(step)](deck, state, step)})


def apply(deck: Deck, state: State, seat: Seat, move: Answer) -> State:
    match move:
        case Pay(cards=cards):
            return building.paid(deck, done(state), cards)
        case KeepLooked(cards=cards):
            return performing.kept(state, cards)
        case Give(card=card):
            return given(state, seat, card)
        case DemandOf(seat=giver):
            return demanded(state, giver)
        case Steal(cards=cards):
            return _robbed(state, cards)
        case Take(card=card):
            return _robbed(state, (card,))
        case TokenDraw():
            return replace(state, steps=(TOKEN_DRAWN, *state.steps[1:]))
        case Leave() | TokenSkip() | NoTarget():
            return done(state)
        case AnnounceTarget(character=character):
            return replace(done(state), spy=Spy(seat, character))
        case AnnounceVictim(character=character):
            return replace(done(state), assassin=Assassin(seat, PlotStatus.WAITING, character))
        case PlayNormally():
            plain = Assassin(seat, PlotStatus.PLAIN)
            return replace(state, assassin=plain, steps=(TurnOf(seat, None), *state.steps[1:]))
    assert_never(move)


def stolen_count(hand: tuple[str, ...]) -> int:
    """Rules: AV-82."""
    return (len(hand) + 1) // 2


def shown_hand(state: State) -> Seat | None:
    """Whose hand the seat that is asked sees. Rules: AV-83, AV-121."""
    if state.steps and isinstance(step := state.steps[0], Theft | Raid):
        return step.victim
    return None


def _robbed(state: State, cards: tuple[str, ...]) -> State:
    victim = shown_hand(state)
    assert victim is not None
    return done(handed(state, victim, asked(state)[1], cards))


def _theft(deck: Deck, state: State, step: Theft) -> tuple[Offer, ...]:
    """Rules: AV-82, AV-83."""
    hand = deck.sorted(state.hands[step.victim])
    count = stolen_count(hand)
    return offer(Steal, cards=Choice(hand, count, count)), Offer(Leave)


def _raid(deck: Deck, state: State, step: Raid) -> tuple[Offer, ...]:
    return offer(Take, card=one_of(deck.sorted(state.hands[step.victim]))), Offer(Leave)


def _payment(deck: Deck, state: State, step: Payment) -> tuple[Offer, ...]:
    """Rules: AV-61, AV-62."""
    assert state.project is not None
    cost, hand = state.project.cost, state.hands[state.project.seat]
    return (offer(Pay, cards=Choice(deck.sorted(hand), cost, cost)),)


def _gift(deck: Deck, state: State, step: Gift) -> tuple[Offer, ...]:
    return (offer(Give, card=one_of(deck.sorted(state.hands[step.giver]))),)


def _look(deck: Deck, state: State, step: Peek) -> tuple[Offer, ...]:
    cards = Choice(deck.sorted(state.looked_at), step.keep, step.keep)
    return (offer(KeepLooked, cards=cards),)


def _demand(deck: Deck, state: State, step: Demand) -> tuple[Offer, ...]:
    return (offer(DemandOf, seat=one_of(sorted(demandable(state)))),)


def _always(offers: tuple[Offer, ...]) -> Callable[[Deck, State, AnyStep], tuple[Offer, ...]]:
    return lambda deck, state, step: offers


KINDS: Final[Mapping[type, str]] = {
    Actions: "action",
    Espionage: "spy_target",
    TokenChoice: "token",
    Payment: "pay",
    Raid: "raid",
    Peek: "look",
    Demand: "demand_from",
}
OFFERS: Final[Mapping[type, Callable[[Deck, State, Any], tuple[Offer, ...]]]] = {
    Theft: _theft,
    Plot: _always(_PLOT),
    Espionage: _always(_ESPIONAGE),
    TokenChoice: _always(_TOKEN),
    Payment: _payment,
    Gift: _gift,
    Raid: _raid,
    Peek: _look,
    Demand: _demand,
}
