"""The one interpreter of steps, those of the deck's effects among them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.ave_cesar import building
from games.ave_cesar.agenda import (
    Actions,
    Espionage,
    Gift,
    Harvest,
    Payment,
    Plot,
    Raid,
    Sowing,
    Theft,
    TokenChoice,
    TurnOf,
)
from games.ave_cesar.characters import Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.effects import (
    Demand,
    Draw,
    Peek,
    Points,
    PointsPer,
    SowSelf,
    Symbol,
    TakeToken,
)
from games.ave_cesar.state import (
    Building,
    HarvestBy,
    State,
    handed,
    has_cards,
    influence,
    might,
    neighbours,
    put,
    sowing,
    with_hand,
    without,
)
from games.core.game import Seat

TURN: Final = (TokenChoice(), Draw(2), Harvest(), Actions())  # AV-44, AV-45
BUILDS: Final = 1
BUILDS_OF_ARCHITECT: Final = 2

# Performs the first step of the agenda as far as it can; None: it waits, for an answer or for a
# reshuffle.
Perform = Callable[[Deck, State, Any], State | None]


def performed(deck: Deck, state: State) -> State:
    """The state after all steps that need nobody, up to one that waits or to the empty agenda."""
    while state.steps:
        step = state.steps[0]
        after = PERFORM[type(step)](deck, state, step)
        if after is None:
            return state
        state = after
    return state


def needs_reshuffle(state: State) -> bool:
    """Whether the step that waits needs a card and the deck is empty. Rules: AV-150, AV-151."""
    if state.deck or not state.discard or not state.steps:
        return False
    match state.steps[0]:
        case Draw() | Sowing():
            return True
        case Peek(look=look):
            return len(state.looked_at) < look
    return False


def done(state: State) -> State:
    """The first step is off the agenda."""
    return replace(state, steps=state.steps[1:])


def earned(state: State, seat: Seat, count: int) -> State:
    """Rules: AV-05."""
    limit = state.options.score_token_limit
    if limit is not None:
        count = min(count, limit - sum(state.points))
    return replace(state, points=put(state.points, seat, state.points[seat] + count))


def kept(state: State, cards: tuple[str, ...]) -> State:
    """Of the cards looked at some come to the hand, the others are discarded. Rules: AV-110."""
    return replace(
        state,
        hands=put(state.hands, state.actor, (*state.hands[state.actor], *cards)),
        discard=(*state.discard, *without(state.looked_at, cards)),
        looked_at=(),
        steps=state.steps[1:],
    )


def demanded(state: State, giver: Seat) -> State:
    """The neighbour asked for a card will give one, and the demand is one less."""
    step, *rest = state.steps
    assert isinstance(step, Demand)
    again = (Demand(step.count - 1),) if step.count > 1 else ()
    return replace(state, steps=(Gift(giver, "demand_give"), *again, *rest))


def demandable(state: State) -> tuple[Seat, ...]:
    """The neighbours of the actor who have cards, the left one first."""
    return tuple(seat for seat in neighbours(state, state.actor) if state.hands[seat])


def given(state: State, giver: Seat, card: str) -> State:
    return done(handed(state, giver, state.actor, (card,)))


def _draw(deck: Deck, state: State, step: Draw) -> State | None:
    if not state.deck:
        return None if state.discard else done(state)
    cards = state.deck[: step.count]
    left = step.count - len(cards)
    rest = state.steps[1:]
    return replace(
        state,
        deck=state.deck[step.count :],
        hands=put(state.hands, state.actor, (*state.hands[state.actor], *cards)),
        steps=(Draw(left), *rest) if left else rest,
    )


def _points(deck: Deck, state: State, step: Points) -> State:
    return done(earned(state, state.actor, step.count))


def _points_per(deck: Deck, state: State, step: PointsPer) -> State:
    number = COUNTED[step.symbol](deck, state, state.actor)
    return done(earned(state, state.actor, min(step.max, step.amount * (number // step.per))))


def _peek(deck: Deck, state: State, step: Peek) -> State | None:
    missing = step.look - len(state.looked_at)
    if missing and has_cards(state):
        if not state.deck:
            return None
        looked_at = (*state.looked_at, *state.deck[:missing])
        return replace(state, looked_at=looked_at, deck=state.deck[missing:])
    # AV-52: keeping all there is is no choice.
    return kept(state, state.looked_at) if len(state.looked_at) <= step.keep else None


def _demand(deck: Deck, state: State, step: Demand) -> State | None:
    asked = demandable(state)
    if not asked:
        return done(state)
    return demanded(state, asked[0]) if len(asked) == 1 else None


def _take_token(deck: Deck, state: State, step: TakeToken) -> State:
    """Rules: AV-04, AV-100."""
    return replace(done(state), token=state.actor)


def _sow_self(deck: Deck, state: State, step: SowSelf) -> State:
    """Rules: AV-67, AV-141."""
    city = state.cities[state.actor]
    if city[-1].sown:
        return done(state)
    owed = Sowing(len(city) - 1, deck.kind_of[city[-1].card].sowing)
    return replace(state, steps=(owed, *state.steps[1:]))


def _sowing(deck: Deck, state: State, step: Sowing) -> State | None:
    """Rules: AV-140, AV-142."""
    if not state.deck:
        return None if state.discard else done(state)
    cards = state.deck[: step.count]
    left = step.count - len(cards)
    city = state.cities[state.actor]
    building = city[step.place]
    sown = Building(building.card, (*building.sown, *cards))
    rest = state.steps[1:]
    return replace(
        state,
        deck=state.deck[step.count :],
        cities=put(state.cities, state.actor, put(city, step.place, sown)),
        steps=(Sowing(step.place, left), *rest) if left else rest,
    )


def _harvest(deck: Deck, state: State, step: Harvest) -> State:
    """Rules: AV-46."""
    city = state.cities[state.actor]
    if not any(each.sown for each in city):
        return done(state)
    most = None if state.options.harvest is HarvestBy.ALL else 1
    taken = [card for each in city for card in each.sown[:most]]
    left = tuple(
        Building(each.card, () if most is None else each.sown[most:]) if each.sown else each
        for each in city
    )
    after = with_hand(state, state.actor, (*state.hands[state.actor], *taken))
    return replace(done(after), cities=put(state.cities, state.actor, left))


def _turn_of(deck: Deck, state: State, step: TurnOf) -> State:
    """Rules: AV-44, AV-49, AV-112."""
    first = (Espionage(),) if step.ability is Character.SPY else ()
    is_architect = step.ability is Character.ARCHITECT
    return replace(
        state,
        actor=step.actor,
        ability=step.ability,
        ability_used=False,
        builds_left=BUILDS_OF_ARCHITECT if is_architect else BUILDS,
        steps=(*first, *TURN, *state.steps[1:]),
    )


def _token_choice(deck: Deck, state: State, step: TokenChoice) -> State | None:
    """Rules: AV-101."""
    return None if state.token == state.actor and has_cards(state) else done(state)


def _payment(deck: Deck, state: State, step: Payment) -> State | None:
    """Rules: AV-52."""
    project = state.project
    assert project is not None
    hand = state.hands[project.seat]
    if project.cost not in (0, len(hand)):
        return None
    return building.paid(deck, done(state), hand if project.cost else ())


def _gift(deck: Deck, state: State, step: Gift) -> State | None:
    """Rules: AV-52, AV-93."""
    hand = state.hands[step.giver]
    if len(hand) > 1:
        return None
    return given(state, step.giver, hand[0]) if hand else done(state)


def _asked(deck: Deck, state: State, step: Theft | Plot | Espionage | Actions | Raid) -> None:
    """These are never done of themselves; `acting.py` sees when there is nothing left to do."""


PERFORM: Final[Mapping[type, Perform]] = {
    Draw: _draw,
    Points: _points,
    PointsPer: _points_per,
    Peek: _peek,
    Demand: _demand,
    TakeToken: _take_token,
    SowSelf: _sow_self,
    Sowing: _sowing,
    Harvest: _harvest,
    TokenChoice: _token_choice,
    Payment: _payment,
    Gift: _gift,
    TurnOf: _turn_of,
    Theft: _asked,
    Plot: _asked,
    Espionage: _asked,
    Actions: _asked,
    Raid: _asked,
}


def _buildings(deck: Deck, state: State, seat: Seat) -> int:
    return len(state.cities[seat])


COUNTED: Final[Mapping[Symbol, Callable[[Deck, State, Seat], int]]] = {
    Symbol.MIGHT: might,
    Symbol.INFLUENCE: influence,
    Symbol.SOWING: sowing,
    Symbol.BUILDINGS: _buildings,
}
