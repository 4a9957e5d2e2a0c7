"""The options, the state of a match, and how it opens."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec.structs import replace

from games.ambagibus.cards import Deck, Kind
from games.ambagibus.moves import Cell
from games.core.game import OptionsRefused


class Mode(StrEnum):
    BASIC = "basic"
    ADVANCED = "advanced"


class Table(StrEnum):
    INFINITE = "infinite"
    HARD_EDGE = "hard_edge"


class Status(StrEnum):
    SETUP = "setup"  # the deck is not shuffled yet
    RUNNING = "running"
    CLOSED = "closed"
    EXHAUSTED = "exhausted"
    STUCK = "stuck"


SIZES = range(3, 22)  # AB-R16: on 3 cells the first card points off neither end
SPECIALS = range(3)


def _within(values: range) -> msgspec.Meta:
    """Shown in the schema; `new` refuses, with a pointer."""
    return msgspec.Meta(extra_json_schema={"minimum": values[0], "maximum": values[-1]})


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`deck` names the deck the match insists on; "" is the one in use, which event 1 names."""

    mode: Mode = Mode.BASIC
    bombs: Annotated[int, _within(SPECIALS)] = 2
    cave_ins: Annotated[int, _within(SPECIALS)] = 2
    table: Table = Table.INFINITE
    table_width: Annotated[int, _within(SIZES)] = 9
    table_height: Annotated[int, _within(SIZES)] = 9
    deck: str = ""


class Tile(msgspec.Struct, frozen=True):
    """A tunnel on the table and, if it has caved in, the Cave-in above it."""

    x: int
    y: int
    card: str
    rotation: int
    cave_in: str | None = None


class State(msgspec.Struct, frozen=True):
    """`deck` is the draw pile, top first; its last `known_tail` cards have been seen.

    The tiles of `maze` are ordered by x, then y. `removed` holds bombed cards and Bombs as they
    left, `set_aside` every closed maze of the advanced game.
    """

    options: Options
    status: Status
    deck: tuple[str, ...]
    known_tail: int = 0
    maze: tuple[Tile, ...] = ()
    current: str | None = None
    removed: tuple[str, ...] = ()
    set_aside: tuple[tuple[Tile, ...], ...] = ()
    decision_count: int = 0

    @property
    def is_over(self) -> bool:
        return self.status not in (Status.SETUP, Status.RUNNING)


def complete(deck: Deck, options: Options) -> Options:
    """With the deck by its name."""
    return options if options.deck else replace(options, deck=deck.deck_id)


def new(deck: Deck, options: Options, seats: int) -> State:
    """The unshuffled deck. Raises: OptionsRefused. Rules: AB-01, AB-02."""
    if seats != 1:
        raise OptionsRefused("/seats", "the game is for one")
    if options.deck not in ("", deck.deck_id):
        raise OptionsRefused("/deck", f"the deck in use is {deck.deck_id}")
    _refuse_specials("/bombs", options.bombs, deck.count(Kind.BOMB))
    _refuse_specials("/cave_ins", options.cave_ins, deck.count(Kind.CAVE_IN))
    for name, size in (("width", options.table_width), ("height", options.table_height)):
        if size not in SIZES:
            raise OptionsRefused(f"/table_{name}", f"not {SIZES[0]} to {SIZES[-1]}")
    return State(options, Status.SETUP, deck.in_use(options.bombs, options.cave_ins))


def bound(deck: Deck, options: Options, seats: int) -> int:
    """Every decision uses up one card, and the first tunnel is laid without one."""
    return len(deck.in_use(options.bombs, options.cave_ins)) - 1


def is_on_table(options: Options, cell: Cell) -> bool:
    """Rules: AB-70, AB-71; of an even size the larger half is to the east and south."""
    if options.table is Table.INFINITE:
        return True
    (x, y), width, height = cell, options.table_width, options.table_height
    return -((width - 1) // 2) <= x <= width // 2 and -((height - 1) // 2) <= y <= height // 2


def _refuse_specials(pointer: str, asked: int, there: int) -> None:
    if asked not in SPECIALS:
        raise OptionsRefused(pointer, f"not {SPECIALS[0]} to {SPECIALS[-1]}")
    if asked > there:
        raise OptionsRefused(pointer, f"the deck in use has {there}")
