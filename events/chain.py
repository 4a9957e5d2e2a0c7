"""The tamper-evident chain: per-viewer commitments of every event and one hash over all of them.

Every event has seats + 2 commitments in fixed order: public, seat 0 … n-1, full. All viewers share
one chain, each checks it with the bytes and salts it may have, and no hash can be guessed from.
"""

import hashlib
from collections.abc import Sequence
from hmac import digest as hmac
from uuid import UUID

from events.types import FORMAT

SALT_BYTES = 32
COMMITMENT_BYTES = 32
SAME = b"="  # the facet of a seat that sees what the public sees
PUBLIC = 0  # facet index; seat s is s + 1, full is seats + 1

_COMMIT = b"plyscribe/facet/1"
_EVENT = b"plyscribe/event/1"
_GENESIS = b"plyscribe/genesis/1"


def genesis(match_id: str, seats: int, log_format: int = FORMAT) -> bytes:
    """The hash before event 1."""
    bound = UUID(match_id).bytes + seats.to_bytes(2, "big") + log_format.to_bytes(2, "big")
    return hashlib.sha256(_GENESIS + bound).digest()


def facet_salt(salt: bytes, index: int) -> bytes:
    return hmac(salt, b"facet" + index.to_bytes(2, "big"), "sha256")


def commit(salt: bytes, match_id: bytes, version: int, index: int, facet: bytes) -> bytes:
    """One commitment under its facet salt; `match_id` is the UUID's 16 bytes."""
    place = match_id + version.to_bytes(8, "big") + index.to_bytes(2, "big")
    return hmac(salt, _COMMIT + place + facet, "sha256")


def commitments(match_id: str, version: int, salt: bytes, facets: Sequence[bytes]) -> bytes:
    """The list of commitments, joined; `facets` are the bytes by facet index."""
    bound = UUID(match_id).bytes
    return b"".join(
        commit(facet_salt(salt, index), bound, version, index, facet)
        for index, facet in enumerate(facets)
    )


def link(prev: bytes, version: int, joined: bytes) -> bytes:
    """The hash of an event from the hash before it and its commitments."""
    return hashlib.sha256(_EVENT + prev + version.to_bytes(8, "big") + joined).digest()
