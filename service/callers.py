"""Who calls: a key, the token of a seat, a spectator or an arbiter, or a user of somebody's."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from games.core.game import Seat


class Scope(StrEnum):
    """What an API key may do, word by word."""

    MATCHES_CREATE = "matches:create"
    MATCHES_READ = "matches:read"
    MATCHES_MANAGE = "matches:manage"
    SEATS_ISSUE = "seats:issue"
    OBSERVE = "observe"
    ARBITRATE = "arbitrate"
    ERASE = "erase"
    AUDIT_READ = "audit:read"
    WEBHOOKS_MANAGE = "webhooks:manage"
    CONNECTIONS_MANAGE = "connections:manage"
    KEYS_MANAGE = "keys:manage"
    ISSUERS_MANAGE = "issuers:manage"
    ORGS_MANAGE = "orgs:manage"


ADMIN: Final = "admin"  # how older keys say "every scope"
FIRST_ORG: Final = "main"  # the operator's own; its keys alone may manage organisations
WATCHING: Final = (Scope.OBSERVE, Scope.ARBITRATE)


class Right(msgspec.Struct, frozen=True):
    """What it takes to make a request: a key with all of the scopes, in which there is one at
    least; with `match_id`, of the organisation that owns the match.
    """

    scopes: tuple[Scope, ...]
    match_id: str | None = None


class Kind(StrEnum):
    KEY = "api_key"
    SEAT = "seat_token"
    SPECTATOR = "spectator_token"
    ARBITER = "arbiter_token"
    USER = "user"


ARBITERS: Final = (Kind.KEY, Kind.ARBITER)  # who may have the scope to arbitrate


class Delay(msgspec.Struct, frozen=True):
    """How far a spectator stays behind: so many versions and milliseconds, whichever is longer."""

    versions: int
    ms: int


class User(msgspec.Struct, frozen=True):
    """Whom an issuer vouches for until `expires_at` (ms), in one match.

    `seats` are held by the account; `listed` are those it may claim.
    """

    issuer: str
    revision: int
    account: str
    expires_at: int
    seats: tuple[Seat, ...] = ()
    listed: tuple[Seat, ...] = ()


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """`org` owns the key or the match. `hash` names the credential and is no secret.

    `match_id` is None for an API key alone. `seat` is the one seat that is played; for a user who
    holds several the first, or another by `sitting`. `prefix` is what may be shown of a key,
    `arbiter` the name that the log of its match has for who came with an arbiter's token.
    """

    org: str
    hash: bytes
    kind: Kind = Kind.KEY
    prefix: str | None = None
    scopes: tuple[Scope, ...] = ()
    match_id: str | None = None
    seat: Seat | None = None
    delay: Delay | None = None
    user: User | None = None
    arbiter: str | None = None

    @property
    def principal(self) -> str:
        """In whose name requests are repeated; a new token of a seat is the same principal."""
        match self.kind:
            case Kind.SEAT:
                return f"seat:{self.seat}"
            case Kind.KEY:
                return f"key:{self.hash.hex()[:16]}"
            case Kind.ARBITER:
                return f"arbiter:{self.arbiter}"
            case Kind.SPECTATOR | Kind.USER:
                return f"{self.kind}:{self.hash.hex()[:16]}"

    def holds(self, seat: Seat) -> bool:
        """Whether the caller plays the seat."""
        if self.user is not None:
            return seat in self.user.seats
        return self.kind is Kind.SEAT and self.seat == seat

    def may_claim(self, seat: Seat) -> bool:
        return self.holds(seat) or (self.user is not None and seat in self.user.listed)

    def sitting(self, seat: Seat) -> "Caller":
        """The same caller at another of its seats. The seat has to be one it holds."""
        assert self.holds(seat)
        return msgspec.structs.replace(self, seat=seat)


def scopes_of(org: str, stored: str) -> tuple[Scope, ...]:
    """The scopes a key is stored with; words that are none (any more) give nothing."""
    words = stored.split()
    if ADMIN in words:
        words = list(Scope)
    return allowed_in(org, (Scope(word) for word in words if word in set(Scope)))


def allowed_in(org: str, scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """Those of the scopes a key of the organisation can have, in their usual order."""
    asked = set(scopes) - (set() if org == FIRST_ORG else {Scope.ORGS_MANAGE})
    return tuple(scope for scope in Scope if scope in asked)
