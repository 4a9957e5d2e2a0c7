"""What the service signs about one match, as documents that anybody can keep and check.

A document is `{"tag", "payload", "kid", "signature"}`: the signature of a key for receipts over tag
and canonical payload (events/signing.py). Payloads hold nothing their reader may not know.
"""

from collections.abc import Iterator
from hashlib import sha256
from hmac import digest as hmac
from typing import Any, Final, TypeAlias

import msgspec

from events.canonical import canonical, decoded, prefixed, raw
from events.results import Ending, ResultStatus, SeatResult
from events.signing import KeySet, Purpose, Signature, SignatureWrong
from games.core.game import ALL, SPECTATOR, Viewer

RECEIPT: Final = "plyscribe/receipt/1"
REFUSAL: Final = "plyscribe/refusal/1"
VIEW: Final = "plyscribe/view/1"
DECISION: Final = "plyscribe/decision/1"
HEAD: Final = "plyscribe/head/1"
RESULT: Final = "plyscribe/result/1"

FIRST_REFUSAL: Final = bytes(32).hex()  # what the first refusal of a seat stands behind
_LINK: Final = "plyscribe/refusal-link/1"


class Evidence(msgspec.Struct, frozen=True):
    """A signed document. `payload` is canonical JSON; `tag` says what it means."""

    tag: str
    payload: msgspec.Raw
    kid: str
    signature: str


class ReceiptOf(msgspec.Struct, frozen=True):
    """A move was accepted: it and what followed of itself are the events `first` to `last`.

    `head` is the hash of `last`, `commitment` the seat's own commitment of `first`, both in hex;
    `decision` is None for an aside; `at` is when it arrived (ms).
    """

    match_id: str
    seat: int
    decision: str | None
    first: int
    last: int
    head: str
    commitment: str
    at: int


class RefusalOf(msgspec.Struct, frozen=True):
    """A move was refused when the match was at `version` with `head`, for the reason `code`.

    `submitted` commits to the move (`submission`). The refusals of a seat are counted from 1, and
    `prev` is the link of the one before.
    """

    match_id: str
    seat: int
    number: int
    prev: str
    decision: str | None
    submitted: str
    code: str
    version: int
    head: str
    at: int


class ShownOf(msgspec.Struct, frozen=True):
    """What a viewer was shown of a version: a view or a decision; `body` is its SHA-256 in hex.

    `form` is counted up when the same things come to be written another way.
    """

    form: int
    match_id: str
    viewer: str
    version: int
    head: str
    body: str


class HeadOf(msgspec.Struct, frozen=True):
    """The hash (hex) of the event `version`."""

    match_id: str
    version: int
    head: str


class ResultOf(msgspec.Struct, frozen=True):
    """The result of a match as it stands since the event `version`, whose hash is `head`.

    `form` is counted up when the same result comes to be written another way.
    """

    form: int
    match_id: str
    version: int
    head: str
    status: ResultStatus
    revision: int
    terminal: Ending | None
    replaced_by: str | None
    seats: tuple[SeatResult, ...]


Payload: TypeAlias = ReceiptOf | RefusalOf | ShownOf | HeadOf | ResultOf

PAYLOADS: Final[dict[str, type[Payload]]] = {
    RECEIPT: ReceiptOf,
    REFUSAL: RefusalOf,
    VIEW: ShownOf,
    DECISION: ShownOf,
    HEAD: HeadOf,
    RESULT: ResultOf,
}


class EvidenceWrong(Exception):
    """No document of a known kind, or not in the one form it can have."""


def document(tag: str, payload: bytes, signature: Signature) -> Evidence:
    return Evidence(tag, msgspec.Raw(payload), signature.kid, signature.signature)


def payload_of(evidence: Evidence) -> Payload:
    """What the document says, unverified. Raises: EvidenceWrong."""
    kind = PAYLOADS.get(evidence.tag)
    if kind is None:
        raise EvidenceWrong(f"no document of this service: {evidence.tag[:60]!r}")
    try:
        payload: Payload = msgspec.json.decode(evidence.payload, type=kind)
    except msgspec.MsgspecError as error:
        raise EvidenceWrong(f"{evidence.tag}: {error}") from None
    if canonical(payload) != canonical(decoded(evidence.payload)):
        raise EvidenceWrong(f"{evidence.tag}: it says more than it can")
    return payload


def verify(evidence: Evidence, keys: KeySet) -> Payload:
    """What the document says, once its signature is found right.

    The key has to have been in use when it says that something happened.
    Raises: EvidenceWrong, SignatureWrong.
    """
    payload = payload_of(evidence)
    signed = Signature(evidence.kid, evidence.signature)
    at = payload.at if isinstance(payload, ReceiptOf | RefusalOf) else None
    keys.verify(Purpose.RECEIPTS, evidence.tag, canonical(payload), signed, at)
    return payload


def body_digest(body: bytes) -> str:
    return sha256(body).hexdigest()


def submission(salt: bytes, move: Any) -> str:
    """What a refusal says of the move: HMAC-SHA256 over its canonical JSON, in hex."""
    return hmac(salt, canonical(move), "sha256").hex()


def link(payload: bytes) -> str:
    """What the next refusal of the seat stands behind: a digest of the canonical payload."""
    return sha256(prefixed(_LINK, payload)).hexdigest()


def viewer_name(viewer: Viewer) -> str:
    return {SPECTATOR: "public", ALL: "full"}.get(viewer, f"seat:{viewer}")


def found_in(value: Any) -> Iterator[tuple[Evidence, dict[str, Any]]]:
    """Every document in a JSON value, each with the object it stands in."""
    match value:
        case {"tag": str(tag), "payload": dict() as said, "kid": str(kid), "signature": str(by)}:
            yield Evidence(tag, raw(said), kid, by), value
        case dict():
            for each in value.values():
                for evidence, inside in found_in(each):
                    yield evidence, value if each is inside else inside
        case list():
            for each in value:
                yield from found_in(each)


__all__ = [
    "DECISION",
    "FIRST_REFUSAL",
    "HEAD",
    "RECEIPT",
    "REFUSAL",
    "RESULT",
    "VIEW",
    "Evidence",
    "EvidenceWrong",
    "HeadOf",
    "Payload",
    "ReceiptOf",
    "RefusalOf",
    "ResultOf",
    "ShownOf",
    "SignatureWrong",
    "body_digest",
    "document",
    "found_in",
    "link",
    "payload_of",
    "submission",
    "verify",
    "viewer_name",
]
