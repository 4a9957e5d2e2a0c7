"""`plyscribe verify` accuses nobody of what nobody has shown: of what is open it says so."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from events.bundle import KEYS, PROOF, REFUSALS, bundle_of, key_set, packed
from events.canonical import canonical
from events.evidence import (
    HEAD,
    RESULT,
    VIEW,
    HeadOf,
    Payload,
    ResultOf,
    ShownOf,
    body_digest,
    document,
)
from events.results import RESULT_FORM, result_in
from events.signing import KeySet, Purpose, SigningKey, new_key, sign
from events.statements import Statement
from games import registry
from games.core.game import ALL, SPECTATOR
from projections.projection import Encodings
from service.cli.judging import Summary
from service.cli.verifying import examined
from service.notary import FORM
from tests.events.bundled import KEY, OTHER_KEY, bundle, bundled, forged, proof, table
from tests.events.refused import KEYS_TOO, RECEIPTS, kept, lines
from tests.events.scripted import NOON, Table
from tests.events.test_newer import LAST, newer
from tests.events.test_refused import ANSWER, PLAYED, RIGHT
from tests.events.test_statements import FIRST, RECEIPT_KEY, SECOND, THIRD, introduction

STRANGER: SigningKey = new_key(Purpose.RECEIPTS, bytes(range(5, 37)), NOON - 1000)


class Folder:
    """What somebody kept."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, name: str, data: Any) -> Path:
        path = self.path / name
        path.write_bytes(data if isinstance(data, bytes) else msgspec.json.encode(data))
        return path

    def keys(self, *signing: SigningKey) -> str:
        return str(self.put("keys", KeySet(each.public for each in signing).jwks()))

    def statements(self, name: str, *told: Statement) -> Path:
        return self.put(name, {"statements": told})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def signed(tag: str, payload: Payload, key: SigningKey = RECEIPTS) -> Any:
    told = canonical(payload)
    return document(tag, told, sign(key, tag, told))


def view(at: Table, version: int, **other: Any) -> Any:
    body = Encodings().view(PLAYED.after(version), 0)
    head = at.records[version - 1].hash.hex()
    own = ShownOf(FORM, at.current.match_id, "seat:0", version, head, body_digest(body))
    return signed(VIEW, msgspec.structs.replace(own, **other))


def result(at: Table, version: int) -> Any:
    facts = msgspec.structs.asdict(result_in(PLAYED.events[:version])) | {"version": version}
    head, match_id = at.records[version - 1].hash.hex(), at.current.match_id
    return signed(RESULT, ResultOf(form=RESULT_FORM, match_id=match_id, head=head, **facts))


def full(at: Table, upto: int = LAST - 1) -> bytes:
    tables = registry.tables_of(at.game.slug, at.game.data_digest)
    return packed(bundle_of(at.records[:upto], at.texts, tables))


def codes(summary: Summary) -> list[str]:
    return [each.code for each in summary.contradictions]


# Behind an event of a newer release


def test_views_and_results_behind_it_are_listed_and_hide_nothing(folder: Folder) -> None:
    at = newer(LAST - 1)
    log = folder.put("full.zip", full(at))
    lie = folder.put("lie.json", view(at, ANSWER.version + 1, body="00" * 32))
    true = folder.put("true.json", view(at, ANSWER.version))
    open_ = folder.put("open.json", [view(at, LAST - 1), result(at, LAST - 1)])
    told = examined([log, lie, true, open_], folder.keys(KEY, RECEIPTS))
    assert [each.places for each in told.contradictions] == [(f"{lie}:1", str(log))]
    assert codes(told) == ["shown"]
    assert all(each.ok for each in told.files)
    behind = f"event {LAST - 1} is of a newer release"
    assert [each for each in told.unchecked if "newer" in each] == [f"{open_}:1: {behind}"]


# Wrong signatures


@pytest.mark.parametrize("what", ["head", "view"])
def test_nobody_is_accused_with_what_nobody_signed(folder: Folder, what: str) -> None:
    at = table("ambition_tricks")
    log = folder.put("full.zip", bundle("ambition_tricks", ALL))
    match_id, real = at.current.match_id, at.records[8].hash.hex()
    payload: Payload = HeadOf(match_id, 9, "00" * 32)
    tag = HEAD
    if what == "view":
        tag, payload = VIEW, ShownOf(FORM, match_id, "seat:0", 9, real, "00" * 32)
    forged_ = folder.put("forged.json", signed(tag, payload, STRANGER))
    honest = folder.put("honest.json", signed(HEAD, HeadOf(match_id, 9, real)))
    told = examined([log, forged_, honest], folder.keys(KEY, RECEIPTS))
    assert told.contradictions == ()
    found = {each.file: [fault.code for fault in each.faults] for each in told.files}
    assert found == {str(log): [], str(forged_): ["signature"], str(honest): []}
    signed_so = folder.put("signed.json", signed(tag, payload))
    assert examined([log, signed_so], folder.keys(KEY, RECEIPTS)).contradictions


