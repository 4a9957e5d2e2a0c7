"""What the service signs about a match, and what seats sign, over both doors."""

from hashlib import sha256
from hmac import digest as hmac
from random import Random
from typing import Any

import httpx
import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.canonical import canonical
from events.contradictions import Document, between
from events.entropy import commitment_of
from events.evidence import (
    DECISION,
    HEAD,
    RECEIPT,
    VIEW,
    Evidence,
    EvidenceWrong,
    body_digest,
    payload_of,
    verify,
)
from events.seat_keys import coded, sign_move
from events.signing import KeySet, Purpose, SignatureWrong
from tests.service.client import (
    Table,
    answer,
    bearer,
    create,
    decision_of,
    play_out,
    random_move,
    seat_all,
)
from tests.service.conftest import KEY, Door


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is stored of it is tested on both databases in test_kept_refusals.py."""
    return sqlite_url


OWNER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
SEAT_KEY = coded(OWNER.public_key().public_bytes_raw())


async def keys_of(door: Door) -> KeySet:
    return KeySet.of_jwks((await door.get("/.well-known/jwks.json", "")).content)


def evidence(value: Any) -> Evidence:
    return msgspec.convert({**value, "payload": msgspec.Raw(canonical(value["payload"]))}, Evidence)


def said(value: Any, keys: KeySet) -> Any:
    """What a document says, its signature checked."""
    return msgspec.to_builtins(verify(evidence(value), keys))


async def asked(door: Door, table: Table, seat: int = 0) -> tuple[str, Any]:
    """The seat's decision and a move that answers it."""
    shown = (await decision_of(door.http, table, seat))["decision"]
    return shown["id"], random_move(shown["offers"], Random(1))


async def test_a_move_is_answered_with_a_receipt(door: Door, table: Table) -> None:
    decision, move = await asked(door, table)
    done = (await answer(door.http, table, 0, decision, move)).json()
    log = (await door.get(table.path + "/events?proof=true", table.tokens[0])).json()
    event = log["events"][done["first"] - 1]
    assert done["evidence"]["tag"] == RECEIPT
    assert said(done["evidence"], await keys_of(door)) == {
        "match_id": table.match_id,
        "seat": 0,
        "decision": decision,
        "first": done["first"],
        "last": done["last"],
        "head": done["head"],
        "commitment": event["proof"]["commitments"][1],
        "at": event["at"],
    }


async def test_a_repetition_has_the_same_receipt_though_the_key_was_replaced(
    door: Door, table: Table
) -> None:
    decision, move = await asked(door, table)
    first = await answer(door.http, table, 0, decision, move)
    keys = door.app.parts.keys
    old = keys.active(Purpose.RECEIPTS)[0].public.kid
    await keys.rotate(Purpose.RECEIPTS)
    door.clock.now += 3_600_000
    await keys.refresh()
    again = await answer(door.http, table, 0, decision, move)
    assert again.content == first.content
    assert keys.active(Purpose.RECEIPTS)[0].public.kid != old
    verify(evidence(again.json()["evidence"]), await keys_of(door))
    decision, move = await asked(door, table, 1)
    later = (await answer(door.http, table, 1, decision, move)).json()["evidence"]
    assert later["kid"] != old
    verify(evidence(later), await keys_of(door))


async def test_an_aside_has_a_receipt_too(door: Door, table: Table) -> None:
    body = {"decision": None, "move": {"type": "speak", "text": "hm"}}
    headers = {"idempotency-key": "a"}
    path = table.path + "/moves"
    once = await door.post(path, table.tokens[0], json=body, headers=headers)
    again = await door.post(path, table.tokens[0], json=body, headers=headers)
    assert once.content == again.content
    assert said(once.json()["evidence"], await keys_of(door))["decision"] is None


@pytest.mark.parametrize(("address", "tag"), [("view", VIEW), ("decision", DECISION)])
async def test_what_a_seat_is_shown_is_signed(
    door: Door, table: Table, address: str, tag: str
) -> None:
    got = await door.get(f"{table.path}/{address}", table.tokens[0])
    signed = msgspec.json.decode(got.headers["plyscribe-evidence"])
    told = said(signed, await keys_of(door))
    assert signed["tag"] == tag
    assert told["body"] == body_digest(got.content)
    assert (told["viewer"], told["version"]) == ("seat:0", got.json()["version"])
    door.app.parts.notary._kept.clear()
    again = await door.get(f"{table.path}/{address}", table.tokens[0])
    assert again.headers["plyscribe-evidence"] == got.headers["plyscribe-evidence"]


