"""Rewinds: the fold, decision ids, draws that come again, and what a rewind leaves in the log."""

from random import Random

import pytest
from msgspec.structs import replace

from events.decide import DecisionClosed, PlayMove
from events.match import LogBroken, Match, TargetUnknown, evolve, fold
from events.refusals import MatchRevealedAlready, RulingImpossible
from events.rewinding import line, rewinds_of, skipped
from events.rulings import Rewind, SetResult
from events.types import MatchRewound, Status
from events.verify import verify_log
from tests.events.disputed import draws, line_of, redraw, ruled, to_boundary
from tests.events.scripted import Table, changed, where
from tests.events.test_decide import GAME, arranged, chosen, kinds, table

# What a rewind does not bring back.
BESIDE = ("version", "head", "asked", "disputes", "revision", "at")


def of_the_play(current: Match) -> Match:
    return replace(current, **{name: getattr(table().current, name) for name in BESIDE})


def played() -> Table:
    """Two seats, round 1 is over, round 2 is dealt."""
    at = chosen(arranged(table(2)), 0, 1)
    at.play(0, {"type": "waive"})
    return at


def test_the_fold_after_a_rewind_is_the_fold_at_its_target() -> None:
    at = played()
    for target in range(4, at.current.version):
        again = played()
        ruled(again, Rewind(to=target, boundary=None))
        rewound = next(v for v, k in enumerate(kinds(again), 1) if k == "match_rewound")
        assert of_the_play(again.after(rewound)) == of_the_play(at.after(target))


def test_a_rewound_log_folds_from_the_beginning_and_is_sound() -> None:
    at = played()
    ruled(at, to_boundary(at, "round 1"))
    arranged(at)
    assert fold(at.records) == at.current
    verdict = verify_log(at.records, seed=at.dealer.seed(), texts=at.texts)
    # The dealer of these tests deals by a script, and that is found.
    assert where(verdict) == (5, "draw")
    assert verify_log(at.records).fault is None


def test_onto_a_match_after_the_target_a_rewind_needs_the_whole_log() -> None:
    at = played()
    onto = at.current
    goal = onto.version - 3
    ruled(at, Rewind(to=goal, boundary=None))
    with pytest.raises(TargetUnknown):
        fold(at.records[onto.version :], onto)
    assert fold(at.records[goal:], at.after(goal)) == at.current


def test_everybody_asked_is_asked_anew_by_a_rewind() -> None:
    at = arranged(table(2))
    before = {seat: at.current.decision_of(seat) for seat in range(2)}
    last = ruled(at, Rewind(to=at.current.version, boundary=None))[-1]
    assert last.event.asks == (0, 1)
    after = {seat: at.current.decision_of(seat) for seat in range(2)}
    assert after == {seat: f"{at.current.version}.{seat}" for seat in range(2)}
    assert not set(before.values()) & set(after.values())
    with pytest.raises(DecisionClosed):
        at.do(PlayMove(0, before[0], {"type": "choose", "card": 9}, bytes(32)))


def test_seats_asked_before_a_rewind_to_a_draw_are_asked_anew_after_it() -> None:
    at = arranged(table(2))
    started = kinds(at).index("match_started") + 1
    steps = ruled(at, Rewind(to=started, boundary=None))
    assert kinds(at)[-3:] == ["dispute_ruled", "match_rewound", "chance_drawn"]
    assert [step.event.asks for step in steps] == [(), (), (0,)]


def test_the_same_draws_come_again() -> None:
    at = played()
    first = {each.label: each for each in draws(at)}
    ruled(at, to_boundary(at, "round 1"))
    chosen(arranged(at), 0, 1)
    at.play(1, {"type": "waive"})
    again = {each.label: each for each in draws(at)}
    assert again["round 1 deal"].picks == first["round 1 deal"].picks
    assert {label: each.redraw for label, each in again.items()} == dict.fromkeys(first, 0)


