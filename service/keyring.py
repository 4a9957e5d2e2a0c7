"""API keys and organisations: made, changed, rotated, revoked. A secret is told once.

What takes a connection and no caller is there for commands of the operator as well.
"""

from typing import Any, Final

import msgspec
from sqlalchemy import Connection, and_, insert, or_, select, update

from events.sandbox import is_test, live_org, sandbox_of
from events.tables import API_KEY, ORG
from service import credentials, identities
from service.auth import require
from service.callers import ADMIN, Caller, Right, Scope, allowed_in, scopes_of
from service.errors import (
    KeyNotFound,
    OrgExists,
    OrgNotFound,
    PreconditionFailed,
    ScopeMissing,
)
from service.parts import Parts
from service.times import require_future


class Key(msgspec.Struct, frozen=True):
    """What is known of a key; `prefix` is its visible part. Times in ms.

    A `test` key acts in the sandbox of its organisation.
    """

    id: str
    org: str
    prefix: str
    name: str
    scopes: tuple[Scope, ...]
    created_at: int
    expires_at: int | None
    revoked_at: int | None
    revision: int
    test: bool

    @property
    def owner(self) -> str:
        """Where it acts, as it is stored: the organisation or its sandbox."""
        return sandbox_of(self.org) if self.test else self.org

    @property
    def place(self) -> str:
        """Where it lies among the keys of its organisation."""
        return f"{self.created_at} {self.id}"


class NewKey(msgspec.Struct, frozen=True):
    name: str
    scopes: tuple[Scope, ...]
    expires_at: int | None = None
    test: bool = False


class KeyChange(msgspec.Struct, frozen=True):
    """What a key shall become; UNSET leaves it."""

    name: str | msgspec.UnsetType = msgspec.UNSET
    scopes: tuple[Scope, ...] | msgspec.UnsetType = msgspec.UNSET
    expires_at: int | msgspec.UnsetType | None = msgspec.UNSET


class Org(msgspec.Struct, frozen=True):
    id: str
    name: str
    created_at: int


FOUNDING: Final = Right((Scope.ORGS_MANAGE,))


def right_to_create(scopes: tuple[Scope, ...]) -> Right:
    """A key with the scopes: it can do no more than who makes it."""
    return Right((Scope.KEYS_MANAGE, *scopes))


async def create_key(parts: Parts, caller: Caller, wanted: NewKey) -> tuple[Key, str]:
    """A key of the caller's organisation that can do no more than the caller, and its secret.

    What a test key makes is a test key.

    Raises: ApiKeyRequired, ScopeMissing; Invalid for one that would have expired.
    """
    await parts.doorkeeper.permits(caller, right_to_create(wanted.scopes))
    at = parts.clock()
    require_future("/expires_at", wanted.expires_at, at)
    return await parts.database.write(lambda c: new_key(c, caller.org, wanted, at))


async def list_keys(parts: Parts, caller: Caller, after: str | None, limit: int) -> list[Key]:
    """The organisation's keys, the newest first, after a place among them.

    A test key is told of test keys alone.

    Raises: ApiKeyRequired, ScopeMissing.
    """
    require(caller, Scope.KEYS_MANAGE)
    return await parts.database.read(lambda c: keys_of(c, caller.org, after, limit))


async def key_of(parts: Parts, caller: Caller, identity: str) -> Key:
    """Raises: ApiKeyRequired, ScopeMissing, KeyNotFound."""
    require(caller, Scope.KEYS_MANAGE)
    return await parts.database.read(lambda c: _key(c, caller.org, identity))


async def change_key(
    parts: Parts, caller: Caller, identity: str, change: KeyChange, revision: int | None
) -> Key:
    """The key as changed, if it is still at `revision` (None: whatever it is at).

    Raises: ApiKeyRequired, ScopeMissing, KeyNotFound, PreconditionFailed.
    """
    scopes = () if change.scopes is msgspec.UNSET else change.scopes
    _may_give(caller, scopes)

    def work(connection: Connection) -> tuple[Key, bytes]:
        before = _key(connection, caller.org, identity)
        # Whoever can't do a thing doesn't make a key do more of it, or do it for longer.
        _may_give(caller, before.scopes)
        return _changed(connection, before, change, revision)

    key, stored = await parts.database.write(work)
    parts.doorkeeper.forget_hash(stored)
    return key


