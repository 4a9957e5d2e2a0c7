"""Verification: sound logs pass; whatever is changed is found, where and why it is wrong."""

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events import chain
from events.canonical import canonical, decoded, raw
from events.decide import CancelMatch, Resign
from events.match import fold
from events.schema import NEWEST
from events.types import (
    By,
    ChanceDrawn,
    Event,
    MatchEnded,
    MatchRevealed,
    MatchStarted,
    MovePlayed,
    Record,
    SeatClaimed,
    SeatResigned,
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
    entries,
    finished,
    flipped,
    resealed,
    where,
    with_resignation,
)
from tests.games.high_card.game import Options

GAME = registry.game("high_card")
PLAYED = finished("high_card", 4)
RESIGNED = with_resignation()


def first(kind: type[Event], at: Table = PLAYED, skip: int = 0) -> int:
    """The version of the first event of a kind, after leaving some out."""
    return [e for e in at.events if isinstance(e, kind)][skip].version


def changed(version: int, at: Table = PLAYED, **fields: Any) -> tuple[Record, ...]:
    """The log with one event altered and all of it honestly sealed again."""
    events = [replace(e, **fields) if e.version == version else e for e in at.events]
    return resealed(events, at.dealer)


def renumbered(events: Sequence[Event]) -> list[Event]:
    return [replace(e, version=version) for version, e in enumerate(events, 1)]


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


# Rewrites that are sealed again, consistently


DEAL = first(ChanceDrawn)
ORDER = first(MovePlayed)
END = first(MatchEnded)
REVEAL = first(MatchRevealed)
CHOICE = next(
    e.version for e in PLAYED.events if isinstance(e, MovePlayed) and b'"choose"' in bytes(e.move)
)

REWRITES: list[tuple[int, str, dict[str, Any]]] = [
    (2, "seat", {"seat": 9}),
    (2, "seat", {"seat": -1}),
    (DEAL, "draw", {"label": "round 9 deal"}),
    (DEAL, "draw", {"redraw": 1}),
    (DEAL, "draw", {"options": 9}),
    (DEAL, "draw", {"offer": "00" * 32}),
    (DEAL, "draw", {"picks": (1, 0, 2, 3, 4, 5, 6, 7, 8, 9)}),
    (DEAL, "asks", {"asks": (0, 1)}),
    (DEAL, "asks", {"asks": ()}),
    (ORDER, "move", {"move": raw({"type": "arrange", "cards": [77, 78]})}),
    (ORDER, "move", {"move": raw({"type": "waive"})}),
    (ORDER, "decision", {"decision": "5.0"}),
    (ORDER, "decision", {"seat": 1}),
    (ORDER, "seat", {"seat": 4}),
    (ORDER, "move", {"decision": None}),
    (ORDER, "by", {"by": By.FALLBACK}),
    (ORDER, "by", {"by": By.ARBITER}),
    (ORDER, "answer", {"sealed": None}),
    (ORDER, "answer", {"sealed": "00" * 32}),
    (ORDER, "asks", {"asks": (0, 1, 2)}),
    (END, "outcome", {"outcome": None}),
    (REVEAL, "seed", {"seed": "00" * 32}),
    (REVEAL, "seed", {"seed": SEED.hex()}),
]


@pytest.mark.parametrize(("version", "code", "fields"), REWRITES)
def test_an_altered_event_is_found_though_the_chain_holds(
    version: int, code: str, fields: dict[str, Any]
) -> None:
    if fields.get("outcome", 0) is None:
        outcome = PLAYED.current.outcome
        assert outcome is not None
        fields = {"outcome": replace(outcome, ranks=(1, 1, 1, 1))}
    assert where(verify_log(changed(version, **fields))) == (version, code)


def test_sealing_again_unchanged_is_sound() -> None:
    assert verify_log(resealed(PLAYED.events, PLAYED.dealer)).is_sound


def test_another_legal_answer_breaks_its_commitment() -> None:
    event = PLAYED.events[CHOICE - 1]
    assert isinstance(event, MovePlayed)
    before = PLAYED.steps[CHOICE - 1].before
    assert before is not None
    others = [c for c in before.state.hands[event.seat] if c != decoded(event.move)["card"]]
    rewritten = changed(CHOICE, move=raw({"type": "choose", "card": others[0]}))
    assert where(verify_log(rewritten)) == (CHOICE, "answer")


def extra(version: int, event: Event) -> tuple[Record, ...]:
    events = [*PLAYED.events[: version - 1], event, *PLAYED.events[version - 1 :]]
    return resealed(renumbered(events), PLAYED.dealer)


def test_extra_events_are_found() -> None:
    draw = replace(PLAYED.events[DEAL - 1], version=0)
    over = PLAYED.events[END - 1]
    assert where(verify_log(extra(DEAL + 1, draw))) == (DEAL + 1, "unexplained")
    assert where(verify_log(extra(DEAL + 1, over))) == (DEAL + 1, "unexplained")
    assert where(verify_log(extra(3, PLAYED.events[0]))) == (3, "unexplained")
    assert where(verify_log(extra(3, PLAYED.events[1]))) == (3, "seat")
    assert where(verify_log(extra(DEAL + 1, PLAYED.events[1]))) == (DEAL + 1, "status")
    early = MatchStarted(version=0, at=NOON)
    assert where(verify_log(extra(3, early))) == (3, "start")
    late = SeatResigned(version=0, at=NOON, seat=0)
    assert where(verify_log(extra(REVEAL + 1, late))) == (REVEAL + 1, "after_reveal")
    soon = MatchRevealed(version=0, at=NOON, seed=PLAYED.dealer.seed().hex())
    assert where(verify_log(extra(ORDER, soon))) == (ORDER, "unexplained")


