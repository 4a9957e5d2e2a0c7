"""Whose time is over loses it, whatever is done before the flag is acted on."""

from typing import Any

import pytest
from msgspec.structs import replace

from events.clocks import Fischer, Flag, PerMove
from events.decide import CancelMatch, CloseMatch, OfGroup, Resign
from events.refusals import FlagDue, FlagHasFallen
from events.rulings import AdjustClock
from events.timed import FlagFell, MatchPaused, TimeAdded, TimeCredited
from events.timing import AddTime, PauseMatch
from events.types import Closing, LookTaken, MovePlayed, kind_of
from events.verify import verify_log
from tests.events.clocked import MOVE, NOON, Clocked
from tests.events.disputed import ARBITER, reviewed, ruled
from tests.events.scripted import GROUP_ID, resealed, where

SHORT = PerMove(move=4_000)
LONG = Fischer(bank=600_000, increment=0, most=None)


def kinds(steps: Any) -> list[str]:
    return [kind_of(step.event) for step in steps]


def sound(at: Clocked) -> None:
    assert verify_log(at.records, seed=at.dealer.seed()).fault is None


def ringing(*times: Any, **more: Any) -> Clocked:
    """All seats are asked at once, and the first answer goes."""
    at = Clocked("high_card", len(times), *times, **more)
    at.move(0)
    for _ in times:
        at.move(at.asked[0])
    decision = at.current.decision
    assert decision is not None
    assert decision.kind == "ring"
    return at


@pytest.mark.parametrize("flag", Flag)
@pytest.mark.parametrize(
    "command",
    [PauseMatch(ARBITER), AddTime(None, ARBITER, 60_000), AddTime(0, ARBITER, 1), CancelMatch()],
)
def test_what_an_arbiter_does_saves_nobody_who_was_late(command: Any, flag: Flag) -> None:
    at = Clocked("high_card", 3, MOVE, flag=flag)
    at.wait(10_001)
    with pytest.raises(FlagDue) as due:
        at.do(command)
    assert due.value.over == at.start + 10_000
    assert kinds(at.fire())[0] == "flag_fell"
    if flag is not Flag.FORFEIT:
        at.do(command)
    sound(at)


def test_at_the_moment_itself_nobody_is_late() -> None:
    at = Clocked("high_card", 2, MOVE)
    at.wait(10_000).do(AddTime(0, ARBITER, 60_000))
    assert at.fire() == ()
    sound(at)


def test_a_review_that_stops_the_clocks_and_a_ruling_on_them_come_after_the_flag() -> None:
    at = Clocked("high_card", 2, MOVE)
    dispute = reviewed(at, pause=False)
    at.wait(10_001)
    with pytest.raises(FlagDue):
        ruled(at, AdjustClock(seat=0, ms=60_000), dispute=dispute)
    at = Clocked("high_card", 2, MOVE)
    at.wait(10_001)
    with pytest.raises(FlagDue):
        reviewed(at, pause=True)


def test_who_gives_up_when_another_was_late_gives_up_after_that() -> None:
    at = Clocked("high_card", 3, MOVE, flag=Flag.REMOVE)
    at.wait(10_001)
    with pytest.raises(FlagDue):
        at.do(Resign(1))
    at.fire()
    at.do(Resign(1))
    outcome = at.current.outcome
    assert outcome is not None
    assert outcome.ranks == (3, 2, 1)
    sound(at)


def test_who_was_late_before_an_outage_loses_though_the_flag_falls_behind_it() -> None:
    at = Clocked("high_card", 2, MOVE, flag=Flag.FORFEIT)
    at.wait(60_000)
    steps = at.credit((at.start + 10_001, at.start + 50_000))
    assert kinds(steps)[:2] == ["flag_fell", "match_ended"]
    assert steps[0].event.fell == at.start + 10_000  # type: ignore[union-attr]
    sound(at)


