"""The main phase: what a seat may do, and what the moves do."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.game import OPEN, SEALED, Decision
from games.core.moves import Number, Offer, offer, one_of
from games.star_realms import gambits, moves
from games.star_realms.acquiring import affordable, bought
from games.star_realms.attacking import attackable, attacked, base_attacked, targets
from games.star_realms.box import Box
from games.star_realms.choosing import allies_noted, has_ally
from games.star_realms.effects import Trigger
from games.star_realms.gains import tasks
from games.star_realms.lasting import in_force, triggered
from games.star_realms.piles import heaped
from games.star_realms.rows import Card, Kind
from games.star_realms.state import (
    Ability,
    AllyTiming,
    InPlay,
    Played,
    Seat,
    State,
    face,
    in_play_of,
    living,
    marks_kept,
    pushed,
    with_in_play,
    with_seat,
    without,
)
from games.star_realms.turns import turn_ended

MAIN_PHASE: Final = "main"  # the kind of its decisions
END: Final = offer(moves.EndTurn)


def main_turn(box: Box, state: State) -> Decision:
    """Rules: SR-12, SR-65."""
    if state.boss is None:
        return Decision(MAIN_PHASE, {state.active: offers(box, state, state.active)}, SEALED)
    waiting = (seat for seat in living(state) if not state.seats[seat].done)
    return Decision(MAIN_PHASE, {seat: offers(box, state, seat) for seat in waiting}, OPEN)


def offers(box: Box, state: State, seat: int) -> tuple[Offer, ...]:
    own = state.seats[seat]
    found = []
    if own.hand:
        found.append(offer(moves.PlayCard, card=one_of(own.hand)))
    if abilities := _abilities(box, state, own):
        found.append(offer(moves.UseAbility, ability=one_of(abilities)))
    if state.trade and (on_sale := affordable(box, state)):
        found.append(offer(moves.Acquire, card=one_of(on_sale)))
    if state.combat:
        found += _attacks(box, state, seat)
    if own.gambits_down or own.gambits_up:
        found += _gambits(box, state, own)
    found.append(END)
    return tuple(found)


def _attacks(box: Box, state: State, seat: int) -> list[Offer]:
    """Rules: SR-50 to SR-54."""
    found = []
    if players := attackable(box, state, seat):
        amount = Number(1, state.combat)
        found.append(offer(moves.Attack, target=one_of(players), amount=amount))
    reach = [b for b in targets(box, state, seat) if box.of[b].defense <= state.combat]
    if reach:
        found.append(offer(moves.AttackBase, base=one_of(reach)))
    return found


def _gambits(box: Box, state: State, own: Seat) -> list[Offer]:
    """Rules: SR-71, SR-73, SR-77."""
    found = []
    if own.gambits_down:
        found.append(offer(moves.RevealGambit, gambit=one_of(own.gambits_down)))
    if usable := gambits.usable(box, own):
        found.append(offer(moves.UseGambit, gambit=one_of(usable)))
    most = min(state.trade, len(state.unclaimed))
    if most and (paid_for := gambits.paid_for(box, own)):
        x = Number(1, most)
        found.append(offer(moves.PayForGambit, gambit=one_of(paid_for), x=x))
    return found


def _abilities(box: Box, state: State, own: Seat) -> list[str]:
    """By card as it came into play: primary, ally, scrap. Rules: SR-22, SR-25 to SR-31."""
    found = []
    is_sticky = state.options.ally_timing is AllyTiming.STICKY
    for each in own.in_play:
        card = face(box, each)
        if card.primary and card.type is Kind.BASE and Ability.PRIMARY not in each.used:
            found.append(f"{each.card}/primary")
        is_met = card.ally and (each.ally_met if is_sticky else has_ally(box, own, each))
        if is_met and Ability.ALLY not in each.used:
            found.append(f"{each.card}/ally")
        if card.scrap:
            found.append(f"{each.card}/scrap")
    return found


def card_played(box: Box, state: State, seat: int, move: moves.PlayCard) -> State:
    """Rules: SR-20 to SR-22, SR-38."""
    own, copy = state.seats[seat], move.card
    card = box.of[copy]
    is_ship = card.type is Kind.SHIP
    used = (Ability.PRIMARY,) if is_ship else ()
    if is_ship:
        due = triggered(Trigger.PLAY_SHIP, seat, in_force(box, own))
    else:
        due = triggered(Trigger.OWN_TURN, seat, [(copy, card)])
    state = with_seat(
        state,
        seat,
        hand=without(own.hand, copy),
        in_play=(*own.in_play, InPlay(copy, used)),
        played=(*own.played, Played(copy)),
        **marks_kept(own, (copy,)),
    )
    state = allies_noted(box, state, seat)
    return pushed(state, *due, *(tasks(card.primary, seat, copy) if is_ship else ()))


def ability_used(box: Box, state: State, seat: int, move: moves.UseAbility) -> State:
    """Rules: SR-26, SR-27, SR-36."""
    copy, _, name = move.ability.rpartition("/")
    own, ability = state.seats[seat], Ability(name)
    entry = in_play_of(own, copy)
    assert entry is not None
    card = face(box, entry)
    if ability is Ability.SCRAP:
        left = tuple(each for each in own.in_play if each is not entry)
        state = heaped(box, with_seat(state, seat, in_play=left), (copy,))
        return pushed(state, *tasks(card.scrap, seat, copy))
    marked = replace(entry, used=(*entry.used, ability))
    state = with_seat(state, seat, in_play=with_in_play(own, marked))
    return pushed(state, *tasks(_effects(card, ability), seat, copy))


def _effects(card: Card, ability: Ability) -> Any:
    return card.ally if ability is Ability.ALLY else card.primary


MAIN: Final[Mapping[type, Any]] = {
    moves.PlayCard: card_played,
    moves.UseAbility: ability_used,
    moves.Acquire: lambda box, state, seat, move: bought(box, state, seat, move.card),
    moves.Attack: attacked,
    moves.AttackBase: lambda box, state, seat, move: base_attacked(box, state, move.base),
    moves.RevealGambit: lambda box, state, seat, move: gambits.revealed(
        box, state, seat, move.gambit
    ),
    moves.UseGambit: lambda box, state, seat, move: gambits.used(box, state, seat, move.gambit),
    moves.PayForGambit: gambits.paid,
    moves.EndTurn: lambda box, state, seat, move: turn_ended(box, state, seat),
}
