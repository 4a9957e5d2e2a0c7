"""The record a game is, and the values its functions exchange."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Any, Final, Generic, TypeAlias, TypeVar

import msgspec

from games.core.moves import Move, Offer, Wire

CHANCE: Final = -1  # the seat that draws
SPECTATOR: Final = -2  # the viewer that holds no seat
ALL: Final = -3  # the viewer that may know everything; the games never see it

Seat: TypeAlias = int  # 0 … n-1, clockwise
Viewer: TypeAlias = int  # a seat or SPECTATOR

S = TypeVar("S", bound=msgspec.Struct)
M = TypeVar("M", bound=Move)


class OptionsRefused(Exception):
    """Options, or their combination with a seat count, that the game does not allow.

    `pointer` is a JSON pointer into the options ("" for the whole, "/seats" is the seat count).
    """

    def __init__(self, pointer: str, reason: str) -> None:
        super().__init__(f"{pointer or '/'}: {reason}")
        self.pointer = pointer
        self.reason = reason


class Mode(StrEnum):
    SEALED = "sealed"  # everyone asked owes one answer; nothing shows until all are in
    OPEN = "open"  # the first accepted move is applied at once and all offers are taken anew


SEALED: Final = Mode.SEALED
OPEN: Final = Mode.OPEN


class Chance(msgspec.Struct, frozen=True):
    """The dealer draws. `label` is structural ("round 4 redeal") and unique in a line of play."""

    label: str
    offer: Offer


class Decision(msgspec.Struct, frozen=True):
    """What seats are asked. `kind` is public. Asides may always be taken and end no decision."""

    kind: str
    offers: Mapping[Seat, tuple[Offer, ...]]
    mode: Mode = SEALED
    asides: Mapping[Seat, tuple[Offer, ...]] = {}


class Asked(msgspec.Struct, frozen=True):
    """What everybody knows of a decision: its kind, and the seats asked, ascending."""

    kind: str
    seats: tuple[Seat, ...]


class Over(msgspec.Struct, frozen=True):
    """The end, by seat. Rank 1 is best, ties share a rank; a lost scenario may have no rank 1."""

    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    note: str = ""


Turn: TypeAlias = Chance | Decision | Over


class Seen(msgspec.Struct, frozen=True):
    """A step as a viewer saw it.

    `move` is in wire form with None at every hidden place (inside lists too), or None if even its
    type is hidden. `reveals` are earlier sealed answers this step opens: (seat, wire move).
    """

    move: Wire | None
    reveals: tuple[tuple[Seat, Wire], ...] = ()


Trial: TypeAlias = tuple[msgspec.Struct, int]  # options, seat count


# (options, view, viewer, asked): see `imagine` in docs/adding-a-game.md
Imagine: TypeAlias = Callable[[Any, Any, Viewer, Asked], S | None]


def nobody_out(state: Any) -> tuple[Seat, ...]:
    return ()


def never_drawn(options: Any, seats: int) -> bool:
    return False


def drawn_by_several(options: Any, seats: int) -> bool:
    """A match of several seats, each of which plays for itself."""
    return seats > 1


def as_given(options: Any) -> Any:
    return options


def printed(options: Any) -> bool:
    """All faces are those of the published game."""
    return False


@dataclass(frozen=True, eq=False)
class Game(Generic[S, M]):
    """A rule set: a record of pure functions, explained in docs/adding-a-game.md."""

    slug: str
    name: str
    rules_version: int
    seats: tuple[int, ...]  # every seat count that some options allow, ascending
    options: type[msgspec.Struct]  # all fields with defaults
    state: type[S]
    move: Any  # the union of all move classes, chance moves included
    views: type[msgspec.Struct]  # what `view` returns

    new: Callable[[Any, int], S]  # (options, seat count); raises OptionsRefused
    turn: Callable[[S], Turn]
    apply: Callable[[S, Seat, M], S]
    view: Callable[[S, Viewer], msgspec.Struct]
    redact: Callable[[S, Seat, M, Viewer], Seen]
    resample: Callable[[S, Viewer, Random], S]
    fallback: Callable[[S, Seat], M]
    boundary: Callable[[S], str]
    bound: Callable[[Any, int], int | None]  # the most moves; no draws, no asides
    invariants: Callable[[S], str | None]  # what is wrong with a state, or None
    trials: tuple[Trial, ...]  # typical matches that end; the first is the demonstration's
    imagine: Imagine[S] | None = None  # while a decision is open; None: the game has no such
    out: Callable[[S], tuple[Seat, ...]] = nobody_out  # seats that are never asked again; public
    agreed_draw: Callable[[Any, int], bool] = never_drawn  # (options, seat count): may seats agree?
    complete: Callable[[Any], Any] = as_given  # options with what they leave to the game; event 1's
    reconstructed: Callable[[Any], bool] = printed  # (options): not all faces are the printed ones
    data_digest: str = ""  # SHA-256 (hex) of the component tables, "" without tables


AnyGame: TypeAlias = Game[Any, Any]
