"""Time that counts: daily windows, days on which clocks are changed, what is left afterwards."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.clocks import (
    DAY,
    MINUTE,
    Bronstein,
    Clock,
    Correspondence,
    Delay,
    Fischer,
    Flag,
    PerMove,
    Time,
    Window,
)
from tests.events.clocked import clock

HOUR = 60 * MINUTE
ZONE = ZoneInfo("Europe/Berlin")
# Summer time began on 29 March 2026 and ends on 25 October, both at 1:00 UTC.
OFFSETS = ((0, 3600), (1_774_746_000_000, 7200), (1_792_890_000_000, 3600))


def local(text: str, fold: int = 0) -> int:
    moment = datetime.fromisoformat(text).replace(tzinfo=ZONE, fold=fold)
    return round(moment.timestamp() * 1000)


def window(opens: str, closes: str) -> Window:
    first, last = (int(each[:2]) * 60 + int(each[3:]) for each in (opens, closes))
    return Window("Europe/Berlin", first, last, OFFSETS)


DAYTIME = window("08:00", "20:00")
NIGHT = window("22:00", "06:00")


@pytest.mark.parametrize(
    ("own", "start", "end", "hours"),
    [
        (DAYTIME, "2026-01-10 07:00", "2026-01-10 09:00", 1),
        (DAYTIME, "2026-01-10 21:00", "2026-01-11 07:00", 0),
        (DAYTIME, "2026-01-10 12:00", "2026-01-12 12:00", 24),
        (NIGHT, "2026-01-10 12:00", "2026-01-11 12:00", 8),
        (NIGHT, "2026-01-10 23:00", "2026-01-11 01:00", 2),
        (NIGHT, "2026-01-10 05:00", "2026-01-10 23:00", 2),
        # The night in which 2:00 to 3:00 is left out, and the one that has it twice.
        (NIGHT, "2026-03-28 12:00", "2026-03-29 12:00", 7),
        (NIGHT, "2026-10-24 12:00", "2026-10-25 12:00", 9),
        (window("02:00", "03:00"), "2026-03-28 12:00", "2026-03-29 12:00", 0),
        (window("02:00", "03:00"), "2026-10-24 12:00", "2026-10-25 12:00", 2),
        # By day those days are like all others.
        (DAYTIME, "2026-03-28 12:00", "2026-03-30 12:00", 24),
        (DAYTIME, "2026-10-24 12:00", "2026-10-26 12:00", 24),
    ],
)
def test_only_what_lies_inside_the_window_counts(
    own: Window, start: str, end: str, hours: int
) -> None:
    assert own.counted(local(start), local(end)) == hours * HOUR


@pytest.mark.parametrize(
    ("own", "start", "hours", "goal"),
    [
        (DAYTIME, "2026-01-10 10:00", 2, "2026-01-10 12:00"),
        (DAYTIME, "2026-01-10 19:00", 2, "2026-01-11 09:00"),
        (DAYTIME, "2026-01-10 21:00", 12, "2026-01-11 20:00"),
        (NIGHT, "2026-01-10 23:00", 8, "2026-01-11 23:00"),
        # Three days of the window end at the same time of the day, whatever happens to the clocks.
        (DAYTIME, "2026-03-27 10:00", 36, "2026-03-30 10:00"),
        (DAYTIME, "2026-10-23 10:00", 36, "2026-10-26 10:00"),
        (NIGHT, "2026-03-28 22:00", 8, "2026-03-29 23:00"),
        (NIGHT, "2026-10-24 22:00", 8, "2026-10-25 05:00"),
        (window("02:00", "03:00"), "2026-03-29 01:00", 1, "2026-03-30 03:00"),
    ],
)
def test_a_deadline_is_reached_when_so_much_has_counted(
    own: Window, start: str, hours: int, goal: str
) -> None:
    assert own.reached(local(start), hours * HOUR) == local(goal)


WINDOWS = st.builds(
    lambda opens, length: Window("", opens, (opens + length) % 1440, OFFSETS),
    st.integers(0, 1439),
    st.integers(60, 1439),
)
MOMENTS = st.integers(1_770_000_000_000, 1_796_000_000_000)


@given(WINDOWS, MOMENTS, st.integers(0, 40 * DAY))
def test_counting_and_reaching_are_each_others_inverse(own: Window, start: int, ms: int) -> None:
    goal = own.reached(start, ms)
    assert own.counted(start, goal) == ms
    assert ms == 0 or own.counted(start, goal - 1) == ms - 1


def test_a_window_with_many_offsets_is_not_walked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    steps, before = 0, Window._before

    def counting(own: Window, moment: int) -> int:
        nonlocal steps
        steps += 1
        return before(own, moment)

    monkeypatch.setattr(Window, "_before", counting)
    many = Window("", 600, 1320, tuple((day * DAY, day % 2 * 3600) for day in range(2000)))
    whole = many.counted(0, 2001 * DAY)
    assert many.reached(0, whole) <= 2001 * DAY
    assert steps <= 2 * 2000 + 20, "each offset once"
    steps = 0
    for day in range(100):
        assert many.counted(day, day + 1900 * DAY) > 0
        assert many.reached(day, 1900 * many.length) > 1890 * DAY
    assert steps <= 100 * 20, "from then on only the first and the last"


@given(WINDOWS, MOMENTS, MOMENTS, MOMENTS)
def test_what_counts_adds_up(own: Window, one: int, two: int, three: int) -> None:
    first, middle, last = sorted((one, two, three))
    whole = own.counted(first, last)
    assert whole == own.counted(first, middle) + own.counted(middle, last)
    assert 0 <= whole <= last - first


@given(WINDOWS, MOMENTS)
def test_a_minute_counts_if_its_local_time_lies_inside(own: Window, start: int) -> None:
    start -= start % MINUTE
    there = datetime.fromtimestamp(start / 1000, UTC).astimezone(ZONE)
    since = (there.hour * 60 + there.minute - own.opens) % 1440
    inside = since < own.length // MINUTE
    assert own.counted(start, start + MINUTE) == (MINUTE if inside else 0)


@pytest.mark.parametrize(
    ("time", "left", "used", "after"),
    [
        (PerMove(move=500), 20, 480, 500),
        (Correspondence(days=3), 1, 5, 3 * DAY),
        (Fischer(bank=1000, increment=30, most=None), 700, 300, 730),
        (Fischer(bank=1000, increment=30, most=1010), 1000, 0, 1010),
        (Fischer(bank=1000, increment=30, most=500), 900, 100, 900),
        (Bronstein(bank=1000, delay=50), 990, 10, 1000),
        (Bronstein(bank=1000, delay=50), 700, 300, 750),
        (Delay(bank=1000, delay=50), 1000, 40, 1000),
        (Delay(bank=1000, delay=50), 750, 300, 750),
    ],
)
def test_what_is_left_after_an_answer(time: Time, left: int, used: int, after: int) -> None:
    assert clock(1, time).after(0, left, used, answered=True) == after


def test_who_did_not_answer_gets_no_increment() -> None:
    own = clock(1, Fischer(bank=1000, increment=30, most=None))
    assert own.after(0, 700, 300, answered=False) == 700


def test_a_day_of_correspondence_is_as_long_as_the_window() -> None:
    own = clock(1, Correspondence(days=3), window=DAYTIME)
    assert own.first(0) == 36 * HOUR
    assert own.reached(local("2026-03-27 10:00"), own.first(0)) == local("2026-03-30 10:00")


@pytest.mark.parametrize(
    ("own", "pointer"),
    [
        (clock(3, PerMove(move=1), PerMove(move=1)), "/times"),
        (clock(2, PerMove(move=1), PerMove(move=0)), "/times/1"),
        (clock(1, Fischer(bank=0, increment=5, most=None)), "/times/0"),
        (clock(1, Bronstein(bank=0, delay=0)), "/times/0"),
        (clock(1, Correspondence(days=401)), "/times/0"),
        (clock(1, PerMove(move=1), abandon_after=0), "/abandon_after"),
        (clock(1, PerMove(move=1), window=Window("", 60, 119, ((0, 0),))), "/window"),
        (clock(1, PerMove(move=1), window=Window("", 60, 60, ((0, 0),))), "/window"),
        (clock(1, PerMove(move=1), window=Window("", 60, 600, ())), "/window"),
        (clock(1, PerMove(move=1), window=Window("", 60, 600, ((5, 0), (5, 1)))), "/window"),
        (clock(1, PerMove(move=1), window=Window("", 60, 600, ((5, 86_400),))), "/window"),
    ],
)
def test_clocks_that_cannot_be_say_where(own: Clock, pointer: str) -> None:
    fault = own.fault(len(own.times) if pointer != "/times" else 3)
    assert fault is not None
    assert fault[0] == pointer


def test_clocks_that_can_be_have_no_fault() -> None:
    times = (PerMove(move=1), Correspondence(days=14), Delay(bank=0, delay=1))
    assert clock(3, *times, flag=Flag.REMOVE, window=DAYTIME).fault(3) is None