def test_of_those_an_outage_met_only_who_was_in_time_is_given_it_back() -> None:
    at = ringing(SHORT, LONG)
    start = at.at
    at.wait(60_000)
    steps = at.credit((start + 5_000, start + 50_000))
    assert kinds(steps)[:2] == ["flag_fell", "move_played"]
    sound(at)
    at = Clocked("high_card", 3, SHORT, LONG, LONG, flag=Flag.REMOVE)
    at.move(0)
    start = at.at
    at.wait(60_000)
    steps = at.credit((start + 5_000, start + 50_000))
    assert kinds(steps) == ["flag_fell", "move_played", "time_credited"]
    assert (at.current.resigned, at.left(1)) == ((0,), 600_000 - 15_000)
    sound(at)


@pytest.mark.parametrize("flag", Flag)
def test_another_s_answer_lets_nobody_off_who_was_late(flag: Flag) -> None:
    at = ringing(SHORT, LONG, LONG, flag=flag)
    with pytest.raises(FlagDue) as due:
        at.move(1, 4_001)
    assert due.value.over == at.at - 1
    steps = at.fire()
    assert steps[0].event == FlagFell(
        version=steps[0].event.version,
        at=at.at,
        seat=0,
        decision=f"{at.steps[-len(steps) - 1].after.asked[0]}.0",
        fell=at.at - 1,
    )
    sound(at)


def test_an_answer_that_was_there_before_another_was_late_goes() -> None:
    at = ringing(SHORT, LONG)
    at.move(1, 4_000, took=30_000)
    assert at.fire() == ()
    assert at.left(0) == 4_000
    sound(at)


def test_nobody_is_charged_for_a_flag_that_was_acted_on_late() -> None:
    at = ringing(SHORT, LONG, LONG)
    steps = at.fire(30_000)
    assert kinds(steps) == ["flag_fell", "move_played", "chance_drawn"]
    assert (at.asked, at.left(2)) == ((1,), 600_000 - 4_000)
    sound(at)


def test_looks_and_claims_wait_for_no_flag() -> None:
    at = Clocked("high_card", 2, MOVE)
    at.wait(20_000)
    look = LookTaken(version=at.current.version + 1, at=at.at, arbiter=ARBITER, seat=0, through=1)
    forged = resealed([*at.events, look], at.dealer)
    assert verify_log(forged).fault is None


def told(at: Clocked, event: Any) -> tuple[int, str] | None:
    """What is found in the log with this event at its end."""
    return where(verify_log(resealed([*at.events, event], at.dealer)))


def test_an_event_before_the_flag_of_who_was_late_is_found() -> None:
    at = ringing(SHORT, LONG)
    before = at.current
    version, late = before.version + 1, at.at + 4_001
    move = at.move(1)[0].event
    assert isinstance(move, MovePlayed)
    at.steps[before.version :], at.sealed[before.version :] = [], []
    for event in (
        replace(move, at=late, arrived=late),
        MatchPaused(version=version, at=late, arbiter=ARBITER),
        TimeAdded(version=version, at=late, seat=0, arbiter=ARBITER, ms=1),
        TimeCredited(version=version, at=late + 9, since=late, until=late + 9),
    ):
        assert told(at, event) == (version, "clock")


def test_no_time_is_given_back_behind_the_closing_time() -> None:
    group = OfGroup(GROUP_ID, NOON + 60_000, Closing.FALLBACK)
    at = Clocked("high_card", 2, LONG, group=group)
    outage = (at.at, at.at + 10_000)
    at.at = NOON + 60_000
    assert at.credit(outage) == ()
    event = TimeCredited(version=at.current.version + 1, at=at.at, since=outage[0], until=outage[1])
    assert told(at, event) == (event.version, "late")
    at.do(CloseMatch(False))
    assert at.credit(outage) == ()


def test_who_was_late_itself_is_told_so() -> None:
    at = Clocked("high_card", 2, MOVE)
    with pytest.raises(FlagHasFallen):
        at.move(0, 10_001)
