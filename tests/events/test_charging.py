"""What clocks say while a match goes on: hand-computed, in ms."""

from random import Random

import pytest

from events.clocks import Bronstein, Correspondence, Delay, Fischer, PerMove, Time
from events.decide import CancelMatch, Resign, StartMatch
from events.match import fold
from events.refusals import FlagHasFallen, MatchIsPaused, MatchNotPaused, MatchNotRunning, NoClock
from events.rulings import AdjustClock, Rewind
from events.timed import TimeCredited
from events.timing import AddTime, PauseMatch, ResumeMatch
from events.types import (
    MovePlayed,
    Start,
    Status,
)
from events.verify import verify_log
from games import registry
from tests.events.clocked import FIVE, MINUTES, MOVE, Clocked
from tests.events.disputed import ARBITER, answer, ask_back, reviewed, ruled
from tests.events.scripted import Table, changed, where

BANK = Fischer(bank=60_000, increment=0, most=None)


def pair(*times: Time, **more: object) -> Clocked:
    """Two seats of high card: seat 0 is asked first, then both at once."""
    return Clocked("high_card", 2, *times, **more)


def sound(at: Clocked) -> None:
    assert verify_log(at.records, seed=at.dealer.seed()).fault is None
    folded = fold(at.records)
    assert folded is not None
    assert folded.clocks == at.current.clocks


def test_no_clock_runs_before_the_start() -> None:
    at = pair(BANK, start=Start.MANUAL)
    at.wait(50_000)
    assert at.left(0) == 60_000
    at.do(StartMatch())
    assert at.shown(0).since == at.at
    sound(at)


@pytest.mark.parametrize(
    ("time", "after_one", "after_two"),
    [
        (PerMove(move=20_000), 20_000, 20_000),
        (Correspondence(days=1), 86_400_000, 86_400_000),
        (Fischer(bank=60_000, increment=3_000, most=None), 55_000, 46_000),
        (Fischer(bank=60_000, increment=3_000, most=50_000), 52_000, 43_000),
        (Bronstein(bank=60_000, delay=9_000), 60_000, 57_000),
        (Delay(bank=60_000, delay=9_000), 60_000, 57_000),
    ],
)
def test_each_kind_of_clock_charges_its_way(time: Time, after_one: int, after_two: int) -> None:
    at = pair(time)
    at.move(0, 8_000)
    assert at.current.clocks is not None
    assert at.current.clocks.seats[0].left == after_one
    at.move(0, 12_000)
    assert at.current.clocks.seats[0].left == after_two
    sound(at)


def test_every_seat_has_its_own_time_and_its_clock_runs_while_it_is_asked() -> None:
    at = pair(PerMove(move=30_000), Fischer(bank=40_000, increment=1_000, most=None))
    at.move(0, 1_000)
    assert at.asked == (0, 1)
    at.move(1, 5_000)
    assert (at.shown(0).left, at.shown(0).deadline) == (25_000, at.at + 25_000)
    assert (at.shown(1).left, at.shown(1).since) == (36_000, None)
    at.wait(3_000)
    assert (at.left(0), at.left(1)) == (22_000, 36_000)
    at.move(0, 0)
    sound(at)


def test_what_counts_is_when_it_arrived_not_when_it_was_decided() -> None:
    at = pair(BANK)
    at.move(0, 60_000, took=9_000)
    (step,) = [each for each in at.events if isinstance(each, MovePlayed)]
    assert (step.at - at.start, (step.arrived or 0) - at.start) == (69_000, 60_000)
    assert at.current.clocks is not None
    assert at.current.clocks.seats[0].left == 0
    sound(at)


def test_what_arrives_a_moment_late_is_refused_before_the_flag_is_acted_on() -> None:
    at = pair(BANK)
    with pytest.raises(FlagHasFallen):
        at.move(0, 60_001)


def test_an_aside_costs_nothing() -> None:
    at = pair(BANK)
    at.wait(2_000)
    at.say(1, {"type": "speak", "text": "!"})
    assert (at.left(0), at.left(1)) == (58_000, 60_000)
    sound(at)


def test_a_pause_stops_the_clocks_and_refuses_what_is_played() -> None:
    at = pair(BANK)
    at.wait(10_000).do(PauseMatch(ARBITER))
    assert at.current.status is Status.PAUSED
    at.wait(100_000)
    with pytest.raises(MatchIsPaused):
        at.move(0)
    with pytest.raises(MatchIsPaused):
        at.do(Resign(0))
    with pytest.raises(MatchIsPaused):
        at.do(PauseMatch(ARBITER))
    assert at.fire() == ()
    decision = at.current.decision_of(0)
    at.do(ResumeMatch(ARBITER))
    with pytest.raises(MatchNotPaused):
        at.do(ResumeMatch(ARBITER))
    assert at.current.decision_of(0) == decision
    at.move(0, 5_000)
    assert at.current.clocks is not None
    assert at.current.clocks.seats[0].left == 45_000
    sound(at)


def test_a_delay_that_was_used_before_a_pause_is_used() -> None:
    at = pair(Delay(bank=60_000, delay=9_000))
    at.wait(8_000).do(PauseMatch(ARBITER))
    at.wait(50_000).do(ResumeMatch(ARBITER))
    assert at.shown(0).delay_left == 1_000
    at.move(0, 4_000)
    assert at.current.clocks is not None
    assert at.current.clocks.seats[0].left == 57_000
    sound(at)


