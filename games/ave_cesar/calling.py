"""The calls from 1 to 8: whose turn it is, whom the Spy robs, and the end of a round."""

from msgspec.structs import replace

from games.ave_cesar.agenda import AnyStep, Plot, Theft, TurnOf
from games.ave_cesar.characters import CHARACTERS, Character
from games.ave_cesar.state import (
    NOBODY,
    Ending,
    Phase,
    PlotStatus,
    State,
    holder,
)
from games.core.game import Seat

COMPLETE = 8  # AV-160, AV-174


def called(state: State) -> State:
    """The next character is called, or the round ends. Rules: AV-40, AV-42."""
    if state.call == len(CHARACTERS):
        return _round_ended(state)
    character = CHARACTERS[state.call]
    seat = holder(state, character)
    after = replace(state, call=state.call + 1)
    return _missed(after, character) if seat == NOBODY else _revealed(after, character, seat)


def is_victim(state: State, character: Character) -> bool:
    plot = state.assassin
    return plot is not None and plot.victim is character


def _missed(state: State, character: Character) -> State:
    """Rules: AV-75, AV-84."""
    return _plotted(state, PlotStatus.LOST) if is_victim(state, character) else state


def _revealed(state: State, character: Character, seat: Seat) -> State:
    """Rules: AV-41, AV-73, AV-74, AV-81, AV-85."""
    steps: list[AnyStep] = []
    if state.spy is not None and state.spy.target is character and state.hands[seat]:
        steps.append(Theft(seat))
    if character is Character.ASSASSIN:
        steps.append(Plot())
    elif is_victim(state, character):
        assert state.assassin is not None
        steps += (TurnOf(state.assassin.seat, character), TurnOf(seat, None))
        state = _plotted(state, PlotStatus.PLAYED)
    else:
        steps.append(TurnOf(seat, character))
    return replace(state, steps=tuple(steps))


def _plotted(state: State, status: PlotStatus) -> State:
    assert state.assassin is not None
    return replace(state, assassin=replace(state.assassin, status=status))


def _round_ended(state: State) -> State:
    """Rules: AV-30, AV-160, AV-161."""
    sp = state.sp
    if Character.PHILOSOPHER in state.face_up:
        sp = (sp - 1) % state.seats
    ending = _ending(state)
    return replace(
        state,
        phase=Phase.DRAFT if ending is None else Phase.OVER,
        ending=ending,
        sp=sp,
        round=state.round + (ending is None),
        leader=sp,
        shuffle=(),
        picks=(None,) * state.seats,
        face_up=(),
        call=0,
        assassin=None,
        spy=None,
    )


def _ending(state: State) -> Ending | None:
    if any(len(city) >= COMPLETE for city in state.cities):
        return Ending.CITY_COMPLETE
    return Ending.ROUND_LIMIT if state.round == state.options.round_limit else None