async def right_to_rotate(parts: Parts, caller: Caller, identity: str) -> Right:
    """Also a key that was revoked since: that it was rotated can be told again.

    Raises: ApiKeyRequired, ScopeMissing, KeyNotFound.
    """
    require(caller, Scope.KEYS_MANAGE)
    found = await parts.database.read(lambda c: _key(c, caller.org, identity, is_any=True))
    return right_to_create(found.scopes)


async def rotate_key(
    parts: Parts, caller: Caller, identity: str, overlap_seconds: int
) -> tuple[Key, str]:
    """A key in the place of another, which works on for the overlap, and the new one's secret.

    The new one expires when the old one would have.
    Raises: ApiKeyRequired, ScopeMissing, KeyNotFound.
    """
    require(caller, Scope.KEYS_MANAGE)
    at = parts.clock()

    def work(connection: Connection) -> tuple[Key, str, bytes]:
        old = _key(connection, caller.org, identity)
        _may_give(caller, old.scopes)
        return rotated(connection, old, overlap_seconds, at)

    made, secret, stored = await parts.database.write(work)
    parts.doorkeeper.forget_hash(stored)
    return made, secret


async def revoke_key(parts: Parts, caller: Caller, identity: str, revision: int | None) -> None:
    """At once and for good, if it is still at `revision` (None: whatever it is at).

    Raises: ApiKeyRequired, ScopeMissing, KeyNotFound, PreconditionFailed.
    """
    require(caller, Scope.KEYS_MANAGE)
    at = parts.clock()

    def work(connection: Connection) -> bytes:
        before = _key(connection, caller.org, identity)
        # Or a small key could take away the only one that can do more.
        _may_give(caller, before.scopes)
        if revision is not None and revision != before.revision:
            raise PreconditionFailed
        return revoked(connection, before, at)

    parts.doorkeeper.forget_hash(await parts.database.write(work))


async def create_org(parts: Parts, caller: Caller, identity: str, name: str) -> tuple[Org, str]:
    """An organisation and its first key, which can do everything there.

    Raises: ApiKeyRequired, ScopeMissing, OrgExists.
    """
    await parts.doorkeeper.permits(caller, FOUNDING)
    at = parts.clock()
    return await parts.database.write(lambda c: new_org(c, identity, name, at))


async def list_orgs(parts: Parts, caller: Caller, after: str | None, limit: int) -> list[Org]:
    """Those after an id, by id. Raises: ApiKeyRequired, ScopeMissing."""
    require(caller, Scope.ORGS_MANAGE)
    return await parts.database.read(lambda c: orgs_after(c, after, limit))


async def org_of(parts: Parts, caller: Caller, identity: str) -> Org:
    """Raises: ApiKeyRequired, ScopeMissing, OrgNotFound."""
    require(caller, Scope.ORGS_MANAGE)

    return await parts.database.read(lambda c: org_named(c, identity))


def keys_of(
    connection: Connection, org: str | None, after: str | None, limit: int | None
) -> list[Key]:
    """The newest first, after the `place` of one; what works no more is among them.

    With those of its sandbox. Without an organisation those of all.
    """
    query = _KEYS if org is None else _KEYS.where(API_KEY.c.org.in_(_worlds(org)))
    if after is not None:
        at, _, identity = after.partition(" ")
        same = and_(API_KEY.c.created_at == int(at), API_KEY.c.id > identity)
        query = query.where(or_(API_KEY.c.created_at < int(at), same))
    newest = query.order_by(API_KEY.c.created_at.desc(), API_KEY.c.id).limit(limit)
    return [_key_in(row) for row in connection.execute(newest)]


def orgs_after(connection: Connection, after: str | None, limit: int | None) -> list[Org]:
    """By id, after one."""
    query = select(ORG) if after is None else select(ORG).where(ORG.c.id > after)
    return [Org(*row) for row in connection.execute(query.order_by(ORG.c.id).limit(limit))]


def keys_named(connection: Connection, word: str) -> list[Key]:
    """The keys of any organisation that are not revoked, by id or by their visible part."""
    named = or_(API_KEY.c.id == word, API_KEY.c.prefix == word)
    rows = connection.execute(_KEYS.where(named, API_KEY.c.revoked_at.is_(None)))
    return [_key_in(row) for row in rows]


def org_named(connection: Connection, identity: str) -> Org:
    """Raises: OrgNotFound."""
    row = connection.execute(select(ORG).where(ORG.c.id == identity)).first()
    if row is None:
        raise OrgNotFound
    return Org(*row)


