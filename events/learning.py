"""What a rewind can't take back: the steps of the skipped range that showed a seat something."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw

from events.canonical import decoded
from events.dealer import Dealer
from events.match import Match
from events.observe import observe
from events.types import ChanceDrawn, Event, MovePlayed, Reveal
from games.core.game import Viewer


class Learnt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step by which a viewer may have learnt something, as it saw it.

    `seat` is who moved, None for a draw. A viewer's own move is listed if it can show something.
    """

    version: int
    kind: str
    seat: int | None = None
    move: Raw | None = None
    reveals: tuple[Reveal, ...] = ()


def learnt(
    steps: Iterable[tuple[Match, Event]], viewer: Viewer, dealer: Dealer
) -> tuple[Learnt, ...]:
    """Of the given steps (each with the match before it) those that showed `viewer` something.

    A move of a class with `shows = False` shows nobody anything, and what a viewer saw with a
    blank everywhere told it no more than that somebody moved. `viewer` is a seat or SPECTATOR.
    """
    found = []
    for before, event in steps:
        if not isinstance(event, ChanceDrawn | MovePlayed):
            continue
        seen = observe(before, event, viewer, dealer)
        if seen.reveals or _shows(before, event, seen.move):
            found.append(Learnt(seen.version, seen.kind, seen.seat, seen.move, seen.reveals))
    return tuple(found)


def _shows(before: Match, event: ChanceDrawn | MovePlayed, seen: Raw | None) -> bool:
    if seen is None:
        return False
    if isinstance(event, MovePlayed) and not before.move_of(event).shows:
        return False
    fields = {name: value for name, value in decoded(seen).items() if name != "type"}
    return not fields or any(_has_content(value) for value in fields.values())


def _has_content(value: Any) -> bool:
    if isinstance(value, list):
        return any(each is not None for each in value)
    return value is not None
