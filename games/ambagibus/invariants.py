"""What must hold in every state."""

from games.ambagibus import maze, rules
from games.ambagibus.cards import Deck
from games.ambagibus.fitting import STEPS
from games.ambagibus.state import Mode, Options, State, Status, Tile, is_on_table
from games.core.game import Decision


def invariants(deck: Deck, state: State) -> str | None:
    """What is wrong with a state, or None."""
    mazes = (*state.set_aside, state.maze)
    return (
        _astray(deck, state)
        or next(filter(None, (_torn(deck, state.options, tiles) for tiles in mazes)), None)
        or next(filter(None, (_ajar(deck, tiles) for tiles in state.set_aside)), None)
        or _unsettled(deck, state)
    )


def _astray(deck: Deck, state: State) -> str | None:
    """Every card in use is in exactly one place."""
    tiles = [tile for tiles in (*state.set_aside, state.maze) for tile in tiles]
    found = [*state.deck, *state.removed, *(tile.card for tile in tiles)]
    found += [tile.cave_in for tile in tiles if tile.cave_in is not None]
    if state.current is not None:
        found.append(state.current)
    in_use = deck.in_use(state.options.bombs, state.options.cave_ins)
    if sorted(found) != sorted(in_use):
        return "a card of the deck is missing or in two places"
    if not 0 <= state.known_tail <= len(state.deck):
        return f"{state.known_tail} known cards in a pile of {len(state.deck)}"
    return None


def _torn(deck: Deck, options: Options, tiles: maze.Maze) -> str | None:
    """Adjacent edges are both open or both bricks, and nothing reaches over the table's edge."""
    lying = {(tile.x, tile.y): tile for tile in tiles}
    if list(lying) != sorted(lying) or len(lying) < len(tiles):
        return "the tiles are not in order, or two on one cell"
    for tile in tiles:
        if not is_on_table(options, (tile.x, tile.y)):
            return f"{tile.card} is off the table"
        for side, (dx, dy) in enumerate(STEPS):
            beside = (tile.x + dx, tile.y + dy)
            is_open = _is_open(deck, tile, side)
            if is_open and not is_on_table(options, beside):
                return f"{tile.card} points off the table"
            other = lying.get(beside)
            if other is None or tile.cave_in is not None or other.cave_in is not None:
                continue
            if is_open != _is_open(deck, other, side - 2):
                return f"{tile.card} and {other.card} do not match"
    return None


def _ajar(deck: Deck, tiles: maze.Maze) -> str | None:
    """A closed maze has no open passage and, without Cave-ins, all its openings in pairs."""
    if not tiles or maze.passages(deck, tiles):
        return "a maze set aside is not closed"
    openings = sum(len(deck.openings[tile.card][tile.rotation]) for tile in tiles)
    if openings % 2 and all(tile.cave_in is None for tile in tiles):
        return "a closed maze has an odd opening"
    return None


def _unsettled(deck: Deck, state: State) -> str | None:
    """What the status says is so."""
    if state.options.mode is Mode.BASIC and state.set_aside:
        return "a maze is set aside in the basic game"
    is_open = bool(maze.passages(deck, state.maze))
    match state.status:
        case Status.SETUP:
            return "something lies before the shuffle" if state.maze or state.current else None
        case Status.RUNNING:
            asked = rules.turn(deck, state) if state.current and is_open else None
            is_asked = isinstance(asked, Decision) and all(asked.offers.values())
            return None if is_asked else "the match runs and nothing can be played"
        case Status.CLOSED:
            is_right = bool(state.maze) and not is_open and state.options.mode is Mode.BASIC
        case Status.EXHAUSTED:
            is_right = not state.deck and (is_open or not state.maze)
        case Status.STUCK:
            is_right = bool(state.deck) and (is_open or not state.maze)
    return None if is_right and state.current is None else f"{state.status} is not true"


def _is_open(deck: Deck, tile: Tile, side: int) -> bool:
    return deck.faces[tile.card][tile.rotation][side] > 0
