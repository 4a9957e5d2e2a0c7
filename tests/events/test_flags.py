"""Flags: when they fall, in which order, and what becomes of the seat and of the match."""

from random import Random
from typing import Any

import pytest

from events.clocks import Bronstein, Delay, Fischer, Flag, PerMove
from events.decide import PlayMove, Resign
from events.refusals import DecisionClosed, FlagDue, FlagHasFallen
from events.timed import FlagFell
from events.timing import AddTime
from events.types import (
    By,
    MatchEnded,
    MovePlayed,
    Status,
    Terminal,
    kind_of,
)
from events.verify import verify_log, verify_view
from games import registry
from games.core.game import ALL, SPECTATOR
from games.core.moves import sample, wire_move
from tests.events.clocked import MOVE, Clocked
from tests.events.disputed import ARBITER
from tests.events.scripted import MATCH_ID, changed, entries, resealed, where

EACH = [(game.slug, game.trials[0][1]) for game in registry.games()]


def kinds(steps: Any) -> list[str]:
    return [kind_of(step.event) for step in steps]


def sound(at: Clocked) -> None:
    assert verify_log(at.records, seed=at.dealer.seed()).fault is None


def test_a_flag_falls_at_the_moment_not_before() -> None:
    at = Clocked("high_card", 2, MOVE)
    assert at.fire(9_999) == ()
    steps = at.fire(1)
    assert kinds(steps)[:2] == ["flag_fell", "move_played"]
    fell = steps[0].event
    assert isinstance(fell, FlagFell)
    assert (fell.seat, fell.decision, fell.fell) == (0, "5.0", at.start + 10_000)


def test_the_fallback_is_played_and_the_seat_plays_on() -> None:
    at = Clocked("high_card", 2, MOVE)
    move = at.fire(12_000)[1].event
    assert isinstance(move, MovePlayed)
    assert (move.seat, move.by, move.arrived) == (0, By.FALLBACK, None)
    assert at.asked == (0, 1)
    at.move(0, 9_000)
    at.move(1, 900)
    sound(at)


def test_flags_that_fall_together_do_so_before_anything_follows() -> None:
    at = Clocked("high_card", 3, MOVE)
    at.move(0)
    assert kinds(at.fire(10_000))[:5] == ["flag_fell"] * 3 + ["move_played"] * 2
    sound(at)


def test_flags_that_fall_one_after_another_are_two_appends() -> None:
    at = Clocked("high_card", 3, MOVE)
    at.move(0)
    at.do(AddTime(1, ARBITER, 5_000))
    steps = at.fire(20_000)
    fallen = [step.event.seat for step in steps if isinstance(step.event, FlagFell)]
    assert fallen == [0, 2]
    fallen = [step.event.seat for step in at.fire() if isinstance(step.event, FlagFell)]
    assert fallen == [1]
    sound(at)


def test_a_move_that_was_there_in_time_wins_over_a_flag_that_is_not_in_the_log() -> None:
    at = Clocked("high_card", 2, MOVE)
    at.move(0, 10_000, took=60_000)
    assert at.fire() == ()
    sound(at)


def test_an_answer_after_the_flag_is_told_of_it_and_an_older_one_that_it_is_closed() -> None:
    at = Clocked("high_card", 2, MOVE)
    decision = at.current.decision
    assert decision is not None
    wire = wire_move(sample(decision.offers[0], Random(1)))
    late = PlayMove(0, at.current.decision_of(0), wire, bytes(32), None, at.at)
    at.fire(10_000)
    with pytest.raises(FlagHasFallen):
        at.do(late)
    at.move(1, 1)
    at.fire(10_000)
    with pytest.raises(DecisionClosed):
        at.do(late)


def test_who_forfeits_loses_and_the_match_is_over() -> None:
    at = Clocked("high_card", 3, MOVE, flag=Flag.FORFEIT)
    steps = at.fire(10_000)
    assert kinds(steps) == ["flag_fell", "match_ended", "match_revealed"]
    outcome = at.current.outcome
    assert outcome is not None
    assert (outcome.terminal, outcome.ranks) == (Terminal.TIMED_OUT, (3, 1, 1))
    sound(at)


def test_those_who_forfeit_together_lose_alike() -> None:
    at = Clocked("high_card", 4, MOVE, flag=Flag.FORFEIT)
    at.move(0)
    at.do(Resign(3))
    at.move(1, 100)
    at.fire(10_000)
    outcome = at.current.outcome
    assert outcome is not None
    assert (outcome.terminal, outcome.ranks) == (Terminal.TIMED_OUT, (2, 1, 2, 4))
    sound(at)


def test_a_seat_that_is_removed_is_out_and_the_others_play_on() -> None:
    at = Clocked("high_card", 3, MOVE, flag=Flag.REMOVE)
    at.fire(10_000)
    assert at.current.resigned == (0,)
    assert at.current.status is Status.RUNNING
    at.move(1, 1)
    at.fire(10_000)
    outcome = at.current.outcome
    assert outcome is not None
    assert (outcome.terminal, outcome.ranks) == (Terminal.TIMED_OUT, (3, 1, 2))
    sound(at)