async def test_pages_and_streams_end_with_a_signed_head(door: Door, table: Table) -> None:
    keys = await keys_of(door)
    page = (await door.get(table.path + "/events", table.tokens[0])).json()
    assert page["evidence"]["tag"] == HEAD
    told = said(page["evidence"], keys)
    assert told == {
        "match_id": table.match_id,
        "version": page["version"],
        "head": page["head"],
    }
    await door.post(table.path + "/cancel")
    whole = (await door.get(table.path + "/events", table.tokens[0])).json()
    for accept in ("text/event-stream", "application/x-ndjson"):
        headers = {"accept": accept}
        got = await door.get(table.path + "/events?proof=true", table.tokens[0], headers=headers)
        lines = [each.removeprefix("data: ") for each in got.text.splitlines() if "tag" in each]
        found = msgspec.json.decode(lines[-1])
        assert said(found.get("evidence", found), keys)["head"] == whole["head"]
        plain = await door.get(table.path + "/events", table.tokens[0], headers=headers)
        assert "plyscribe/head" not in plain.text


async def test_a_changed_document_is_no_evidence(door: Door, table: Table) -> None:
    decision, move = await asked(door, table)
    given = (await answer(door.http, table, 0, decision, move)).json()["evidence"]
    keys = await keys_of(door)
    for name, value in (("seat", 1), ("head", "00" * 32), ("at", 1), ("last", 99)):
        with pytest.raises(SignatureWrong):
            verify(evidence({**given, "payload": {**given["payload"], name: value}}), keys)
    with pytest.raises(EvidenceWrong):
        verify(evidence({**given, "payload": {**given["payload"], "more": 1}}), keys)
    with pytest.raises(EvidenceWrong):
        verify(evidence({**given, "tag": "plyscribe/other/1"}), keys)


async def keyed(door: Door) -> Table:
    """Seat 0 was claimed with a key."""
    match_id = await create(door.http, KEY, "high_card", 3)
    tokens = []
    for seat in range(3):
        body = {"key": SEAT_KEY} if seat == 0 else {}
        path = f"/v1/matches/{match_id}/seats/{seat}/claim"
        tokens.append((await door.post(path, json=body)).json()["token"])
    return Table(match_id, tuple(tokens))


async def signature(door: Door, table: Table, decision: str | None, move: Any) -> Any:
    """As a client makes it, from what it was given over the door."""
    body = {"decision": decision, "move": move}
    path = table.path + "/moves/validate"
    valid = await door.post(path, table.tokens[0], json=body)
    page = (await door.get(table.path + "/events?limit=1", table.tokens[0])).json()
    what = canonical(valid.json().get("move", move))
    head = bytes.fromhex(page["head"])
    signed = sign_move(
        OWNER, table.match_id, decision, what, bytes([9]) * 32, page["version"], head
    )
    return msgspec.to_builtins(signed)


async def test_a_seat_with_a_key_plays_signed(door: Door) -> None:
    table = await keyed(door)
    decision, move = await asked(door, table)
    signed = await signature(door, table, decision, move)
    path, token = table.path + "/moves", table.tokens[0]
    for lie in (
        None,
        {**signed, "signature": "A" * 86},
        {**signed, "head": "00" * 32},
        {**signed, "version": 1},
        {**signed, "version": 9_000},
        {**signed, "nonce": "00" * 32},
    ):
        body = {"decision": decision, "move": move, "signed": lie}
        refused = await door.post(path, token, json=body)
        assert (refused.status_code, refused.json()["code"]) == (422, "signature-wrong"), lie
        document = refused.json()["evidence"]["document"]
        assert said(document, await keys_of(door))["code"] == "signature-wrong"
    body = {"decision": decision, "move": move, "signed": signed}
    done = await door.post(path, token, json=body)
    assert done.status_code == 200
    log = (await door.get(table.path + "/events", table.tokens[1])).json()["events"]
    shown = log[done.json()["first"] - 1]["signed"]
    assert "nonce" not in shown
    assert shown["committed"] == hmac(bytes([9]) * 32, canonical(move), "sha256").hex()


async def test_a_seat_with_a_key_resigns_signed_and_others_sign_nothing(door: Door) -> None:
    table = await keyed(door)
    path = table.path + "/seats/0/resign"
    assert (await door.post(path, table.tokens[0])).json()["code"] == "signature-wrong"
    page = (await door.get(table.path + "/events?limit=1", table.tokens[0])).json()
    head, version = bytes.fromhex(page["head"]), page["version"]
    signed = sign_move(OWNER, table.match_id, "resign", b"{}", bytes(32), version, head)
    body = {"signed": msgspec.to_builtins(signed)}
    refused = await door.post(table.path + "/seats/1/resign", table.tokens[1], json=body)
    assert refused.json()["code"] == "signature-wrong"
    assert (await door.post(path, table.tokens[0], json=body)).status_code == 200


async def test_what_is_no_key_is_refused(door: Door) -> None:
    match_id = await create(door.http, KEY, "high_card", 2)
    path = f"/v1/matches/{match_id}/seats/0/claim"
    for key in ("short", SEAT_KEY[:-1] + "_"):
        refused = await door.post(path, json={"key": key})
        assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")


