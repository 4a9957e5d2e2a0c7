"""A reveal that does not come in time is a fault, for who has the log and for who has a view."""

from events.decide import CancelMatch
from events.types import MatchRevealed
from events.verify import verify_log
from events.verify_view import verify_view
from games.core.game import SPECTATOR
from tests.events.scripted import MATCH_ID, NOON, Table, changed, entries, finished, where
from tests.games import high_card

HOUR = 3_600_000


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
