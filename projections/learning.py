"""What a rewind can't take back: the steps of the skipped range that told a viewer something."""

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Raw

from events.canonical import decoded, raw
from events.dealer import Dealer
from events.match import Match
from events.observe import observe
from events.types import ChanceDrawn, Event, MovePlayed, Reveal
from games.core.game import SPECTATOR, Viewer
from projections.differences import changes


class Learnt(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step by which a viewer may have learnt something, as it saw it.

    `seat` is who moved, None for a draw. `news` are the leaves of the viewer's own view, by path,
    that changed by the step where the public's did not.
    """

    version: int
    kind: str
    seat: int | None = None
    move: Raw | None = None
    reveals: tuple[Reveal, ...] = ()
    news: Raw | None = None


class Skipped(msgspec.Struct, frozen=True):
    """A step with the match before and after it."""

    before: Match
    event: Event
    after: Match


def learnt(steps: Iterable[Skipped], viewer: Viewer, dealer: Dealer) -> tuple[Learnt, ...]:
    """Of the given steps those that told `viewer` (a seat or SPECTATOR) something.

    A move of a class with `shows = False` tells nobody anything; what a viewer saw with a blank
    everywhere told it no more than that somebody moved, unless its own view has news.
    """
    lines = (_line(step, viewer, dealer) for step in steps)
    return tuple(line for line in lines if line is not None)


def _line(step: Skipped, viewer: Viewer, dealer: Dealer) -> Learnt | None:
    event = step.event
    if not isinstance(event, ChanceDrawn | MovePlayed):
        return None
    seen = observe(step.before, event, viewer, dealer)
    is_known = seen.move is not None and isinstance(event, MovePlayed)
    if is_known and isinstance(event, MovePlayed) and not step.before.move_of(event).shows:
        news: dict[str, Any] = {}
        shows = False
    else:
        news = _news(step, viewer)
        shows = seen.move is not None and _has_content(seen.move)
    if not (shows or news or seen.reveals):
        return None
    told = raw(news) if news else None
    return Learnt(seen.version, seen.kind, seen.seat, seen.move, seen.reveals, told)


def _news(step: Skipped, viewer: Viewer) -> dict[str, Any]:
    if viewer == SPECTATOR:
        return {}
    own, public = (_changed(step, each) for each in (viewer, SPECTATOR))
    return {path: leaf for path, leaf in own.items() if path not in public}


def _changed(step: Skipped, viewer: Viewer) -> dict[str, Any]:
    views = [
        msgspec.to_builtins(each.game.view(each.state, viewer))
        for each in (step.before, step.after)
    ]
    return changes(*views).leaves


def _has_content(seen: Raw) -> bool:
    """A move without fields says all by its type."""
    fields = [value for name, value in decoded(seen).items() if name != "type"]
    return not fields or any(
        any(each is not None for each in value) if isinstance(value, list) else value is not None
        for value in fields
    )
