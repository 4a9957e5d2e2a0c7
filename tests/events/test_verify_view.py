"""The check of one viewer's own log: whatever is changed in it or left out is found."""

from typing import Any

import pytest
from msgspec.structs import replace

from events import chain
from events.canonical import canonical, decoded
from events.proof import Proof
from events.verify import Verdict, verify_view
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.scripted import (
    MATCH_ID,
    OTHER_ID,
    Table,
    entries,
    finished,
    flipped,
    where,
    with_resignation,
)

PLAYED = finished("high_card", 4)
RESIGNED = with_resignation()
VIEWERS = (SPECTATOR, 0, 1, 2, 3, ALL)


def check(given: list[tuple[bytes, Proof]], viewer: Viewer) -> Verdict:
    return verify_view(given, MATCH_ID, 4, viewer)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_viewers_log_is_sound(viewer: Viewer) -> None:
    verdict = check(entries(PLAYED, viewer), viewer)
    assert verdict == Verdict(len(PLAYED.records), None, verdict.checked, ())


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_flip_in_what_was_shown_is_found(viewer: Viewer) -> None:
    given = entries(PLAYED, viewer)
    for place, (shown, proof) in enumerate(given):
        for byte in range(0, len(shown), 9):
            bad = [*given[:place], (flipped(shown, byte), proof), *given[place + 1 :]]
            fault = check(bad, viewer).fault
            assert fault is not None
            assert fault.version == place + 1


@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_changed_proof_is_found(viewer: Viewer) -> None:
    given = entries(PLAYED, viewer)
    for place in (0, 6, 12):
        shown, proof = given[place]
        for bad in (
            replace(proof, prev="00" * 32),
            replace(proof, hash="00" * 32),
            replace(proof, commitments=proof.commitments[:-1]),
            replace(proof, commitments=("00" * 32, *proof.commitments[1:])),
            replace(proof, salts=dict.fromkeys(proof.salts, "00" * 32)),
            replace(proof, salts={}),
        ):
            fault = check([*given[:place], (shown, bad), *given[place + 1 :]], viewer).fault
            assert fault is not None
            assert fault.version == place + 1


@pytest.mark.parametrize("viewer", VIEWERS)
def test_deletion_and_exchange_in_a_view_are_found(viewer: Viewer) -> None:
    given = entries(PLAYED, viewer)
    for place in range(1, len(given) - 1):
        assert not check(given[:place] + given[place + 1 :], viewer).is_sound
        swapped = [*given[:place], given[place + 1], given[place], *given[place + 2 :]]
        assert not check(swapped, viewer).is_sound


def test_the_log_of_another_viewer_or_match_is_not_mine() -> None:
    assert not check(entries(PLAYED, 1), 2).is_sound
    assert not check(entries(PLAYED, SPECTATOR), 2).is_sound
    assert not verify_view(entries(PLAYED, 1), OTHER_ID, 4, 1).is_sound


def test_a_view_that_begins_late_is_checked_from_there_on() -> None:
    given = entries(PLAYED, 1)
    verdict = check(given[9:], 1)
    assert verdict.is_sound
    assert any("events before 10" in each for each in verdict.unchecked)
    assert any("lies before what was given" in each for each in verdict.unchecked)


def test_texts_and_proofs_joined_on_are_no_part_of_what_was_committed_to() -> None:
    at = RESIGNED
    row = at.texts[0]
    joined = []
    for version, (shown, proof) in enumerate(entries(at, 1), 1):
        data: dict[str, Any] = {**decoded(shown), "proof": proof}
        if version == row.version:
            data["texts"] = {row.field: {"text": row.text, "salt": row.salt.hex()}}
        joined.append((canonical(data), proof))
    assert verify_view(joined, MATCH_ID, 3, 1).is_sound
    shown, proof = joined[row.version - 1]
    joined[row.version - 1] = (shown.replace("Ü".encode(), b"X"), proof)
    assert where(verify_view(joined, MATCH_ID, 3, 1)) == (row.version, "text")


def test_an_opening_has_to_be_the_answer_committed_to() -> None:
    """The house shows the public another answer than the one it committed to at the time."""
    opening = next(e.version for e in PLAYED.events if b"reveals" in _public(e.version))
    given = entries(resealed_with(opening), SPECTATOR)
    assert where(check(given, SPECTATOR)) == (opening, "answer")


def _public(version: int) -> bytes:
    return PLAYED.sealed[version - 1].facets[0]


def resealed_with(opening: int) -> Table:
    """The log in which the event shows another card in an opening, sealed again from there."""
    at = finished("high_card", 4)
    data = decoded(at.sealed[opening - 1].facets[0])
    data["reveals"][0]["move"]["card"] += 1
    prev = at.records[opening - 2].hash
    for place in range(opening - 1, len(at.sealed)):
        each = at.sealed[place]
        facets = each.facets if place >= opening else (canonical(data), *each.facets[1:])
        version, salt = each.record.version, each.record.salt
        joined = chain.commitments(MATCH_ID, version, salt, facets)
        prev = chain.link(prev, version, joined)
        at.sealed[place] = replace(
            each, record=replace(each.record, facets=joined, hash=prev), facets=facets
        )
    return at
