"""Effects that ask nobody: pools, authority, armed redirects, conditions."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.star_realms.box import Box
from games.star_realms.effects import (
    Authority,
    CardEffect,
    Combat,
    If,
    NextShipToDeckTop,
    Trade,
)
from games.star_realms.state import State, Task, is_base, pushed, with_seat


def tasks(effects: tuple[CardEffect, ...], seat: int, card: str) -> tuple[Task, ...]:
    return tuple([Task(effect, seat, card) for effect in effects])


def trade(box: Box, state: State, task: Task) -> State:
    return replace(state, trade=state.trade + task.do.n)  # type: ignore[union-attr]


def combat(box: Box, state: State, task: Task) -> State:
    return replace(state, combat=state.combat + task.do.n)  # type: ignore[union-attr]


def authority(box: Box, state: State, task: Task) -> State:
    """Rules: SR-17."""
    gained = task.do.n  # type: ignore[union-attr]
    if state.team_authority is not None:
        return replace(state, team_authority=state.team_authority + gained)
    own = state.seats[task.seat].authority
    return with_seat(state, task.seat, authority=own + gained)


def redirect(box: Box, state: State, task: Task) -> State:
    """Rules: SR-43."""
    assert isinstance(task.do, NextShipToDeckTop)
    own = state.seats[task.seat].topdeck
    if task.do.optional:
        armed = replace(own, optional=own.optional + 1)
    else:
        armed = replace(own, mandatory=own.mandatory + 1)
    return with_seat(state, task.seat, topdeck=armed)


def condition(box: Box, state: State, task: Task) -> State:
    """Rules: SR-47."""
    assert isinstance(task.do, If)
    bases = sum(is_base(box, each.card) for each in state.seats[task.seat].in_play)
    if bases < task.do.cond.bases_in_play_at_least:
        return state
    return pushed(state, *tasks(task.do.then, task.seat, task.card))


DO: Final[Mapping[type, Any]] = {
    Trade: trade,
    Combat: combat,
    Authority: authority,
    NextShipToDeckTop: redirect,
    If: condition,
}
