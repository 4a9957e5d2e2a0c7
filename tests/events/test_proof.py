"""Proofs: a viewer gets what opens its own facets, and nothing that opens another's."""

import pytest

from events import chain
from events.proof import proof_for
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.scripted import MATCH_ID, finished

PLAYED = finished("high_card", 3)
RECORD = PLAYED.records[7]
PREV = PLAYED.records[6].hash


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2, ALL])
def test_a_proof_holds_the_chain_around_the_event(viewer: Viewer) -> None:
    proof = proof_for(RECORD, PREV, viewer, 3)
    assert (proof.prev, proof.hash) == (PREV.hex(), RECORD.hash.hex())
    joined = b"".join(bytes.fromhex(each) for each in proof.commitments)
    assert joined == RECORD.facets
    assert len(proof.commitments) == 5


def test_the_first_event_follows_the_genesis() -> None:
    proof = proof_for(PLAYED.records[0], None, SPECTATOR, 3)
    assert proof.prev == chain.genesis(MATCH_ID, 3).hex()


def test_salts_are_the_public_one_and_the_own() -> None:
    public = chain.facet_salt(RECORD.salt, chain.PUBLIC).hex()
    assert proof_for(RECORD, PREV, SPECTATOR, 3).salts == {"public": public}
    for seat in range(3):
        own = chain.facet_salt(RECORD.salt, seat + 1).hex()
        assert proof_for(RECORD, PREV, seat, 3).salts == {"public": public, "own": own}
    assert proof_for(RECORD, PREV, ALL, 3).salts == {"event": RECORD.salt.hex()}


@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_nothing_in_a_proof_opens_the_facet_of_another(viewer: Viewer) -> None:
    proof = proof_for(RECORD, PREV, viewer, 3)
    text = repr(proof)
    assert RECORD.salt.hex() not in text
    for index in range(5):
        if index not in (chain.PUBLIC, viewer + 1):
            assert chain.facet_salt(RECORD.salt, index).hex() not in text


def test_no_proof_is_made_for_a_seat_that_does_not_exist() -> None:
    with pytest.raises(AssertionError):
        proof_for(RECORD, PREV, 3, 3)
    with pytest.raises(AssertionError):
        proof_for(RECORD, None, SPECTATOR, 3)
