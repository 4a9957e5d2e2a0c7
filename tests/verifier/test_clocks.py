"""Lies about clocks: each is found by both verifiers, whoever's bundle it is in."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from events.canonical import canonical
from events.decide import OfGroup
from events.notes import verifier_key
from events.observe import shown_facets
from events.timed import FlagFell, MatchPaused, MatchResumed, TimeAdded, TimeCredited
from events.types import (
    Closing,
    MatchCancelled,
    MovePlayed,
    ReviewStarted,
    SeatResigned,
)
from events.verify_bundle import verify_bundle
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, ORIGIN, TRUSTED
from tests.events.clocked import Clocked
from tests.events.disputed import opened
from tests.events.scripted import GROUP_ID, NOON, Table
from tests.events.test_flag_order import LONG, SHORT, ringing
from tests.verifier.lies import rebuilt
from tests.verifier.matches import played
from tests.verifier.node import needs_node, said

pytestmark = needs_node

KEYS = verifier_key(ORIGIN, KEY.public.public)


def told(at: Table, place: int, event: Any, viewer: Viewer) -> bytes:
    """A bundle in which another event stands in that place, and all around it made to fit."""
    facets = [each.facets for each in at.sealed]
    shown = shown_facets(at.steps[place].before, event, at.current.seats, at.dealer)
    facets[place] = (*shown, canonical(event))
    return rebuilt(at, facets, viewer)


def lies(at: Table) -> Iterator[tuple[int, Any]]:
    """Places and the events that can't stand there."""
    for place, event in enumerate(at.events):
        match event:
            case MovePlayed(arrived=int(arrived)):
                yield place, replace(event, arrived=None)
                yield place, replace(event, arrived=event.at + 1)
                yield place, replace(event, arrived=arrived - 1_000_000)
            case MovePlayed():
                yield place, replace(event, arrived=event.at)
            case FlagFell(fell=fell):
                yield place, replace(event, fell=fell - 1)
                yield place, replace(event, at=fell - 1)
            case MatchPaused():
                yield place, MatchResumed(version=event.version, at=event.at, arbiter="a")
            case MatchResumed():
                yield place, MatchPaused(version=event.version, at=event.at, arbiter="a")
            case TimeAdded():
                yield place, replace(event, ms=0)
            case TimeCredited(since=since):
                yield place, replace(event, until=event.at + 1)
                yield place, replace(event, until=since)


def done(move: MovePlayed, at: int) -> Iterator[Any]:
    """What somebody may do then (ms) in place of the move, the last of them with a delay."""
    common: dict[str, Any] = {"version": move.version, "at": at}
    yield MatchPaused(arbiter="a", **common)
    yield TimeAdded(arbiter="a", seat=None, ms=1_000, **common)
    yield MatchCancelled(**common)
    yield SeatResigned(seat=1, **common)
    yield ReviewStarted(dispute=move.version - 1, arbiter="a", pause=True, **common)
    yield replace(move, at=at, arrived=at)
    yield replace(move, at=at + 50, arrived=at)
    yield TimeCredited(version=move.version, at=at + 50, since=at, until=at + 50)


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 1])
def test_what_comes_before_the_flag_of_who_was_late_is_found_where_it_stands(
    viewer: Viewer,
) -> None:
    at = ringing(SHORT, LONG, LONG)
    over = at.at + 4_000
    opened(at)
    place = len(at.events)
    at.move(1)
    move = at.events[place]
    assert isinstance(move, MovePlayed)
    late, timely = list(done(move, over + 1)), list(done(move, over))
    data = [told(at, place, event, viewer) for event in (*late, *timely)]
    found = said(data, KEYS)
    for event, own, bundle in zip(late, found, data, strict=False):
        assert (own.place, own.code) == (f"event {event.version}", "clock"), event
        if viewer == ALL:
            assert verify_bundle(bundle, TRUSTED).place == own.place, event
    for event, own in zip(timely, found[len(late) :], strict=True):
        assert own.place != f"event {event.version}", event


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR])
def test_time_given_back_behind_the_closing_time_is_found(viewer: Viewer) -> None:
    group = OfGroup(GROUP_ID, NOON + 60_000, Closing.FALLBACK)
    at = Clocked("high_card", 2, LONG, group=group)
    place = len(at.events)
    at.wait(20_000).credit((at.at - 10_000, at.at))
    event = at.events[place]
    assert isinstance(event, TimeCredited)
    for moment in (60_000, 60_001):
        data = told(at, place, replace(event, at=NOON + moment), viewer)
        (found,) = said([data], KEYS)
        assert (found.place, found.code) == (f"event {event.version}", "clock")
        if viewer == ALL:
            assert verify_bundle(data, TRUSTED).place == found.place


@pytest.mark.parametrize("name", ["stood still", "abandoned"])
@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 1])
def test_a_lie_about_a_clock_is_found_where_it_stands(name: str, viewer: Viewer) -> None:
    at = played(name)
    cases = [(event, told(at, place, event, viewer)) for place, event in lies(at)]
    assert len(cases) > 10
    for (event, data), found in zip(cases, said([data for _, data in cases], KEYS), strict=True):
        assert found.place == f"event {event.version}", (event, found)
        if viewer == ALL:
            assert verify_bundle(data, TRUSTED).place == found.place, event