@pytest.mark.parametrize("version", [DEAL - 1, DEAL, END, REVEAL])
def test_what_follows_of_itself_is_missed(version: int) -> None:
    rest = [e for e in PLAYED.events if e.version != version]
    verdict = verify_log(resealed(renumbered(rest), PLAYED.dealer), seed=PLAYED.dealer.seed())
    assert where(verdict) == (version, "missing")


def test_a_fallback_is_the_one_of_the_rules() -> None:
    (version, *_) = (
        e.version for e in RESIGNED.events if isinstance(e, MovePlayed) and e.by is By.FALLBACK
    )
    event = RESIGNED.events[version - 1]
    assert isinstance(event, MovePlayed)
    by_hand = changed(version, RESIGNED, by=By.SEAT)
    assert where(verify_log(by_hand)) == (version, "fallback")


def test_a_resigned_seat_plays_no_more() -> None:
    version = len(RESIGNED.events) - 2
    spoken = raw({"type": "speak", "text": "0" * 64})
    word = MovePlayed(version=version, at=NOON, seat=0, decision=None, move=spoken)
    events = renumbered([*RESIGNED.events[: version - 1], word, *RESIGNED.events[version - 1 :]])
    assert where(verify_log(resealed(events, RESIGNED.dealer))) == (version, "seat")


@pytest.mark.parametrize("text", ["hello", "0" * 63, "G" * 64, "A" * 64, 5])
def test_a_text_in_the_log_is_a_digest(text: object) -> None:
    version = next(e.version for e in RESIGNED.events if b"speak" in canonical(e))
    rewritten = changed(version, RESIGNED, move=raw({"type": "speak", "text": text}))
    assert where(verify_log(rewritten)) == (version, "move")


def test_a_text_beside_the_log_has_to_be_the_one_that_was_said() -> None:
    (row,) = RESIGNED.texts[:1]
    forged = replace(row, text="something else")
    assert where(verify_log(RESIGNED.records, texts=[forged])) == (row.version, "text")


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b'"at":', b'"at": '),
        lambda body: body.replace(b'"schema":1', b'"schema":1.0'),
        lambda body: body[:-1] + b',"zeal":1}',
        lambda body: b'{"asks":[],' + body[1:],
        lambda body: re.sub(rb'("at":\d+)', rb"\1,\1", body),
    ],
)
def test_a_body_in_another_form_is_found(change: Callable[[bytes], bytes]) -> None:
    body = change(PLAYED.records[2].body)
    assert body != PLAYED.records[2].body
    rewritten = resealed(PLAYED.events, PLAYED.dealer, {3: body})
    assert where(verify_log(rewritten)) == (3, "body")


def test_a_move_in_another_form_is_found() -> None:
    move = bytes(PLAYED.events[CHOICE - 1].move)  # type: ignore[union-attr]
    spaced = changed(CHOICE, move=msgspec.Raw(move.replace(b":", b": ")))
    assert where(verify_log(spaced)) == (CHOICE, "move")


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"seed_commitment": "00" * 32}, "seed"),
        ({"match_id": MATCH_ID.upper()}, "created"),
        ({"options": raw({"rounds": 2})}, "options"),
        ({"options": raw({"rounds": 2, "talk": True, "x": 1})}, "options"),
        ({"options": raw({"rounds": 9, "talk": True})}, "fold"),
    ],
)
def test_a_bad_creation_is_found(fields: dict[str, Any], code: str) -> None:
    version = REVEAL if code == "seed" else 1
    assert where(verify_log(changed(1, **fields))) == (version, code)


def test_a_facet_that_shows_something_else_is_found() -> None:
    lying = resealed(PLAYED.events[:5], PLAYED.dealer)
    record = PLAYED.records[0]
    assert lying[0].salt != record.salt
    joined = chain.commitments(MATCH_ID, 1, record.salt, (b"{}", *(b"=",) * 4, record.body))
    hashed = chain.link(chain.genesis(MATCH_ID, 4), 1, joined)
    verdict = verify_log((replace(record, facets=joined, hash=hashed),))
    assert where(verdict) == (1, "facet")
    assert verdict.fault is not None
    assert "the public" in verdict.fault.reason


# What cannot be checked is not wrong


def test_without_the_game_the_chain_is_checked_alone() -> None:
    records = changed(1, game="no_such_game")
    verdict = verify_log(records)
    assert verdict.is_sound
    assert "the game is not here" in verdict.unchecked[0]
    assert set(verdict.checked) == {"columns", "bodies", "chain"}
    bad = (*records[:4], replace(records[4], body=records[4].body + b" "))
    assert where(verify_log(bad)) == (5, "body")


def test_an_event_of_a_newer_release_cannot_be_checked() -> None:
    newer = changed(7, schema=NEWEST[kind_of(PLAYED.events[6])] + 1)
    verdict = verify_log(newer)
    assert (verdict.is_sound, verdict.events) == (True, 6)
    assert "schema 2 is not known here" in verdict.unchecked[-1]


@pytest.mark.parametrize("fields", [{"algorithm": "draw/2"}, {"format": 2}])
def test_another_algorithm_or_format_cannot_be_checked(fields: dict[str, Any]) -> None:
    verdict = verify_log(changed(1, **fields))
    if "format" in fields:  # It is bound into the hash before event 1.
        assert where(verdict) == (1, "hash")
    else:
        assert (verdict.is_sound, verdict.events) == (True, 0)
        assert "draw/2" in verdict.unchecked[0]


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
