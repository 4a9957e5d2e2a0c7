"""Several files together: bundles, signed documents, keys; what contradicts what, exit codes."""

import json
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from events.bundle import HEADS, PROOF, STATEMENTS
from events.canonical import canonical
from events.evidence import (
    DECISION,
    FIRST_REFUSAL,
    HEAD,
    PAYLOADS,
    RECEIPT,
    REFUSAL,
    RESULT,
    VIEW,
    HeadOf,
    Payload,
    ReceiptOf,
    RefusalOf,
    ResultOf,
    ShownOf,
    body_digest,
    link,
    submission,
)
from events.notes import verifier_key
from events.results import RESULT_FORM, result_in
from events.signing import KeySet, PublicKey, Purpose, SigningKey, new_key, sign
from events.statements import Statement, line
from events.types import ChanceDrawn, MovePlayed
from games import registry
from games.core.game import ALL, SPECTATOR
from service.cli.verifying import examined
from tests.events import test_deal_groups
from tests.events.bundled import KEY, MATCH_ID, ORIGIN, OTHER_KEY, bundle, bundled, forged, table
from tests.events.scripted import NOON, OTHER_ID, Table
from tests.events.test_statements import (
    FIRST,
    RECEIPT_KEY,
    SECOND,
    THIRD,
    introduction,
    rotated,
)
from tests.verifier.node import BY_THE_RULES, PROGRAM, needs_node, report, run

pytestmark = needs_node

SIGNER: SigningKey = new_key(Purpose.RECEIPTS, bytes(range(2, 34)), NOON - 1000)
KEYS = KeySet([KEY.public, SIGNER.public]).jwks()
SIGHT = b'{"hand":[1,2]}'


def document(tag: str, payload: Payload, key: SigningKey = SIGNER) -> dict[str, Any]:
    told = canonical(payload)
    return {"tag": tag, "payload": json.loads(told), **_named(sign(key, tag, told))}


def _named(signature: Any) -> dict[str, str]:
    return {"kid": signature.kid, "signature": signature.signature}


def receipt(played: Table, **other: Any) -> dict[str, Any]:
    """Of the first answer of a seat itself."""
    event = next(
        e for e in played.events if isinstance(e, MovePlayed) and e.decision and e.by == "seat"
    )
    facts = {"decision": event.decision, **other}
    return acknowledged(played, event.version, event.seat, **facts)


def acknowledged(played: Table, version: int, seat: int, **other: Any) -> dict[str, Any]:
    """A receipt of any event at all."""
    record = played.records[version - 1]
    facts = {
        "match_id": MATCH_ID, "seat": seat, "decision": None,
        "first": version, "last": version, "head": record.hash.hex(),
        "commitment": record.facets[32 * (seat + 1) : 32 * (seat + 2)].hex(),
        "at": played.events[version - 1].at,
    }  # fmt: skip
    return document(RECEIPT, ReceiptOf(**{**facts, **other}))


def refusals(at: Table, count: int, *, seat: int = 0) -> list[dict[str, Any]]:
    made, prev = [], FIRST_REFUSAL
    for number in range(1, count + 1):
        head = at.records[5].hash.hex()
        said = RefusalOf(MATCH_ID, seat, number, prev, "6.0", "11" * 32, "illegal", 6, head, NOON)
        prev = link(canonical(said))
        made.append(document(REFUSAL, said))
    return made


def view(at: Table, body: bytes = SIGHT, *, tag: str = VIEW, **other: Any) -> dict[str, Any]:
    facts: dict[str, Any] = {"form": 1, "match_id": MATCH_ID, "viewer": "seat:0", "version": 7}
    facts |= {"head": at.records[6].hash.hex(), "body": body_digest(body), **other}
    return document(tag, ShownOf(**facts))


def head(at: Table, version: int = 9) -> dict[str, Any]:
    return document(HEAD, HeadOf(MATCH_ID, version, at.records[version - 1].hash.hex()))


def result(at: Table, **other: Any) -> dict[str, Any]:
    """As it stands at the end."""
    facts = msgspec.structs.asdict(result_in(at.events))
    facts |= {"form": RESULT_FORM, "match_id": MATCH_ID}
    facts["head"] = at.records[facts["version"] - 1].hash.hex()
    return document(RESULT, ResultOf(**{**facts, **other}))


