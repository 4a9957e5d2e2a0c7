"""Who may do what, what it does, and what follows of itself."""

from typing import Final, assert_never

from msgspec.structs import replace

from games.ambagibus import maze, scoring
from games.ambagibus.cards import Deck, Kind
from games.ambagibus.moves import Bomb, CaveIn, Move, Place, Shuffle, read, written
from games.ambagibus.state import Mode, State, Status, Tile
from games.core.game import Chance, Decision, Turn
from games.core.moves import Choice, Offer, moves, offer, one_of

SOLVER: Final = 0  # AB-01: the only seat


def turn(deck: Deck, state: State) -> Turn:
    if state.status is Status.SETUP:
        size = len(state.deck)
        order = Choice(state.deck, least=size, most=size, ordered=True)
        return Chance("shuffle", offer(Shuffle, order=order))
    if state.current is None:
        return scoring.over(deck, state)
    kind = deck.cards[state.current].kind
    match kind:
        case Kind.TUNNEL:
            return Decision("place", {SOLVER: _places(deck, state, state.current)})
        case Kind.BOMB:
            return Decision("bomb", {SOLVER: (_bombs(state),)})
        case Kind.CAVE_IN:
            return Decision("cave_in", {SOLVER: (_cave_ins(deck, state),)})
        case never:
            assert_never(never)


def apply(deck: Deck, state: State, seat: int, move: Move) -> State:
    match move:
        case Shuffle(order=order):
            played = replace(state, status=Status.RUNNING, deck=order)
        case Place(cell=cell, rotation=rotation):
            played = _placed(state, cell, rotation)
        case Bomb(cell=cell):
            played = _bombed(state, cell)
        case CaveIn(cell=cell):
            played = _caved_in(state, cell)
        case never:
            assert_never(never)
    return advance(deck, played)


def advance(deck: Deck, state: State) -> State:
    """The state after all that is not asked: closing, starting, drawing, bottoming, the end."""
    open_sites = maze.sites(deck, state.options, state.maze)
    if state.maze and not open_sites:
        # AB-36: a table that a Bomb has emptied never gets here, it is not a closed maze.
        if state.options.mode is Mode.BASIC:
            return replace(state, status=Status.CLOSED)
        state = replace(state, maze=(), set_aside=(*state.set_aside, state.maze))
    if not state.maze:
        state = _started(deck, state)
        if not state.maze:
            return state
        open_sites = maze.sites(deck, state.options, state.maze)
    for place, card in enumerate(state.deck):
        # AB-31, AB-41: with an open maze on the table a special can always be played.
        if card not in deck.fits or maze.placements(deck, open_sites, card):
            return replace(_drawn(state, place), current=card)
    return _ended(state)


def fallback(deck: Deck, state: State, seat: int) -> Move:
    """The first cell in the order of offers with its first rotation."""
    asked = turn(deck, state)
    assert isinstance(asked, Decision)
    first = next(moves(asked.offers[seat]))
    assert isinstance(first, Place | Bomb | CaveIn)
    return first


def boundary(state: State) -> str:
    """`setup`, `maze k` from the moment its first card lies, `over`."""
    if state.status is Status.SETUP:
        return "setup"
    return "over" if state.is_over else f"maze {len(state.set_aside) + 1}"


def _places(deck: Deck, state: State, card: str) -> tuple[Offer, ...]:
    """Rules: AB-12 to AB-17; one offer per cell, as the rotations depend on it."""
    open_sites = maze.sites(deck, state.options, state.maze)
    return tuple(
        offer(Place, cell=one_of((written(x, y),)), rotation=one_of(rotations))
        for (x, y), rotations in maze.placements(deck, open_sites, card)
    )


def _bombs(state: State) -> Offer:
    """Rules: AB-30, AB-45."""
    return offer(Bomb, cell=one_of([written(tile.x, tile.y) for tile in state.maze]))


def _cave_ins(deck: Deck, state: State) -> Offer:
    """Rules: AB-40, AB-45."""
    cells = dict.fromkeys(passage.cell for passage in maze.passages(deck, state.maze))
    return offer(CaveIn, cell=one_of([written(x, y) for x, y in cells]))


def _placed(state: State, cell: str, rotation: int) -> State:
    assert state.current is not None
    tile = Tile(*read(cell), state.current, rotation)
    return _played(state, maze.laid(state.maze, tile))


def _bombed(state: State, cell: str) -> State:
    """Rules: AB-32, AB-33."""
    assert state.current is not None
    tile, rest = maze.lifted(state.maze, read(cell))
    cards = (tile.card,) if tile.cave_in is None else (tile.cave_in, tile.card)
    return _played(state, rest, (*state.removed, *cards, state.current))


def _caved_in(state: State, cell: str) -> State:
    """Rules: AB-42."""
    tile, rest = maze.lifted(state.maze, read(cell))
    return _played(state, maze.laid(rest, replace(tile, cave_in=state.current)))


def _played(state: State, after: maze.Maze, removed: tuple[str, ...] | None = None) -> State:
    """The state in which the current card has been played."""
    return replace(
        state,
        maze=after,
        current=None,
        removed=state.removed if removed is None else removed,
        decision_count=state.decision_count + 1,
    )


def _started(deck: Deck, state: State) -> State:
    """The first tunnel of the pile in the middle, or the end. Rules: AB-10, AB-35, AB-44."""
    for place, card in enumerate(state.deck):
        if card in deck.fits:
            return replace(_drawn(state, place), maze=(Tile(0, 0, card, 0),))
    return _ended(state)


def _drawn(state: State, place: int) -> State:
    """The card at `place` taken from the pile, those above it put to the bottom. Rules: AB-18."""
    pile = state.deck
    return replace(
        state,
        deck=pile[place + 1 :] + pile[:place],
        known_tail=min(state.known_tail + place, len(pile) - 1),
    )


def _ended(state: State) -> State:
    """No card of the pile can be played, and every one has been seen. Rules: AB-19, AB-50."""
    status = Status.STUCK if state.deck else Status.EXHAUSTED
    return replace(state, status=status, known_tail=len(state.deck))
