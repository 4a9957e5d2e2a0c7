"""A state that looks as the true one does, made from the view: the pile alone is hidden."""

from games.ambagibus.moves import read
from games.ambagibus.state import Options, State, Tile
from games.ambagibus.view import TileSeen, View
from games.core.game import Asked, Viewer


def imagine(options: Options, view: View, viewer: Viewer, asked: Asked) -> State:
    return State(
        options=options,
        status=view.status,
        deck=view.unseen + view.known_tail,
        known_tail=len(view.known_tail),
        maze=_tiles(view.maze),
        current=None if view.current is None else view.current.card,
        removed=view.removed,
        set_aside=tuple(_tiles(closed) for closed in view.set_aside),
        decision_count=view.decisions,
    )


def _tiles(seen: tuple[TileSeen, ...]) -> tuple[Tile, ...]:
    return tuple(Tile(*read(each.cell), each.card, each.rotation, each.cave_in) for each in seen)
