"""The ability moves of an actor: when each may be used and what it does.

Assassin and Spy act before their turn, see `answers.py`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.ave_cesar.agenda import Gift, Raid, Sowing
from games.ave_cesar.characters import Character
from games.ave_cesar.deck import Deck
from games.ave_cesar.effects import Draw, Peek, TakeToken
from games.ave_cesar.moves import Address, Appoint, Claim, March, Sow, Survey
from games.ave_cesar.performing import earned
from games.ave_cesar.state import State, has_cards, influence, might, neighbours
from games.core.game import Seat
from games.core.moves import Offer, offer, one_of

SURVEYED: Final = Peek(look=5, keep=1)  # AV-110


def ability_offers(deck: Deck, state: State) -> tuple[Offer, ...]:
    """What the actor may do with the ability of its turn. Rules: AV-48, AV-50, AV-53."""
    if state.ability is None or state.ability_used or state.ability not in OFFERED:
        return ()
    found = OFFERED[state.ability](deck, state)
    return () if found is None else (found,)


def used(deck: Deck, state: State, move: Any) -> State:
    return USE[type(move)](deck, replace(state, ability_used=True), move)


def _may_appoint(deck: Deck, state: State) -> Offer:
    """Rules: AV-90."""
    return offer(Appoint, seat=one_of([s for s in range(state.seats) if s != state.sp]))


def _appointed(deck: Deck, state: State, move: Appoint) -> State:
    """Rules: AV-91, AV-92, AV-93."""
    gift = () if move.seat == state.actor else (Gift(move.seat, "gift"),)
    return replace(state, sp=move.seat, steps=(*gift, *state.steps))


def _may_claim(deck: Deck, state: State) -> Offer | None:
    return Offer(Claim) if has_cards(state) or state.token != state.actor else None


def _claimed(deck: Deck, state: State, move: Claim) -> State:
    """Rules: AV-100, AV-102."""
    return replace(state, steps=(Draw(1), TakeToken(), *state.steps))


def _may_survey(deck: Deck, state: State) -> Offer | None:
    return Offer(Survey) if has_cards(state) else None


def _surveyed(deck: Deck, state: State, move: Survey) -> State:
    """Rules: AV-110, AV-111."""
    return replace(state, steps=(SURVEYED, *state.steps))


def _may_march(deck: Deck, state: State) -> Offer | None:
    return Offer(March) if _raided(deck, state) else None


def _marched(deck: Deck, state: State, move: March) -> State:
    """Rules: AV-121."""
    return replace(state, steps=(*map(Raid, _raided(deck, state)), *state.steps))


def _raided(deck: Deck, state: State) -> list[Seat]:
    """The beaten neighbours with cards, the left one first. Rules: AV-120, AV-121."""
    own = might(deck, state, state.actor)
    return [
        seat
        for seat in neighbours(state, state.actor)
        if state.hands[seat] and might(deck, state, seat) < own
    ]


def _may_address(deck: Deck, state: State) -> Offer:
    return Offer(Address)


def _addressed(deck: Deck, state: State, move: Address) -> State:
    """Rules: AV-130."""
    own = influence(deck, state, state.actor)
    others = [influence(deck, state, seat) for seat in neighbours(state, state.actor)]
    return earned(state, state.actor, 2 if own > max(others) else 1)


def _may_sow(deck: Deck, state: State) -> Offer | None:
    return Offer(Sow) if has_cards(state) and _sowings(deck, state) else None


def _sown(deck: Deck, state: State, move: Sow) -> State:
    return replace(state, steps=(*_sowings(deck, state), *state.steps))


def _sowings(deck: Deck, state: State) -> tuple[Sowing, ...]:
    """What is owed to the empty buildings, in city order. Rules: AV-140, AV-141, AV-142."""
    return tuple(
        Sowing(place, count)
        for place, each in enumerate(state.cities[state.actor])
        if not each.sown and (count := deck.kind_of[each.card].sowing)
    )


OFFERED: Final[Mapping[Character, Callable[[Deck, State], Offer | None]]] = {
    Character.PHILOSOPHER: _may_appoint,
    Character.PROCURATOR: _may_claim,
    Character.ARCHITECT: _may_survey,
    Character.CENTURION: _may_march,
    Character.SENATOR: _may_address,
    Character.FARMER: _may_sow,
}
USE: Final[Mapping[type, Callable[[Deck, State, Any], State]]] = {
    Appoint: _appointed,
    Claim: _claimed,
    Survey: _surveyed,
    March: _marched,
    Address: _addressed,
    Sow: _sown,
}
