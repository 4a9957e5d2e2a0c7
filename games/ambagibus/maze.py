"""The maze on the table: its tiles, its open passages, and the cells where it can be continued."""

from bisect import bisect_left
from typing import Final, NamedTuple

from games.ambagibus.cards import Deck
from games.ambagibus.fitting import BRICKS, OPENING, STEPS, WEIGHTS, Pattern
from games.ambagibus.moves import Cell
from games.ambagibus.state import Options, Tile, is_on_table

Maze = tuple[Tile, ...]

ABOVE_ALL: Final = 9  # above every priority


class Passage(NamedTuple):
    """An open passage: an edge of the tunnel at `cell` and the empty cell it leads to."""

    cell: Cell
    edge: int
    priority: int
    target: Cell


class Site(NamedTuple):
    """An empty cell with open passages into it, the lowest of their numbers, and what it asks."""

    cell: Cell
    lowest: int
    pattern: Pattern


def passages(deck: Deck, maze: Maze) -> list[Passage]:
    """By cell and edge.

    An opening toward a tunnel meets an opening and one toward a caved-in cell is closed, so the
    open ones are those toward empty cells. None points off a hard-edged table.
    Rules: AB-06, AB-07, AB-20, AB-32, AB-42, AB-71.
    """
    lying = {(tile.x, tile.y) for tile in maze}
    found = []
    for tile in maze:
        if tile.cave_in is None:
            x, y = tile.x, tile.y
            for edge, priority, dx, dy in deck.openings[tile.card][tile.rotation]:
                target = (x + dx, y + dy)
                if target not in lying:
                    found.append(Passage((x, y), edge, priority, target))
    return found


def sites(deck: Deck, options: Options, maze: Maze) -> list[Site]:
    """By x, then y. Rules: AB-12, AB-17."""
    lowest: dict[Cell, int] = {}
    for _, _, priority, target in passages(deck, maze):
        if priority < lowest.get(target, ABOVE_ALL):
            lowest[target] = priority
    lying = {(tile.x, tile.y): tile for tile in maze}
    return [
        Site(cell, lowest[cell], _pattern(deck, options, lying, cell)) for cell in sorted(lowest)
    ]


def placements(deck: Deck, open_sites: list[Site], card: str) -> list[tuple[Cell, tuple[int, ...]]]:
    """Where the tunnel may be placed, with its rotations: the sites of the lowest number among
    those it fits at all. Rules: AB-13 to AB-17."""
    fits = deck.fits[card]
    fitting = [site for site in open_sites if fits[site.pattern]]
    least = min((site.lowest for site in fitting), default=0)
    return [(site.cell, fits[site.pattern]) for site in fitting if site.lowest == least]


def laid(maze: Maze, tile: Tile) -> Maze:
    """The maze with one tile more, in order."""
    place = bisect_left(maze, (tile.x, tile.y), key=_cell)
    return (*maze[:place], tile, *maze[place:])


def lifted(maze: Maze, cell: Cell) -> tuple[Tile, Maze]:
    """The tile at a cell, and the maze without it."""
    place = bisect_left(maze, cell, key=_cell)
    assert _cell(maze[place]) == cell
    return maze[place], (*maze[:place], *maze[place + 1 :])


def _pattern(deck: Deck, options: Options, lying: dict[Cell, Tile], cell: Cell) -> Pattern:
    """What the surroundings of an empty cell ask of a card. Rules: AB-13, AB-43, AB-71."""
    x, y = cell
    pattern = 0
    for side, (dx, dy) in enumerate(STEPS):
        beside = (x + dx, y + dy)
        tile = lying.get(beside)
        if tile is None:
            if not is_on_table(options, beside):
                pattern += BRICKS * WEIGHTS[side]
        elif tile.cave_in is None and deck.faces[tile.card][tile.rotation][side - 2]:
            pattern += OPENING * WEIGHTS[side]
        else:
            pattern += BRICKS * WEIGHTS[side]
    return pattern


def _cell(tile: Tile) -> Cell:
    return tile.x, tile.y
