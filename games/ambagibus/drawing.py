"""A maze as text: a square of 3 by 3 characters for every cell.

`#` is bricks, a digit an opening, `.` the middle of a tunnel; a caved-in cell is all `%`.
"""

from games.ambagibus.cards import Deck
from games.ambagibus.maze import Maze
from games.ambagibus.moves import Cell
from games.ambagibus.state import Tile

EMPTY = ("   ",) * 3
CAVED_IN = ("%%%",) * 3


def drawn(deck: Deck, tiles: Maze) -> tuple[str, ...]:
    """The lines, without blanks at their ends; a blank line between rows of cells."""
    if not tiles:
        return ()
    by_cell = {(tile.x, tile.y): _square(deck, tile) for tile in tiles}
    columns, rows = (range(min(line), max(line) + 1) for line in zip(*by_cell, strict=True))
    lines = []
    for y in rows:
        squares = [by_cell.get((x, y), EMPTY) for x in columns]
        lines += [" ".join(parts).rstrip() for parts in zip(*squares, strict=True)]
        lines.append("")
    return tuple(lines[:-1])


def top_left(tiles: Maze) -> Cell:
    """The cell in the corner of the drawing."""
    return min(tile.x for tile in tiles), min(tile.y for tile in tiles)


def _square(deck: Deck, tile: Tile) -> tuple[str, ...]:
    if tile.cave_in is not None:
        return CAVED_IN
    north, east, south, west = ("#1234"[edge] for edge in deck.faces[tile.card][tile.rotation])
    return f"#{north}#", f"{west}.{east}", f"#{south}#"
