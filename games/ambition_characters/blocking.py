"""The block phase: anticlockwise, the first seat last, each names a character."""

from msgspec.structs import replace

from games.ambition_characters.asking import ask
from games.ambition_characters.characters import Character
from games.ambition_characters.moves import Block
from games.ambition_characters.state import NOBODY, Blocked, Phase, State
from games.core.game import Decision
from games.core.moves import Choice, offer


def begin(state: State) -> State:
    return _ask_next(state, block_order(state))


def turn(state: State) -> Decision:
    return ask(state, "block", state.asked, offer(Block, character=Choice(unblocked(state))))


def apply(state: State, seat: int, move: Block) -> State:
    """Rules: AC-35 to AC-39."""
    state = replace(state, blocked=(*state.blocked, Blocked(move.character, seat)))
    order = block_order(state)
    return _ask_next(state, order[order.index(seat) + 1 :])


def block_order(state: State) -> tuple[int, ...]:
    """Rules: AC-34."""
    count = len(state.coins)
    return tuple((state.scarab - step) % count for step in range(1, count + 1))


def unblocked(state: State) -> tuple[Character, ...]:
    named = [entry.character for entry in state.blocked]
    return tuple(character for character in state.cast if character not in named)


def _ask_next(state: State, seats: tuple[int, ...]) -> State:
    """Rules: AC-77, AC-78."""
    for seat in seats:
        if state.silence is None or state.silence.seat != seat:
            return replace(state, asked=seat)
    return replace(state, phase=Phase.ACT, asked=NOBODY, silence=None)
