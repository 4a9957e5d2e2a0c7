"""An arbiter's bundle holds the refusals, and each of them is checked against log and rules."""

import re
from typing import Any

import pytest
from msgspec.structs import replace

from events.bundle import KEYS, REFUSALS, key_set
from events.canonical import decoded, raw
from events.evidence import RefusalOf, payload_of
from events.refusals import GroupClosed
from events.refused import ANSWERED, CODES, GROUP_CLOSED, KeptRefusal, refusals_in
from events.signing import KeySet
from events.trust import Trusted
from events.types import MovePlayed
from events.verify_bundle import Checked, verify_bundle
from games import registry
from games.core.game import ALL, SPECTATOR
from games.core.moves import IllegalMove
from service.errors import DecisionAnswered, row_of
from tests.events.bundled import KEY, TRUSTED, bundle, bundled, forged
from tests.events.refused import KEYS_TOO, RECEIPTS, Refused, kept, lines, signed, without_move
from tests.events.scripted import NOON, Table, finished

GAME = "ambition_tricks"
PLAYED = finished(GAME, 4)
OPENED = next(v for v in range(1, 99) if PLAYED.after(v).decision is not None)
NOTHING = {"type": "nothing"}


def own(version: int, seat: int) -> str:
    found = PLAYED.after(version).decision_of(seat)
    assert found is not None
    return found


ASKED = min(PLAYED.after(OPENED).decision.offers)  # type: ignore[union-attr]
IDLE = next(s for s in range(4) if s != ASKED)
ANSWER = next(e for e in PLAYED.events if isinstance(e, MovePlayed) and e.decision is not None)
RIGHT = [
    Refused(OPENED, ASKED, own(OPENED, ASKED), NOTHING, "move-not-offered"),
    Refused(OPENED, ASKED, "1.0", NOTHING, "decision-closed"),
    Refused(len(PLAYED.events), ASKED, "9.9", NOTHING, "match-not-running"),
    Refused(OPENED, ASKED, own(OPENED, ASKED), {"x": 1}, "signature-wrong"),
]


def checked(refusals: list[KeptRefusal] | bytes, keys: bytes = KEYS_TOO) -> Checked:
    data = refusals if isinstance(refusals, bytes) else lines(refusals)
    made = forged(bundled(PLAYED, ALL), {REFUSALS: data, KEYS: keys})
    return verify_bundle(made, Trusted(TRUSTED.keys, (RECEIPTS.public,)))


def wrong(refusals: list[KeptRefusal] | bytes, keys: bytes = KEYS_TOO) -> str:
    """The reason, which is about the refusals."""
    found = checked(refusals, keys)
    assert found.fault is not None
    assert found.place == REFUSALS
    return found.fault.reason


def test_refusals_that_were_right_are_sound() -> None:
    found = checked(kept(PLAYED, RIGHT))
    assert found.fault is None
    assert "refusals" in found.checked
    assert found.unchecked == (
        f"refusal 4 of seat {ASKED}: refused as signature-wrong, which leaves nothing in the log",
    )


def test_what_was_refused_can_be_erased() -> None:
    found = checked([without_move(each) for each in kept(PLAYED, RIGHT)])
    assert found.fault is None
    assert f"refusal 1 of seat {ASKED}: the move is not there" in found.unchecked


def test_a_decision_that_was_answered_is_answered() -> None:
    answered = Refused(OPENED, ANSWER.seat, ANSWER.decision, NOTHING, "decision-answered")
    assert checked(kept(PLAYED, [answered])).fault is None
    other = replace(answered, decision="1.0")
    assert "nobody has answered" in wrong(kept(PLAYED, [other]))


@pytest.mark.parametrize("code", [*CODES.values(), GROUP_CLOSED])
def test_a_refusal_with_another_reason_than_the_rules_have_is_found(code: str) -> None:
    offered = decoded(ANSWER.move)
    version = ANSWER.version - 1
    lie = Refused(version, ANSWER.seat, ANSWER.decision, offered, code)
    assert "was wrong" in wrong(kept(PLAYED, [lie]))
    if code != "move-not-offered":
        lie = Refused(OPENED, ASKED, own(OPENED, ASKED), NOTHING, code)
        assert "was wrong" in wrong(kept(PLAYED, [lie]))


def test_codes_are_those_of_the_doors() -> None:
    for kind, code in CODES.items():
        error = kind("?") if kind is IllegalMove else kind()
        assert row_of(error).code == code
    assert row_of(GroupClosed()).code == GROUP_CLOSED
    assert row_of(DecisionAnswered()).code == ANSWERED