def new_key(connection: Connection, org: str, wanted: NewKey, at: int) -> tuple[Key, str]:
    """A key and its secret. That it may be made was asked before."""
    owner = sandbox_of(org) if wanted.test else org
    secret = credentials.new_api_key(test=is_test(owner))
    stored = credentials.stored(secret)
    scopes = allowed_in(owner, wanted.scopes)
    key = Key(
        id=stored.hex()[:16],
        org=live_org(owner),
        prefix=credentials.prefix_of(secret),
        name=wanted.name,
        scopes=scopes,
        created_at=at,
        expires_at=wanted.expires_at,
        revoked_at=None,
        revision=1,
        test=is_test(owner),
    )
    row = {name: getattr(key, name) for name in _COLUMNS}
    row |= {"org": owner, "hash": stored, "scopes": " ".join(scopes)}
    connection.execute(insert(API_KEY), [row])
    return key, secret


def rotated(
    connection: Connection, old: Key, overlap_seconds: int, at: int
) -> tuple[Key, str, bytes]:
    """A key in the place of another, the new one's secret, and what is stored of the old one's."""
    wanted = NewKey(old.name, old.scopes, old.expires_at)
    made, secret = new_key(connection, old.owner, wanted, at)
    until = at + overlap_seconds * 1000
    last = until if old.expires_at is None else min(until, old.expires_at)
    _, stored = _changed(connection, old, KeyChange(expires_at=last), old.revision)
    return made, secret, stored


def revoked(connection: Connection, before: Key, at: int) -> bytes:
    """What is stored of the secret of a key that works no more."""
    own = API_KEY.c.id == before.id
    values = {"revision": before.revision + 1, "revoked_at": at}
    connection.execute(update(API_KEY).where(own).values(values))
    return bytes(connection.execute(select(API_KEY.c.hash).where(own)).scalar_one())


def new_org(connection: Connection, identity: str, name: str, at: int) -> tuple[Org, str]:
    """An organisation and the secret of its first key. Raises: OrgExists."""
    if not identities.add_org(connection, identity, at, name=name):
        raise OrgExists
    _, secret = new_key(connection, identity, NewKey(ADMIN, tuple(Scope)), at)
    return Org(identity, name, at), secret


def _may_give(caller: Caller, scopes: tuple[Scope, ...]) -> None:
    require(caller, Scope.KEYS_MANAGE)
    for scope in scopes:
        if scope not in caller.scopes:
            raise ScopeMissing.of(scope)


def _changed(
    connection: Connection, before: Key, change: KeyChange, revision: int | None
) -> tuple[Key, bytes]:
    given = {
        name: value
        for name, value in msgspec.structs.asdict(change).items()
        if value is not msgspec.UNSET
    }
    if revision is not None and revision != before.revision:
        raise PreconditionFailed
    after = msgspec.structs.replace(before, **given, revision=before.revision + 1)
    values: dict[str, Any] = {**given, "revision": after.revision}
    if "scopes" in given:
        values["scopes"] = " ".join(given["scopes"])
    own = (API_KEY.c.id == before.id, API_KEY.c.revision == before.revision)
    if connection.execute(update(API_KEY).where(*own).values(values)).rowcount != 1:
        raise PreconditionFailed
    stored = select(API_KEY.c.hash).where(API_KEY.c.id == before.id)
    return after, bytes(connection.execute(stored).scalar_one())


def _key(connection: Connection, org: str, identity: str, *, is_any: bool = False) -> Key:
    """One that is not revoked, unless `is_any`. Raises: KeyNotFound."""
    own = and_(API_KEY.c.org.in_(_worlds(org)), API_KEY.c.id == identity)
    row = connection.execute(_KEYS.where(own)).first()
    if row is None or (row.revoked_at is not None and not is_any):
        raise KeyNotFound
    return _key_in(row)


def _key_in(row: Any) -> Key:
    owner = row.org
    own = {**row._mapping, "org": live_org(owner), "scopes": scopes_of(owner, row.scopes)}
    return Key(**own, test=is_test(owner))


def _worlds(org: str) -> tuple[str, ...]:
    """Where keys are that a key of `org` may look after: never outside of its sandbox."""
    return (org,) if is_test(org) else (org, sandbox_of(org))


_COLUMNS: Final = tuple(name for name in Key.__struct_fields__ if name != "test")
_KEYS: Final = select(*(API_KEY.c[name] for name in _COLUMNS))
