"""When a match opens, starts and ends by its schedule, and what becomes of an absent seat."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.attended import PresenceChecked, SeatingOpened, StandInSeated
from events.decide import (
    CancelMatch,
    CheckPresence,
    ClaimSeat,
    ReleaseSeat,
    Resign,
    SeatStandIn,
    StartMatch,
)
from events.firing import is_check_due, next_due
from events.match import fold
from events.refusals import (
    AlreadyResigned,
    MatchIsClosed,
    NoStandInDue,
    Refused,
    RulingImpossible,
    SeatingNotOpen,
    SeatsUnclaimed,
    StartNotDue,
)
from events.results import Ending, result_in
from events.rulings import Rewind
from events.scheduling import NoShow, Schedule, put_off
from events.timing import ResumeMatch
from events.types import Closing, MatchStarted, Start, Status, Terminal, kind_of
from events.verify import verify_log
from tests.events.disputed import ARBITER, ruled
from tests.events.scheduled import (
    MINUTE,
    Scheduled,
    absent,
    late,
    opened_and_started,
    ran_out,
    stood_in,
    timed,
)
from tests.events.scripted import NOON, Table, changed, where


def sound(at: Table) -> None:
    assert verify_log(at.records).fault is None
    assert fold(at.records) == replace(at.current, head=at.records[-1].hash)


def status(at: Table) -> Status:
    return at.current.status


def kinds(at: Table) -> list[str]:
    return [kind_of(each) for each in at.events]


def terminal(at: Table) -> Terminal:
    assert at.current.outcome is not None
    return at.current.outcome.terminal


# Opening and start


def test_nobody_claims_a_seat_before_the_match_opens() -> None:
    at = Scheduled(opens=10 * MINUTE)
    assert status(at) is Status.SCHEDULED
    with pytest.raises(SeatingNotOpen):
        at.at_time(10 * MINUTE - 1).claim(0)
    at.at_time(10 * MINUTE).claim(0, 1)
    assert kinds(at)[1:3] == ["seating_opened", "seat_claimed"]
    assert status(at) is Status.RUNNING
    sound(at)


def test_a_scheduled_match_can_be_cancelled() -> None:
    at = Scheduled(opens=10 * MINUTE)
    at.do(CancelMatch())
    assert status(at) is Status.CANCELLED
    assert next_due(at.current) is None
    sound(at)


def test_it_starts_by_itself_and_not_before_its_time() -> None:
    at = Scheduled(starts=20 * MINUTE)
    at.claim(0, 1)
    assert status(at) is Status.SEATING
    assert next_due(at.current) == NOON + 20 * MINUTE
    at.at_time(20 * MINUTE).fire()
    assert status(at) is Status.SEATING
    at.at += 1000
    at.fire()
    assert status(at) is Status.RUNNING
    sound(at)


def test_whoever_comes_after_the_start_is_due_finds_it_started() -> None:
    at = Scheduled(starts=20 * MINUTE).claim(0, 1)
    with pytest.raises(Refused):
        at.at_time(20 * MINUTE).do(ReleaseSeat(0))


def test_who_starts_by_hand_waits_for_the_time_too() -> None:
    at = Scheduled(starts=20 * MINUTE, start=Start.MANUAL).claim(0, 1)
    assert next_due(at.current) is None
    with pytest.raises(StartNotDue):
        at.do(StartMatch())
    at.at_time(20 * MINUTE).do(StartMatch())
    sound(at)


def test_a_seat_that_comes_late_starts_it_late() -> None:
    at = Scheduled(starts=20 * MINUTE).claim(0)
    assert next_due(at.current) is None
    at.at_time(25 * MINUTE).claim(1)
    assert status(at) is Status.RUNNING
    sound(at)


# Who does not come


@pytest.mark.parametrize("seen", [MINUTE, 9 * MINUTE])
def test_who_is_there_plays_on(seen: int) -> None:
    at = Scheduled(join_by=10 * MINUTE, no_show=NoShow.FORFEIT).claim(0, 1)
    at.at_time(10 * MINUTE)
    at.at += 1000
    at.look(seen, seen)
    assert status(at) is Status.RUNNING
    assert not is_check_due(at.current, at.at + MINUTE, ())
    sound(at)


def test_it_is_looked_once_and_not_too_early() -> None:
    at = Scheduled(join_by=10 * MINUTE, no_show=NoShow.WAIT).claim(0, 1)
    assert next_due(at.current) == NOON + 10 * MINUTE
    with pytest.raises(RulingImpossible):
        at.do(CheckPresence((at.at, None)))
    at.at_time(11 * MINUTE).look(MINUTE, None)
    with pytest.raises(RulingImpossible):
        at.do(CheckPresence((at.at, None)))


def test_of_two_the_one_that_came_wins_before_the_start() -> None:
    at = absent(NoShow.FORFEIT, 2)
    assert kinds(at)[-3:] == ["presence_checked", "match_ended", "match_revealed"]
    assert terminal(at) is Terminal.NO_SHOW
    assert at.current.outcome is not None
    assert at.current.outcome.ranks == (1, 2)
    sound(at)
    result = result_in(at.events)
    assert result.terminal is Ending.NO_SHOW
    assert [each.forfeit for each in result.seats] == [False, True]


def test_if_nobody_came_nobody_won() -> None:
    at = Scheduled(seats=3, join_by=10 * MINUTE, no_show=NoShow.FORFEIT)
    at.at_time(11 * MINUTE).look(None, None, None)
    assert terminal(at) is Terminal.NO_SHOW
    assert at.current.outcome is not None
    assert at.current.outcome.ranks == (2, 2, 2)
    sound(at)


def test_two_that_came_play_without_the_third() -> None:
    at = absent(NoShow.FORFEIT)
    assert status(at) is Status.RUNNING
    assert at.current.resigned == (2,)
    assert at.current.holders[2] is None
    at.do(Resign(0))
    assert terminal(at) is Terminal.RESIGNED
    assert at.current.outcome is not None
    assert at.current.outcome.ranks == (2, 1, 3)
    sound(at)


def test_who_did_not_come_is_out_of_a_match_that_runs() -> None:
    at = late(NoShow.FORFEIT)
    assert at.current.resigned == (1,)
    assert status(at) is Status.RUNNING
    two = late(NoShow.FORFEIT, 2)
    assert terminal(two) is Terminal.NO_SHOW
    for each in (at, two):
        sound(each)


def test_a_seat_that_is_out_can_not_be_claimed() -> None:
    at = absent(NoShow.FORFEIT, start=Start.MANUAL)
    with pytest.raises(AlreadyResigned):
        at.claim(2)
    at.do(StartMatch())
    sound(at)


def test_the_match_is_void() -> None:
    at = absent(NoShow.VOID)
    assert status(at) is Status.VOID
    assert result_in(at.events).terminal is Ending.VOID
    sound(at)


def test_the_match_waits_for_an_arbiter() -> None:
    unplayed, running = absent(NoShow.WAIT), late(NoShow.WAIT)
    assert status(unplayed) is Status.SEATING
    unplayed.claim(2)
    assert status(unplayed) is Status.RUNNING
    assert status(running) is Status.PAUSED
    running.do(ResumeMatch(ARBITER))
    for each in (unplayed, running):
        sound(each)


def test_a_stand_in_takes_a_seat_that_is_free_and_the_match_starts() -> None:
    at = stood_in()
    assert status(at) is Status.RUNNING
    assert at.current.holders[2] == "stand-in"
    with pytest.raises(NoStandInDue):
        at.do(SeatStandIn(2, "another"))
    sound(at)


def test_a_stand_in_takes_the_seat_of_who_is_not_there() -> None:
    at = late(NoShow.STAND_IN)
    for seat in (0, 2):
        with pytest.raises(NoStandInDue):
            at.do(SeatStandIn(seat, "stand-in"))
    at.do(SeatStandIn(1, "stand-in"))
    assert at.current.holders[1] == "stand-in"
    sound(at)


def test_who_comes_late_and_acts_keeps_the_seat() -> None:
    at = late(NoShow.STAND_IN)
    at.do(Resign(1))
    with pytest.raises(NoStandInDue):
        at.do(SeatStandIn(1, "stand-in"))
    claimed = absent(NoShow.STAND_IN)
    claimed.claim(2)
    with pytest.raises(Refused):
        claimed.do(SeatStandIn(2, "stand-in"))


def test_what_a_seat_did_shows_that_it_was_there() -> None:
    at = Scheduled(seats=2, join_by=10 * MINUTE, no_show=NoShow.FORFEIT).claim(0, 1)
    at.play_on_once(0)
    at.at_time(11 * MINUTE).look(None, MINUTE)
    assert status(at) is Status.RUNNING
    sound(at)


def test_a_seat_that_was_left_says_nothing_of_who_takes_it() -> None:
    at = absent(NoShow.WAIT, 2, 2 * MINUTE, 3 * MINUTE)
    (event,) = (each for each in at.events if isinstance(each, PresenceChecked))
    assert event.seen == (NOON + 2 * MINUTE, None)


def test_a_rewind_brings_back_who_was_out_and_looks_no_second_time() -> None:
    at = late(NoShow.FORFEIT)
    start = next(each.version for each in at.events if isinstance(each, MatchStarted))
    goal = next(v for v in range(start, at.current.version) if at.after(v).decision is not None)
    ruled(at, Rewind(to=goal, boundary=None))
    assert at.current.resigned == ()
    assert not is_check_due(at.current, at.at + MINUTE, ())
    for seat in (0, 1):
        at.do(Resign(seat))
    assert terminal(at) is Terminal.RESIGNED
    sound(at)


def test_clocks_run_from_the_start_and_not_for_who_is_out() -> None:
    at = timed()
    assert status(at) is Status.RUNNING
    assert at.current.clocks is not None
    assert all(own.since is None or own.since == at.at for own in at.current.clocks.seats)
    assert at.current.clocks.seats[2].since is None
    sound(at)


def test_time_in_which_nobody_was_served_puts_the_check_off() -> None:
    at = Scheduled(join_by=10 * MINUTE, no_show=NoShow.FORFEIT)
    outage = (NOON + 5 * MINUTE, NOON + 12 * MINUTE)
    assert not is_check_due(at.current, NOON + 16 * MINUTE, (outage,))
    assert is_check_due(at.current, NOON + 17 * MINUTE, (outage,))
    assert put_off(100, 0, ((100, 200),)) == 100
    assert put_off(100, 50, ((0, 60), (105, 120), (130, 140))) == 125


# The end at the latest


@pytest.mark.parametrize(
    ("closing", "becomes"),
    [
        (Closing.CANCEL, Status.CANCELLED),
        (Closing.FORFEIT, Status.OVER),
        (Closing.FALLBACK, Status.OVER),
    ],
)
def test_a_match_is_over_at_its_closing_time(closing: Closing, becomes: Status) -> None:
    at = ran_out(closing)
    assert status(at) is becomes
    assert at.current.is_revealed
    assert next_due(at.current) is None
    sound(at)


def test_one_that_has_not_started_by_then_is_cancelled() -> None:
    for opens in (None, 20 * MINUTE):
        at = Scheduled(ends=30 * MINUTE, opens=opens)
        at.at_time(40 * MINUTE)
        at.fire()
        at.fire()
        assert status(at) is Status.CANCELLED
        sound(at)


def test_a_match_that_is_held_is_over_as_well() -> None:
    at = late(NoShow.WAIT, ends=30 * MINUTE)
    at.at_time(31 * MINUTE).fire()
    assert terminal(at) is Terminal.CLOSED
    sound(at)


def test_nothing_is_played_from_then_on() -> None:
    at = Scheduled(ends=30 * MINUTE).claim(0, 1)
    with pytest.raises(MatchIsClosed):
        at.at_time(30 * MINUTE).do(Resign(0))


# What can't be


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, ""),
        ({"join_by": 5}, "/no_show"),
        ({"no_show": NoShow.VOID, "starts_at": 1}, "/no_show"),
        ({"opens_at": 5, "starts_at": 4}, "/starts_at"),
        ({"opens_at": 5, "join_by": 5, "no_show": NoShow.WAIT}, "/join_by"),
        ({"starts_at": 100}, "/starts_at"),
        ({"starts_at": -1}, ""),
    ],
    ids=str,
)
def test_schedules_that_can_not_be(fields: dict[str, Any], place: str) -> None:
    nothing: dict[str, Any] = dict.fromkeys(("opens_at", "starts_at", "join_by", "no_show"))
    fault = Schedule(**(nothing | fields)).fault(100, takes_entropy=False)
    assert fault is not None
    assert fault[0] == place


@pytest.mark.parametrize("policy", list(NoShow))
def test_who_puts_something_into_the_seed_has_to_come(policy: NoShow) -> None:
    own = Schedule(opens_at=None, starts_at=None, join_by=5, no_show=policy)
    is_refused = own.fault(None, takes_entropy=True) is not None
    assert is_refused == (policy in (NoShow.FORFEIT, NoShow.STAND_IN))


def test_lies_about_who_was_there_are_found() -> None:
    for at in (absent(NoShow.FORFEIT), late(NoShow.STAND_IN), late(NoShow.WAIT)):
        (event,) = (each for each in at.events if isinstance(each, PresenceChecked))
        v, first = event.version, event.seen[0]
        assert first is not None
        acted = at.after(v - 1).presence
        assert acted is not None
        lies: list[dict[str, Any]] = [
            {"at": NOON + 10 * MINUTE - 1},
            {"seen": event.seen[:-1]},
            {"seen": (NOON - 1, *event.seen[1:])},
            {"seen": (event.at + 1, *event.seen[1:])},
        ]
        if acted.acted[0] is not None:
            lies.append({"seen": (None, *event.seen[1:])})
        if at.after(v).holders[2] is None:
            lies.append({"seen": (*event.seen[:2], first)})
        for fields in lies:
            assert where(verify_log(changed(at, v, **fields))) == (v, "presence"), fields


def test_lies_about_the_opening_the_start_and_the_closing_are_found() -> None:
    at = opened_and_started()
    for event in at.events:
        if isinstance(event, SeatingOpened | MatchStarted):
            early = changed(at, event.version, at=NOON + MINUTE)
            assert where(verify_log(early)) in (
                (event.version, "presence"),
                (event.version, "start"),
            )
    over = ran_out(Closing.FORFEIT)
    v = next(each.version for each in over.events if kind_of(each) == "match_closed")
    assert where(verify_log(changed(over, v, early=True))) == (v, "due")
    assert where(verify_log(changed(over, v, at=NOON + MINUTE))) == (v, "early")


def test_a_stand_in_nobody_let_in_is_found() -> None:
    at = stood_in()
    v = next(each.version for each in at.events if isinstance(each, StandInSeated))
    assert where(verify_log(changed(at, v, seat=0))) == (v, "presence")
    assert where(verify_log(changed(at, v, holder=""))) == (v, "presence")


def test_the_start_needs_every_seat_that_is_not_out() -> None:
    at = absent(NoShow.WAIT, start=Start.MANUAL)
    with pytest.raises(SeatsUnclaimed):
        at.do(StartMatch())
    with pytest.raises(SeatsUnclaimed):
        absent(NoShow.STAND_IN, start=Start.MANUAL).do(StartMatch())


def test_a_claim_of_the_time_before_is_as_it_was() -> None:
    at = Scheduled(starts=20 * MINUTE)
    at.do(ClaimSeat(0, "player 0"))
    assert kinds(at) == ["match_created", "seat_claimed"]
