"""The tamper-evident chain: per-viewer commitments of every event and one hash over all of them.

Every event has seats + 2 commitments in fixed order: public, seat 0 … n-1, full. All viewers share
one chain, each checks it with the bytes and salts it may have, and no hash can be guessed from.
"""

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from uuid import UUID

from events.types import FORMAT

SALT_BYTES = 32
COMMITMENT_BYTES = 32
SAME = b"="  # the facet of a seat that sees what the public sees
PUBLIC = 0  # facet index; seat s is s + 1, full is seats + 1

_SALT = b"facet"
_COMMIT = b"plyscribe/facet/1"
_EVENT = b"plyscribe/event/1"
_GENESIS = b"plyscribe/genesis/1"


def genesis(match_id: str, seats: int, log_format: int = FORMAT) -> bytes:
    """The hash before event 1."""
    bound = id_bytes(match_id) + seats.to_bytes(2, "big") + log_format.to_bytes(2, "big")
    return sha256(_GENESIS + bound).digest()


def facet_salt(salt: bytes, index: int) -> bytes:
    """The salt of one facet from the event's: whoever has it learns no other."""
    return keyed(salt, _SALT + index.to_bytes(2, "big"))


def commit(salt: bytes, match_id: bytes, version: int, index: int, facet: bytes) -> bytes:
    """One commitment under its facet salt; `match_id` is the UUID's 16 bytes."""
    place = match_id + version.to_bytes(8, "big") + index.to_bytes(2, "big")
    return keyed(salt, _COMMIT + place + facet)


def commitments(match_id: str, version: int, salt: bytes, facets: Sequence[bytes]) -> bytes:
    """The list of commitments, joined; `facets` are the bytes by facet index."""
    # `commit` under `facet_salt` for each, written out: this is most of what sealing costs.
    place = _COMMIT + id_bytes(match_id) + version.to_bytes(8, "big")
    salt_inner = salt.translate(_INNER) + _INNER_REST + _SALT
    salt_outer = salt.translate(_OUTER) + _OUTER_REST
    joined = []
    for index, facet in enumerate(facets):
        at = index.to_bytes(2, "big")
        own = sha256(salt_outer + sha256(salt_inner + at).digest()).digest()
        inner = sha256(own.translate(_INNER) + _INNER_REST + place + at + facet).digest()
        joined.append(sha256(own.translate(_OUTER) + _OUTER_REST + inner).digest())
    return b"".join(joined)


def link(prev: bytes, version: int, joined: bytes) -> bytes:
    """The hash of an event from the hash before it and its commitments."""
    return sha256(_EVENT + prev + version.to_bytes(8, "big") + joined).digest()


def keyed(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA256 (RFC 2104) for a key of 32 bytes.

    An event has 2 · (seats + 2) of these, and the one of the standard library sets up a context
    for each, which takes three times as long.
    """
    inner = sha256(key.translate(_INNER) + _INNER_REST + data).digest()
    return sha256(key.translate(_OUTER) + _OUTER_REST + inner).digest()


_INNER, _INNER_REST = bytes(byte ^ 0x36 for byte in range(256)), b"\x36" * 32
_OUTER, _OUTER_REST = bytes(byte ^ 0x5C for byte in range(256)), b"\x5c" * 32


def salt_in(text: str) -> bytes:
    """A salt or nonce out of the hex it is always written in.

    Of another length it would be another's too: HMAC fills up with zeros. Raises: ValueError.
    """
    data = bytes.fromhex(text)
    if len(data) != SALT_BYTES or data.hex() != text:
        raise ValueError(f"not {SALT_BYTES} bytes in hex")
    return data


def is_id(text: str) -> bool:
    """Whether it is a match id in the one form it is written in."""
    try:
        return text == str(UUID(text))
    except ValueError:
        return False


@lru_cache(4096)
def id_bytes(match_id: str) -> bytes:
    """The 16 bytes of a UUID."""
    return UUID(match_id).bytes
