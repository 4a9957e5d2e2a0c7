"""Lies about clocks: each is found by both verifiers, whoever's bundle it is in."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from events.canonical import canonical
from events.notes import verifier_key
from events.observe import shown_facets
from events.timed import FlagFell, MatchPaused, MatchResumed, TimeAdded, TimeCredited
from events.types import MovePlayed
from events.verify_bundle import verify_bundle
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, ORIGIN, TRUSTED
from tests.events.scripted import Table
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
