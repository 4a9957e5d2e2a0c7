"""Refusals, statements of the log and erased texts in bundles: what both verifiers say of them."""

from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from events.bundle import KEYS, PROOF, REFUSALS, STATEMENTS, TEXTS, key_set, text_line
from events.canonical import canonical, raw
from events.disputing import EraseTexts
from events.notes import verifier_key
from events.observe import shown_facets
from events.refused import ANSWERED, CODES, GROUP_CLOSED
from events.rulings import ReplaceSeat
from events.signing import KeySet
from events.statements import line
from events.trust import Trusted
from events.types import DisputeRuled, Erased
from events.verify_bundle import verify_bundle
from games.core.game import ALL, SPECTATOR, Viewer
from service.cli.verifying import examined
from tests.events.bundled import KEY, ORIGIN, OTHER_KEY, TRUSTED, bundled, forged, table
from tests.events.disputed import ruled
from tests.events.refused import KEYS_TOO, RECEIPTS, Refused, kept, lines, signed, without_move
from tests.events.scripted import NOON
from tests.events.test_erasures import spoken
from tests.events.test_refused import ANSWER, NOTHING, PLAYED, RIGHT, said
from tests.events.test_statements import (
    FIRST,
    GONE,
    LATER,
    RECEIPT_KEY,
    SECOND,
    introduction,
    retirement,
    rotated,
)
from tests.verifier import node
from tests.verifier.lies import rebuilt
from tests.verifier.node import Said, needs_node

pytestmark = needs_node

OF_THE_LOG = verifier_key(ORIGIN, KEY.public.public)


def each(
    files: Mapping[str, bytes], keys: Path | str = OF_THE_LOG, trusted: Trusted = TRUSTED
) -> dict[str, Said]:
    """What the one in JavaScript says of each, which has to be what the other says."""
    found = dict(zip(files, node.said([*files.values()], keys), strict=True))
    for name, data in files.items():
        own = verify_bundle(data, trusted)
        assert (found[name].place or "") == own.place, (name, found[name], own.fault)
    return found


def both(data: bytes, keys: Path | str = OF_THE_LOG, trusted: Trusted = TRUSTED) -> Said:
    return each({"": data}, keys, trusted)[""]


def places(files: Mapping[str, bytes]) -> set[str | None]:
    return {found.place for found in each(files).values()}


# Refusals


@pytest.fixture
def trusting(tmp_path: Path) -> Path:
    """A file with the key for receipts as well."""
    path = tmp_path / "keys.json"
    path.write_bytes(KeySet([KEY.public, RECEIPTS.public]).jwks())
    return path


def refusing(data: bytes | None, keys: bytes | None = KEYS_TOO, viewer: Viewer = ALL) -> bytes:
    return forged(bundled(PLAYED, viewer), {REFUSALS: data, KEYS: keys})


def test_refusals_are_sound_with_their_moves_and_without(trusting: Path) -> None:
    refusals = kept(PLAYED, RIGHT)
    known = Trusted(TRUSTED.keys, (RECEIPTS.public,))
    without = [without_move(refusal) for refusal in refusals]
    for told in (refusals, without, [replace(refusal, move=None) for refusal in refusals]):
        assert "refusals" in both(refusing(lines(told))).checked
        assert both(refusing(lines(told)), trusting, known).ok


def test_lies_about_refusals_are_found_in_their_member() -> None:
    refusals = kept(PLAYED, RIGHT)
    (first,) = kept(PLAYED, RIGHT[:1])
    wrong = {
        "left out": lines([*refusals[:1], *refusals[2:]]),
        "doubled": lines([first, first]),
        "exchanged": lines(refusals[::-1]),
        "cut off": lines(refusals)[:-1],
        "not canonical": lines(refusals).replace(b'"evidence":', b'"evidence": ', 1),
        "another move": lines([replace(first, move=b'{"type":"other"}')]),
        "another salt": lines([replace(first, salt="00" * 32)]),
        "no salt but a text": lines([replace(first, salt="zz", move=raw(None))]),
        "a salt too long": lines([replace(first, salt=f"{first.salt}00", move=raw(None))]),
    }
    changes: tuple[dict[str, Any], ...] = (
        {"head": "00" * 32},
        {"version": 99_999},
        {"seat": 4},
        {"prev": "11" * 32},
    )
    for number, change in enumerate(changes):
        wrong[f"signed {number}"] = lines([signed(replace(said(first), **change), NOTHING)])
    assert places({what: refusing(data) for what, data in wrong.items()}) == {REFUSALS}


def test_a_move_without_its_salt_proves_nothing() -> None:
    (first,) = kept(PLAYED, RIGHT[:1])
    (found,) = node.said([refusing(lines([replace(first, salt=None)]))], OF_THE_LOG)
    assert (found.place, found.code) == (REFUSALS, "refusal")


def test_refusals_are_an_arbiter_s_and_of_the_keys_that_are_there(trusting: Path) -> None:
    data = lines(kept(PLAYED, RIGHT[:1]))
    for viewer in (SPECTATOR, 0):
        assert both(refusing(data, viewer=viewer)).place == REFUSALS
    assert both(refusing(data, key_set([KEY.public]))).place == KEYS
    assert both(refusing(None)).place == KEYS
    other = replace(RECEIPTS.public, public=bytes(31) + b"\1")
    trusting.write_bytes(KeySet([KEY.public, other]).jwks())
    found = both(refusing(data), trusting, Trusted(TRUSTED.keys, (other,)))
    assert found.place == REFUSALS