def test_a_redraw_is_another_draw_of_the_same_label() -> None:
    at = unscripted().play_on(Random(5), most=2)
    (first,) = draws(at)
    ruled(at, redraw(at, "round 1 deal"))
    (second,) = draws(at)
    assert (first.redraw, second.redraw) == (0, 1)
    assert first.picks != second.picks
    ruled(at, redraw(at, "round 1 deal"))
    assert draws(at)[0].redraw == 2
    ruled(at, to_boundary(at, "round 1"))
    assert draws(at)[0].picks != first.picks  # The order stands after another rewind.
    verdict = verify_log(at.records, seed=at.dealer.seed(), texts=at.texts)
    assert (verdict.fault, verdict.unchecked) == (None, ())


def test_no_label_stands_twice_in_a_line_of_play() -> None:
    at = unscripted().play_on(Random(1), most=6)
    ruled(at, to_boundary(at, "round 1"))
    at.play_on(Random(2), most=5)
    labels = [(each.label, each.redraw) for each in draws(at)]
    assert len(labels) == len(set(labels))
    everywhere = [(e.label, e.redraw) for e in draws(at, range(1, at.current.version + 1))]
    assert len(everywhere) > len(labels)


def test_lines_of_play_follow_rewinds_back() -> None:
    rewinds = {7: 3, 10: 5}  # The second one undoes the first: 5 was skipped by it.
    assert line(rewinds, 9) == (1, 2, 3, 7, 8, 9)
    assert line(rewinds, 11) == (1, 2, 3, 4, 5, 10, 11)
    assert skipped(rewinds, 7) == (4, 5, 6)
    assert skipped(rewinds, 10) == (7, 8, 9)


def test_an_appeal_can_bring_a_skipped_line_back() -> None:
    at = played()
    before = at.current
    ruled(at, to_boundary(at, "round 1"))
    arranged(at)
    ruled(at, Rewind(to=before.version, boundary=None))
    assert of_the_play(at.current) == of_the_play(before)
    assert verify_log(at.records).fault is None
    assert rewinds_of(at.records).keys() == {
        event.version for event in at.events if isinstance(event, MatchRewound)
    }
    assert before.version in line_of(at)


def test_there_is_no_way_back_before_the_start_nor_forward() -> None:
    for to in (0, 1, 3, 99):
        at = played()
        with pytest.raises(RulingImpossible):
            ruled(at, Rewind(to=to, boundary=None))
    with pytest.raises(RulingImpossible):
        ruled(played(), Rewind(to=6, boundary="round 2"))


def test_no_rewind_after_the_reveal() -> None:
    at = finished_table()
    assert at.current.is_revealed
    with pytest.raises(MatchRevealedAlready):
        ruled(at, Rewind(to=6, boundary=None))


def test_a_match_whose_window_is_open_can_be_rewound_after_its_end() -> None:
    at = finished_table(window=60_000)
    assert at.current.status is Status.OVER
    assert not at.current.is_revealed
    ruled(at, to_boundary(at, "round 2"))
    assert (at.current.status, at.current.outcome) == (Status.RUNNING, None)
    at.play_on(Random(4))
    assert (at.current.status, at.current.revision) == (Status.OVER, 2)
    assert verify_log(at.records).fault is None


def test_a_rewind_that_is_not_ruled_is_a_fault() -> None:
    at = played()
    ruled(at, Rewind(to=6, boundary=None))
    rewound = at.events[-1]
    assert isinstance(rewound, MatchRewound)
    assert where(verify_log(changed(at, rewound.version, to=5))) == (rewound.version, "rewind")
    assert where(verify_log(at.records[:-1])) == (rewound.version, "missing")
    unruled = replace(rewound, version=8)
    with pytest.raises(LogBroken):
        evolve(at.after(7), unruled)


def test_a_result_is_set_where_the_play_stood() -> None:
    at = played()
    ruled(at, SetResult(ranks=(2, 1), scores=None))
    assert kinds(at)[-2:] == ["dispute_ruled", "match_revealed"]
    assert at.current.status is Status.OVER


def unscripted() -> Table:
    return Table(GAME, 2)


def finished_table(window: int | None = None) -> Table:
    return Table(GAME, 2, window=window).play_on(Random(3))
