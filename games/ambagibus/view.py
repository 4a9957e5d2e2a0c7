"""Who knows what: everything is public but the order of the cards that nobody has seen."""

from random import Random

import msgspec
from msgspec.structs import replace

from games.ambagibus import drawing, maze, scoring
from games.ambagibus.cards import Deck, Kind
from games.ambagibus.fitting import SIDES
from games.ambagibus.moves import Move, Shuffle, written
from games.ambagibus.state import Mode, State, Status, Tile
from games.core.game import Seat, Seen, Viewer
from games.core.moves import wire_move


class CurrentSeen(msgspec.Struct, frozen=True):
    """The card to be played; `edges` at rotation 0, none of a special."""

    card: str
    kind: Kind
    edges: tuple[int, ...]


class TileSeen(msgspec.Struct, frozen=True):
    """A tunnel as it lies: `edges` N, E, S, W after turning; `cave_in` lies on top of it."""

    cell: str
    card: str
    rotation: int
    edges: tuple[int, ...]
    cave_in: str | None


class PassageSeen(msgspec.Struct, frozen=True):
    """An open passage, and the empty cell it leads to."""

    cell: str
    edge: str
    priority: int
    target: str


class BasicOutcome(msgspec.Struct, frozen=True, tag_field="mode", tag=Mode.BASIC.value):
    result: Status
    winners: tuple[Seat, ...]
    score: int
    cards_left: int
    decisions: int


class AdvancedOutcome(msgspec.Struct, frozen=True, tag_field="mode", tag=Mode.ADVANCED.value):
    result: Status
    winners: tuple[Seat, ...]
    mazes: int
    final_score: int
    cards_left: int
    decisions: int


class View(msgspec.Struct, frozen=True):
    """What everybody may know.

    `unseen` are the cards of the pile that nobody has seen, in the order of the deck file; they
    lie above `known_tail`, the rest of the pile, top first. `drawing` is the maze as lines of
    text with the cell `top_left` in its corner.
    """

    deck: str
    status: Status
    deck_count: int
    unseen: tuple[str, ...]
    known_tail: tuple[str, ...]
    current: CurrentSeen | None
    maze: tuple[TileSeen, ...]
    open_passages: tuple[PassageSeen, ...]
    open_sum: int
    drawing: tuple[str, ...]
    top_left: str | None
    removed: tuple[str, ...]
    set_aside: tuple[tuple[TileSeen, ...], ...]
    mazes: int
    decisions: int
    outcome: BasicOutcome | AdvancedOutcome | None


def view(deck: Deck, state: State, viewer: Viewer) -> View:
    """The same for the seat and the spectator."""
    unseen = set(_unseen(state))
    return View(
        deck=deck.deck_id,
        status=state.status,
        deck_count=len(state.deck),
        unseen=tuple(card for card in deck.cards if card in unseen),
        known_tail=state.deck[len(unseen) :],
        current=_current(deck, state),
        maze=_tiles(deck, state.maze),
        open_passages=_passages(deck, state),
        open_sum=scoring.open_sum(deck, state.maze),
        drawing=drawing.drawn(deck, state.maze),
        top_left=written(*drawing.top_left(state.maze)) if state.maze else None,
        removed=state.removed,
        set_aside=tuple(_tiles(deck, closed) for closed in state.set_aside),
        mazes=len(state.set_aside),
        decisions=state.decision_count,
        outcome=_outcome(deck, state) if state.is_over else None,
    )


def redact(before: State, seat: Seat, move: Move, viewer: Viewer) -> Seen:
    """Of the shuffle nothing is seen, of a move everything."""
    return Seen(None if isinstance(move, Shuffle) else wire_move(move))


def resample(state: State, viewer: Viewer, rng: Random) -> State:
    """The unseen cards in another order. The deck that is still to be shuffled has no order yet."""
    if state.status is Status.SETUP:
        return state
    unseen = _unseen(state)
    mixed = rng.sample(unseen, len(unseen))
    return replace(state, deck=(*mixed, *state.deck[len(unseen) :]))


def _unseen(state: State) -> tuple[str, ...]:
    return state.deck[: len(state.deck) - state.known_tail]


def _current(deck: Deck, state: State) -> CurrentSeen | None:
    if state.current is None:
        return None
    card = deck.cards[state.current]
    return CurrentSeen(card.id, card.kind, card.edges)


def _tiles(deck: Deck, tiles: maze.Maze) -> tuple[TileSeen, ...]:
    return tuple(_tile(deck, tile) for tile in tiles)


def _tile(deck: Deck, tile: Tile) -> TileSeen:
    edges = deck.faces[tile.card][tile.rotation]
    return TileSeen(written(tile.x, tile.y), tile.card, tile.rotation, edges, tile.cave_in)


def _passages(deck: Deck, state: State) -> tuple[PassageSeen, ...]:
    return tuple(
        PassageSeen(written(*cell), SIDES[edge], priority, written(*target))
        for cell, edge, priority, target in maze.passages(deck, state.maze)
    )


def _outcome(deck: Deck, state: State) -> BasicOutcome | AdvancedOutcome:
    left, score = len(state.deck), scoring.open_sum(deck, state.maze)
    ranks = scoring.over(deck, state).ranks
    winners = tuple(seat for seat, rank in enumerate(ranks) if rank == 1)
    if state.options.mode is Mode.BASIC:
        return BasicOutcome(state.status, winners, score, left, state.decision_count)
    mazes = len(state.set_aside)
    return AdvancedOutcome(state.status, winners, mazes, score, left, state.decision_count)