def test_a_refusal_that_the_log_alone_refutes_is_found() -> None:
    """Of these codes it needs no rules; that a move was on offer only they tell."""
    version, seat, decision = ANSWER.version - 1, ANSWER.seat, ANSWER.decision
    lies = {}
    for code in (*CODES.values(), ANSWERED, GROUP_CLOSED):
        lie = Refused(version, seat, "1.0" if code == ANSWERED else decision, NOTHING, code)
        lies[code] = refusing(lines(kept(PLAYED, [lie])))
    of_the_rules = [lies.pop(code) for code in list(lies) if "offer" in code]
    assert places(lies) == {REFUSALS}
    for found in node.said(of_the_rules, OF_THE_LOG):
        assert found.ok
        assert "were on offer" in " ".join(found.unchecked)


def test_the_refusals_of_a_bundle_are_held_against_those_a_seat_kept(tmp_path: Path) -> None:
    refusals = kept(PLAYED, RIGHT)
    path, own = tmp_path / "full.zip", tmp_path / "own.json"
    path.write_bytes(refusing(lines(refusals)))
    second = said(refusals[1])
    another = replace(second, submitted="00" * 32)
    behind = replace(said(refusals[2]), prev="11" * 32)
    for paper, wanted in (
        (second, set()),
        (another, {"twice"}),
        (behind, {"twice", "chain"}),
        (replace(behind, number=len(refusals) + 1), {"chain"}),
    ):
        written = signed(paper, NOTHING).evidence
        own.write_bytes(msgspec.json.encode({"evidence": written}))
        code, made = node.report(path, own)
        assert made["files"][0]["documents"] == len(refusals)
        found = {each["code"] for each in made["contradictions"]}
        assert (code, found) == (int(bool(wanted)), wanted)
        by = {each.code for each in examined([path, own], None).contradictions}
        assert by - {"refusal"} == wanted
    assert {each["code"] for each in made["contradictions"]} == {"chain"}


# Statements


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 1])
def test_statements_lead_from_an_older_key_to_the_proof_s(viewer: int) -> None:
    found = both(rotated(RECEIPT_KEY, FIRST, SECOND, GONE, viewer=viewer))
    assert {"statements", "proof"} <= set(found.checked)
    assert both(rotated(RECEIPT_KEY, FIRST, SECOND, LATER, viewer=viewer)).ok


def test_lies_about_keys_are_found() -> None:
    assert places({"none": rotated(), "of others": rotated(RECEIPT_KEY, FIRST)}) == {PROOF}
    latest = max(each.at for each in table("ambition_tricks").events)
    gone = retirement(4, KEY, KEY, latest - 3_600_000)
    late = introduction(5, RECEIPTS, KEY, latest)
    assert both(rotated(FIRST, SECOND, gone, late)).place == STATEMENTS
    retired = retirement(4, OTHER_KEY, KEY, latest - 60_001)
    assert both(rotated(FIRST, SECOND, retired)).place == PROOF
    told = [line(each) + b"\n" for each in (RECEIPT_KEY, FIRST, SECOND)]
    wrong = {
        "exchanged": b"".join(told[::-1]),
        "doubled": told[0] + b"".join(told),
        "cut off": b"".join(told)[:-1],
        "no first": told[0] + told[2],
        "altered": b"".join(told).replace(str(NOON).encode(), str(NOON + 1).encode()),
    }
    sound = rotated(FIRST, SECOND)
    told_wrongly = {what: forged(sound, {STATEMENTS: data}) for what, data in wrong.items()}
    assert places(told_wrongly) == {STATEMENTS}


def test_statements_are_of_keys_that_are_there() -> None:
    told = line(FIRST) + b"\n"
    data = forged(bundled(table("ambition_tricks"), ALL, proved=False), {STATEMENTS: told})
    assert both(data).place == STATEMENTS


# Erased texts


def test_a_holder_has_a_name_of_64_characters_at_most() -> None:
    at = spoken()
    ruled(at, ReplaceSeat(seat=0, holder="another"))
    at.do(EraseTexts(seat=0, holder="another"))
    honest = [each.facets for each in at.sealed]
    made, wanted = {}, {}
    names = {"": False, "x": True, "x" * 64: True, "\U0001f0a1" * 64: True, "x" * 65: False}
    for place, event in enumerate(at.events):
        if not isinstance(event, Erased | DisputeRuled):
            continue
        for name, sound in names.items():
            if isinstance(event, Erased):
                other: Erased | DisputeRuled = replace(event, holder=name)
            else:
                other = replace(event, ruling=replace(event.ruling, holder=name))
            shown = shown_facets(at.steps[place].before, other, at.current.seats, at.dealer)
            facets = (*shown, canonical(other))
            what = f"{type(event).__name__} {name}"
            made[what] = rebuilt(at, [*honest[:place], facets, *honest[place + 1 :]])
            wanted[what] = None if sound else f"event {place + 1}"
    assert {what: found.place for what, found in each(made).items()} == wanted
    assert len(wanted) == 2 * len(names)


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 0, 2])
def test_what_was_erased_is_gone(viewer: Viewer) -> None:
    at = spoken()
    one, *others = at.texts
    at.do(EraseTexts(of=one.version, field=one.field))
    at.play_on(Random(5), talk=0)
    at.do(EraseTexts(seat=1))
    gone = [row for row in others if row.version in (others[0].version, others[-1].version)]
    rows = [row for row in at.texts if row not in (one, *gone)]
    at.texts[:] = rows
    sound = bundled(at, viewer)
    assert "erased" in str(at.events[-1].__struct_config__.tag)
    assert both(sound).ok
    for row in (one, gone[0]):
        told = sorted([row, *rows], key=lambda text: (text.version, text.field))
        data = forged(sound, {TEXTS: b"".join(text_line(text) + b"\n" for text in told)})
        found = both(data)
        assert (found.place, found.code) == (f"event {row.version}", "erased")