@pytest.mark.parametrize("flag", Flag)
@pytest.mark.parametrize(("name", "seats"), EACH)
def test_a_match_in_which_nobody_moves_ends(name: str, seats: int, flag: Flag) -> None:
    at = Clocked(name, seats, MOVE, flag=flag, abandon_after=2)
    for _ in range(20 * seats + 1):
        if at.current.status is Status.OVER:
            break
        at.fire(10_000)
    outcome = at.current.outcome
    assert outcome is not None
    ends = {Flag.FALLBACK: (Terminal.ABANDONED, Terminal.NORMAL)}
    assert outcome.terminal in ends.get(flag, (Terminal.TIMED_OUT, Terminal.NORMAL))
    assert outcome.terminal is Terminal.NORMAL or max(outcome.ranks) > 1
    sound(at)


def test_a_match_is_not_abandoned_while_somebody_moves() -> None:
    at = Clocked("high_card", 2, MOVE, abandon_after=1)
    at.move(0)
    while at.current.status is Status.RUNNING:
        if 1 in at.asked:
            at.move(1, 5_000)
        else:
            at.fire(10_000)
    outcome = at.current.outcome
    assert outcome is not None
    assert outcome.terminal is Terminal.NORMAL
    sound(at)


@pytest.mark.parametrize(
    ("time", "next_one"),
    [
        (Fischer(bank=10_000, increment=700, most=None), 700),
        (Fischer(bank=10_000, increment=0, most=None), 0),
        (Bronstein(bank=10_000, delay=300), 300),
        (Delay(bank=10_000, delay=300), 0),
        (PerMove(move=10_000), 10_000),
    ],
)
def test_what_a_seat_has_after_its_flag_fell(time: Any, next_one: int) -> None:
    at = Clocked("high_card", 2, time)
    at.fire(11_000)
    assert at.left(0) == next_one
    sound(at)


def test_a_flag_falls_later_by_the_outage_that_was_given_back() -> None:
    at = Clocked("high_card", 2, MOVE)
    at.wait(20_000)
    outage = (at.start + 5_000, at.start + 12_000)
    at.credit(outage)
    fell = at.fire()[0].event
    assert isinstance(fell, FlagFell)
    assert fell.fell == at.start + 17_000
    sound(at)


@pytest.mark.parametrize(
    "fields", [{"fell": 9_999}, {"fell": 10_001}, {"seat": 1}, {"decision": "4.0"}, {"at": 9_000}]
)
def test_a_wrong_flag_fall_is_found(fields: dict[str, Any]) -> None:
    at = Clocked("high_card", 2, MOVE)
    at.fire(10_500)
    version = next(e.version for e in at.events if isinstance(e, FlagFell))
    moved = {n: at.start + v if n in ("fell", "at") else v for n, v in fields.items()}
    forged = changed(at, version, **moved)
    assert where(verify_log(forged, seed=at.dealer.seed())) == (version, "clock")


def test_a_fallback_without_a_flag_and_a_flag_without_what_follows_are_found() -> None:
    at = Clocked("high_card", 2, MOVE)
    at.fire(10_000)
    first = next(e.version for e in at.events if isinstance(e, FlagFell))
    head = [each for each in at.events if each.version < first]
    assert where(verify_log(resealed([*head, at.events[first - 1]], at.dealer))) == (
        first + 1,
        "missing",
    )


@pytest.mark.parametrize(("name", "seats"), EACH)
def test_whoever_was_given_a_log_with_clocks_finds_it_sound(name: str, seats: int) -> None:
    bank = Fischer(bank=9_000, increment=500, most=None)
    at = Clocked(name, seats, *(MOVE if seat % 2 else bank for seat in range(seats)))
    rng = Random(name)
    for _ in range(40):
        if rng.random() < 0.3:
            at.fire(10_000)
        if not at.asked:
            break
        try:
            at.move(rng.choice(at.asked), rng.randrange(400), took=rng.randrange(50))
        except FlagDue:
            at.fire()
        except FlagHasFallen:
            continue
    sound(at)
    for viewer in (SPECTATOR, ALL, *range(seats)):
        assert verify_view(entries(at, viewer), MATCH_ID, seats, viewer).fault is None


def test_a_forfeit_is_the_log_s_to_say_and_nobody_else_s() -> None:
    at = Clocked("high_card", 2, MOVE, flag=Flag.FORFEIT)
    at.fire(10_000)
    version = next(e.version for e in at.events if isinstance(e, MatchEnded))
    outcome = at.current.outcome
    assert outcome is not None
    forged = changed(at, version, outcome=type(outcome)(Terminal.TIMED_OUT, (1, 2), None, ""))
    assert where(verify_log(forged, seed=at.dealer.seed())) == (version, "outcome")
