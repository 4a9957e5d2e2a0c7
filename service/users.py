"""Users of integrators: who they are by a signed token (JWT) of an issuer of the organisation."""

import warnings
from base64 import urlsafe_b64decode
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from sqlalchemy import Connection, bindparam, select

from events.canonical import prefixed
from events.store import Store
from events.tables import ISSUER, LISTED, SEAT
from service import credentials
from service.callers import Caller, Kind, User
from service.jwks import JwksRefused, Key, KeySets, algorithm_of, keys_in

ALGORITHMS: Final = ("RS256", "ES256", "EdDSA")
EARLY_MS: Final = 30_000  # how far our clock may be behind an issuer's
_MOST: Final = 1_000


class IssuerRow(msgspec.Struct, frozen=True):
    """An issuer of an organisation's users; one of `jwks_uri` and `jwks` is set."""

    id: str
    org: str
    issuer: str
    audience: str
    jwks_uri: str | None
    jwks: str | None
    account_prefix: str
    created_at: int
    revision: int


class Claims(msgspec.Struct, frozen=True):
    """What counts of a token. Times are in seconds."""

    iss: str
    sub: str
    aud: str | tuple[str, ...]
    exp: float
    nbf: float = 0


class _Head(msgspec.Struct, frozen=True):
    alg: str
    kid: str | None = None
    crit: object = None
    typ: str = "JWT"


_HEAD: Final = msgspec.json.Decoder(_Head)
_CLAIMS: Final = msgspec.json.Decoder(Claims)


class Users:
    """Callers out of users' tokens. Nothing here tells why a token is refused."""

    def __init__(
        self, store: Store, clock: Callable[[], int], *, allow_private: bool = False
    ) -> None:
        self._store = store
        self._clock = clock
        self._sets = KeySets(clock, allow_private=allow_private)
        self._inline: OrderedDict[tuple[str, int], dict[str | None, Key]] = OrderedDict()

    async def caller(self, org: str, token: str, match_id: str) -> Caller | None:
        """The user at a match of the organisation; None if it is nobody, or has no part in it."""
        told = _told_by(token)
        if told is None:
            return None
        for row in await self._store.database.read(lambda c: issuers_of(c, org)):
            if row.issuer != told[1].iss:
                continue
            claims = await self._verified(row, token, told[0])
            if claims is not None:
                account = row.account_prefix + claims.sub
                user = User(row.id, row.revision, account, int(claims.exp * 1000))
                return await self._at(org, match_id, user)
        return None

    async def again(self, caller: Caller) -> Caller | None:
        """The caller of an earlier token, which may have expired or lost its issuer meanwhile."""
        user, match_id = caller.user, caller.match_id
        assert user is not None
        assert match_id is not None
        rows = await self._store.database.read(lambda c: issuers_of(c, caller.org))
        known = {(row.id, row.revision) for row in rows}
        if user.expires_at <= self._clock() or (user.issuer, user.revision) not in known:
            return None
        return await self._at(caller.org, match_id, user)

    async def _verified(self, row: IssuerRow, token: str, head: _Head) -> Claims | None:
        key = await self._key(row, head.kid)
        if key is None or head.alg != algorithm_of(key):
            return None
        try:
            with warnings.catch_warnings():
                # The name EdDSA is on its way out (RFC 9864), but it is what issuers use.
                warnings.simplefilter("ignore")
                signed = jws.deserialize_compact(token, key, algorithms=[head.alg])
            claims = _CLAIMS.decode(signed.payload)
        except (JoseError, msgspec.MsgspecError, ValueError):
            return None
        return claims if self._holds(row, claims) else None

    def _holds(self, row: IssuerRow, claims: Claims) -> bool:
        now = self._clock()
        audiences = (claims.aud,) if isinstance(claims.aud, str) else claims.aud
        return (
            claims.iss == row.issuer
            and row.audience in audiences
            and 0 < len(claims.sub) <= 200
            and "\0" not in claims.sub
            and now < claims.exp * 1000 < 2**53
            and claims.nbf * 1000 <= now + EARLY_MS
        )

    async def _key(self, row: IssuerRow, kid: str | None) -> Key | None:
        if row.jwks_uri is not None:
            return await self._sets.key(row.jwks_uri, kid)
        place = (row.id, row.revision)
        if place not in self._inline:
            try:
                self._inline[place] = keys_in((row.jwks or "").encode())
            except JwksRefused:
                return None
            if len(self._inline) > _MOST:
                self._inline.popitem(last=False)
        return self._inline[place].get(kid)

    async def _at(self, org: str, match_id: str, user: User) -> Caller | None:
        account = user.account
        seats, listed = await self._store.database.read(lambda c: seats_for(c, match_id, account))
        if not seats and not listed:
            return None
        return Caller(
            org=org,
            hash=credentials.stored(prefixed(user.issuer, account).hex()),
            kind=Kind.USER,
            match_id=match_id,
            seat=seats[0] if seats else None,
            user=msgspec.structs.replace(user, seats=seats, listed=listed),
        )


def issuers_of(connection: Connection, org: str) -> list[IssuerRow]:
    rows = connection.execute(select(ISSUER).where(ISSUER.c.org == org).order_by(ISSUER.c.id))
    return [IssuerRow(*row) for row in rows]


def seats_for(
    connection: Connection, match_id: str, account: str
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The seats an account holds, and those it may claim because nobody does."""
    query = select(SEAT.c.seat, SEAT.c.account).where(SEAT.c.match_id == match_id)
    held = {row.seat: row.account for row in connection.execute(query)}
    listed = connection.execute(
        select(LISTED.c.seat)
        .where(LISTED.c.match_id == match_id, LISTED.c.account == bindparam("who"))
        .order_by(LISTED.c.seat),
        {"who": account},
    ).scalars()
    own = tuple(sorted(seat for seat, holder in held.items() if holder == account))
    return own, tuple(seat for seat in listed if seat not in held)


def _told_by(token: str) -> tuple[_Head, Claims] | None:
    """What a token says of itself, not verified: enough to know whom to ask."""
    head, payload, *_ = token.split(".")
    try:
        said = _HEAD.decode(_unpacked(head))
        claims = _CLAIMS.decode(_unpacked(payload))
    except (msgspec.MsgspecError, ValueError):
        return None
    if said.alg not in ALGORITHMS or said.crit is not None:
        return None
    return said, claims


def _unpacked(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))
