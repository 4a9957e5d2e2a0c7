"""What requests may say: bodies, path parameters, headers."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.admitting import admitted
from service.auth import Caller
from service.errors import (
    Fault,
    MatchNotFound,
    OtherSeat,
    ParameterInvalid,
    PreconditionFailed,
    PreconditionRequired,
    SeatNotFound,
)
from service.http import Request
from service.ids import match_id_in
from service.match_bodies import MatchBody as MatchBody
from service.parts import Parts
from service.said import NAME_LENGTH as NAME_LENGTH
from service.said import Body as Body
from service.said import Name as Name
from service.signed_moves import Hash, SeatKey, SeatSigned

SEAT: Final = "seat"  # the query parameter

DecisionId = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,16}\.[0-9]{1,3}\Z",
        description="the id of a decision, two numbers with a dot between them, as 41.2",
    ),
]


class MoveBody(Body, frozen=True):
    """`decision` is null for an aside."""

    decision: DecisionId | None
    move: dict[str, Any]
    signed: SeatSigned | UnsetType | None = UNSET


class ClaimBody(Body, frozen=True):
    """`account` is whom the seat stands for outside; it never enters the log.

    With a `key` (Ed25519, base64url) all that the seat does has to be signed with it.
    """

    account: Name | None = None
    key: SeatKey | None = None


class ResignBody(Body, frozen=True):
    """`signed` is for a seat with a key."""

    signed: SeatSigned | None = None


class EntropyBody(Body, frozen=True):
    """Exactly one of the two. A `commitment` that is null: the seat puts nothing in."""

    commitment: Hash | UnsetType | None = UNSET
    opening: Hash | UnsetType = UNSET


class ErasureBody(Body, frozen=True):
    """The text `field` of event `event`, or all that the seat said so far: one of the two.

    `reason` is kept beside the log, for the operator; it should name nobody.
    """

    event: Annotated[int, Meta(ge=1, le=2**53 - 1)] | None = None
    field: Name | None = None
    seat: Annotated[int, Meta(ge=0, le=999)] | None = None
    reason: Name | None = None

    def __post_init__(self) -> None:
        one = (self.event is None) == (self.field is None)
        if not one or (self.event is None) == (self.seat is None):
            raise ValueError("has either `event` and `field` or `seat`")


class AccountErasureBody(Body, frozen=True):
    """`reason` is kept, the account is not."""

    account: Name
    reason: Name | None = None


ERASURE: Final = msgspec.json.Decoder(ErasureBody)
ACCOUNT_ERASURE: Final = msgspec.json.Decoder(AccountErasureBody)
MOVE: Final = msgspec.json.Decoder(MoveBody)
MATCH: Final = msgspec.json.Decoder(MatchBody)
CLAIM: Final = msgspec.json.Decoder(ClaimBody)
RESIGN: Final = msgspec.json.Decoder(ResignBody)
ENTROPY: Final = msgspec.json.Decoder(EntropyBody)


async def caller_of(
    parts: Parts, request: Request, *names: str, match_id: str | None = None
) -> Caller:
    """The caller of a request, whose query may have the parameters `names` and no others.

    `match_id` is the match it is about, by default the one in its address. With `seat` among
    the names, a user chooses one of several seats by it.
    Raises: NoCredentials, TooManyRequests, ParameterInvalid, OtherSeat.
    """
    about = match_id or match_id_in(request.path.get("match", ""))
    authorization = request.header(b"authorization")
    caller, taken = await admitted(parts, authorization, request.address, about)
    request.limit = taken.headers
    request.only(*names)
    return _seated(request, caller) if SEAT in names else caller


def _seated(request: Request, caller: Caller) -> Caller:
    given = request.query(SEAT)
    if given is None:
        return caller
    seat = request.whole(SEAT, 0, 0, 999)
    if not caller.holds(seat):
        raise OtherSeat
    return caller.sitting(seat)


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


def account_of(request: Request) -> str | None:
    """Whom an arbiter acts for, by the query. Raises: ParameterInvalid."""
    given = request.query("account")
    if given is not None and not 1 <= len(given) <= 200:
        raise ParameterInvalid(Fault("account", "out-of-range", "has 1 to 200 characters"))
    return given


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


def revision_of(request: Request) -> int | None:
    """The revision that If-Match names; None for any that is there. What a tag has after a `-` is
    of no account.

    Raises: PreconditionRequired without the header, PreconditionFailed for what is no tag of ours.
    """
    given = request.header(b"if-match")
    if given is None:
        raise PreconditionRequired
    if given.strip() == "*":
        return None
    tag = given.strip().removeprefix('"').removesuffix('"')
    revision, _, _ = tag.partition("-")
    if given.strip() != revision_tag(tag) or not (
        revision.isascii() and revision.isdigit() and len(revision) < 10
    ):
        raise PreconditionFailed
    return int(revision)


def revision_if_named(request: Request) -> int | None:
    """The same, and None without the header. Raises: PreconditionFailed."""
    return None if request.header(b"if-match") is None else revision_of(request)


def revision_tag(revision: object) -> str:
    return f'"{revision}"'