class Kept:
    """A folder of what somebody kept."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.keys = self.put("keys.json", KEYS)

    def put(self, name: str, data: Any) -> Path:
        path = self.folder / name
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return path

    def told(self, *paths: Path, code: int | None = None, alike: bool = True) -> Any:
        """The report. `alike`: of what needs no rules, the other verifier says the same."""
        found, made = report(*paths, "--keys", self.keys)
        assert code is None or found == code, made
        assert (found == 0) == made["ok"]
        own = examined(paths, str(self.keys))
        told = {each.code for each in own.contradictions} - BY_THE_RULES
        assert set(codes(made)) == told or not alike, (made, own)
        return made


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def codes(made: Any) -> list[str]:
    return [each["code"] for each in made["contradictions"]]


def places(made: Any) -> list[str]:
    return [each["place"] for each in made["files"][0]["faults"]]


AT = table("high_card")


# Bundles


def test_bundles_of_one_match_and_all_that_was_signed_go_together(kept: Kept) -> None:
    files = [kept.put(f"{v}.zip", bundle("high_card", v)) for v in (ALL, SPECTATOR, 0, 1)]
    page = {"events": [], "evidence": head(AT)}
    files.append(kept.put("receipt.json", {"version": 8, "evidence": receipt(AT)}))
    files.append(kept.put("refusals.json", {"refusals": refusals(AT, 3)}))
    files.append(kept.put("page.json", page))
    files.append(kept.put("view.json", {"body": SIGHT.decode(), "evidence": view(AT)}))
    made = kept.told(*files, code=0)
    assert [each["ok"] for each in made["files"]] == [True] * 8
    assert [each["documents"] for each in made["files"]] == [0] * 4 + [1, 3, 1, 1]
    assert "needs the rules" in " ".join(made["unchecked"])


def test_two_logs_of_one_match_are_a_fork_at_the_first_event_that_differs(kept: Kept) -> None:
    one, other = (Table(registry.game("high_card"), 3) for _ in range(2))
    other.entropy = one.entropy
    one.play_on(Random(1))
    other.play_on(Random(2))
    pairs = zip(one.records, other.records, strict=False)
    first = next(a.version for a, b in pairs if a.hash != b.hash)
    paths = [kept.put("a.zip", bundled(one, 0)), kept.put("b.zip", bundled(other, 1))]
    (fork,) = kept.told(*paths, code=1)["contradictions"]
    assert (fork["code"], fork["match_id"], fork["places"]) == (
        "fork",
        MATCH_ID,
        [*map(str, paths)],
    )
    assert fork["reason"].startswith(f"version {first}: ")


def test_two_roots_of_one_size_and_two_seeds_of_one_group_contradict(kept: Kept) -> None:
    ids = (MATCH_ID, OTHER_ID)
    group = [
        test_deal_groups.table(match_id=each, seed=bytes([n]) * 32) for n, each in enumerate(ids)
    ]
    paths = [kept.put(f"{n}.zip", bundled(t, SPECTATOR, proved=False)) for n, t in enumerate(group)]
    assert codes(kept.told(*paths, code=1)) == ["fork"]
    alone = [Table(registry.game("high_card"), 2, match_id=each).play_on(Random(3)) for each in ids]
    paths = [kept.put(f"{n}.zip", bundled(t, SPECTATOR)) for n, t in enumerate(alone)]
    assert codes(kept.told(*paths, code=1)) == ["fork"]


def test_the_keys_say_whose_log_it_is(kept: Kept) -> None:
    path = kept.put("full.zip", bundle("high_card", ALL))
    assert report(path, "--keys", verifier_key(ORIGIN, KEY.public.public))[0] == 0
    code, made = report(path)
    assert code == 0
    assert "none were given" in " ".join(made["files"][0]["unchecked"])
    for name, key in (("log.example/other", KEY), (ORIGIN, OTHER_KEY)):
        code, made = report(path, "--keys", verifier_key(name, key.public.public))
        assert (code, places(made)) == (1, [PROOF])


def test_statements_in_saved_files_lead_to_the_keys_of_bundles_and_documents(kept: Kept) -> None:
    path = kept.put("rotated.zip", rotated())
    told = [json.loads(line(each)) for each in (RECEIPT_KEY, FIRST, SECOND)]
    page = kept.put("page.json", {"statements": told})
    rows = kept.put("rows.ndjson", b"\n".join(json.dumps(each).encode() for each in told))
    paper = kept.put("paper.json", receipt(table("ambition_tricks")))
    trusted = verifier_key(ORIGIN, KEY.public.public)
    code, made = report(path, "--keys", trusted)
    assert (code, places(made)) == (1, [PROOF])
    for statements in (page, rows):
        code, made = report(path, paper, statements, "--keys", trusted)
        assert code == 0, made
        assert "signatures" in made["files"][1]["checked"]
    other = json.loads(line(introduction(3, THIRD, KEY)))
    forked = kept.put("forked.json", {"statements": [other]})
    code, made = report(path, page, forked, "--keys", trusted)
    assert (code, codes(made)) == (1, ["fork"])
    assert made["contradictions"][0]["match_id"] is None


def receipted(*statements: Statement) -> tuple[bytes, bytes]:
    """A bundle with these statements beside those of its key, and keys that lead to all of them."""
    told = b"".join(line(each) + b"\n" for each in (RECEIPT_KEY, FIRST, *statements))
    return forged(bundle("high_card", SPECTATOR), {STATEMENTS: told}), KeySet([KEY.public]).jwks()


def test_statements_in_bundles_lead_to_the_keys_of_documents_beside_them(kept: Kept) -> None:
    """The key for receipts was replaced, and no page of statements was saved."""
    data, keys = receipted(introduction(4, SIGNER, KEY))
    trusted = kept.put("trusted.json", keys)
    path, paper = kept.put("public.zip", data), kept.put("head.json", head(AT))
    wrong = kept.put("wrong.json", head(AT) | {"signature": "A" * 86})
    for files in ((path, paper), (paper, path)):
        code, made = report(*files, "--keys", trusted)
        assert code == 0, made
        (own,) = (each for each in made["files"] if each["kind"] == "evidence")
        assert "signatures" in own["checked"]
        assert examined(files, str(trusted)).ok
    code, made = report(path, wrong, "--keys", trusted)
    assert (code, made["files"][1]["faults"][0]["code"]) == (1, "signature")
    unsound = kept.put("cut.zip", data[:-9])
    code, made = report(unsound, wrong, "--keys", trusted)
    assert made["files"][1]["ok"], "what is wrong leads nowhere"


def test_statements_of_bundles_and_of_files_are_held_against_each_other(kept: Kept) -> None:
    data, keys = receipted(introduction(4, SIGNER, KEY))
    trusted = kept.put("trusted.json", keys)
    path = kept.put("public.zip", data)
    other = json.loads(line(introduction(4, THIRD, KEY)))
    forked = kept.put("forked.json", {"statements": [other]})
    code, made = report(path, forked, "--keys", trusted)
    own = examined([path, forked], str(trusted)).files[0]
    assert (code, places(made)) == (1, [STATEMENTS]) == (1, [each.place for each in own.faults])
    again = kept.put("again.zip", receipted(introduction(4, THIRD, KEY))[0])
    code, made = report(path, again, "--keys", trusted)
    (fork,) = made["contradictions"]
    assert (code, fork["code"], fork["places"]) == (1, "fork", [str(path), str(again)])
    assert [each.code for each in examined([path, again], str(trusted)).contradictions] == ["fork"]


def test_what_is_no_statement_says_nothing_and_hides_nothing(kept: Kept) -> None:
    """Nobody signed it: neither is it a fork, nor does it stand before what was signed."""
    trusted = verifier_key(ORIGIN, KEY.public.public)
    told = [json.loads(line(each)) for each in (RECEIPT_KEY, FIRST, SECOND)]
    wrong = (
        {**told[2], "statement": {**told[2]["statement"], "at": 1.5}},
        {**told[2], "statement": {**told[2]["statement"], "at": None}},
        {**told[2], "statement": {**told[2]["statement"], "key": None}},
        {**told[2], "statement": {**told[2]["statement"], "kid": THIRD.public.kid}},
        {**told[2], "statement": {"kind": 7, "at": NOON}},
        {**told[2], "statement": {}},
    )
    path = kept.put("rotated.zip", rotated())
    page = kept.put("page.json", {"statements": [*wrong, *told]})
    code, made = report(path, page, "--keys", trusted)
    assert (code, codes(made)) == (0, []), made
    assert examined([path, page], trusted).ok


def test_a_fork_of_statements_hides_no_other_and_names_its_two_files(kept: Kept) -> None:
    trusted = verifier_key(ORIGIN, KEY.public.public)
    told = [json.loads(line(each)) for each in (RECEIPT_KEY, FIRST, SECOND)]
    other = json.loads(line(introduction(1, THIRD, KEY)))
    names = ("a", "b", "c")
    paths = [
        kept.put(f"{n}.json", {"statements": [each]}) for n, each in zip(names, told, strict=True)
    ]
    forked = kept.put("forked.json", {"statements": [other]})
    path = kept.put("rotated.zip", rotated())
    code, made = report(path, *paths, forked, "--keys", trusted)
    assert [each["ok"] for each in made["files"]] == [True] * 5
    (fork,) = made["contradictions"]
    assert (code, fork["code"], fork["places"]) == (1, "fork", [str(paths[0]), str(forked)])


def test_a_reveal_that_did_not_come_is_a_fault_of_the_longest_log(kept: Kept) -> None:
    at = Table(registry.game("high_card"), 3, reveal_by=NOON + 1000, window=60_000)
    at.play_on(Random(1))
    assert not at.current.is_revealed
    late = max(at.at, NOON) + 2 * 86_400_000
    for viewer in (ALL, SPECTATOR, 0):
        path = kept.put("match.zip", bundled(at, viewer))
        for when, wanted in ((NOON, 0), (late, 1)):
            day = datetime.fromtimestamp(when / 1000, UTC).isoformat()
            code, made = report(path, "--as-of", day)
            own = examined([path], None, datetime.fromisoformat(day))
            assert code == wanted == (not own.ok), (made, own)
            assert places(made) == [each.place for each in own.files[0].faults]


def test_its_report_has_the_form_of_the_other_verifier_s(kept: Kept) -> None:
    public = kept.put("public.zip", bundle("high_card", SPECTATOR))
    paths = [public, kept.put("one.json", receipt(AT, head="00" * 32))]
    made = kept.told(*paths, code=1)
    own = json.loads(msgspec.json.encode(examined(paths, str(kept.keys))))
    assert list(made) == list(own)
    assert [list(each) for each in made["files"]] == [list(each) for each in own["files"]]
    told = ("file", "kind", "ok", "match_id", "perspective", "events", "head", "documents")
    for name in told:
        assert [each[name] for each in made["files"]] == [each[name] for each in own["files"]]
    (one,), (other,) = made["contradictions"], own["contradictions"]
    assert list(one) == list(other)
    assert (one["code"], one["match_id"]) == (other["code"], other["match_id"])


# Signed documents

EVERY = {
    RECEIPT: receipt(AT),
    REFUSAL: refusals(AT, 1)[0],
    VIEW: view(AT),
    DECISION: view(AT, tag=DECISION),
    HEAD: head(AT),
    RESULT: result(AT),
}


def test_both_verifiers_know_every_kind_of_document(kept: Kept) -> None:
    assert EVERY.keys() == PAYLOADS.keys()
    path = kept.put("every.json", [*EVERY.values()])
    assert kept.told(path, code=0)["files"][0]["documents"] == len(PAYLOADS)
    assert examined([path], str(kept.keys)).ok
    lacking = [
        {**sound, "payload": {n: sound["payload"][n] for n in sound["payload"] if n != name}}
        for sound in EVERY.values()
        for name in sound["payload"]
    ]
    path = kept.put("lacking.json", lacking)
    made = kept.told(path, code=1)
    assert places(made) == [f"document {n}" for n in range(1, len(lacking) + 1)]
    assert len(examined([path], str(kept.keys)).files[0].faults) == len(lacking)


def test_a_result_is_one_of_its_version_in_both_verifiers(kept: Kept) -> None:
    full = kept.put("full.zip", bundle("high_card", ALL))
    paths = [kept.put("one.json", result(AT)), kept.put("two.json", result(AT, revision=2))]
    made = kept.told(full, paths[0], code=0)
    assert "results follow" in " ".join(made["unchecked"])
    assert codes(kept.told(*paths, code=1)) == ["twice"]
    assert [each.code for each in examined(paths, str(kept.keys)).contradictions] == ["twice"]
    seat = result(AT)["payload"]["seats"][0]
    wrong = ({**seat, "more": 1}, {**seat, "rank": "1"}, {**seat, "penalties": None}, 7)
    told = [{**EVERY[RESULT], "payload": {**EVERY[RESULT]["payload"], "seats": [w]}} for w in wrong]
    path = kept.put("one.json", told)
    assert places(kept.told(path, code=1)) == [f"document {n}" for n in range(1, 5)]
    assert len(examined([path], str(kept.keys)).files[0].faults) == 4


def test_what_nobody_signed_is_found(kept: Kept) -> None:
    sound = receipt(AT)
    wrong = {
        "payload": {**sound, "payload": {**sound["payload"], "at": NOON + 1}},
        "signature": {**sound, "signature": "A" * 86},
        "another key": document(RECEIPT, ReceiptOf(**sound["payload"]), OTHER_KEY),
        "tag": {**sound, "tag": "plyscribe/receipt/2"},
        "member": {**sound, "payload": {**sound["payload"], "more": 1}},
        "float": {**sound, "payload": {**sound["payload"], "first": 1.5}},
        "form": view(AT, form=2),
    }
    for name, each in wrong.items():
        made = kept.told(kept.put("one.json", [sound, each]), code=1)
        assert places(made) == ["document 2"], name
        assert made["files"][0]["documents"] == 1


def test_a_key_signs_only_while_it_is_in_use(kept: Kept) -> None:
    for created, retired, sound in (
        (NOON, None, True),
        (0, NOON, False),
        (NOON + 99_999, None, False),
    ):
        public = PublicKey(Purpose.RECEIPTS, SIGNER.public.public, created, retired)
        kept.put("keys.json", KeySet([public]).jwks())
        assert kept.told(kept.put("receipt.json", receipt(AT)))["ok"] is sound


def test_without_keys_signatures_are_not_checked(kept: Kept) -> None:
    code, made = report(kept.put("receipt.json", receipt(AT)))
    assert code == 0
    assert made["files"][0]["unchecked"] == ["signatures: no keys for receipts were given"]


def test_answers_are_read_as_curl_saves_them(kept: Kept) -> None:
    head = b"HTTP/2 200 \r\ncontent-type: application/json\r\nplyscribe-evidence: "
    answer = head + json.dumps(view(AT)).encode() + b"\r\n\r\n"
    for body, code in ((SIGHT, 0), (SIGHT + b"\n", 0), (b'{"hand":[1,3]}', 1)):
        made = kept.told(kept.put("view.txt", answer + body), code=code)
        assert [f["code"] for f in made["files"][0]["faults"]] == ([] if code == 0 else ["body"])
    posted = b"HTTP/1.1 200 OK\r\n\r\n" + json.dumps({"evidence": receipt(AT)}).encode()
    assert kept.told(kept.put("move.txt", posted), code=0)["files"][0]["documents"] == 1
    lines = b"\n".join(json.dumps(each).encode() for each in refusals(AT, 3))
    assert kept.told(kept.put("refusals.ndjson", lines), code=0)["files"][0]["documents"] == 3


def test_documents_are_held_against_each_other(kept: Kept) -> None:
    other = Table(registry.game("high_card"), 3, seed=bytes(32)).play_on(Random(3))
    head = document(HEAD, HeadOf(MATCH_ID, 7, other.records[6].hash.hex()))
    one, two, three = refusals(AT, 3)
    said = {
        "fork": [view(AT), head],
        "twice": [view(AT), view(AT, b"{}")],
        "receipts": [receipt(AT), receipt(AT, at=NOON + 1)],
        "refusals": [one, two, refusals(other, 2)[1] | {}],
        "chain": [one, document(REFUSAL, RefusalOf(**{**two["payload"], "prev": "22" * 32}))],
    }
    wanted = {"fork": ["fork"], "twice": ["twice"], "receipts": ["twice"], "chain": ["chain"]}
    for name, codes_of in wanted.items():
        pairs = [kept.put(f"{n}.json", each) for n, each in enumerate(said[name])]
        assert codes(kept.told(*pairs, code=1)) == codes_of, name
    assert "twice" in codes(kept.told(kept.put("refusals.json", said["refusals"]), code=1))
    assert kept.told(kept.put("some.json", [one, three]), code=0)["ok"]


def test_documents_are_held_against_the_bundle(kept: Kept) -> None:
    path = kept.put("public.zip", bundle("high_card", SPECTATOR))
    last = len(AT.records)
    wrong = [
        ("head", receipt(AT, head="00" * 32)),
        ("receipt", receipt(AT, commitment="00" * 32)),
        ("head", receipt(AT, last=last + 1)),
    ]
    for code, each in wrong:
        assert codes(kept.told(path, kept.put("one.json", each), code=1)) == [code]
    stranger = view(AT, match_id=OTHER_ID)
    made = kept.told(path, kept.put("one.json", stranger), code=0)
    assert "no bundle of that match" in " ".join(made["unchecked"])


def test_a_receipt_is_of_the_event_that_it_acknowledges(kept: Kept) -> None:
    full, own = (kept.put(f"{v}.zip", bundle("high_card", v)) for v in (ALL, 0))
    sound = receipt(AT)["payload"]
    assert AT.events[sound["first"] - 1].at == sound["at"] != NOON
    drawn = next(e for e in AT.events if isinstance(e, ChanceDrawn))
    by_nobody = next(e for e in AT.events if isinstance(e, MovePlayed) and e.by != "seat")
    wrong = [
        receipt(AT, at=NOON),
        receipt(AT, at=sound["at"] + 1),
        receipt(AT, decision="9.9"),
        receipt(AT, decision=None),
        acknowledged(AT, drawn.version, 0),
        acknowledged(AT, by_nobody.version, by_nobody.seat, decision=by_nobody.decision),
    ]
    for number, each in enumerate(wrong):
        made = kept.told(full, kept.put("one.json", each), code=1)
        assert codes(made) == ["receipt"], number
        if each["payload"]["seat"] == 0:
            assert codes(kept.told(own, kept.put("one.json", each), code=1)) == ["receipt"], number


def test_a_log_rewritten_before_a_receipt_is_found(kept: Kept) -> None:
    one, other = (Table(registry.game("high_card"), 3) for _ in range(2))
    one.play_on(Random(1))
    other.play_on(Random(2))
    paths = [kept.put("full.zip", bundled(other, ALL)), kept.put("receipt.json", receipt(one))]
    assert codes(kept.told(*paths, code=1)) == ["head"]


def test_the_move_beside_a_refusal_is_the_one_that_was_refused(kept: Kept) -> None:
    move, salt = {"type": "pass"}, "44" * 32
    submitted = submission(bytes.fromhex(salt), move)
    said = RefusalOf(**{**refusals(AT, 1)[0]["payload"], "submitted": submitted})
    evidence = document(REFUSAL, said)
    for beside, sound in (
        ({"move": move, "salt": salt}, True),
        ({"move": None, "salt": salt}, True),
        ({"move": None, "salt": None}, True),
        ({}, True),
        ({"move": move, "salt": None}, False),
        ({"move": move}, False),
        ({"move": move, "salt": "x"}, False),
        ({"move": None, "salt": "zz"}, False),
        ({"salt": salt + "00"}, False),
        ({"move": move, "salt": "45" * 32}, False),
        ({"move": {"type": "other"}, "salt": salt}, False),
    ):
        answer = {"refusals": [{"evidence": evidence, **beside}]}
        made = kept.told(kept.put("refusals.json", answer), code=0 if sound else 1)
        assert places(made) == ([] if sound else ["document 1"]), beside


def test_what_has_no_canonical_form_is_no_document(kept: Kept) -> None:
    sound = receipt(AT)
    told = json.dumps(sound)
    at = f'"at": {sound["payload"]["at"]}'
    assert at in told
    decision = json.dumps(sound["payload"]["decision"])
    for wrong in (
        told.replace(at, f"{at}.0"),
        told.replace(at, f"{at}e0"),
        told.replace(decision, r'"\ud800"'),
    ):
        path = kept.put("receipt.json", wrong.encode())
        assert places(kept.told(path, code=1)) == ["document 1"]
        code, made = report(path)
        assert (code, places(made)) == (1, ["document 1"])


def test_a_version_is_missing_only_where_no_log_has_it(kept: Kept) -> None:
    at = Table(registry.game("high_card"), 3).play_on(Random(1), most=2)
    early = kept.put("early.zip", bundled(at, ALL, proved=False))
    last = at.play_on(Random(2)).records[-1]
    paper = document(HEAD, HeadOf(MATCH_ID, last.version, last.hash.hex()))
    files = [early, kept.put("head.json", paper)]
    made = kept.told(*files, code=0, alike=False)  # The other one takes it for a log cut short.
    assert "ends before it" in " ".join(made["unchecked"])
    files.append(kept.put("full.zip", bundled(at, ALL, proved=False)))
    assert "ends before it" not in " ".join(kept.told(*files, code=0)["unchecked"])


# The program


def test_it_exits_with_2_if_it_cannot_do_what_it_was_asked(kept: Kept) -> None:
    for arguments in ((), ("--what",), (kept.keys, "--keys", "no key")):
        done = run(PROGRAM, *arguments)
        assert (done.returncode, done.stdout) == (2, b""), arguments
        assert done.stderr.startswith(b"plyscribe: ")
        assert b"    at " not in done.stderr


def test_it_tells_people_where_and_why(kept: Kept) -> None:
    data = bundle("high_card", ALL)
    heads = bytes(32) + b"".join(each.hash for each in AT.records[1:])
    done = run(PROGRAM, kept.put("one.zip", forged(data, {HEADS: heads})))
    assert done.returncode == 1
    text = done.stdout.decode()
    assert "WRONG at event 1\n" in text
    assert "wrong: event 1: does not continue the chain (chain)" in text
    assert text.endswith("it does not hold\n")


UNREADABLE = {
    "random bytes": bytes(range(128, 256)),
    "a mark before it": b"\xef\xbb\xbf{}",
    "UTF-16": "{}".encode("utf-16"),
    "no number": b'{"a":NaN}',
    "more behind it": b"{} x",
    "a broken line": b'{}\n{"a":\n{}',
}


def test_what_cannot_be_read_hides_nothing_else(kept: Kept) -> None:
    sound = kept.put("receipt.json", receipt(AT))
    wrong = kept.put("wrong.json", receipt(AT) | {"signature": "A" * 86})
    paths = [kept.put(f"{n}.json", each) for n, each in enumerate(UNREADABLE.values())]
    paths.append(kept.folder / "nothing.json")
    for path in paths:
        made = kept.told(path, sound, code=2)
        assert [each["ok"] for each in made["files"]] == [False, True]
        assert [each["code"] for each in made["files"][0]["faults"]] == ["unreadable"]
    made = kept.told(*paths, wrong, code=1)
    assert len(made["files"]) == len(paths) + 1
    done = run(PROGRAM, paths[0], sound)
    assert done.returncode == 2
    assert b": can't be read\n" in done.stdout


def test_events_that_are_no_bundle_are_said_to_be_unread(kept: Kept) -> None:
    event = {"version": 1, "kind": "match_created", "proof": {"hash": "00" * 32}}
    head = document(HEAD, HeadOf(MATCH_ID, 9, AT.records[8].hash.hex()))
    for told in ({"events": [event], "evidence": head}, {"events": [event]}, event):
        made = kept.told(kept.put("page.json", told), code=0)
        assert "the events in it" in " ".join(made["files"][0]["unchecked"])


def test_a_seat_that_was_never_refused_has_nothing_to_check(kept: Kept) -> None:
    assert kept.told(kept.put("refusals.json", {"refusals": []}), code=0)["ok"]
