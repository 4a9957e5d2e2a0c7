"""Bodies of requests about keys, organisations, issuers, spectators and tickets."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from events.types import Closing, Start
from service.callers import Scope
from service.clock_bodies import ClockBody
from service.founding import NewGroupRequest
from service.rest.inputs import Body, Name
from service.said import Ago

MOST_TABLES: Final = 500
At = Annotated[int, Meta(ge=0, le=2**53 - 1)]  # ms
Uri = Annotated[str, Meta(min_length=1, max_length=2000)]
Scopes = Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=32)]
Table = Annotated[tuple[Name, ...], Meta(min_length=1, max_length=64)]


class KeyBody(Body, frozen=True):
    """A key that can do what `scopes` say, until `expires_at` (ms) if that is not null.

    With `test` it acts in the sandbox.
    """

    name: Name
    scopes: Scopes
    expires_at: At | None = None
    test: bool = False


class KeyChangeBody(Body, frozen=True):
    """What is left out stays as it is."""

    name: Name | UnsetType = UNSET
    scopes: Scopes | UnsetType = UNSET
    expires_at: At | UnsetType | None = UNSET


class RotationBody(Body, frozen=True):
    """The old key works on for so many seconds."""

    overlap_seconds: Ago = 0


class OrgBody(Body, frozen=True):
    id: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9][a-z0-9-]{0,62}\Z",
            description="lower-case letters, digits and hyphens, no hyphen first, 63 at most",
        ),
    ]
    name: Name | None = None


class JwkSet(msgspec.Struct, frozen=True):
    """A JWK set of public keys."""

    keys: tuple[dict[str, Any], ...]


class IssuerBody(Body, frozen=True):
    """Exactly one of `jwks_uri` and `jwks` is given."""

    issuer: Uri
    audience: Uri
    jwks_uri: Uri | None = None
    jwks: JwkSet | None = None
    account_prefix: Annotated[str, Meta(max_length=100)] = ""


class IssuerChangeBody(Body, frozen=True):
    """What is left out stays as it is; of `jwks_uri` and `jwks` one replaces the other."""

    issuer: Uri | UnsetType = UNSET
    audience: Uri | UnsetType = UNSET
    jwks_uri: Uri | UnsetType = UNSET
    jwks: JwkSet | UnsetType = UNSET
    account_prefix: Annotated[str, Meta(max_length=100)] | UnsetType = UNSET


class SpectatorBody(Body, frozen=True):
    delay_versions: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    delay_seconds: Ago = 0
    expires_at: At | None = None


class GroupBody(Body, frozen=True):
    """`tables` are the entrants by table and seat, each once in the whole group."""

    game: Name
    seats: Annotated[int, Meta(ge=1, le=64)]
    tables: Annotated[tuple[Table, ...], Meta(min_length=1, max_length=MOST_TABLES)]
    closes_at: At
    closing: Closing
    rules_version: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    start: Start = Start.AUTO
    external_id: Name | None = None
    clock: ClockBody | None = None

    @property
    def wanted(self) -> NewGroupRequest:
        """Raises: Invalid."""
        options = msgspec.Raw(msgspec.json.encode(self.options))
        clock = None if self.clock is None else self.clock.wanted
        fields = {**msgspec.structs.asdict(self), "options": options, "clock": clock}
        return NewGroupRequest(**fields)


class TicketBody(Body, frozen=True):
    path: Annotated[
        str,
        Meta(
            pattern=r"^/v1/matches/[0-9a-f-]{36}/events\Z",
            description="the path of a match's events, /v1/matches/{match}/events",
        ),
    ]


GROUP: Final = msgspec.json.Decoder(GroupBody)
KEY: Final = msgspec.json.Decoder(KeyBody)
KEY_CHANGE: Final = msgspec.json.Decoder(KeyChangeBody)
ROTATION: Final = msgspec.json.Decoder(RotationBody)
ORG: Final = msgspec.json.Decoder(OrgBody)
ISSUER: Final = msgspec.json.Decoder(IssuerBody)
ISSUER_CHANGE: Final = msgspec.json.Decoder(IssuerChangeBody)
SPECTATOR: Final = msgspec.json.Decoder(SpectatorBody)
TICKET: Final = msgspec.json.Decoder(TicketBody)
