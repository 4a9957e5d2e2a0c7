"""What a seat does, signed with a key of its own, so that nobody else can have done it.

The signature is over `prefixed("plyscribe/move/1", match id, decision, commitment, version, head)`:
the match id's 16 bytes, the decision's id or nothing for an aside, HMAC-SHA256(nonce, move) over
the canonical move as the log holds it, and a version that the seat has seen, with its hash. A seat
that resigns signs "resign" as the decision and `{}` as the move.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hmac import digest as hmac
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from events.canonical import prefixed
from events.chain import id_bytes
from events.match import Match
from events.types import SeatSignature, SeenSignature
from games.core.game import Seat

KEY_BYTES: Final = 32
NONCE_BYTES: Final = 32
RESIGNING: Final = "resign"  # no decision is called that
_SIGNATURE_BYTES: Final = 64
_HASH_BYTES: Final = 32
_TAG: Final = "plyscribe/move/1"


class SeatSignatureWrong(Exception):
    """What is wrong with a signature, in words that tell nothing hidden."""


def is_key(text: str) -> bool:
    """Whether it is an Ed25519 key in base64url as it is always written."""
    return _opened(text, KEY_BYTES) is not None


def check_signed(
    current: Match,
    seat: Seat,
    decision: str | None,
    what: bytes,
    signed: SeatSignature | None,
) -> None:
    """That the seat signed it, if it has a key, knowing what it has to know by now.

    `what` is the canonical move as the log holds it. Whether `head` is that of the version is left
    to who has the log. Raises: SeatSignatureWrong.
    """
    key = current.keys[seat]
    if key is None:
        if signed is not None:
            raise SeatSignatureWrong("the seat has no key")
        return
    if signed is None:
        raise SeatSignatureWrong("the seat has a key and did not sign this")
    # Nothing signed before can be brought forward again.
    least = current.signed[seat]
    if decision is not None and decision != RESIGNING:
        least = max(least, current.asked[seat])
    if not least <= signed.version <= current.version:
        raise SeatSignatureWrong(f"version {signed.version} is not from {least} on")
    nonce = _unhexed(signed.nonce, NONCE_BYTES)
    committed = hmac(nonce, what, "sha256")
    check_commitment(key, current.match_id, decision, committed, signed)


def check_commitment(
    key: str,
    match_id: str,
    decision: str | None,
    committed: bytes,
    signed: SeatSignature | SeenSignature,
) -> None:
    """That the key signed the commitment. Raises: SeatSignatureWrong."""
    public, signature = _opened(key, KEY_BYTES), _opened(signed.signature, _SIGNATURE_BYTES)
    if public is None or signature is None:
        raise SeatSignatureWrong("key or signature is not written as it has to be")
    head = _unhexed(signed.head, _HASH_BYTES)
    data = signed_bytes(match_id, decision, committed, signed.version, head)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, data)
    except (InvalidSignature, ValueError):
        raise SeatSignatureWrong("the seat's key did not sign this") from None


def sign_move(
    key: Ed25519PrivateKey,
    match_id: str,
    decision: str | None,
    what: bytes,
    nonce: bytes,
    version: int,
    head: bytes,
) -> SeatSignature:
    """What a client does."""
    committed = hmac(nonce, what, "sha256")
    signature = key.sign(signed_bytes(match_id, decision, committed, version, head))
    return SeatSignature(version, head.hex(), nonce.hex(), coded(signature))


def signed_bytes(
    match_id: str, decision: str | None, committed: bytes, version: int, head: bytes
) -> bytes:
    return prefixed(_TAG, id_bytes(match_id), decision or "", committed, version, head)


def coded(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _opened(text: str, length: int) -> bytes | None:
    try:
        data = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        return None
    return data if len(data) == length and coded(data) == text else None


def _unhexed(text: str, length: int) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        data = b""
    if len(data) != length or data.hex() != text:
        raise SeatSignatureWrong("nonce or head is not in hex as it has to be")
    return data