def test_a_refusal_that_is_left_out_is_missed() -> None:
    refusals = kept(PLAYED, RIGHT)
    for place in range(3):
        reason = wrong([*refusals[:place], *refusals[place + 1 :]])
        assert reason == f"leaves out refusal {place + 1} of seat {ASKED}"
    assert wrong(refusals[::-1]) == f"leaves out refusal 1 of seat {ASKED}"
    assert "leaves out refusal 2" in wrong([refusals[0], refusals[0]])


def said(refusal: KeptRefusal) -> RefusalOf:
    found = payload_of(refusal.evidence)
    assert isinstance(found, RefusalOf)
    return found


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"head": "00" * 32}, "has another hash in the log"),
        ({"version": 99_999}, "was signed and is not in the log"),
        ({"version": 0}, "another hash|no event 0"),
        ({"seat": 4}, "something else than refusals of this match"),
        ({"match_id": "01890a5d-ac96-774b-bcce-b302099a8000"}, "something else than refusals"),
        ({"submitted": "00" * 32}, "another move was submitted"),
        ({"prev": "11" * 32}, "leaves out refusal 1"),
    ],
)
def test_what_a_key_signed_that_is_not_so_is_found(change: dict[str, Any], reason: str) -> None:
    (first,) = kept(PLAYED, RIGHT[:1])
    assert re.search(reason, wrong([signed(replace(said(first), **change), NOTHING)]))


def test_a_move_without_its_salt_proves_nothing() -> None:
    (first,) = kept(PLAYED, RIGHT[:1])
    assert "another move" in wrong([replace(first, salt=None)])
    assert checked([replace(first, move=raw(None))]).fault is None


def test_a_salt_of_another_length_is_none() -> None:
    (first,) = kept(PLAYED, RIGHT[:1])
    assert first.salt is not None
    for salt in (first.salt + "00", first.salt.upper(), "", "zz"):
        assert "another move" in wrong([replace(first, salt=salt)]), salt
        assert "another move" in wrong([replace(first, salt=salt, move=raw(None))]), salt


def test_any_byte_altered_is_found() -> None:
    data = lines(kept(PLAYED, RIGHT))
    for place in range(0, len(data), 101):
        altered = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        assert checked(altered).fault is not None, (place, data[place - 9 : place + 9])


def test_each_refusal_is_signed_by_a_key_of_the_bundle_and_a_trusted_one() -> None:
    refusals = kept(PLAYED, RIGHT[:1])
    without = checked(refusals, key_set([KEY.public]))
    assert (without.place, without.fault is not None) == (KEYS, True)
    made = forged(bundled(PLAYED, ALL), {REFUSALS: lines(refusals), KEYS: KEYS_TOO})
    assert verify_bundle(made, TRUSTED).unchecked[-1].startswith("whose the refusals' signatures")
    other = replace(RECEIPTS.public, public=bytes(31) + b"\1")
    found = verify_bundle(made, Trusted(TRUSTED.keys, (other,)))
    assert found.place == REFUSALS
    retired = replace(RECEIPTS.public, retired_at=NOON)
    found = verify_bundle(made, Trusted(TRUSTED.keys, tuple(KeySet([retired]))))
    assert found.fault is not None
    assert "not in use at that time" in found.fault.reason


def test_refusals_are_in_full_bundles_alone_and_no_keys_without_a_use() -> None:
    data = lines(kept(PLAYED, RIGHT[:1]))
    for viewer in (SPECTATOR, 0):
        made = forged(bundled(PLAYED, viewer), {REFUSALS: data, KEYS: KEYS_TOO})
        assert verify_bundle(made).place == REFUSALS
    assert verify_bundle(forged(bundle(GAME, ALL), {KEYS: KEYS_TOO})).place == KEYS


def test_a_running_match_s_refusals_are_checked_as_far_as_it_goes() -> None:
    at = Table(registry.game(GAME), 4)
    version = len(at.events)
    seat = min(at.current.decision.offers)  # type: ignore[union-attr]
    refusals = kept(at, [Refused(version, seat, "1.0", NOTHING, "decision-closed")])
    keys = key_set([RECEIPTS.public])
    made = forged(bundled(at, ALL, proved=False), {REFUSALS: lines(refusals), KEYS: keys})
    assert verify_bundle(made).fault is None


def test_a_move_that_is_null_counts_as_none() -> None:
    (refusal,) = kept(PLAYED, [Refused(OPENED, ASKED, "1.0", None, "decision-closed")])
    assert checked([refusal]).fault is None
    (again,) = refusals_in(lines([refusal]))
    assert bytes(again.move) == b"null"
