"""Verification: sound logs pass; whatever is changed is found, where and why it is wrong."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from events.decide import CancelMatch, Resign
from events.match import fold
from events.schema import NEWEST
from events.types import (
    SeatClaimed,
    Start,
    kind_of,
)
from events.verify import Verdict, verify_log, verify_view
from games import registry
from games.core.game import ALL, SPECTATOR
from tests.events.scripted import (
    MATCH_ID,
    NOON,
    OTHER_ID,
    SEED,
    Table,
    changed,
    entries,
    finished,
    flipped,
    where,
    with_resignation,
)
from tests.games.high_card.game import Options

GAME = registry.game("high_card")
PLAYED = finished("high_card", 4)
RESIGNED = with_resignation()


# Sound logs


@pytest.mark.parametrize("at", [PLAYED, RESIGNED], ids=["finished", "resigned"])
def test_a_finished_match_is_sound_and_checked_whole(at: Table) -> None:
    verdict = verify_log(at.records, texts=at.texts)
    assert verdict == Verdict(len(at.records), None, verdict.checked, ())
    assert set(verdict.checked) >= {"chain", "facets", "moves", "draws", "answers", "outcome"}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_random_matches_are_sound(seats: int) -> None:
    for number in range(8):
        at = finished("high_card", seats, number)
        assert verify_log(at.records, texts=at.texts).is_sound


def test_a_running_match_is_sound_as_far_as_it_goes() -> None:
    at = Table(GAME, 4).play_on(Random(1), most=8)
    verdict = verify_log(at.records)
    assert verdict.is_sound
    assert any("seed is not revealed" in each for each in verdict.unchecked)
    assert not {"draws", "answers"} & set(verdict.checked)
    assert verify_log(at.records, seed=SEED).unchecked == ()


def test_every_prefix_that_ends_an_append_is_sound_and_every_other_lacks_something() -> None:
    ends = {step.after.version for step in PLAYED.steps if step.after.decision is not None}
    ends |= {e.version for e in PLAYED.events if isinstance(e, SeatClaimed)} - {5}
    ends |= {1, len(PLAYED.records)}
    for length in range(1, len(PLAYED.records) + 1):
        verdict = verify_log(PLAYED.records[:length])
        assert verdict.is_sound == (length in ends), (length, verdict)
        if not verdict.is_sound:
            assert where(verdict) == (length + 1, "missing")


def test_nothing_is_no_log() -> None:
    assert where(verify_log(())) == (1, "missing")


def test_a_set_position_is_a_fault_unless_allowed() -> None:
    at = Table(GAME, 2)
    at = Table(GAME, 2, start=Start.MANUAL)
    at.set_position(GAME.new(Options(), 2))
    at.play_on(Random(1))
    assert where(verify_log(at.records)) == (4, "position")
    assert verify_log(at.records, allow_position=True).is_sound


def test_cancelled_matches_are_sound() -> None:
    for seated in (True, False):
        at = Table(GAME, 2, is_seated=seated)
        at.do(CancelMatch())
        assert verify_log(at.records).is_sound


# Every byte


@pytest.mark.parametrize("field", ["body", "salt", "facets", "hash"])
def test_a_flip_of_any_byte_is_found_at_its_event(field: str) -> None:
    records = PLAYED.records
    for place, record in enumerate(records):
        data = getattr(record, field)
        for byte in range(0, len(data), 1 if place in (0, 6, 7) else 11):
            bad = replace(record, **{field: flipped(data, byte)})
            verdict = verify_log((*records[:place], bad, *records[place + 1 :]))
            assert verdict.fault is not None
            assert verdict.fault.version == place + 1, (byte, verdict)


@pytest.mark.parametrize(
    ("field", "value"),
    [("version", 99), ("kind", "seat_claimed"), ("kind", "match_exploded"), ("schema", 2),
     ("schema", 0), ("at", NOON + 1)],
)  # fmt: skip
def test_a_changed_column_is_found(field: str, value: object) -> None:
    for place, record in enumerate(PLAYED.records):
        if getattr(record, field) == value:
            continue
        bad = replace(record, **{field: value})
        verdict = verify_log((*PLAYED.records[:place], bad, *PLAYED.records[place + 1 :]))
        assert verdict.fault is not None
        assert verdict.fault.version == place + 1
        assert verdict.fault.code in ("columns", "version", "fold")


def test_deleting_doubling_and_exchanging_events_is_found() -> None:
    records = PLAYED.records
    for place in range(len(records) - 1):
        assert not verify_log(records[:place] + records[place + 1 :]).is_sound
        assert not verify_log(records[: place + 1] + records[place:]).is_sound
        swapped = (*records[:place], records[place + 1], records[place], *records[place + 2 :])
        assert not verify_log(swapped).is_sound


def test_events_of_another_match_are_found() -> None:
    other = Table(GAME, 4, match_id=OTHER_ID).play_on(Random(0))
    for place in range(1, 12):
        mixed = (*PLAYED.records[:place], *other.records[place:])
        verdict = verify_log(mixed)
        assert where(verdict) == (place + 1, "hash")


@pytest.mark.parametrize("field", ["salt", "facets", "hash"])
def test_a_column_of_another_length_is_found(field: str) -> None:
    record = PLAYED.records[3]
    for value in (b"", getattr(record, field) + b"x", getattr(record, field)[:-1]):
        bad = replace(record, **{field: value})
        assert not verify_log((*PLAYED.records[:3], bad, *PLAYED.records[4:])).is_sound


# What cannot be checked is not wrong


def test_without_the_game_the_chain_is_checked_alone() -> None:
    records = changed(PLAYED, 1, game="no_such_game")
    verdict = verify_log(records)
    assert verdict.is_sound
    assert "the game is not here" in verdict.unchecked[0]
    assert set(verdict.checked) == {"columns", "bodies", "chain"}
    bad = (*records[:4], replace(records[4], body=records[4].body + b" "))
    assert where(verify_log(bad)) == (5, "body")


def test_an_event_of_a_newer_release_cannot_be_checked() -> None:
    newer = changed(PLAYED, 7, schema=NEWEST[kind_of(PLAYED.events[6])] + 1)
    verdict = verify_log(newer)
    assert (verdict.is_sound, verdict.events) == (True, 6)
    assert "schema 2 is not known here" in verdict.unchecked[-1]


@pytest.mark.parametrize(
    "fields", [{"algorithm": "draw/2"}, {"reveal": "after_disputes"}, {"steerable": "nobody"}]
)
def test_what_another_release_pins_cannot_be_checked(fields: dict[str, Any]) -> None:
    verdict = verify_log(changed(PLAYED, 1, **fields))
    assert (verdict.is_sound, verdict.events) == (True, 0)
    assert repr(*fields.values()) in verdict.unchecked[0]


def test_the_format_is_bound_into_the_hash_before_event_1() -> None:
    assert where(verify_log(changed(PLAYED, 1, format=2))) == (1, "hash")


def test_a_seed_that_is_not_the_one_counts_as_none() -> None:
    at = Table(GAME, 4).play_on(Random(1), most=8)
    verdict = verify_log(at.records, seed=bytes(32))
    assert verdict.is_sound
    assert verdict.unchecked


def test_verified_records_fold() -> None:
    assert fold(PLAYED.records) == PLAYED.current


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_real_game_is_sound_for_everybody(seats: int) -> None:
    game = registry.game("ambition_characters")
    options = next(options for options, count in game.trials if count == seats)
    at = Table(game, seats, options).play_on(Random(seats), most=250)
    assert verify_log(at.records, seed=SEED, texts=at.texts).is_sound
    for viewer in (SPECTATOR, *range(seats), ALL):
        verdict = verify_view(entries(at, viewer), MATCH_ID, seats, viewer)
        assert (verdict.fault, verdict.unchecked) == (None, ())


def test_a_real_game_resigned_down_to_one_is_sound() -> None:
    game = registry.game("ambition_characters")
    at = Table(game, 4).play_on(Random(1), most=60)
    for seat in (2, 0, 3):
        at.play_on(Random(seat), most=30)
        at.do(Resign(seat))
    assert verify_log(at.records, texts=at.texts) == verify_log(at.records)
    assert verify_log(at.records).is_sound
    for place in range(5, len(at.records), 7):
        bad = replace(at.records[place], body=flipped(at.records[place].body, 20))
        found = verify_log((*at.records[:place], bad, *at.records[place + 1 :]))
        assert where(found) is not None


@pytest.mark.parametrize("fields", [{"reveal": "after_window"}, {"window": 60_000}])
def test_a_window_and_a_reveal_after_it_go_together(fields: dict[str, Any]) -> None:
    altered = changed(PLAYED, 1, **fields)
    assert where(verify_log(altered)) == (1, "created")


@pytest.mark.parametrize("at", [-5, 2**53])
def test_a_time_no_event_can_have_is_found(at: int) -> None:
    altered = changed(PLAYED, 1, at=at)
    assert where(verify_log(altered)) == (1, "at")
