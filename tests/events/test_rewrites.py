"""Logs rewritten by somebody with the seed and sealed again: the chain holds, the rules do not."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events import chain
from events.canonical import canonical, decoded, raw
from events.legality import Wrong, _check_due
from events.types import (
    By,
    ChanceDrawn,
    Event,
    MatchEnded,
    MatchRevealed,
    MatchStarted,
    MovePlayed,
    Record,
    SeatResigned,
)
from events.verify import verify_log
from tests.events.scripted import (
    MATCH_ID,
    NOON,
    SEED,
    Table,
    changed,
    finished,
    resealed,
    where,
    with_resignation,
)

PLAYED = finished("high_card", 4)
RESIGNED = with_resignation()


def first(kind: type[Event], at: Table = PLAYED, skip: int = 0) -> int:
    """The version of the first event of a kind, after leaving some out."""
    return [e for e in at.events if isinstance(e, kind)][skip].version


def renumbered(events: Sequence[Event]) -> list[Event]:
    return [replace(e, version=version) for version, e in enumerate(events, 1)]


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
    assert where(verify_log(changed(PLAYED, version, **fields))) == (version, code)


def test_sealing_again_unchanged_is_sound() -> None:
    assert verify_log(resealed(PLAYED.events, PLAYED.dealer)).is_sound


def test_another_legal_answer_breaks_its_commitment() -> None:
    event = PLAYED.events[CHOICE - 1]
    assert isinstance(event, MovePlayed)
    before = PLAYED.steps[CHOICE - 1].before
    assert before is not None
    others = [c for c in before.state.hands[event.seat] if c != decoded(event.move)["card"]]
    rewritten = changed(PLAYED, CHOICE, move=raw({"type": "choose", "card": others[0]}))
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
    by_hand = changed(RESIGNED, version, by=By.SEAT)
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
    rewritten = changed(RESIGNED, version, move=raw({"type": "speak", "text": text}))
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
    spaced = changed(PLAYED, CHOICE, move=msgspec.Raw(move.replace(b":", b": ")))
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
    assert where(verify_log(changed(PLAYED, 1, **fields))) == (version, code)


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


@pytest.mark.parametrize("sealed", ["x", "00", "AB" * 32, ""])
def test_a_move_that_follows_of_itself_is_committed_to_by_a_digest(sealed: str) -> None:
    due = next(e for e in PLAYED.events if isinstance(e, MovePlayed) and e.sealed)
    _check_due(due, replace(due, sealed="00" * 32), knows_seed=False)
    with pytest.raises(Wrong, match="sealed is not what follows"):
        _check_due(due, replace(due, sealed=sealed), knows_seed=False)
