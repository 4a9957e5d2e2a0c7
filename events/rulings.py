"""What an arbiter may rule: one value each, inside `dispute_ruled`. All of it is public."""

from typing import TypeAlias

import msgspec

from games.core.moves import snake


class _Ruling(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag=snake,
    tag_field="type",
):
    pass


class Note(_Ruling, frozen=True):
    """Nothing changes; the reason says it all."""


class Rewind(_Ruling, frozen=True, kw_only=True):
    """The match goes on from where it was after event `to`, where `boundary` (if named) ran."""

    to: int
    boundary: str | None


class Redraw(_Ruling, frozen=True, kw_only=True):
    """Back to `to`, where the draw `label` was due, and it is drawn anew: another redraw count."""

    label: str
    to: int


class ReplaceSeat(_Ruling, frozen=True, kw_only=True):
    """Another plays the seat from now on; `holder` is a pseudonym. Its tokens stop working."""

    seat: int
    holder: str


class AdjustClock(_Ruling, frozen=True, kw_only=True):
    """So many `ms` more on the seat's clock (None: on each), or fewer if below 0."""

    seat: int | None
    ms: int


class ForceMove(_Ruling, frozen=True, kw_only=True):
    """The arbiter answers the decision; the move is the next event, seen as any move is."""

    seat: int
    decision: str


class Forfeit(_Ruling, frozen=True, kw_only=True):
    """The seat is out as if it had resigned."""

    seat: int


class SetResult(_Ruling, frozen=True, kw_only=True):
    """The match is over with this result, by seat."""

    ranks: tuple[int, ...]
    scores: tuple[int, ...] | None


class Void(_Ruling, frozen=True):
    """The match does not count: it has no result."""


class Replay(_Ruling, frozen=True, kw_only=True):
    """The match does not count; another, with a seed of its own, is played in its place."""

    match_id: str


Ruling: TypeAlias = (
    Note
    | AdjustClock
    | Rewind
    | Redraw
    | ReplaceSeat
    | ForceMove
    | Forfeit
    | SetResult
    | Void
    | Replay
)
