"""What a caller sees of a match at this moment, and the tokens of those who only watch.

A delayed spectator lives at one past version. Everything that is told about a match is told of the
`Match` that `shown` gives, so no channel can be ahead of another.
"""

from collections.abc import Mapping

import msgspec
from sqlalchemy import Connection, insert, select, update

from events.match import Match
from events.tables import TOKEN
from games.core.game import Viewer
from service import credentials, identities
from service.callers import Caller, Scope
from service.committing import loaded
from service.errors import SpectatorNotFound, VersionNotFound
from service.parts import Parts

MOST_LISTED = 1000


class NewSpectator(msgspec.Struct, frozen=True):
    """What the door parsed. `expires_at` in ms."""

    delay_versions: int
    delay_seconds: int
    expires_at: int | None


class Spectator(msgspec.Struct, frozen=True):
    """A token that watches a match; `id` names it and is no secret. Times in ms."""

    id: str
    match_id: str
    delay_versions: int
    delay_seconds: int
    created_at: int
    expires_at: int | None
    revoked_at: int | None


class MadeSpectator(Spectator, frozen=True):
    """`token` watches the match; it is told this once, and null in a repetition."""

    token: str | None


async def shown(parts: Parts, caller: Caller, match_id: str) -> Match:
    """The match as old as it is for the caller. That it may be seen was asked before.

    Raises: MatchNotFound.
    """
    current = await loaded(parts, match_id)
    if caller.delay is None:
        return current
    version = await parts.past.horizon(current, caller.delay, parts.clock())
    return await parts.past.at(current, version)


async def shown_at(
    parts: Parts, caller: Caller, match_id: str, version: int | None
) -> tuple[Match, Viewer]:
    """The match at a version the caller has come to, None for the newest, and how it is seen.

    Raises: MatchNotFound, ScopeMissing, VersionNotFound.
    """
    viewer = await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    if version is None:
        return current, viewer
    if not 1 <= version <= current.version:
        raise VersionNotFound
    return await parts.past.at(current, version), viewer


async def issue_spectator(
    parts: Parts, caller: Caller, match_id: str, wanted: NewSpectator
) -> MadeSpectator:
    """A new token that watches, with what is known of it.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing.
    """
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    token = credentials.spectator_token()
    row = {
        "hash": credentials.stored(token),
        "match_id": match_id,
        "seat": None,
        "kind": identities.WATCH,
        "created_at": parts.clock(),
        "revoked_at": None,
        "expires_at": wanted.expires_at,
        "delay_versions": wanted.delay_versions,
        "delay_ms": wanted.delay_seconds * 1000,
    }
    await parts.database.write(lambda c: c.execute(insert(TOKEN), [row]))
    return MadeSpectator(**msgspec.structs.asdict(_spectator(row)), token=token)


async def list_spectators(parts: Parts, caller: Caller, match_id: str) -> list[Spectator]:
    """The newest first. Raises: MatchNotFound, ApiKeyRequired, ScopeMissing."""
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    return await parts.database.read(lambda c: _spectators(c, match_id))


async def revoke_spectator(parts: Parts, caller: Caller, match_id: str, identity: str) -> None:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SpectatorNotFound."""
    await parts.doorkeeper.manages(caller, match_id, Scope.SEATS_ISSUE)
    at = parts.clock()
    stored = await parts.database.write(lambda c: _revoke(c, match_id, identity, at))
    if stored is None:
        raise SpectatorNotFound
    parts.doorkeeper.forget_hash(stored)


def _spectators(connection: Connection, match_id: str) -> list[Spectator]:
    rows = connection.execute(
        select(TOKEN)
        .where(TOKEN.c.match_id == match_id, TOKEN.c.seat.is_(None))
        .order_by(TOKEN.c.created_at.desc(), TOKEN.c.hash)
        .limit(MOST_LISTED)
    )
    return [_spectator(dict(row)) for row in rows.mappings()]


def _revoke(connection: Connection, match_id: str, identity: str, at: int) -> bytes | None:
    """The hash of the token, None if there is no such."""
    open_ones = (TOKEN.c.seat.is_(None), TOKEN.c.revoked_at.is_(None))
    found = connection.execute(
        select(TOKEN.c.hash).where(TOKEN.c.match_id == match_id, *open_ones)
    ).scalars()
    for stored in map(bytes, found):
        if stored.hex()[:32] == identity:
            own = (TOKEN.c.hash == stored, TOKEN.c.revoked_at.is_(None))
            connection.execute(update(TOKEN).where(*own).values(revoked_at=at))
            return stored
    return None


def _spectator(row: Mapping[str, object]) -> Spectator:
    stored, delay = row["hash"], row["delay_ms"]
    assert isinstance(stored, bytes)
    assert isinstance(delay, int)
    shown_of = {
        **{name: row[name] for name in Spectator.__struct_fields__ if name in row},
        "id": stored.hex()[:32],
        "delay_seconds": delay // 1000,
    }
    return msgspec.convert(shown_of, Spectator)
