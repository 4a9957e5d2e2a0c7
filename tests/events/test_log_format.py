"""A second verifier, written from docs/log-format.md with nothing of our own code."""

import json
from collections.abc import Iterator
from hashlib import sha256
from hmac import digest
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

ROOT = Path(__file__).parent.parent.parent
LOGS = sorted((ROOT / "tests" / "logs").glob("*.jsonl"))
OFFER = {
    "type": "deal",
    "fields": {
        "cards": {
            "options": [*range(1, 11)],
            "least": 10,
            "most": 10,
            "ordered": True,
            "repeats": False,
        }
    },
}


def hmac(key: bytes, data: bytes) -> bytes:
    return digest(key, data, "sha256")


def canonical(value: Any) -> bytes:
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def prefixed(*parts: bytes | int) -> bytes:
    flat = [part if isinstance(part, bytes) else part.to_bytes(8, "big") for part in parts]
    return b"".join(len(part).to_bytes(4, "big") + part for part in flat)


def facet_salt(salt: bytes, index: int) -> bytes:
    return hmac(salt, b"facet" + index.to_bytes(2, "big"))


def commitment(salt: bytes, ident: bytes, version: int, index: int, facet: bytes) -> bytes:
    place = ident + version.to_bytes(8, "big") + index.to_bytes(2, "big")
    return hmac(salt, b"plyscribe/facet/1" + place + facet)


def genesis(ident: bytes, seats: int) -> bytes:
    return sha256(b"plyscribe/genesis/1" + ident + seats.to_bytes(2, "big") + b"\x00\x01").digest()


def words(key: bytes, label: str, redraw: int, offer: bytes) -> Iterator[int]:
    block = 0
    while True:
        parts = prefixed(b"plyscribe/stream/1", b"draw/1", label.encode(), redraw, offer, block)
        data = hmac(key, parts)
        yield from (int.from_bytes(data[i : i + 2], "big") for i in range(0, 32, 2))
        block += 1


def below(bound: int, stream: Iterator[int]) -> int:
    if bound == 1:
        return 0
    return next(word for word in stream if word < 65536 - 65536 % bound) % bound


def shuffled(n: int, k: int, stream: Iterator[int]) -> list[int]:
    places = list(range(n))
    for last in range(n - 1, n - k - 1, -1):
        other = below(last + 1, stream)
        places[last], places[other] = places[other], places[last]
    return places[n - k :]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.stem)
def test_chain_bodies_seed_draws_and_answers(path: Path) -> None:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()][:-1]
    bodies = [json.loads(line["body"]) for line in lines]
    created = bodies[0]
    ident, seats = UUID(created["match_id"]).bytes, created["seats"]
    prev = genesis(ident, seats)
    for version, (line, body) in enumerate(zip(lines, bodies, strict=True), 1):
        assert canonical(body).decode() == line["body"]
        assert body["version"] == line["version"] == version
        assert [body[n] for n in ("kind", "schema", "at")] == [
            line[n] for n in ("kind", "schema", "at")
        ]
        salt, facets = bytes.fromhex(line["salt"]), bytes.fromhex(line["facets"])
        assert len(facets) == 32 * (seats + 2)
        own = facet_salt(salt, seats + 1)
        full = commitment(own, ident, version, seats + 1, line["body"].encode())
        assert full == facets[-32:]
        prev = sha256(b"plyscribe/event/1" + prev + version.to_bytes(8, "big") + facets).digest()
        assert prev.hex() == line["hash"]

    revealed = next(each for each in reversed(bodies) if each["kind"] == "match_revealed")
    seed = bytes.fromhex(revealed["seed"])
    bound = UUID(created["deal_group"]).bytes if created["deal_group"] else ident
    assert sha256(b"plyscribe/seed/1" + bound + seed).hexdigest() == created["seed_commitment"]
    key = hmac(seed, b"plyscribe/match-seed/1[]")
    for body in bodies:
        if body["kind"] == "chance_drawn":
            offer = bytes.fromhex(body["offer"])
            stream = words(key, body["label"], body.get("redraw", 0), offer)
            assert body["picks"] == shuffled(body["options"], len(body["picks"]), stream)
        if "sealed" in body:
            decision = body["decision"].encode()
            salt = hmac(key, prefixed(b"plyscribe/answer/1", ident, decision))
            assert hmac(salt, canonical(body["move"])).hex() == body["sealed"]


def vectors() -> dict[str, str]:
    """What the vectors of the document have to be."""
    ident = UUID("01890a5d-ac96-774b-bcce-b302099a8057").bytes
    plain = bytes(range(32))
    path = ROOT / "tests" / "logs" / "high_card_four_seats.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()][:-1]
    seed = bytes.fromhex(json.loads(lines[-1]["body"])["seed"])
    key = hmac(seed, b"plyscribe/match-seed/1[]")
    offer = sha256(canonical(OFFER)).digest()
    stream = words(key, "round 1 deal", 0, offer)
    first = [f"{next(stream):04x}" for _ in range(16)]
    picks = shuffled(10, 10, words(key, "round 1 deal", 0, offer))
    eighth = json.loads(lines[7]["body"])
    answer = hmac(key, prefixed(b"plyscribe/answer/1", ident, eighth["decision"].encode()))
    return {
        "match id": "01890a5d-ac96-774b-bcce-b302099a8057",
        "plain: facet salt 2": facet_salt(plain, 2).hex(),
        "plain: commitment 2 of {} in version 7": commitment(
            facet_salt(plain, 2), ident, 7, 2, b"{}"
        ).hex(),
        "plain: seed commitment": sha256(b"plyscribe/seed/1" + ident + plain).hexdigest(),
        "plain: match seed": hmac(plain, b"plyscribe/match-seed/1[]").hex(),
        "plain: text digest of Ü": hmac(plain, "Ü".encode()).hex(),
        "hash before 1": genesis(ident, 4).hex(),
        "event 1: salt": lines[0]["salt"],
        "event 1: commitment 0": lines[0]["facets"][:64],
        "event 1: hash": lines[0]["hash"],
        "seed": seed.hex(),
        "match seed": key.hex(),
        "offer digest": offer.hex(),
        "words": " ".join(first),
        "picks": " ".join(map(str, picks)),
        "event 8: move": canonical(eighth["move"]).decode(),
        f"event 8: answer salt of {eighth['decision']}": answer.hex(),
        "event 8: sealed": eighth["sealed"],
    }


def test_the_vectors_of_the_document_are_right() -> None:
    text = (ROOT / "docs" / "log-format.md").read_text()
    block = text.split("```vectors\n")[1].split("```")[0]
    found = dict(line.split(" = ", 1) for line in block.strip().splitlines())
    assert found == vectors()


def test_the_observation_of_event_1_is_made_as_described() -> None:
    path = ROOT / "tests" / "logs" / "high_card_four_seats.jsonl"
    line = json.loads(path.read_bytes().splitlines()[0])
    body = json.loads(line["body"])
    outer = ("version", "kind", "at")
    data = {n: v for n, v in body.items() if n not in (*outer, "schema")}
    shown = canonical({**{n: body[n] for n in outer}, "data": data})
    salt, ident = bytes.fromhex(line["salt"]), UUID(body["match_id"]).bytes
    assert commitment(facet_salt(salt, 0), ident, 1, 0, shown).hex() == line["facets"][:64]
    same = commitment(facet_salt(salt, 1), ident, 1, 1, b"=")
    assert same.hex() == line["facets"][64:128]
