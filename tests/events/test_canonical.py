"""Canonical bytes: known answers, and RFC 8785 as the oracle in the restricted domain."""

import hashlib

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from events.canonical import SAFE_INTEGER, canonical, decoded, digest, prefixed, raw
from events.types import MovePlayed, Observation, SeatClaimed

KEYS = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-SAFE_INTEGER, SAFE_INTEGER)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
)


@given(VALUES)
def test_the_bytes_are_those_of_rfc_8785(value: object) -> None:
    assert canonical(value) == rfc8785.dumps(value)  # type: ignore[arg-type]


@given(VALUES)
def test_decoding_and_encoding_again_changes_nothing(value: object) -> None:
    assert canonical(decoded(canonical(value))) == canonical(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"b": 1, "a": [True, None, "x"], "B": {}}, b'{"B":{},"a":[true,null,"x"],"b":1}'),
        ('\x00\b\t\n\f\r\x1f"\\/\x7f', b'"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7f"'),
        ("é\u2028\U0001f600", '"é\u2028\U0001f600"'.encode()),
        (-SAFE_INTEGER, b"-9007199254740991"),
        ((), b"[]"),
    ],
)
def test_known_answers(value: object, expected: bytes) -> None:
    assert canonical(value) == expected


def test_the_tag_of_an_event_is_sorted_among_its_fields() -> None:
    event = SeatClaimed(version=2, at=5, seat=1, holder="ann")
    assert canonical(event) == (
        b'{"at":5,"holder":"ann","kind":"seat_claimed","schema":1,"seat":1,"version":2}'
    )


def test_defaults_are_left_out_but_the_schema_never_is() -> None:
    plain = MovePlayed(version=9, at=5, seat=0, decision=None, move=raw({"type": "waive"}))
    assert canonical(plain) == (
        b'{"at":5,"decision":null,"kind":"move_played","move":{"type":"waive"},'
        b'"schema":1,"seat":0,"version":9}'
    )
    seen = Observation(version=9, kind="move_played", at=5)
    assert canonical(seen) == b'{"at":5,"kind":"move_played","version":9}'


def test_raw_parts_are_spliced_in_as_they_are() -> None:
    assert canonical({"b": raw({"z": 1, "y": 2}), "a": msgspec.Raw(b"3")}) == (
        b'{"a":3,"b":{"y":2,"z":1}}'
    )


def test_a_digest_is_the_sha_256_of_the_bytes() -> None:
    assert digest({"a": 1}) == hashlib.sha256(b'{"a":1}').digest()


def test_prefixed_parts_cannot_be_confused() -> None:
    assert prefixed(b"ab", "é", 258) == bytes.fromhex(
        "00000002" + "6162" + "00000002" + "c3a9" + "00000008" + "0000000000000102"
    )
    assert prefixed("ab", "c") != prefixed("a", "bc")
