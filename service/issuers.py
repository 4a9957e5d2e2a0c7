"""Issuers of users' tokens: whose word an organisation takes, and by which keys."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from events.tables import ISSUER
from service.auth import require
from service.callers import Caller, Right, Scope
from service.errors import Fault, Invalid, IssuerNotFound, PreconditionFailed, TooManyIssuers
from service.jwks import LARGEST, JwksRefused, keys_in
from service.parts import Parts
from service.reaching import is_address
from service.users import IssuerRow, issuers_of

MOST: Final = 100  # of an organisation
RIGHT: Final = Right((Scope.ISSUERS_MANAGE,))


class IssuerFields(msgspec.Struct, frozen=True):
    """What is set about an issuer. `jwks` is a JWK set; one of the two says where its keys are."""

    issuer: str
    audience: str
    jwks_uri: str | None
    jwks: dict[str, Any] | None
    account_prefix: str


class Issuer(msgspec.Struct, frozen=True):
    id: str
    issuer: str
    audience: str
    jwks_uri: str | None
    jwks: dict[str, Any] | None
    account_prefix: str
    created_at: int
    revision: int


async def create_issuer(parts: Parts, caller: Caller, wanted: IssuerFields) -> Issuer:
    """Raises: ApiKeyRequired, ScopeMissing, TooManyIssuers, Invalid."""
    await parts.doorkeeper.permits(caller, RIGHT)
    row = IssuerRow(
        id=parts.entropy(8).hex(),
        org=caller.org,
        **_stored(parts, wanted),
        created_at=parts.clock(),
        revision=1,
    )

    def work(connection: Connection) -> None:
        if len(issuers_of(connection, caller.org)) >= MOST:
            raise TooManyIssuers
        connection.execute(insert(ISSUER), [msgspec.structs.asdict(row)])

    await parts.database.write(work)
    return _shown(row)


async def list_issuers(parts: Parts, caller: Caller, after: str | None, limit: int) -> list[Issuer]:
    """Those after an id, by id. Raises: ApiKeyRequired, ScopeMissing."""
    require(caller, Scope.ISSUERS_MANAGE)
    rows = await parts.database.read(lambda c: issuers_of(c, caller.org))
    return [_shown(row) for row in rows if after is None or row.id > after][:limit]


async def issuer_of(parts: Parts, caller: Caller, identity: str) -> Issuer:
    """Raises: ApiKeyRequired, ScopeMissing, IssuerNotFound."""
    require(caller, Scope.ISSUERS_MANAGE)
    return _shown(await parts.database.read(lambda c: _row(c, caller.org, identity)))


async def change_issuer(
    parts: Parts,
    caller: Caller,
    identity: str,
    change: Callable[[Issuer], IssuerFields],
    revision: int | None,
) -> Issuer:
    """What `change` makes of it, if it is still at `revision`. Tokens it vouched for work no more.

    Raises: ApiKeyRequired, ScopeMissing, IssuerNotFound, PreconditionFailed, Invalid.
    """
    require(caller, Scope.ISSUERS_MANAGE)

    def work(connection: Connection) -> IssuerRow:
        before = _row(connection, caller.org, identity)
        if revision is not None and revision != before.revision:
            raise PreconditionFailed
        fields = _stored(parts, change(_shown(before)))
        after = msgspec.structs.replace(before, **fields, revision=before.revision + 1)
        own = (ISSUER.c.id == before.id, ISSUER.c.revision == before.revision)
        values = {**fields, "revision": after.revision}
        if connection.execute(update(ISSUER).where(*own).values(values)).rowcount != 1:
            raise PreconditionFailed
        return after

    changed = await parts.database.write(work)
    parts.doorkeeper.forget_users(caller.org)
    return _shown(changed)


async def remove_issuer(parts: Parts, caller: Caller, identity: str, revision: int | None) -> None:
    """If it is still at `revision` (None: whatever it is at).

    Raises: ApiKeyRequired, ScopeMissing, IssuerNotFound, PreconditionFailed.
    """
    require(caller, Scope.ISSUERS_MANAGE)

    def work(connection: Connection) -> None:
        row = _row(connection, caller.org, identity)
        if revision is not None and revision != row.revision:
            raise PreconditionFailed
        connection.execute(delete(ISSUER).where(ISSUER.c.id == row.id))

    await parts.database.write(work)
    parts.doorkeeper.forget_users(caller.org)


def _row(connection: Connection, org: str, identity: str) -> IssuerRow:
    own = (ISSUER.c.org == org, ISSUER.c.id == identity)
    row = connection.execute(select(ISSUER).where(*own)).first()
    if row is None:
        raise IssuerNotFound
    return IssuerRow(*row)


def _shown(row: IssuerRow) -> Issuer:
    fields = msgspec.structs.asdict(row)
    del fields["org"]
    jwks = None if row.jwks is None else msgspec.json.decode(row.jwks)
    return Issuer(**{**fields, "jwks": jwks})


def _stored(parts: Parts, wanted: IssuerFields) -> dict[str, Any]:
    """Raises: Invalid."""
    if (wanted.jwks_uri is None) == (wanted.jwks is None):
        raise Invalid(Fault("/jwks_uri", "one-of", "exactly one of jwks_uri and jwks is needed"))
    allow_private = parts.settings.private_issuers
    if wanted.jwks_uri is not None and not is_address(wanted.jwks_uri, allow_private=allow_private):
        raise Invalid(Fault("/jwks_uri", "no-address", "is no https address"))
    return {**msgspec.structs.asdict(wanted), "jwks": _checked(wanted.jwks)}


def _checked(jwks: dict[str, Any] | None) -> str | None:
    if jwks is None:
        return None
    data = msgspec.json.encode(jwks)
    try:
        usable = keys_in(data) if len(data) <= LARGEST else {}
    except JwksRefused as refused:
        raise Invalid(Fault("/jwks", "unusable", str(refused))) from None
    if not usable:
        reason = "holds no public key of RS256 (2048 bits), ES256 or EdDSA (Ed25519)"
        raise Invalid(Fault("/jwks", "unusable", reason))
    return data.decode()
