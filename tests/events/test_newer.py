"""What stands behind an event of a newer release is not checked, and nothing before it is lost."""

from copy import copy
from functools import cache

import pytest
from msgspec.structs import replace

from events.bundle import KEYS, REFUSALS, bundle_of, key_set, packed
from events.canonical import canonical, decoded
from events.contradictions import Document, against, refused_wrongly
from events.evidence import RECEIPT, ReceiptOf, document, payload_of
from events.known_log import KnownLog, of_bundle
from events.refused import ANSWERED, KeptRefusal
from events.signing import sign
from events.types import ChanceDrawn
from events.verify_bundle import Checked, verify_bundle
from games import registry
from tests.events.bundled import forged
from tests.events.refused import RECEIPTS, Refused, kept, lines
from tests.events.scripted import Table, changed, resealed
from tests.events.test_refused import ANSWER, ASKED, NOTHING, OPENED, PLAYED, own

LAST = len(PLAYED.records)
EARLY = Refused(OPENED, ASKED, own(OPENED, ASKED), NOTHING, "move-not-offered")
LATE = Refused(LAST, ASKED, "9.9", NOTHING, "match-not-running")


@cache
def newer(version: int) -> Table:
    """The match, with an event of a schema that nobody knows here."""
    found, records = copy(PLAYED), changed(PLAYED, version, schema=9)
    pairs = zip(PLAYED.sealed, records, strict=True)
    found.sealed = [replace(each, record=record) for each, record in pairs]
    return found


def checked(at: Table, *refused: Refused) -> Checked:
    tables = registry.tables_of(at.game.slug, at.game.data_digest)
    made = packed(bundle_of(at.records[: LAST - 1], at.texts, tables))
    told = lines(kept(at, refused)) if refused else None
    keys = key_set([RECEIPTS.public]) if refused else None
    return verify_bundle(forged(made, {REFUSALS: told, KEYS: keys}))


def log(at: Table) -> KnownLog:
    found = checked(at).bundle
    assert found is not None
    return of_bundle("full.zip", found)


def documents(refusals: list[KeptRefusal]) -> list[Document]:
    return [
        Document(each.evidence, payload_of(each.evidence), "kept", each.salt, each.move)
        for each in refusals
    ]


def test_refusals_before_it_are_checked() -> None:
    found = checked(newer(LAST - 1), EARLY)
    assert found.fault is None
    assert "refusals" in found.checked
    lie = replace(EARLY, code="decision-closed")
    wrong = checked(newer(LAST - 1), lie).fault
    assert wrong is not None
    assert "was wrong" in wrong.reason


@pytest.mark.parametrize("version", [LAST - 1, ANSWER.version])
def test_refusals_behind_it_are_listed(version: int) -> None:
    found = checked(newer(version), EARLY, replace(LATE, version=LAST - 1))
    assert found.fault is None
    said = f"refusal 2 of seat {ASKED}: event {version} is of a newer release"
    assert said in found.unchecked


def test_a_decision_may_have_been_answered_behind_it() -> None:
    answered = Refused(OPENED, ANSWER.seat, ANSWER.decision, NOTHING, ANSWERED)
    found = checked(newer(ANSWER.version), answered)
    assert found.fault is None
    assert "of a newer release" in found.unchecked[-1]
    assert checked(newer(LAST - 1), answered).fault is None


def test_it_may_be_read_no_further_than_asked_for() -> None:
    at = newer(LAST - 1)
    assert log(at).after([OPENED, LAST - 1]).keys() == {OPENED}
    wrong, limits = refused_wrongly(documents(kept(at, [EARLY])), log(at))
    assert (wrong, limits) == ([], [])


def test_a_receipt_of_such_an_event_is_held_against_its_commitment_alone() -> None:
    at = newer(ANSWER.version)
    record = at.records[ANSWER.version - 1]
    place = 32 * (ANSWER.seat + 1)
    said = ReceiptOf(
        match_id=at.current.match_id,
        seat=ANSWER.seat,
        decision="9.9",
        first=ANSWER.version,
        last=ANSWER.version,
        head=record.hash.hex(),
        commitment=record.facets[place : place + 32].hex(),
        at=ANSWER.at,
    )

    def found(told: ReceiptOf) -> list[str]:
        payload = canonical(told)
        evidence = document(RECEIPT, payload, sign(RECEIPTS, RECEIPT, payload))
        one = Document(evidence, told, "receipt")
        return [each.reason for each in against([one], log(at))]

    assert found(said) == []
    assert found(replace(said, commitment="00" * 32)) != []
    assert decoded(record.body)["decision"] != "9.9"


def test_a_log_whose_rules_are_not_known_is_folded_as_far_as_it_goes() -> None:
    """It is not judged, so any of its moves may be impossible."""
    drawn = next(e for e in PLAYED.events if isinstance(e, ChanceDrawn))
    found, events = copy(PLAYED), list(PLAYED.events)
    events[0] = replace(events[0], algorithm="draw/2")
    events[drawn.version - 1] = replace(drawn, picks=(99_999,))
    records = resealed(events, PLAYED.dealer)
    found.sealed = [replace(e, record=r) for e, r in zip(PLAYED.sealed, records, strict=True)]
    assert checked(found, EARLY).fault is None
    assert checked(found, EARLY).unchecked[-1].startswith(f"refusal 1 of seat {ASKED}: ")
    assert log(found).after([drawn.version - 1, LAST - 1]).keys() == {drawn.version - 1}
