"""A reveal that does not come in time is a fault, for who has the log and for who has a view."""

from random import Random

import pytest

from events.decide import CancelMatch
from events.disputing import TakeLook
from events.rulings import Replay, Rewind, Ruling, SetResult, Void
from events.scheduling import NoShow
from events.types import MatchRevealed
from events.verify import OVERDUE_MS, verify_log
from events.verify_view import verify_view
from games.core.game import ALL, SPECTATOR
from tests.events.disputed import ARBITER, opened, ruled
from tests.events.scheduled import Scheduled
from tests.events.scripted import (
    MATCH_ID,
    NOON,
    OTHER_ID,
    Table,
    changed,
    entries,
    finished,
    where,
)
from tests.games import high_card

HOUR = 3_600_000
SKEW = 60_000
ENDING: dict[str, Ruling] = {
    "void": Void(),
    "replay": Replay(match_id=OTHER_ID),
    "set_result": SetResult(ranks=(1, 2), scores=None),
}


def running(window: int | None = None, reveal_by: int | None = None) -> Table:
    """A match in the middle."""
    made = Table(high_card.GAME, 2, window=window, reveal_by=reveal_by).play_on(Random(3), most=1)
    assert made.current.status == "running"
    return made


def test_a_match_that_promised_its_reveal_is_overdue() -> None:
    table = Table(high_card.GAME, 2, reveal_by=NOON + HOUR)
    assert verify_log(table.records, now=NOON + HOUR).fault is None
    late = NOON + 2 * HOUR
    assert where(verify_log(table.records, now=late)) == (len(table.records) + 1, "overdue")
    seen = verify_view(entries(table, 0), MATCH_ID, 2, 0, late)
    assert where(seen) == (len(table.records) + 1, "overdue")


def test_a_reveal_later_than_promised_is_a_fault() -> None:
    table = Table(high_card.GAME, 2, reveal_by=NOON + HOUR)
    table.at += 2 * HOUR
    table.do(CancelMatch())
    (last,) = [e.version for e in table.events if isinstance(e, MatchRevealed)]
    assert where(verify_log(table.records)) == (last, "overdue")
    assert where(verify_view(entries(table, SPECTATOR), MATCH_ID, 2, SPECTATOR)) == (
        last,
        "overdue",
    )


def test_a_match_revealed_in_time_is_never_overdue() -> None:
    table = Table(high_card.GAME, 2, reveal_by=NOON + HOUR)
    table.do(CancelMatch())
    assert verify_log(table.records, now=NOON + 9 * HOUR).fault is None
    assert verify_view(entries(table, 0), MATCH_ID, 2, 0, NOON + 9 * HOUR).fault is None


def test_a_withheld_reveal_is_found_from_what_a_seat_was_shown() -> None:
    """The match is over, its reveal follows at once, and it did not come."""
    played = finished("high_card", 4)
    given = entries(played, 1)[:-1]
    end = played.events[-2].at
    assert verify_view(given, MATCH_ID, 4, 1, end).fault is None
    assert where(verify_view(given, MATCH_ID, 4, 1, end + HOUR)) == (len(given) + 1, "overdue")
    assert where(verify_log(played.records[:-1])) == (len(given) + 1, "missing")


def test_a_promise_that_is_changed_later_breaks_the_chain() -> None:
    table = Table(high_card.GAME, 2, reveal_by=NOON + HOUR)
    later = changed(table, 1, reveal_by=NOON + 9 * HOUR)
    assert later[0].hash != table.records[0].hash


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, ALL])
@pytest.mark.parametrize("name", ENDING)
def test_a_ruling_that_ends_a_match_has_the_reveal_follow_it(name: str, viewer: int) -> None:
    at = running()
    ruled(at, ENDING[name])
    given, end = entries(at, viewer)[:-1], at.events[-1].at
    assert at.current.is_revealed
    assert verify_view(given, MATCH_ID, 2, viewer, end + SKEW).fault is None
    late = verify_view(given, MATCH_ID, 2, viewer, end + SKEW + 1)
    assert where(late) == (len(given) + 1, "overdue")
    whole = entries(at, viewer)
    assert verify_view(whole, MATCH_ID, 2, viewer, end + HOUR).fault is None
    ruled(at, SetResult(ranks=(2, 1), scores=None))
    assert verify_view(entries(at, viewer), MATCH_ID, 2, viewer, end + HOUR).fault is None


@pytest.mark.parametrize("name", ENDING)
def test_it_opens_the_window_for_disputes_where_there_is_one(name: str) -> None:
    at = running(window=60_000)
    ruled(at, ENDING[name])
    end = at.current.reveal_at
    assert end is not None
    for now, fault in ((end + OVERDUE_MS + SKEW, None), (end + OVERDUE_MS + SKEW + 1, "overdue")):
        found = verify_view(entries(at, SPECTATOR), MATCH_ID, 2, SPECTATOR, now).fault
        assert (found and found.code) == fault


def test_a_rewind_takes_back_the_window_but_no_promise() -> None:
    promised = NOON + HOUR
    at = running(window=60_000, reveal_by=promised)
    ruled(at, Rewind(to=6, boundary=None))
    given = entries(at, 0)
    assert verify_view(given, MATCH_ID, 2, 0, promised + SKEW).fault is None
    assert verify_log(at.records, now=promised + SKEW).fault is None
    late = promised + SKEW + 1
    assert where(verify_log(at.records, now=late)) == (len(given) + 1, "overdue")
    assert where(verify_view(given, MATCH_ID, 2, 0, late)) == (len(given) + 1, "overdue")


def test_disputes_alone_put_the_reveal_off() -> None:
    at = running(window=60_000).play_on(Random(3))
    at.at += 10_000
    dispute = opened(at)
    end = at.current.reveal_at
    at.do(TakeLook(ARBITER, 0, 5))
    assert (end, at.current.version) == (at.events[dispute - 1].at + 60_000, dispute + 1)
    assert end is not None
    found = verify_view(entries(at, 1), MATCH_ID, 2, 1, end + OVERDUE_MS + SKEW + 1)
    assert where(found) == (dispute + 2, "overdue")


@pytest.mark.parametrize("window", [None, 60_000])
def test_a_match_that_is_void_as_a_seat_did_not_come_owes_its_reveal(window: int | None) -> None:
    at = Scheduled(join_by=20 * 60_000, no_show=NoShow.VOID, window=window)
    at.at_time(60_000).claim(0, 1)
    at.at_time(21 * 60_000).look(60_000, None)
    given = entries(at, SPECTATOR)[: None if window else -1]
    latest = at.events[len(given) - 1].at + (window + OVERDUE_MS if window else 0) + SKEW
    assert verify_view(given, MATCH_ID, 2, SPECTATOR, latest).fault is None
    found = verify_view(given, MATCH_ID, 2, SPECTATOR, latest + 1)
    assert where(found) == (len(given) + 1, "overdue")
