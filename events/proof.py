"""What lets one viewer check an event against the chain, and nothing that opens more."""

import msgspec

from events import chain
from events.canonical import decoded
from events.types import Record
from games.core.game import ALL, SPECTATOR, Viewer


class Proof(msgspec.Struct, frozen=True):
    """All in hex. `commitments` by facet index: public, seat 0 … n-1, full.

    `salts` are facet salts: `public`, and `own` for a seat. After the reveal, for ALL, it is
    `event` alone: the salt every facet salt of this event is derived from.
    """

    prev: str
    hash: str
    commitments: tuple[str, ...]
    salts: dict[str, str]


def proof_for(record: Record, prev: bytes | None, viewer: Viewer, seats: int) -> Proof:
    """The proof of one event; `prev` is the hash before it, or None for event 1.

    For ALL the caller sees to it that the match is revealed.
    """
    width = chain.COMMITMENT_BYTES
    joined = record.facets
    if prev is None:
        assert record.version == 1, record.version
        prev = chain.genesis(decoded(record.body)["match_id"], seats)
    return Proof(
        prev=prev.hex(),
        hash=record.hash.hex(),
        commitments=tuple(joined[i : i + width].hex() for i in range(0, len(joined), width)),
        salts=_salts(record.salt, viewer, seats),
    )


def _salts(salt: bytes, viewer: Viewer, seats: int) -> dict[str, str]:
    if viewer == ALL:
        return {"event": salt.hex()}
    assert viewer == SPECTATOR or 0 <= viewer < seats, viewer
    salts = {"public": chain.facet_salt(salt, chain.PUBLIC).hex()}
    if viewer != SPECTATOR:
        salts["own"] = chain.facet_salt(salt, viewer + 1).hex()
    return salts
