"""Lies about schedules and about draws by agreement: both verifiers find each."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from events.agreed import DrawAnswered, DrawOffered
from events.attended import PresenceChecked, SeatingOpened, StandInSeated
from events.notes import verifier_key
from events.seating import may_start
from events.types import MatchClosed, MatchCreated, MatchEnded, MatchStarted, Terminal
from events.verify_bundle import verify_bundle
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, ORIGIN, TRUSTED
from tests.events.scheduled import MINUTE
from tests.events.scripted import NOON, Table
from tests.verifier.matches import played
from tests.verifier.node import needs_node, said
from tests.verifier.test_clocks import told

pytestmark = needs_node

KEYS = verifier_key(ORIGIN, KEY.public.public)
NAMES = (
    *("opened and started", "closed by itself", "no show of one", "without one that did not come"),
    *("drawn by agreement", "drawn by those who are left", "draws that came to nothing"),
    *("no show, waiting", "stood in", "stood in late", "no show on clocks", "void by a no show"),
)


def lies(at: Table) -> Iterator[tuple[int, Any]]:
    """Places and the events that can't stand there."""
    for place, event in enumerate(at.events):
        match event:
            case MatchCreated(schedule=schedule):
                yield place, replace(event, closing=None if event.closing else "cancel")
                if schedule is not None and schedule.join_by is not None:
                    yield place, replace(event, schedule=replace(schedule, no_show=None))
            case SeatingOpened():
                yield place, replace(event, at=NOON + 1)
            case MatchStarted() if not may_start(at.current, NOON + 1):
                yield place, replace(event, at=NOON + 1)
            case PresenceChecked(seen=seen):
                yield place, replace(event, at=NOON + 10 * MINUTE - 1)
                yield place, replace(event, seen=(NOON - 1, *seen[1:]))
                yield place, replace(event, seen=(event.at + 1, *seen[1:]))
                # What is said in its place is what another policy would lead to.
                yield place, SeatingOpened(version=event.version, at=event.at)
            case StandInSeated(seat=seat):
                yield place, replace(event, seat=(seat + 1) % at.current.seats)
                yield place, replace(event, holder="x" * 65)
            case DrawOffered(seat=seat):
                again = DrawAnswered(
                    version=event.version, at=event.at, seat=seat, offer=2, accepts=True
                )
                yield place, again
            case DrawAnswered(seat=seat, offer=offer):
                yield place, replace(event, offer=offer - 1)
                yield place, replace(event, seat=getattr(at.events[offer - 1], "seat", 0))
                yield place, DrawOffered(version=event.version, at=event.at, seat=seat)
            case MatchEnded(outcome=outcome) if outcome.terminal == "agreed":
                ranks = tuple(range(1, at.current.seats + 1))
                yield place, replace(event, outcome=replace(outcome, ranks=ranks))
                yield place, replace(event, outcome=replace(outcome, terminal=Terminal.NORMAL))
            case MatchEnded(outcome=outcome) if at.after(1).created.agreed_draw:
                yield place, replace(event, outcome=replace(outcome, terminal=Terminal.AGREED))
            case MatchClosed():
                yield place, replace(event, at=NOON + 1)
                yield place, replace(event, early=True)


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 1])
def test_a_lie_about_a_schedule_is_found_where_it_stands(viewer: Viewer) -> None:
    cases = [
        (name, event, told(played(name), place, event, viewer))
        for name in NAMES
        for place, event in lies(played(name))
    ]
    assert len(cases) > 30
    found = said([data for *_, data in cases], KEYS)
    for (name, event, data), verdict in zip(cases, found, strict=True):
        assert verdict.place == f"event {event.version}", (name, event, verdict)
        if viewer == ALL:
            assert verify_bundle(data, TRUSTED).place == verdict.place, (name, event)
