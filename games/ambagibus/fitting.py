"""How the edges of a turned card meet what surrounds an empty cell.

Edges and sides stand in the order N, E, S, W; rotation r is r quarter turns clockwise.
"""

from itertools import product
from typing import Final, TypeAlias

Edges: TypeAlias = tuple[int, ...]  # four; 0 is bricks, 1 to 4 an opening of that priority
Pattern: TypeAlias = int  # what the four sides of a cell ask for, as one number

SIDES: Final = ("N", "E", "S", "W")
STEPS: Final = ((0, -1), (1, 0), (0, 1), (-1, 0))  # y grows to the south

# What a side of a cell asks of the card that is laid there.
FREE: Final = 0  # nothing
OPENING: Final = 1
BRICKS: Final = 2
WEIGHTS: Final = (27, 9, 3, 1)  # of the sides in a pattern


def rotated(edges: Edges, rotation: int) -> Edges:
    """The edges after `rotation` quarter turns clockwise. Rules: AB-03."""
    return tuple(edges[(side - rotation) % 4] for side in range(4))


def rotations_by_pattern(edges: Edges) -> tuple[tuple[int, ...], ...]:
    """By pattern, the rotations in which the card may lie there, ascending.

    None where no side asks for an opening. Of rotations that give the same edges the smallest is
    kept. Rules: AB-12, AB-13.
    """
    turned = {rotated(edges, rotation): rotation for rotation in (3, 2, 1, 0)}
    by_rotation = sorted((rotation, face) for face, rotation in turned.items())
    return tuple(
        tuple(rotation for rotation, face in by_rotation if _fits(face, asked))
        for asked in product((FREE, OPENING, BRICKS), repeat=4)
    )


def _fits(face: Edges, asked: tuple[int, ...]) -> bool:
    return OPENING in asked and all(
        side == FREE or (side == OPENING) == (edge > 0)
        for edge, side in zip(face, asked, strict=True)
    )