# Keys for receipts alone


def refused() -> bytes:
    changes = {REFUSALS: lines(kept(PLAYED, RIGHT)), KEYS: KEYS_TOO}
    return forged(bundled(PLAYED, ALL), changes)


def test_keys_for_receipts_alone_leave_open_whose_log_it_is(folder: Folder) -> None:
    log = folder.put("full.zip", refused())
    told = examined([log], folder.keys(RECEIPTS))
    assert told.ok
    (file,) = told.files
    assert "whose log the proof is of: no key for checkpoints is trusted" in file.unchecked
    assert {"proof", "refusals"} <= set(file.checked)


def test_keys_for_receipts_alone_are_those_of_the_refusals(folder: Folder) -> None:
    log = folder.put("full.zip", refused())
    (file,) = examined([log], folder.keys(STRANGER)).files
    assert [each.place for each in file.faults] == [REFUSALS]


def test_a_proof_that_does_not_hold_is_wrong_under_any_keys(folder: Folder) -> None:
    broken = forged(refused(), {PROOF: proof(PLAYED, OTHER_KEY).encode()})
    (file,) = examined([folder.put("full.zip", broken)], folder.keys(RECEIPTS)).files
    assert [each.place for each in file.faults] == [PROOF]


# Who has two logs


def test_a_fork_of_statements_is_between_those_that_say_two_things(folder: Folder) -> None:
    """The first file has nothing to do with it."""
    other = introduction(3, THIRD, KEY)
    files = [
        folder.statements("a.json", FIRST, RECEIPT_KEY),
        folder.statements("b.json", FIRST, SECOND),
        folder.statements("c.json", FIRST, other),
        folder.statements("d.json", FIRST, SECOND),
    ]
    told = examined(files, folder.keys(KEY))
    assert codes(told) == ["fork"]
    assert told.contradictions[0].places == (str(files[1]), str(files[2]))


def test_a_file_may_say_two_things_by_itself(folder: Folder) -> None:
    sound = folder.statements("a.json", FIRST, RECEIPT_KEY)
    both = folder.statements("b.json", FIRST, SECOND, introduction(3, THIRD, KEY))
    told = examined([sound, both], folder.keys(KEY))
    assert [each.places for each in told.contradictions] == [(str(both),)]


# Whose log it is


def strangers(key: SigningKey) -> bytes:
    """A bundle of another match, with a log of the same name and size."""
    at = table("high_card")
    return forged(
        bundled(at, SPECTATOR), {PROOF: proof(at, key).encode(), KEYS: key_set([key.public])}
    )


def test_a_stranger_s_log_of_the_same_name_is_no_fork(folder: Folder) -> None:
    """Whoever likes can call a log so."""
    at = Table(registry.game("ambition_tricks"), 4, match_id="01890a5d-ac96-774b-bcce-b302099a8000")
    honest = folder.put("honest.zip", bundled(at, SPECTATOR))
    other = folder.put("other.zip", strangers(OTHER_KEY))
    told = examined([honest, other], None)
    assert (told.ok, told.contradictions) == (True, ())
    said = "whose log log.example/tests is: bundles have two roots of one size, by different keys"
    assert said in told.unchecked
    same = folder.put("same.zip", strangers(KEY))
    assert codes(examined([honest, same], None)) == ["fork"]


def test_two_keys_of_a_log_that_is_trusted_are_of_one(folder: Folder) -> None:
    at = Table(registry.game("ambition_tricks"), 4, match_id="01890a5d-ac96-774b-bcce-b302099a8000")
    honest = folder.put("honest.zip", bundled(at, SPECTATOR))
    other = folder.put("other.zip", strangers(OTHER_KEY))
    assert codes(examined([honest, other], folder.keys(KEY, OTHER_KEY))) == ["fork"]
    assert codes(examined([honest, other], folder.keys(RECEIPTS))) == []
