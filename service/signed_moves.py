"""Seats with a key of their own: what a door is given, and that its head is one of the match."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

from events.decide import MoveUnsigned
from events.types import SeatSignature
from service.parts import Parts

Hash = Annotated[
    str, Meta(pattern=r"^[0-9a-f]{64}\Z", description="64 lower-case hexadecimal digits")
]
SeatKey = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9_-]{43}\Z",
        description="32 bytes in base64url, which are 43 characters",
    ),
]

_LATEST: Final = 2**53 - 1


class SeatSigned(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A seat's signature as a request has it. `text_salt` is for moves with texts."""

    version: Annotated[int, Meta(ge=1, le=_LATEST)]
    head: Hash
    nonce: Hash
    signature: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z0-9_-]{86}\Z",
            description="64 bytes in base64url, which are 86 characters",
        ),
    ]
    text_salt: Hash | None = None

    @property
    def signature_of(self) -> SeatSignature:
        return SeatSignature(self.version, self.head, self.nonce, self.signature)


async def checked_head(parts: Parts, match_id: str, signed: SeatSigned | None) -> None:
    """That the seat has seen this match, not another one under its id. Raises: MoveUnsigned."""
    if signed is None:
        return
    current = parts.cache.peek(match_id)
    if current is not None and current.version == signed.version:
        head = current.head
    else:
        found = await parts.store.records(match_id, signed.version - 1, 1)
        head = found[0].hash if found else b""
    if head.hex() != signed.head:
        raise MoveUnsigned("the head is not that of the version")


def text_salt(parts: Parts, signed: SeatSigned | None, length: int) -> bytes:
    """What the digests of texts are made with: the seat's, which has to sign them, or random."""
    if signed is None or signed.text_salt is None:
        return parts.entropy(length)
    return bytes.fromhex(signed.text_salt)