async def put(door: Door, table: Table, seat: int, body: Any) -> httpx.Response:
    path = f"{table.path}/entropy/{seat}"
    return await door.http.put(path, json=body, headers=bearer(table.tokens[seat]))


async def test_seats_put_something_into_the_seed_in_two_steps(door: Door) -> None:
    match_id = await create(door.http, KEY, "high_card", 2, entropy=True)
    table = await seat_all(door.http, KEY, match_id, 2)
    made = (await door.get(table.path)).json()
    assert (made["steerable"], made["status"]) == (None, "seating")
    assert made["entropy"]["awaited"] == [0, 1]
    openings = [sha256(bytes([seat])).digest() for seat in range(2)]
    for seat, opening in enumerate(openings):
        body = {"commitment": commitment_of(match_id, seat, opening)}
        assert (await put(door, table, seat, body)).status_code == 200
        again = await put(door, table, seat, body)
        assert again.headers["plyscribe-replayed"] == "true"
    other = await put(door, table, 0, {"commitment": "00" * 32})
    assert (other.status_code, other.json()["code"]) == (409, "entropy-closed")
    released = await door.post(table.path + "/seats/0/release")
    assert released.json()["code"] == "entropy-closed"
    wrong = await put(door, table, 0, {"opening": "00" * 32})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "opening-wrong")
    started = await door.post(table.path + "/start")
    assert started.json()["code"] == "entropy-awaited"
    for seat, opening in enumerate(openings):
        body = {"opening": opening.hex()}
        assert (await put(door, table, seat, body)).status_code == 200
    assert (await door.get(table.path)).json()["status"] == "running"
    # Whoever folds the match anew draws the same.
    parts = door.app.parts
    parts.dealers._kept.clear()
    await play_out(door.http, table, 1)
    full = await door.get(table.path + "/events?perspective=full&proof=true&limit=50")
    assert full.json()["events"][-1]["kind"] == "match_revealed"


async def test_entropy_is_the_seats_own(door: Door, table: Table) -> None:
    assert (await put(door, table, 0, {"commitment": None})).json()["code"] in (
        "match-already-started",
        "no-entropy",
    )
    both = {"commitment": None, "opening": "00" * 32}
    assert (await put(door, table, 0, both)).status_code == 422
    path = table.path + "/entropy/1"
    assert (
        await door.http.put(path, json={"commitment": None}, headers=bearer(table.tokens[0]))
    ).status_code == 403
    by_key = await door.http.put(path, json={"commitment": None}, headers=bearer(KEY))
    assert by_key.status_code == 403


async def test_a_match_says_who_could_steer_it_and_when_it_is_revealed(door: Door) -> None:
    later = door.clock.now + 1000
    match_id = await create(door.http, KEY, "high_card", 2, reveal_by=later)
    made = (await door.get(f"/v1/matches/{match_id}")).json()
    assert (made["steerable"], made["reveal_by"], made["entropy"]) == ("operator", later, None)
    body = {"game": "high_card", "seats": 2, "reveal_by": door.clock.now}
    assert (await door.post("/v1/matches", json=body)).status_code == 422


def documents_of(values: list[Any]) -> list[Document]:
    found = [evidence(each) for each in values]
    return [Document(e, payload_of(e), str(n)) for n, e in enumerate(found)]


def test_documents_of_two_logs_contradict_each_other() -> None:
    match_id = "01890a5d-ac96-774b-bcce-b302099a8057"

    def told(tag: str, payload: Any) -> Any:
        return {"tag": tag, "payload": payload, "kid": "k", "signature": "s"}

    head = {"match_id": match_id, "version": 7, "head": "aa"}
    shown = {**head, "viewer": "seat:0", "body": "cc", "form": 1}
    receipt = {
        "match_id": match_id,
        "seat": 0,
        "decision": "5.0",
        "first": 6,
        "last": 7,
        "head": "aa",
        "commitment": "dd",
        "at": 1,
    }
    agreeing = [told(HEAD, head), told(VIEW, shown), told(RECEIPT, receipt)]
    assert between(documents_of(agreeing)) == []
    fork = told(HEAD, {**head, "head": "bb"})
    assert [c.code for c in between(documents_of([*agreeing, fork]))] == ["fork"]
    twice = told(VIEW, {**shown, "body": "dd"})
    assert [c.code for c in between(documents_of([*agreeing, twice]))] == ["twice"]
    other_form = told(VIEW, {**shown, "body": "dd", "form": 2})
    assert between(documents_of([*agreeing, other_form])) == []
    again = told(RECEIPT, {**receipt, "commitment": "ee"})
    assert [c.code for c in between(documents_of([*agreeing, again]))] == ["twice"]
