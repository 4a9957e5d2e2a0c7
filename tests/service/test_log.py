"""The log of all matches at the door, checked the way an outsider would."""

from base64 import b64decode
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from events import merkle, notes
from events.canonical import canonical
from events.feed import entries_after
from events.notes import Checkpoint, opened, opened_verifier_key, proof_in
from events.signing import KeySet, Purpose, Signature, SignatureWrong
from events.statements import TAG
from events.tables import SIGNING_KEY
from service.signing_keys import OVERLAP_MS
from tests.service.client import bearer, create, play_out
from tests.service.conftest import GAME, Door
from tests.service.refusable import no_checkpoint
from tests.service.test_feed import fed, page_of

Json = dict[str, Any]


async def public(door: Door, path: str, **params: Any) -> Any:
    """What anybody is answered, without a token."""
    got = await door.http.get(path, params=params)
    assert got.status_code == 200, got.text
    return got


async def checkpoint(door: Door) -> Checkpoint:
    """The newest, opened with the key that `GET /v1/log` names."""
    log = (await public(door, "/v1/log")).json()
    note = (await public(door, "/v1/log/checkpoint")).text
    name, key = opened_verifier_key(log["verifier_keys"][0])
    found = opened(note, name, key)
    assert name == log["origin"]
    return found


async def leaves(door: Door, size: int) -> list[bytes]:
    """The entry bundles of a log that is all the caller's own."""
    found: list[bytes] = []
    while len(found) < size:
        width = min(256, size - len(found))
        partial = "" if width == 256 else f".p/{width}"
        got = await door.get(f"/v1/log/tile/entries/{len(found) // 256:03}{partial}")
        assert got.status_code == 200, got.text
        data = got.content
        while data:
            length = int.from_bytes(data[:2], "big")
            found.append(data[2 : 2 + length])
            data = data[2 + length :]
    return found


async def stored(door: Door) -> list[bytes]:
    """All leaves, whoever's they are."""
    entries = await door.app.parts.database.read(lambda c: entries_after(c, 0, 10_000))
    return [each.leaf for each in entries]


async def test_the_signed_root_is_that_of_the_leaves(door: Door) -> None:
    table = await door.table()
    await play_out(door.http, table, seed=3)
    await fed(door)
    found = await checkpoint(door)
    own = await leaves(door, found.size)
    assert merkle.over([merkle.leaf_hash(each) for each in own]) == found.root
    told = {each["position"]: each for each in (await page_of(door, limit=500))["entries"]}
    for index, leaf in enumerate(own):
        entry = told.get(index + 1)
        if entry is None:
            assert msgspec.json.decode(leaf)["kind"] == "key_introduced"
            continue
        rebuilt = {
            "first": entry["first"],
            "head_after": entry["head"],
            "head_before": entry["before"],
            "kind": "match",
            "last": entry["last"],
            "match_id": entry["match_id"],
        }
        assert canonical(rebuilt) == leaf


async def test_hash_tiles_are_for_everybody_and_match_the_leaves(door: Door) -> None:
    await door.table()
    await fed(door)
    size = (await checkpoint(door)).size
    own = await leaves(door, size)
    tile = (await public(door, f"/v1/log/tile/0/000.p/{size}")).content
    assert tile == b"".join(merkle.leaf_hash(each) for each in own)
    fewer = (await public(door, "/v1/log/tile/0/000.p/1")).content
    assert fewer == tile[:32]


@pytest.mark.parametrize(
    "path",
    ["0/000", "0/000.p/0", "0/000.p/200", "0/000.p/01", "0/00", "0/001.p/1", "1/000.p/1", "64/000",
     "0/x000/000.p/1", "0/000.p/256", "00/000.p/1", "0/000/001", "0/-01", "x/000", "0/000.p/1/2",
     "0/x001", "0/000.p/٣"],
)  # fmt: skip
async def test_there_are_no_other_tiles(door: Door, path: str) -> None:
    await fed(door)
    got = await door.http.get(f"/v1/log/tile/{path}")
    assert (got.status_code, got.json()["code"]) == (404, "not-found")


async def test_a_proof_of_a_finished_match_is_checked_offline(door: Door) -> None:
    table = await door.table()
    early = await door.get(table.path + "/proof")
    assert (early.status_code, early.json()["code"]) == (409, "proof-not-ready")
    assert "retry-after" not in early.headers
    await play_out(door.http, table, seed=5)
    async with no_checkpoint(door):
        over = await door.get(table.path + "/proof")
    assert (over.status_code, over.headers.get("retry-after")) == (409, "1")
    await fed(door)
    name, key = opened_verifier_key((await public(door, "/v1/log")).json()["verifier_keys"][0])
    detail = (await door.get(table.path)).json()
    for token in (door.key, table.tokens[1]):
        got = await door.get(table.path + "/proof", token)
        assert got.status_code == 200, got.text
        proof = proof_in(got.text)
        signed = opened(proof.checkpoint, name, key)
        leaf = merkle.leaf_hash(proof.extra)
        assert merkle.is_included(leaf, proof.index, signed.size, proof.path, signed.root)
        told = msgspec.json.decode(proof.extra)
        assert (told["match_id"], told["last"]) == (table.match_id, detail["version"])
        assert told["head_after"] == detail["head"]


async def test_a_proof_is_for_those_who_may_see_the_match(door: Door, other_key: str) -> None:
    table = await door.table()
    other = await door.table()
    await play_out(door.http, table, seed=5)
    await fed(door)
    for token in (other_key, other.tokens[0]):
        got = await door.get(table.path + "/proof", token)
        assert (got.status_code, got.json()["code"]) == (404, "match-not-found")
    assert (await door.http.get(table.path + "/proof")).status_code == 401


