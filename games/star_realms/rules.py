"""Whose turn it is, what a move does, what a stand-in plays, where a rewind may aim."""

from typing import Any

from games.core.game import Decision, Turn
from games.core.moves import Choice, tuple_fields
from games.star_realms import moves, scoring
from games.star_realms.box import Box
from games.star_realms.effects import OpeningReveal
from games.star_realms.playing import MAIN, main_turn
from games.star_realms.resolving import answered, question, settled
from games.star_realms.state import Mode, Options, State


def agreed_draw(options: Options, seats: int) -> bool:
    """Nobody agrees with a boss."""
    return options.mode in (Mode.DUEL, Mode.FREE_FOR_ALL)


def turn(box: Box, state: State) -> Turn:
    if state.ending is not None:
        return scoring.over(state)
    return question(box, state) if state.stack else main_turn(box, state)


def apply(box: Box, state: State, seat: int, move: moves.Move) -> State:
    if state.stack:
        return settled(box, answered(box, state, seat, move))
    return settled(box, MAIN[type(move)](box, state, seat, move))


def fallback(box: Box, state: State, seat: int) -> moves.Move:
    """Ends the turn; else as few picks as are allowed, from the front of the options."""
    asked = turn(box, state)
    assert isinstance(asked, Decision)
    *_, last = asked.offers[seat]
    if last.move is moves.EndTurn:
        return moves.EndTurn()
    ((name, choice),) = last.fields.items()
    assert isinstance(choice, Choice)
    picks: Any = choice.options[: choice.least]
    if name not in tuple_fields(last.move):
        picks = picks[0] if picks else None
    filled: moves.Move = last.move(**{name: picks})  # type: ignore[assignment]
    return filled


def boundary(state: State) -> str:
    if state.ending is not None:
        return "over"
    if state.turn == 0:
        is_asked = state.stack and isinstance(state.stack[0].do, OpeningReveal)
        return "opening" if is_asked else "setup"
    if state.boss is not None and state.boss.acting:
        return f"turn {state.turn} boss"
    return f"turn {state.turn}"


def bound(options: Options, seats: int) -> int | None:
    """None: a turn is finite, but no useful number bounds the moves in it (12)."""
    return None