def test_a_review_that_holds_the_play_stops_the_clocks() -> None:
    at = pair(BANK)
    dispute = reviewed(at, 0)
    at.wait(100_000)
    assert at.left(0) == 60_000
    ruled(at, AdjustClock(seat=0, ms=-20_000), dispute)
    assert (at.left(0), at.left(1)) == (40_000, 60_000)
    sound(at)


def test_time_is_added_to_one_or_to_each() -> None:
    at = pair(BANK)
    at.wait(10_000).do(AddTime(0, ARBITER, 5_000))
    at.do(AddTime(None, ARBITER, 1_000))
    assert (at.left(0), at.left(1)) == (56_000, 61_000)
    assert at.shown(0).deadline == at.at + 56_000
    sound(at)


def test_time_is_added_only_where_there_are_clocks_and_the_match_is_not_over() -> None:
    plain = Table(registry.game("high_card"), 2)
    with pytest.raises(NoClock):
        plain.do(AddTime(0, ARBITER, 5_000))
    at = pair(BANK)
    at.do(CancelMatch())
    with pytest.raises(MatchNotRunning):
        at.do(AddTime(0, ARBITER, 5_000))


def test_a_match_without_clocks_can_be_paused_as_well() -> None:
    plain = Table(registry.game("high_card"), 2)
    paused = plain.do(PauseMatch(ARBITER))[-1].after
    resumed = plain.do(ResumeMatch(ARBITER))[-1].after
    over = plain.play_on(Random(1)).current
    statuses = [each.status for each in (paused, resumed, over)]
    assert statuses == [Status.PAUSED, Status.RUNNING, Status.OVER]
    assert verify_log(plain.records).fault is None


def test_an_outage_is_given_back_once_to_who_was_running() -> None:
    at = pair(BANK)
    began = at.start
    at.wait(50_000)
    outage = (began + 5_000, began + 45_000)
    (step,) = at.credit(outage)
    assert isinstance(step.event, TimeCredited)
    assert at.credit(outage) == ()
    assert (at.left(0), at.left(1)) == (50_000, 60_000)
    at.move(0, 1_000)
    assert at.current.clocks is not None
    assert at.current.clocks.seats[0].left == 49_000
    sound(at)


def test_an_outage_that_began_before_the_clock_ran_is_not_given_back_twice() -> None:
    at = pair(BANK)
    at.wait(10_000)
    at.credit((at.start - 30_000, at.start + 4_000))
    assert at.left(0) == 54_000
    assert at.shown(0).since == at.start + 4_000
    sound(at)


def test_a_move_right_after_an_outage_is_charged_without_it() -> None:
    at = pair(BANK)
    at.wait(100_000)
    at.credit((at.start + 10_000, at.start + 90_000))
    assert at.fire() == ()
    at.move(0, 0)
    assert at.current.clocks is not None
    assert at.current.clocks.seats[0].left == 40_000
    sound(at)


def test_no_clock_runs_after_the_end() -> None:
    at = pair(BANK)
    at.wait(10_000).do(Resign(1))
    assert at.current.status is Status.OVER
    at.wait(100_000)
    assert (at.left(0), at.left(1)) == (50_000, 60_000)
    assert at.fire() == ()
    sound(at)


def test_after_a_rewind_clocks_show_what_they_did_there() -> None:
    at = pair(FIVE)
    to = at.current.version
    at.move(0, 10_000)
    at.move(1, 20_000)
    assert at.left(0) == 5 * MINUTES - 10_000 + 3_000 - 20_000
    ruled(at, Rewind(to=to, boundary=None))
    assert (at.left(0), at.left(1)) == (5 * MINUTES, 5 * MINUTES)
    assert at.shown(0).since == at.at
    sound(at)


def test_a_takeback_gives_back_the_time_of_the_move() -> None:
    at = Clocked("high_card", 3, FIVE)
    at.move(0, 10_000)
    ask_back(at, 0)
    at.wait(5_000)
    answer(at, 1)
    answer(at, 2)
    assert (at.left(0), at.left(1)) == (5 * MINUTES, 5 * MINUTES)
    assert at.shown(0).since == at.at
    sound(at)


def test_a_resigned_seat_has_no_running_clock() -> None:
    at = Clocked("high_card", 3, MOVE)
    at.move(0)
    assert at.asked == (0, 1, 2)
    at.wait(1_000).do(Resign(1))
    assert at.shown(1).since is None
    sound(at)


@pytest.mark.parametrize("arrived", [-1, 4_000, 60_001, None])
def test_a_wrong_arrival_is_found(arrived: int | None) -> None:
    at = pair(BANK)
    at.move(0, 1_000, took=2_000)
    version = at.events[-1].version
    assert isinstance(at.events[-1], MovePlayed)
    moment = None if arrived is None else at.start + arrived
    forged = changed(at, version, arrived=moment)
    assert where(verify_log(forged, seed=at.dealer.seed())) == (version, "clock")


def test_a_match_without_clocks_has_no_arrivals() -> None:
    plain = Table(registry.game("high_card"), 2)
    plain.play_on(Random(1), most=1, talk=0)
    version = plain.current.version
    forged = changed(plain, version, arrived=plain.at)
    assert where(verify_log(forged, seed=plain.dealer.seed())) == (version, "clock")
