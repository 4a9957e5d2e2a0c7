"""What requests may say: bodies, path parameters, headers."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from events.types import Start
from service.auth import Caller
from service.errors import Fault, MatchNotFound, ParameterInvalid, SeatNotFound
from service.http import Request
from service.ids import match_id_in
from service.parts import Parts

DecisionId = Annotated[str, Meta(pattern=r"^[0-9]{1,16}\.[0-9]{1,3}$")]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class _Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


class MoveBody(_Body, frozen=True):
    """`decision` is null for an aside."""

    decision: DecisionId | None
    move: dict[str, Any]


class MatchBody(_Body, frozen=True):
    game: Name
    seats: Annotated[int, Meta(ge=1, le=64)]
    rules_version: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    options: dict[str, Any] = {}
    start: Start = Start.AUTO
    external_id: Name | None = None


class ClaimBody(_Body, frozen=True):
    """`account` is whom the seat stands for outside; it never enters the log."""

    account: Name | None = None


MOVE: Final = msgspec.json.Decoder(MoveBody)
MATCH: Final = msgspec.json.Decoder(MatchBody)
CLAIM: Final = msgspec.json.Decoder(ClaimBody)


async def caller_of(parts: Parts, request: Request) -> Caller:
    """Raises: NoCredentials."""
    return await parts.doorkeeper.caller_of(request.header(b"authorization"))


def match_id_of(request: Request) -> str:
    """Raises: MatchNotFound."""
    match_id = match_id_in(request.path["match"])
    if match_id is None:
        raise MatchNotFound
    return match_id


def seat_of(request: Request) -> int:
    """Raises: SeatNotFound."""
    given = request.path["seat"]
    if not (given.isascii() and given.isdigit() and len(given) <= 3):
        raise SeatNotFound
    return int(given)


def idempotency_key(request: Request) -> str | None:
    """The header, a quoted string or bare. Raises: ParameterInvalid."""
    given = request.header(b"idempotency-key")
    if given is None:
        return None
    key = given.strip()
    if len(key) >= 2 and key[0] == key[-1] == '"':
        key = key[1:-1]
    if not 1 <= len(key) <= 255 or not (key.isascii() and key.isprintable()):
        raise ParameterInvalid(
            Fault("Idempotency-Key", "malformed", "has 1 to 255 printable ASCII characters")
        )
    return key


def sealed_cursor(parts: Parts, cursor: bytes, bound_to: bytes) -> str:
    return urlsafe_b64encode(parts.vault.signed(cursor, bound_to)).decode().rstrip("=")


def opened_cursor(parts: Parts, request: Request, bound_to: bytes) -> bytes | None:
    """The query's cursor, None if there is none. Raises: ParameterInvalid."""
    given = request.query("cursor")
    if given is None:
        return None
    try:
        signed = urlsafe_b64decode(given + "=" * (-len(given) % 4))
    except ValueError:
        signed = b""
    cursor = parts.vault.unsigned(signed, bound_to)
    if cursor is None:
        raise ParameterInvalid(Fault("cursor", "unknown-cursor", "is not a cursor of this list"))
    return cursor
