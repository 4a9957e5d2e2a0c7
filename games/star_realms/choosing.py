"""Choosing one of several options, a ship to copy, a faction."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.moves import Offer, offer, one_of
from games.star_realms import moves
from games.star_realms.box import Box
from games.star_realms.effects import CardEffect, ChooseFaction, ChooseOne, CopyShip, Faction
from games.star_realms.gains import tasks
from games.star_realms.lasting import counts_as_all, in_force
from games.star_realms.rows import Kind
from games.star_realms.state import (
    AllyTiming,
    InPlay,
    Played,
    Seat,
    State,
    Task,
    face,
    has_faction,
    in_play_of,
    pushed,
    with_in_play,
    with_seat,
)


def option_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Rules: SR-24."""
    assert isinstance(task.do, ChooseOne)
    return offer(moves.ChooseOption, option=one_of([_named(each) for each in task.do.options]))


def option_chosen(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    assert isinstance(task.do, ChooseOne)
    chosen = next(each for each in task.do.options if _named(each) == move.option)
    return pushed(state, *tasks(chosen, task.seat, task.card))


def _named(option: tuple[CardEffect, ...]) -> str:
    return str(option[0].__struct_config__.tag)


def ship_offer(box: Box, state: State, task: Task) -> Offer | None:
    """Other ships played this turn, also those that have left play. Rules: SR-35."""
    played = state.seats[task.seat].played
    ships = [e.card for e in played if e.card != task.card and _is_candidate(box, e)]
    if not ships or in_play_of(state.seats[task.seat], task.card) is None:
        return None
    return offer(moves.CopyShip, card=one_of(list(dict.fromkeys(ships))))


def _is_candidate(box: Box, each: Played) -> bool:
    """A ship; one that could copy, only if it did."""
    card = box.of[each.card]
    copies = any(isinstance(effect, CopyShip) for effect in card.primary)
    return card.type is Kind.SHIP and (each.copied is not None or not copies)


def ship_copied(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """The card gets the abilities of that ship, whose primary resolves at once. Rules: SR-35."""
    own = state.seats[task.seat]
    model = next(each for each in own.played if each.card == move.card)
    kind = face(box, model).id
    state = _marked(box, state, task, copied=kind)
    return pushed(state, *tasks(box.kinds[kind].primary, task.seat, task.card))


def faction_offer(box: Box, state: State, task: Task) -> Offer | None:
    if in_play_of(state.seats[task.seat], task.card) is None:
        return None
    return offer(moves.ChooseFaction, faction=one_of(box.factions))


def faction_chosen(box: Box, state: State, task: Task, seat: int, move: Any) -> State:
    """Rules: SR-39."""
    return _marked(box, state, task, chosen_faction=move.faction)


def _marked(box: Box, state: State, task: Task, **changes: Any) -> State:
    """What a card in play has become, also for the rest of the turn after it has left."""
    own = state.seats[task.seat]
    entry = in_play_of(own, task.card)
    assert entry is not None
    last = max(place for place, each in enumerate(own.played) if each.card == task.card)
    played = (*own.played[:last], replace(own.played[last], **changes), *own.played[last + 1 :])
    in_play = with_in_play(own, replace(entry, **changes))
    state = with_seat(state, task.seat, in_play=in_play, played=played)
    return allies_noted(box, state, task.seat)


def has_ally(box: Box, own: Seat, each: InPlay) -> bool:
    """Something else before the seat has the icon's faction. Rules: SR-30, SR-32 to SR-34."""
    faction: Faction = face(box, each).faction
    return any(
        has_faction(box, other, faction) for other in own.in_play if other is not each
    ) or any(counts_as_all(kind) for copy, kind in in_force(box, own) if copy != each.card)


def allies_noted(box: Box, state: State, seat: int) -> State:
    """Where it is enough that an ally condition has held, those that hold are noted.

    Rules: SR-31.
    """
    if state.options.ally_timing is not AllyTiming.STICKY:
        return state
    own = state.seats[seat]
    in_play = tuple(
        replace(each, ally_met=True)
        if not each.ally_met and face(box, each).ally and has_ally(box, own, each)
        else each
        for each in own.in_play
    )
    return with_seat(state, seat, in_play=in_play)


ASK: Final[Mapping[type, Any]] = {
    ChooseOne: option_offer,
    CopyShip: ship_offer,
    ChooseFaction: faction_offer,
}

ANSWER: Final[Mapping[type, Any]] = {
    ChooseOne: option_chosen,
    CopyShip: ship_copied,
    ChooseFaction: faction_chosen,
}
