"""The chain: known answers, computed here a second time from the description in the docs."""

from hashlib import sha256
from uuid import UUID

from events import chain
from tests.events.scripted import MATCH_ID

SALT = bytes(range(32))
BOUND = UUID(MATCH_ID).bytes


def test_genesis_binds_match_seats_and_format() -> None:
    expected = sha256(b"plyscribe/genesis/1" + BOUND + b"\x00\x04" + b"\x00\x01").digest()
    assert chain.genesis(MATCH_ID, 4) == expected
    assert chain.genesis(MATCH_ID, 4).hex() == (
        "7eb6890ecc1ebedfa10a43f47c77c991d304942eaa4deafbcdd9faef5a853805"
    )
    assert chain.genesis(MATCH_ID, 3) != expected
    assert chain.genesis(MATCH_ID, 4, 2) != expected


def test_a_facet_salt_is_derived_from_the_event_salt() -> None:
    expected = sha256(b"plyscribe/facet-salt/1" + SALT + b"\x00\x02").digest()
    assert chain.facet_salt(SALT, 2) == expected


def test_a_commitment_binds_salt_match_version_viewer_and_bytes() -> None:
    made = chain.commit(SALT, BOUND, 7, 2, b'{"a":1}')
    place = BOUND + (7).to_bytes(8, "big") + b"\x00\x02"
    assert made == sha256(b"plyscribe/facet/1" + SALT + place + b'{"a":1}').digest()
    assert made.hex() == "3b1a127968a7a29535509599b4ee3dfc4dcd95cc7f931f8d0c198f8b4da758fc"
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
    assert joined.hex()[:64] == "576ab1d68e49f3948c8743762c513b33403923c82e1b2ded0e0378c5a628eb3d"


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
