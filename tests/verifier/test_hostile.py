"""Files made to hurt: each is refused with a clear fault, in a moment, by both verifiers."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.bundle import EVENTS, FACETS, HEADS, KEYS, MANIFEST, OPTIONS, PROOF, SALTS, TEXTS
from events.canonical import canonical, decoded
from events.notes import verifier_key
from events.verify_bundle import verify_bundle
from events.zips import zipped
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import KEY, ORIGIN, bundle, forged, members
from tests.events.test_bundle import _crafted
from tests.verifier.node import needs_node, report, said

pytestmark = needs_node

KEYS_GIVEN = verifier_key(ORIGIN, KEY.public.public)
DEEP = b'{"a":' * 100_000
FULL = bundle("high_card", ALL)


def lines(viewer: Viewer, version: int, line: bytes) -> bytes:
    """The bundle with another line for an event."""
    data = bundle("high_card", viewer)
    listed = members(data)[EVENTS].split(b"\n")
    listed[version - 1] = line
    return forged(data, {EVENTS: b"\n".join(listed)})


def event(number: int, **other: object) -> bytes:
    told = decoded(members(FULL)[EVENTS].split(b"\n")[number - 1])
    return canonical({**told, **other})


def spelled(version: int, old: bytes, new: bytes) -> bytes:
    line = members(FULL)[EVENTS].split(b"\n")[version - 1]
    assert old in line
    return lines(ALL, version, line.replace(old, new, 1))


def of_lines() -> Iterator[tuple[str, bytes, str]]:
    texts = {
        "deep": DEEP,
        "deep lists": b"[" * 1_000_000,
        "a list": b"[]",
        "a number": b"7",
        "null": b"null",
        "nothing": b"",
        "half a character": b'{"a":"\\ud800"}',
        "no UTF-8": b"\xff\xfe",
        "a mark of order": b"\xef\xbb\xbf" + event(2),
        "a kind that is an object": event(2, kind={"a": 1}),
        "a kind of every object": event(2, kind="constructor"),
        "a kind called __proto__": event(2, kind="__proto__"),
        "a number too big": event(2, at=2**53),
        "a version too big": event(2, version=2**60),
        "a version that is text": event(2, version="2"),
    }
    for name, text in texts.items():
        for viewer in (ALL, SPECTATOR, 0):
            yield f"{name}, {viewer}", lines(viewer, 2, text), "event 2"
    yield "a member twice", spelled(2, b'"at":', b'"at":1,"at":'), "event 2"
    yield "a float", spelled(2, b'"seat":0', b'"seat":0.0'), "event 2"
    yield "an exponent", spelled(2, b'"seat":0', b'"seat":0e0'), "event 2"
    yield "less than nothing", spelled(2, b'"seat":0', b'"seat":-0'), "event 2"
    yield "__proto__", spelled(2, b'{"at"', b'{"__proto__":{"kind":"x"},"at"'), "event 2"
    yield "a blank", spelled(2, b"{", b"{ "), "event 2"
    for number in (2**16 + 1, 2**31, 2**53 - 1):
        yield f"{number} options", lines(ALL, 6, event(6, options=number)), "event 6"
    yield "a seat there is not", lines(ALL, 2, event(2, seat=99)), "event 2"
    for seats in (0, -1, 2**15, 2**53 - 1, "3", None):
        yield f"{seats} seats", lines(ALL, 1, event(1, seats=seats)), "event 1"


def of_members() -> Iterator[tuple[str, bytes, str]]:
    found = members(FULL)
    manifest = decoded(found[MANIFEST])
    yield "a deep manifest", zipped({**found, MANIFEST: DEEP}), MANIFEST
    for name in ("__proto__", "constructor", "../../x"):
        told = {**manifest, "members": {**manifest["members"], name: {"sha256": "", "size": 0}}}
        yield f"a listing {name}", zipped({**found, MANIFEST: canonical(told)}), MANIFEST
    for seats in (2**40, 0, "3"):
        yield f"{seats} in the manifest", forged(FULL, {}, seats=seats), MANIFEST
    yield "deep texts", forged(FULL, {TEXTS: DEEP + b"\n"}), TEXTS
    yield "deep options", forged(FULL, {OPTIONS: DEEP}), OPTIONS
    yield "deep keys", forged(FULL, {KEYS: DEEP}), KEYS
    yield (
        "keys that are none",
        forged(FULL, {KEYS: canonical({"keys": [None, 1, {"x": []}]})}),
        KEYS,
    )
    proof = found[PROOF]
    for name, old, new in (
        ("a great index", b"index 2", b"index 999999999999999"),
        ("an index below", b"index 2", b"index -2"),
        ("a great size", b"\n3\n", b"\n999999999999999\n"),
        ("no signature", "\n\u2014".encode(), b"\n-"),
        ("many lines", b"index 2\n", b"index 2\n" + b"AAAA\n" * 100_000),
    ):
        assert old in proof
        yield name, forged(FULL, {PROOF: proof.replace(old, new, 1)}), PROOF
    yield "a million lines", forged(FULL, {EVENTS: b"\n" * 1_000_000}), "event 1"
    columns = {SALTS: b"", FACETS: b"", HEADS: b""}
    yield "no columns", forged(FULL, columns), "event 1"


CASES = [*of_lines(), *of_members()]


def test_every_crafted_bundle_is_refused_where_it_is_wrong() -> None:
    found = said([data for _, data, _ in CASES], KEYS_GIVEN)
    for (name, data, place), script in zip(CASES, found, strict=True):
        assert (script.ok, script.place) == (False, place), (name, script)
        own = verify_bundle(data)
        assert own.fault is not None, name


def test_every_crafted_zip_is_refused() -> None:
    crafted = {name: data for name, data in _crafted().items() if data[:2] == b"PK"}
    for name, script in zip(crafted, said([*crafted.values()], KEYS_GIVEN), strict=True):
        assert not script.ok, name
        assert script.place == verify_bundle(crafted[name]).place, (name, script)


HOSTILE = {
    "deep": b"[" * 1_000_000,
    "deep objects": DEEP,
    "a member twice": b'{"tag":"plyscribe/head/1","tag":"x"}',
    "no JSON": b"\x00\x01",
    "nothing": b"",
    "a long text": b'{"a":"' + b"a" * 20_000_000 + b'"}',
    "a long text without an end": b'{"a":"' + b"a" * 20_000_000,
    "headers without an end": b"HTTP/1.1 200 OK\r\nx: y",
    "a header that is no JSON": b"HTTP/1.1 200 OK\r\nplyscribe-evidence: {\r\n\r\n{}",
    "a tag of every object": json.dumps(
        {"tag": "constructor", "payload": {}, "kid": "", "signature": ""}
    ).encode(),
    "a payload that is none": b'{"tag":"plyscribe/head/1","payload":null,"kid":[],"signature":{}}',
    "__proto__": b'{"__proto__":{"tag":"plyscribe/head/1"}}',
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_a_crafted_document_is_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "document"
    path.write_bytes(data)
    code, made = report(path)
    (fault,) = made["files"][0]["faults"]
    assert (made["ok"], bool(fault["reason"])) == (False, True)
    assert code == (2 if fault["code"] == "unreadable" else 1)
