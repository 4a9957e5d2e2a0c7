"""Tokens of a match besides those of its seats, of who watches and of arbiters.

A token is named by a part of its hash, which is no secret.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, and_, or_, select, update

from events.tables import TOKEN
from service.callers import Caller, Scope
from service.errors import Refusal
from service.parts import Parts

ID_BYTES: Final = 16  # of a token's hash
Row = Mapping[str, Any]


def identity_of(stored: bytes) -> str:
    """The name of a token by its hash."""
    return stored[:ID_BYTES].hex()


async def of_match(
    parts: Parts, caller: Caller, kind: str, match_id: str, after: str | None, limit: int
) -> list[Row]:
    """Those of a kind, revoked ones too, the newest first, after a place among them.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing.
    """
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    return await parts.database.read(lambda c: _newest(c, kind, match_id, after, limit))


async def one(
    parts: Parts,
    caller: Caller,
    kind: str,
    match_id: str,
    identity: str,
    missing: Callable[[], Refusal],
) -> Row:
    """The one of that name that is not revoked.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, `missing`.
    """
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    row = await parts.database.read(lambda c: _find(c, kind, match_id, identity))
    if row is None:
        raise missing()
    return row


async def revoke(
    parts: Parts,
    caller: Caller,
    kind: str,
    match_id: str,
    identity: str,
    missing: Callable[[], Refusal],
) -> None:
    """It works no more. Raises: as `one`."""
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    at = parts.clock()
    stored = await parts.database.write(lambda c: _revoke(c, kind, match_id, identity, at))
    if stored is None:
        raise missing()
    parts.doorkeeper.forget_hash(stored)


def _newest(
    connection: Connection, kind: str, match_id: str, after: str | None, limit: int
) -> list[Row]:
    own = TOKEN.c
    query = select(TOKEN).where(own.match_id == match_id, own.kind == kind)
    if after is not None:
        at, _, identity = after.partition(" ")
        same = and_(own.created_at == int(at), own.hash > _hashes(identity)[1])
        query = query.where(or_(own.created_at < int(at), same))
    ordered = query.order_by(own.created_at.desc(), own.hash).limit(limit)
    return [dict(row) for row in connection.execute(ordered).mappings()]


def _find(connection: Connection, kind: str, match_id: str, identity: str) -> Row | None:
    """The one of that name, unless it is revoked."""
    query = select(TOKEN).where(_named(kind, match_id, identity))
    row = connection.execute(query).mappings().first()
    return None if row is None else dict(row)


def _revoke(
    connection: Connection, kind: str, match_id: str, identity: str, at: int
) -> bytes | None:
    """The hash of the token that works no more, None if there is no such."""
    own = _named(kind, match_id, identity)
    stored = connection.execute(select(TOKEN.c.hash).where(own)).scalar()
    if stored is not None:
        connection.execute(update(TOKEN).where(own).values(revoked_at=at))
    return stored


def _named(kind: str, match_id: str, identity: str) -> ColumnElement[bool]:
    is_open = and_(TOKEN.c.kind == kind, TOKEN.c.revoked_at.is_(None))
    return and_(TOKEN.c.match_id == match_id, TOKEN.c.hash.between(*_hashes(identity)), is_open)


def _hashes(identity: str) -> tuple[bytes, bytes]:
    """The first and the last hash an id can stand for; for what is no id, hashes of nothing."""
    try:
        start = bytes.fromhex(identity)
    except ValueError:
        start = b""
    if len(start) != ID_BYTES or start.hex() != identity:
        return b"\xff", b""
    return start + bytes(32 - ID_BYTES), start + b"\xff" * (32 - ID_BYTES)
