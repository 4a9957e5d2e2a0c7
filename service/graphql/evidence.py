"""What is signed about a match, and what seats sign and put into its seed."""

from typing import Any, Final

import strawberry

from service.graphql.arguments import UNSET, body_of, or_none
from service.graphql.ids import MatchRef
from service.graphql.scalars import JSON
from service.signed_moves import SeatSigned

_UNSET: Final = strawberry.UNSET


@strawberry.type(description="A document signed by a key of the service; the auditing page has it.")
class Evidence:
    tag: str
    payload: JSON
    kid: str
    signature: str


@strawberry.type(description="The refusal signed; `salt` opens what it says was submitted.")
class SignedRefusal:
    document: Evidence
    salt: str


@strawberry.type(
    description="What seats put into the seed, by seat; the start waits for `awaited`."
)
class Entropy:
    closed: bool
    awaited: list[int]
    commitments: list[str | None]
    openings: list[str | None]


@strawberry.input(
    description="The signature of a seat with a key; `textSalt` is for moves with texts."
)
class SeatSignatureInput:
    version: int
    head: str
    nonce: str
    signature: str
    text_salt: str | None = _UNSET


@strawberry.input(description="Exactly one of the two; a commitment of null puts nothing in.")
class ContributeEntropyInput:
    match: MatchRef
    seat: int
    commitment: str | None = _UNSET
    opening: str | None = _UNSET


def signed_of(given: Any) -> SeatSigned | None:
    """Raises: Invalid."""
    signed = or_none(given.signed)
    if signed is None:
        return None
    return body_of(
        SeatSigned,
        version=signed.version,
        head=signed.head,
        nonce=signed.nonce,
        signature=signed.signature,
        text_salt=UNSET if signed.text_salt is None else signed.text_salt,
    )
