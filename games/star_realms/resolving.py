"""The one interpreter: does what is on the stack until somebody has to answer or to draw.

`DO` asks nobody. `ASK` gives the offer of a question to one seat, or to all living players if its
seat is EVERYONE; without an answer it is skipped, a single one is given of itself. `WAITS` always
waits: draws, and questions to several at once. `ANSWER` carries an answer or a draw out.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from games.core.game import OPEN, SEALED, Decision, Turn
from games.core.moves import Choice, Offer, move_type
from games.core.moves import moves as all_moves
from games.star_realms import (
    acquiring,
    attacking,
    boss,
    choosing,
    discarding,
    drawing,
    gains,
    gambits,
    opening,
    turns,
)
from games.star_realms.box import Box
from games.star_realms.state import EVERYONE, State, Task, living

Doing: TypeAlias = Callable[[Box, State, Task], State]
Asking: TypeAlias = Callable[[Box, State, Task], Offer | None]
Waiting: TypeAlias = Callable[[Box, State, Task], Turn]
Answering: TypeAlias = Callable[[Box, State, Task, int, Any], State]

DO: Final[Mapping[type, Doing]] = {
    **gains.DO,
    **drawing.DO,
    **discarding.DO,
    **attacking.DO,
    **turns.DO,
    **boss.DO,
    **opening.DO,
}

ASK: Final[Mapping[type, Asking]] = {
    **choosing.ASK,
    **discarding.ASK,
    **acquiring.ASK,
    **attacking.ASK,
    **gambits.ASK,
    **boss.ASK,
}

WAITS: Final[Mapping[type, Waiting]] = {
    **opening.WAITS,
    **drawing.WAITS,
    **gambits.WAITS,
    **boss.WAITS,
}

ANSWER: Final[Mapping[type, Answering]] = {
    **choosing.ANSWER,
    **discarding.ANSWER,
    **acquiring.ANSWER,
    **attacking.ANSWER,
    **gambits.ANSWER,
    **boss.ANSWER,
    **opening.ANSWER,
    **drawing.ANSWER,
}


def settled(box: Box, state: State) -> State:
    """The state in which somebody has to act, or the match is over. Rules: SR-23."""
    while state.stack:
        task = state.stack[0]
        kind = type(task.do)
        do = DO.get(kind)
        if do is not None:
            state = do(box, replace(state, stack=state.stack[1:]), task)
            continue
        ask = ASK.get(kind)
        if ask is None:
            return state
        asked = ask(box, state, task)
        if asked is not None:
            if not _is_forced(asked):
                return state
            (only,) = all_moves((asked,))
            state = answered(box, state, task.seat, only)
        else:
            state = replace(state, stack=state.stack[1:])
    return state


def _is_forced(asked: Offer) -> bool:
    """Whether there is one answer alone; what this depends on is public (5)."""
    (choice,) = asked.fields.values()
    assert isinstance(choice, Choice)
    return choice.least == len(choice.options)


def answered(box: Box, state: State, seat: int, move: Any) -> State:
    """The answer to what is on top of the stack, carried out."""
    task = state.stack[0]
    rest = replace(state, stack=state.stack[1:])
    return ANSWER[type(task.do)](box, rest, task, seat, move)


def question(box: Box, state: State) -> Turn:
    """What the top of the stack waits for."""
    task = state.stack[0]
    waits = WAITS.get(type(task.do))
    if waits is not None:
        return waits(box, state, task)
    asked = ASK[type(task.do)](box, state, task)
    assert asked is not None
    kind = move_type(asked.move)
    if task.seat == EVERYONE:
        return Decision(kind, dict.fromkeys(living(state), (asked,)), OPEN)
    return Decision(kind, {task.seat: (asked,)}, SEALED)
