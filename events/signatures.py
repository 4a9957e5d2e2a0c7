"""What a seat with a key signs with: as the log holds it, and as everybody sees it."""

import msgspec


class SeatSignature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """By the key of a seat, over what it does; events/seat_keys.py says what is signed.

    `head` is the hash of the event `version`, the last that the seat had seen. `head` and `nonce`
    are in hex, `signature` in base64url.
    """

    version: int
    head: str
    nonce: str
    signature: str


class SeenSignature(msgspec.Struct, frozen=True):
    """A seat's signature as everybody sees it: `committed` (hex) hides what was signed."""

    version: int
    head: str
    committed: str
    signature: str
