"""The course of a turn: its start, the discard phase, the draw phase, whose turn is next."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.star_realms.attacking import ended
from games.star_realms.box import Box
from games.star_realms.choosing import allies_noted
from games.star_realms.effects import BossTurn, Draw, NextTurn, Trigger
from games.star_realms.lasting import in_force, triggered
from games.star_realms.state import (
    NO_REDIRECTS,
    TEAM,
    Ending,
    InPlay,
    Seat,
    State,
    Task,
    clockwise,
    is_base,
    marks_kept,
    pushed,
    put,
    side,
)

DRAWN: Final = 5


def turn_ended(box: Box, state: State, seat: int) -> State:
    """A team's turn ends with the last of its members. Rules: SR-65."""
    own = state.seats[seat]
    if state.boss is not None:
        state = replace(state, seats=put(state.seats, seat, replace(own, done=True)))
        if not all(each.done or each.out for each in state.seats):
            return state
    members = side(state)
    for member in members:
        cleared = _cleared(box, state.seats[member])
        state = replace(state, seats=put(state.seats, member, cleared))
    draws = [Task(Draw(DRAWN), member) for member in members]
    after = NextTurn() if state.boss is None else BossTurn()
    return pushed(replace(state, trade=0, combat=0), *draws, Task(after, TEAM))


def _cleared(box: Box, own: Seat) -> Seat:
    """Ships, then the hand, go to the discard pile. Rules: SR-13."""
    ships = tuple([each.card for each in own.in_play if not is_base(box, each.card)])
    stay = tuple([each for each in own.in_play if is_base(box, each.card)])
    return replace(
        own,
        in_play=stay,
        hand=(),
        discard=own.discard + ships + own.hand,
        **marks_kept(own, own.hand),
    )


def next_turn(box: Box, state: State, task: Task) -> State:
    """Rules: SR-06, SR-15, SR-96, SR-97."""
    limit = state.options.turn_limit
    if limit and state.turn >= limit:
        return ended(state, Ending.TURN_LIMIT)
    active = TEAM
    if state.boss is not None:
        state = replace(state, boss=replace(state.boss, acting=False, combat=0))
    elif state.turn == 0:
        active = state.first
    else:
        active = next(s for s in clockwise(state, state.active)[1:] if not state.seats[s].out)
    return _started(box, replace(state, turn=state.turn + 1, active=active))


def _started(box: Box, state: State) -> State:
    """Rules: SR-75; 5.2 step 1."""
    state = replace(state, seats=tuple(_fresh(own) for own in state.seats))
    members = side(state)
    for seat in members:
        state = allies_noted(box, state, seat)
    gained = (
        task
        for seat in members
        for task in triggered(Trigger.OWN_TURN, seat, in_force(box, state.seats[seat]))
    )
    return pushed(state, *gained)


def _fresh(own: Seat) -> Seat:
    in_play = tuple([InPlay(each.card) for each in own.in_play])
    return replace(own, done=False, played=(), topdeck=NO_REDIRECTS, in_play=in_play)


DO: Final[Mapping[type, Any]] = {NextTurn: next_turn}
