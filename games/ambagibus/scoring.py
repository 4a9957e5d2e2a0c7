"""The end of a match: what is counted, and how it compares."""

from typing import Final

from games.ambagibus import maze
from games.ambagibus.cards import Deck
from games.ambagibus.state import Mode, State, Status
from games.core.game import Over

MAZE: Final = 1000  # a closed maze outweighs any sum of priorities a deck may have


def over(deck: Deck, state: State) -> Over:
    """One score, more is better; rank 1 says that a maze was closed. Rules: AB-50, AB-61."""
    left = open_sum(deck, state.maze)
    if state.options.mode is Mode.ADVANCED:
        mazes = len(state.set_aside)
        score, has_won = MAZE * mazes - left, mazes > 0
    else:
        has_won = state.status is Status.CLOSED
        score = 1 if has_won else -left
    return Over(scores=(score,), ranks=(1 if has_won else 2,), note=state.status.value)


def open_sum(deck: Deck, tiles: maze.Maze) -> int:
    """The priorities of all open passages together. Rules: AB-51, AB-62."""
    return sum(passage.priority for passage in maze.passages(deck, tiles))
