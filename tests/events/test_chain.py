"""The chain: known answers, computed here a second time from the description in the docs."""

from hashlib import sha256
from hmac import digest as hmac
from random import Random
from uuid import UUID

import pytest

from events import chain
from tests.events.scripted import MATCH_ID

SALT = bytes(range(32))
BOUND = UUID(MATCH_ID).bytes


@pytest.mark.parametrize("text", ["", "00" * 31, "00" * 33, "AB" * 32, "00 " * 32, "zz" * 32])
def test_a_salt_has_one_length_and_one_spelling(text: str) -> None:
    assert chain.salt_in("ab" * 32) == b"\xab" * 32
    with pytest.raises(ValueError, match="hex"):
        chain.salt_in(text)


def test_genesis_binds_match_seats_and_format() -> None:
    expected = sha256(b"plyscribe/genesis/1" + BOUND + b"\x00\x04" + b"\x00\x01").digest()
    assert chain.genesis(MATCH_ID, 4) == expected
    assert chain.genesis(MATCH_ID, 4).hex() == (
        "7eb6890ecc1ebedfa10a43f47c77c991d304942eaa4deafbcdd9faef5a853805"
    )
    assert chain.genesis(MATCH_ID, 3) != expected
    assert chain.genesis(MATCH_ID, 4, 2) != expected


def test_keyed_is_the_hmac_of_the_standard_library() -> None:
    rng = Random(1)
    for length in (0, 1, 55, 56, 64, 300):
        key, data = rng.randbytes(32), rng.randbytes(length)
        assert chain.keyed(key, data) == hmac(key, data, "sha256")


def test_a_facet_salt_is_derived_from_the_event_salt() -> None:
    expected = hmac(SALT, b"facet\x00\x02", "sha256")
    assert chain.facet_salt(SALT, 2) == expected


def test_a_commitment_binds_salt_match_version_viewer_and_bytes() -> None:
    made = chain.commit(SALT, BOUND, 7, 2, b'{"a":1}')
    place = BOUND + (7).to_bytes(8, "big") + b"\x00\x02"
    assert made == hmac(SALT, b"plyscribe/facet/1" + place + b'{"a":1}', "sha256")
    others = {
        chain.commit(bytes(32), BOUND, 7, 2, b'{"a":1}'),
        chain.commit(SALT, bytes(16), 7, 2, b'{"a":1}'),
        chain.commit(SALT, BOUND, 8, 2, b'{"a":1}'),
        chain.commit(SALT, BOUND, 7, 3, b'{"a":1}'),
        chain.commit(SALT, BOUND, 7, 2, b'{"a":2}'),
    }
    assert len(others | {made}) == 6


def test_commitments_stand_in_the_order_of_the_facets() -> None:
    facets = (b"public", chain.SAME, b"seat 1", b"full")
    joined = chain.commitments(MATCH_ID, 3, SALT, facets)
    assert joined == b"".join(
        chain.commit(chain.facet_salt(SALT, i), BOUND, 3, i, facet)
        for i, facet in enumerate(facets)
    )


def test_a_link_binds_hash_before_version_and_commitments() -> None:
    made = chain.link(bytes(32), 1, b"\x01" * 128)
    expected = sha256(
        b"plyscribe/event/1" + bytes(32) + (1).to_bytes(8, "big") + b"\x01" * 128
    ).digest()
    assert made == expected
    assert made.hex() == "593afc75381ba5a162a16cae51ea37f08c1ee39706a0d9553b1dd78b0593c401"


def test_seats_that_see_the_same_cannot_be_told_by_their_commitments() -> None:
    joined = chain.commitments(MATCH_ID, 3, SALT, (b"public", b"=", b"=", b"="))
    assert len({joined[i : i + 32] for i in range(0, 128, 32)}) == 4