async def test_a_delayed_spectator_waits_for_the_proof(door: Door) -> None:
    table = await door.table()
    body = {"delay_versions": 0, "delay_seconds": 60}
    behind = (await door.post(table.path + "/spectators", json=body)).json()["token"]
    await play_out(door.http, table, seed=5)
    await fed(door)
    got = await door.get(table.path + "/proof", behind)
    assert (got.status_code, got.json()["code"]) == (409, "proof-not-ready")
    door.clock.now += 61_000
    assert (await door.get(table.path + "/proof", behind)).status_code == 200


async def test_entries_with_others_among_them_are_nobodys_bundle(
    door: Door, other_key: str
) -> None:
    await create(door.http, other_key, GAME, 3)
    await create(door.http, door.key, GAME, 3)
    await fed(door)
    size = (await checkpoint(door)).size
    for token in (door.key, other_key):
        got = await door.get(f"/v1/log/tile/entries/000.p/{size}", token)
        assert (got.status_code, got.json()["code"]) == (404, "not-found")
    assert (await door.http.get("/v1/log/tile/entries/000.p/1")).status_code == 401


async def test_the_log_only_grows(door: Door) -> None:
    await fed(door)
    before = await checkpoint(door)
    await door.table()
    await fed(door)
    after = await checkpoint(door)
    assert after.size > before.size
    found = (await public(door, "/v1/log/consistency", first=before.size)).json()
    path = [b64decode(each) for each in found["path"]]
    assert (b64decode(found["first_root"]), found["second"]) == (before.root, after.size)
    assert merkle.is_consistent(before.size, after.size, before.root, after.root, path)
    for wrong in ({"first": after.size + 1}, {"second": after.size + 1}):
        got = await door.http.get("/v1/log/consistency", params=wrong)
        assert (got.status_code, got.json()["code"]) == (404, "position-not-found")


async def test_every_key_is_known_and_told_in_the_log(door: Door) -> None:
    await fed(door)
    keys = KeySet.of_jwks((await public(door, "/.well-known/jwks.json")).content)
    assert {each.purpose for each in keys} == set(Purpose)
    told = (await public(door, "/v1/log/statements")).json()["statements"]
    own = await stored(door)
    for each in told:
        leaf = canonical(each["statement"])
        assert own[each["position"] - 1] == leaf
        signature = Signature(each["kid"], each["signature"])
        assert keys.verify(Purpose.CHECKPOINTS, TAG, leaf, signature)
    assert {each.introduced for each in keys} == {each["position"] for each in told}


async def test_a_rotated_key_signs_on_for_a_while_and_then_no_more(door: Door) -> None:
    parts = door.app.parts
    await fed(door)
    (old,) = parts.keys.active(Purpose.CHECKPOINTS)
    await parts.keys.rotate(Purpose.CHECKPOINTS)
    await fed(door)
    new, still = parts.keys.active(Purpose.CHECKPOINTS)
    assert still.public.kid == old.public.kid
    note = (await public(door, "/v1/log/checkpoint")).text
    for key in (new, old):
        assert notes.opened(note, parts.keys.origin, key.public.public)
    door.clock.now += OVERLAP_MS
    await door.table()
    await fed(door)
    note = (await public(door, "/v1/log/checkpoint")).text
    assert notes.opened(note, parts.keys.origin, new.public.public)
    with pytest.raises(notes.NoteWrong):
        notes.opened(note, parts.keys.origin, old.public.public)
    keys = KeySet.of_jwks((await public(door, "/.well-known/jwks.json")).content)
    retired = next(each for each in keys if each.kid == old.public.kid)
    assert retired.retired_at is not None
    told = (await public(door, "/v1/log/statements")).json()["statements"]
    kinds = {each["position"]: each["statement"]["kind"] for each in told}
    assert kinds[retired.retired or 0] == "key_retired"
    assert {each["kid"] for each in told} == {old.public.kid}, "the old one vouches for the new"


async def test_what_a_retired_key_signed_stays_signed(door: Door) -> None:
    parts = door.app.parts
    payload, tag = canonical({"version": 7}), "plyscribe/receipt/1"
    before = parts.keys.sign(Purpose.RECEIPTS, tag, payload)
    await parts.keys.rotate(Purpose.RECEIPTS)
    after = parts.keys.sign(Purpose.RECEIPTS, tag, payload)
    assert before.kid != after.kid
    keys, now = parts.keys.public, door.clock.now
    for each in (before, after):
        assert keys.verify(Purpose.RECEIPTS, tag, payload, each, at=now)
    with pytest.raises(SignatureWrong):
        keys.verify(Purpose.RECEIPTS, tag, payload, before, at=now + OVERLAP_MS)


async def test_the_private_halves_lie_sealed_and_are_told_nowhere(door: Door) -> None:
    parts = door.app.parts
    rows = await parts.database.read(lambda c: c.execute(select(SIGNING_KEY)).all())
    assert len(rows) >= len(Purpose)
    for row in rows:
        seed = parts.vault.open_signing(row.id, row.ciphertext)
        assert seed not in bytes(row.ciphertext)
        assert seed.hex() not in repr(parts.keys.active(Purpose(row.purpose)))
    digest = sha256(parts.keys.public.jwks()).hexdigest()[:32]
    again = await door.http.get("/.well-known/jwks.json", headers={"If-None-Match": f'"{digest}"'})
    assert again.status_code == 304


async def test_before_the_first_checkpoint_there_is_none(door: Door) -> None:
    async with no_checkpoint(door):
        for path in ("/v1/log", "/v1/log/checkpoint", "/v1/log/tile/0/000.p/1"):
            got = await door.http.get(path)
            assert (got.status_code, got.json()["code"]) == (404, "not-found")
    assert (await door.http.get("/v1/feed", headers=bearer(door.key))).status_code == 200
