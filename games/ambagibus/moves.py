"""The moves, and cells as they are written on the wire."""

from typing import TypeAlias

from games.core.moves import Move as AnyMove

Cell: TypeAlias = tuple[int, int]  # x grows to the east, y to the south


class Shuffle(AnyMove, frozen=True):
    """The draw: the cards in use, the top of the pile first."""

    order: tuple[str, ...]


class Place(AnyMove, frozen=True):
    discloses = True  # The next card turns up.
    cell: str
    rotation: int


class Bomb(AnyMove, frozen=True):
    discloses = True  # The next card turns up.
    cell: str


class CaveIn(AnyMove, frozen=True):
    discloses = True  # The next card turns up.
    cell: str


Move: TypeAlias = Shuffle | Place | Bomb | CaveIn


def written(x: int, y: int) -> str:
    """A cell on the wire: `0,-1`."""
    return f"{x},{y}"


def read(cell: str) -> Cell:
    x, y = cell.split(",")
    return int(x), int(y)
