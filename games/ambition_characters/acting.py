"""The act phase: in turn each seat with a live card activates it or declines."""

from typing import Final

from msgspec.structs import replace

from games.ambition_characters import answers, powers, upkeep
from games.ambition_characters.alliances import ally_of
from games.ambition_characters.asking import ask
from games.ambition_characters.characters import Character, PartName, Roster, Skip
from games.ambition_characters.killing import sneak_home
from games.ambition_characters.moves import Activate, Decline, Move
from games.ambition_characters.state import (
    Acted,
    Power,
    State,
    clockwise,
    is_late,
    put,
)
from games.core.game import Chance, Decision
from games.core.moves import Choice, Offer, offer

DECLINE: Final = offer(Decline)


def begin(state: State) -> State:
    """The next turn, or the end of the round. Rules: AC-41, AC-49, AC-50."""
    for seat in clockwise(state, state.scarab):
        if state.acted[seat] is not Acted.NOT_YET:
            continue
        if state.live[seat] is not None:
            return replace(state, asked=seat)
        state = replace(state, acted=put(state.acted, seat, Acted.NO_LIVE_CARD))
    return upkeep.finish_round(state)


def turn(roster: Roster, state: State) -> Chance | Decision:
    """Rules: AC-42, AC-43, AC-57, AC-68, AC-70."""
    if state.power is not None:
        return answers.turn(state, state.power)
    seat = state.asked
    card = state.live[seat]
    assert card is not None
    offers: list[Offer] = [DECLINE]
    if _may_activate(state, seat, card):
        ally = ally_of(state, card)
        for owner in (card,) if ally is None else (card, ally):
            skip = _skippable(roster, state, seat, owner)
            offers.append(offer(Activate, power=Choice((owner,)), skip=Choice(skip, 0, len(skip))))
    return ask(state, "act", seat, *offers)


def _may_activate(state: State, seat: int, card: Character) -> bool:
    if state.sneak_placed and state.sneak == seat:
        return True
    return all(entry.character is not card for entry in state.blocked)


def _skippable(roster: Roster, state: State, seat: int, owner: Character) -> tuple[PartName, ...]:
    """In alphabetical order, as all options. Rules: AC-46."""
    optional = state.options.optional_powers
    return tuple(
        sorted(
            part.name
            for part in roster.power(owner, is_late(state), state.options.strange_allies)
            if (part.skip is Skip.ALWAYS or (part.skip is Skip.OPTIONAL and optional))
            and powers.is_possible(state, seat, part)
        )
    )


def apply(roster: Roster, state: State, seat: int, move: Move) -> State:
    match move:
        case Decline():
            return _declined(state, seat)
        case Activate():
            return _activated(roster, state, seat, move)
    return powers.run(roster, answers.apply(state, seat, move))


def _declined(state: State, seat: int) -> State:
    """Rules: AC-42, AC-85."""
    state = replace(state, acted=put(state.acted, seat, Acted.DECLINED))
    return begin(sneak_home(state, seat))


def _activated(roster: Roster, state: State, seat: int, move: Activate) -> State:
    """Rules: AC-44, AC-45, AC-85."""
    card = state.live[seat]
    assert card is not None
    parts = roster.power(move.power, is_late(state), state.options.strange_allies)
    todo = tuple(part.name for part in parts if part.name not in move.skip)
    state = replace(
        sneak_home(state, seat),
        face_up=put(state.face_up, seat, True),
        acted=put(state.acted, seat, Acted.ACTIVATED),
        activated_count=state.activated_count + 1,
        power=Power(seat, card, move.power, move.skip, todo),
    )
    return powers.run(roster, state)
