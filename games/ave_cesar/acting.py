"""The construction phase: actions of the actor, and everything that follows of itself."""

from typing import Final

from msgspec.structs import replace

from games.ave_cesar import abilities, answers, building, calling
from games.ave_cesar.agenda import Actions, Payment
from games.ave_cesar.deck import Deck
from games.ave_cesar.moves import (
    Act,
    Address,
    Appoint,
    Build,
    Claim,
    EndPhase,
    March,
    Reshuffle,
    Sow,
    Survey,
)
from games.ave_cesar.performing import needs_reshuffle, performed
from games.ave_cesar.state import NOBODY, Phase, State
from games.core.game import Chance, Decision, Seat
from games.core.moves import Choice, Offer, offer, one_of

_END: Final = Offer(EndPhase)
_PAYMENT: Final = Payment()


def turn(deck: Deck, state: State) -> Chance | Decision:
    if needs_reshuffle(state):
        return _reshuffle(deck, state)
    if is_acting(state):
        return Decision("action", {state.actor: actions(deck, state)})
    return answers.turn(deck, state)


def asked(state: State) -> tuple[str, Seat] | None:
    """The kind of the open decision and who is asked; None before a reshuffle."""
    if needs_reshuffle(state):
        return None
    return answers.asked(state)


def is_acting(state: State) -> bool:
    return isinstance(state.steps[0], Actions)


def actions(deck: Deck, state: State) -> tuple[Offer, ...]:
    """Rules: AV-47, AV-49, AV-51."""
    cards = building.buildable(deck, state, state.actor) if state.builds_left else ()
    build = (offer(Build, card=one_of(cards)),) if cards else ()
    return (*build, *abilities.ability_offers(deck, state), _END)


def apply(deck: Deck, state: State, seat: Seat, move: Act) -> State:
    match move:
        case EndPhase():
            after = _ended(state)
        case Build(card=card):
            announced = building.announced(deck, state, seat, card)
            after = replace(announced, steps=(_PAYMENT, *state.steps))
        case Appoint() | Claim() | Survey() | March() | Address() | Sow():
            after = abilities.used(deck, state, move)
        case Reshuffle(cards=cards):
            after = replace(state, deck=cards, discard=(), reshuffles=state.reshuffles + 1)
        case _:
            after = answers.apply(deck, state, seat, move)
    return advanced(deck, after)


def advanced(deck: Deck, state: State) -> State:
    """The state after all that needs nobody: steps, ends of turns, calls, the end of the round."""
    while state.phase is Phase.CONSTRUCTION:
        state = performed(deck, state)
        if not state.steps:
            state = calling.called(state)
        elif not is_acting(state) or state.builds_left or abilities.ability_offers(deck, state):
            break
        else:
            state = _ended(state)
    return state


def _ended(state: State) -> State:
    """Rules: AV-51."""
    return replace(
        state,
        actor=NOBODY,
        ability=None,
        ability_used=False,
        builds_left=0,
        steps=state.steps[1:],
    )


def _reshuffle(deck: Deck, state: State) -> Chance:
    """Rules: AV-150, AV-151."""
    cards = deck.sorted(state.discard)
    order = Choice(cards, len(cards), len(cards), ordered=True)
    return Chance(f"reshuffle {state.reshuffles + 1}", offer(Reshuffle, cards=order))
