"""Who may do what, and what it does: the switch over the phases."""

from collections.abc import Callable, Mapping
from typing import Final, assert_never

from games.ambition_characters import (
    acting,
    blocking,
    live,
    passing,
    recruiting,
    scoring,
    setting_up,
    talk,
)
from games.ambition_characters.characters import Roster
from games.ambition_characters.moves import Block, ChooseLive, Move, PassCard, Speak
from games.ambition_characters.state import NOBODY, Options, Phase, State
from games.core.game import Turn


def turn(roster: Roster, state: State) -> Turn:
    if state.ending is not None:
        return scoring.over(state, state.ending)
    match state.phase:
        case Phase.ACT:
            return acting.turn(roster, state)
        case Phase.PLAY:
            return live.turn(state)
        case Phase.BLOCK:
            return blocking.turn(state)
        case Phase.PASS:
            return passing.turn(state)
        case Phase.RECRUIT:
            return recruiting.turn(state)
        case Phase.SET_UP:
            return setting_up.turn(state)
        case never:
            assert_never(never)


def apply(roster: Roster, state: State, seat: int, move: Move) -> State:
    if isinstance(move, Speak):
        return talk.apply(state, seat)
    after = _applied(roster, state, seat, move)
    while after.asked == NOBODY and after.ending is None:
        after = BEGIN[after.phase](after)
    return after


def _applied(roster: Roster, state: State, seat: int, move: Move) -> State:
    match state.phase:
        case Phase.ACT:
            return acting.apply(roster, state, seat, move)
        case Phase.PLAY:
            assert isinstance(move, ChooseLive)
            return live.apply(state, seat, move)
        case Phase.BLOCK:
            assert isinstance(move, Block)
            return blocking.apply(state, seat, move)
        case Phase.PASS:
            assert isinstance(move, PassCard)
            return passing.apply(state, seat, move)
        case Phase.RECRUIT:
            return recruiting.apply(state, seat, move)
        case Phase.SET_UP:
            return setting_up.apply(state, move)
        case never:
            assert_never(never)


BEGIN: Final[Mapping[Phase, Callable[[State], State]]] = {
    Phase.RECRUIT: recruiting.begin,
    Phase.PASS: passing.begin,
    Phase.PLAY: live.begin,
    Phase.BLOCK: blocking.begin,
    Phase.ACT: acting.begin,
}


def boundary(state: State) -> str:
    if state.ending is not None:
        return "over"
    match state.phase:
        case Phase.SET_UP:
            return "set-up"
        case Phase.RECRUIT | Phase.PASS:
            return f"round {state.round}"
        case Phase.PLAY | Phase.BLOCK | Phase.ACT:
            return f"round {state.round} {state.phase.value}"
        case never:
            assert_never(never)


def bound(options: Options, seats: int) -> int | None:
    """A seat moves once in each phase but the last, and there at most three times."""
    return None if options.round_limit is None else 7 * seats * options.round_limit
