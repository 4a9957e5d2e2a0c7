"""The fold: folded records are the live match, at every version, in one go or continued."""

import msgspec
import pytest

from events.canonical import raw
from events.match import LogBroken, Match, answer_to, decode, evolve, fold, options_of
from events.types import DONE, UNFINISHED, ChanceDrawn, MatchStarted, SeatClaimed, Start, Status
from games import registry
from tests.events.scripted import MATCH_ID, NOON, Table, finished
from tests.games.high_card.game import Options

PLAYED = finished("high_card", 4)


def test_every_status_is_one_of_a_match_that_is_over_or_is_not() -> None:
    assert sorted((*DONE, *UNFINISHED)) == sorted(Status)


def test_nothing_folds_to_no_match() -> None:
    assert fold(()) is None


def test_the_fold_is_the_live_match_at_every_version() -> None:
    for version, step in enumerate(PLAYED.steps, 1):
        folded = fold(PLAYED.records[:version])
        assert folded == step.after
        assert folded is not None
        assert (folded.version, folded.head) == (version, PLAYED.records[version - 1].hash)


def test_a_fold_goes_on_from_any_version() -> None:
    whole = fold(PLAYED.records)
    for split in range(len(PLAYED.records) + 1):
        onto = fold(PLAYED.records[:split])
        assert fold(PLAYED.records[split:], onto) == whole


def test_folding_on_leaves_the_earlier_match_as_it_was() -> None:
    onto = fold(PLAYED.records[:9])
    fold(PLAYED.records[9:], onto)
    assert onto == fold(PLAYED.records[:9])


def test_a_position_folds_like_a_start() -> None:
    table = Table(registry.game("high_card"), 2, start=Start.MANUAL)
    table.set_position(PLAYED.game.new(Options(rounds=1), 2))
    assert fold(table.records) == table.current
    assert table.current.status is Status.RUNNING


def test_before_the_start_there_is_no_position() -> None:
    table = Table(registry.game("high_card"), 3, is_seated=False)
    current = table.current
    assert (current.version, current.status, current.match_id) == (1, Status.SEATING, MATCH_ID)
    assert current.state is None
    assert current.turn is None
    assert current.decision is None
    assert current.decision_of(0) is None
    assert options_of(current) == Options()


def test_the_end_holds_outcome_and_seed() -> None:
    current = PLAYED.current
    assert (current.status, current.is_revealed) == (Status.OVER, True)
    assert current.outcome is not None
    assert current.decision is None
    assert current.seed == PLAYED.dealer.seed().hex()


def test_a_log_begins_with_its_creation() -> None:
    with pytest.raises(LogBroken, match="event 1: a log begins with match_created"):
        evolve(None, MatchStarted(version=1, at=NOON))


@pytest.mark.parametrize("version", [1, 2, 4, 99])
def test_events_stand_one_after_the_other(version: int) -> None:
    current = fold(PLAYED.records[:2])
    with pytest.raises(LogBroken, match="stands after event 2"):
        evolve(current, SeatClaimed(version=version, at=NOON, seat=3, holder="x"))


def test_a_match_is_created_once() -> None:
    created = msgspec.structs.replace(PLAYED.steps[0].event, version=3)
    with pytest.raises(LogBroken, match="stands first only"):
        evolve(fold(PLAYED.records[:2]), created)


def test_a_draw_needs_a_turn_of_chance() -> None:
    current = fold(PLAYED.records[:2])
    draw = ChanceDrawn(version=3, at=NOON, label="x", options=1, offer="", picks=(0,))
    with pytest.raises(LogBroken, match="no draw was due"):
        evolve(current, draw)


def test_a_column_that_contradicts_the_body_does_not_fold() -> None:
    record = msgspec.structs.replace(PLAYED.records[1], version=3)
    with pytest.raises(LogBroken, match="differ between column and body"):
        decode(record)


def test_the_latest_committed_answer_of_a_type_is_remembered() -> None:
    answered = [
        (step.after, step.event)
        for step in PLAYED.steps
        if getattr(step.event, "sealed", None) is not None
    ]
    assert len(answered) == 8  # two rounds: the leader's order and three hidden choices
    for after, event in answered:
        kind = msgspec.json.decode(event.move)["type"]  # type: ignore[union-attr, arg-type]
        found = answer_to(after, event.seat, kind)  # type: ignore[union-attr, arg-type]
        assert found == (event.decision, event.sealed)  # type: ignore[union-attr]


def test_a_game_that_is_not_here_does_not_fold() -> None:
    created = msgspec.structs.replace(PLAYED.steps[0].event, game="no_such_game")
    with pytest.raises(registry.UnknownGame):
        evolve(None, created)


def test_events_of_the_log_are_what_was_decided() -> None:
    assert [decode(record) for record in PLAYED.records] == list(PLAYED.events)


def test_raw_moves_compare_by_their_bytes() -> None:
    assert raw({"type": "waive"}) == raw({"type": "waive"})
    assert isinstance(PLAYED.current, Match)
