"""What a caller sees of a match at this moment, and the tokens of those who only watch.

A delayed spectator lives at one past version. Everything that is told about a match is told of the
`Match` that `shown` gives, so no channel can be ahead of another.
"""

from collections.abc import Mapping

import msgspec
from sqlalchemy import insert

from events.match import Match
from events.tables import TOKEN
from games.core.game import Viewer
from service import credentials, identities, match_tokens
from service.apart import is_apart
from service.callers import Caller, Right, Scope
from service.committing import loaded
from service.errors import SpectatorNotFound, VersionNotFound
from service.parts import Parts
from service.times import require_future


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

    @property
    def place(self) -> str:
        """Where it lies among the spectators of its match."""
        return f"{self.created_at} {self.id}"


class MadeSpectator(Spectator, frozen=True):
    """`token` watches the match; it is told this once, and null in a repetition."""

    token: str | None


async def shown(parts: Parts, caller: Caller, match_id: str) -> Match:
    """The match as old as it is for the caller. That it may be seen was asked before.

    One of a deal group stays at its start for all who stand apart from it. Raises: MatchNotFound.
    """
    current = await loaded(parts, match_id)
    if is_apart(caller, current):
        current = await parts.past.at_start(current)
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


def right_to_issue(match_id: str) -> Right:
    """A token that watches."""
    return Right((Scope.SEATS_ISSUE,), match_id)


async def issue_spectator(
    parts: Parts, caller: Caller, match_id: str, wanted: NewSpectator
) -> MadeSpectator:
    """A new token that watches, with what is known of it.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing; Invalid for one that would have expired.
    """
    await parts.doorkeeper.permits(caller, right_to_issue(match_id))
    at = parts.clock()
    require_future("/expires_at", wanted.expires_at, at)
    token = credentials.spectator_token()
    row = {
        "hash": credentials.stored(token),
        "match_id": match_id,
        "seat": None,
        "kind": identities.WATCH,
        "created_at": at,
        "revoked_at": None,
        "expires_at": wanted.expires_at,
        "delay_versions": wanted.delay_versions,
        "delay_ms": wanted.delay_seconds * 1000,
    }
    await parts.database.write(lambda c: c.execute(insert(TOKEN), [row]))
    return MadeSpectator(**msgspec.structs.asdict(_spectator(row)), token=token)


async def list_spectators(
    parts: Parts, caller: Caller, match_id: str, after: str | None, limit: int
) -> list[Spectator]:
    """The newest first, after a place among them.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing.
    """
    rows = await match_tokens.of_match(parts, caller, identities.WATCH, match_id, after, limit)
    return [_spectator(row) for row in rows]


async def spectator_of(parts: Parts, caller: Caller, match_id: str, identity: str) -> Spectator:
    """One that is not revoked.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SpectatorNotFound.
    """
    own = (identities.WATCH, match_id, identity)
    return _spectator(await match_tokens.one(parts, caller, *own, SpectatorNotFound))


async def revoke_spectator(parts: Parts, caller: Caller, match_id: str, identity: str) -> None:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SpectatorNotFound."""
    own = (identities.WATCH, match_id, identity)
    await match_tokens.revoke(parts, caller, *own, SpectatorNotFound)


def _spectator(row: Mapping[str, object]) -> Spectator:
    stored, delay = row["hash"], row["delay_ms"]
    assert isinstance(stored, bytes)
    assert isinstance(delay, int)
    shown_of = {
        **{name: row[name] for name in Spectator.__struct_fields__ if name in row},
        "id": match_tokens.identity_of(stored),
        "delay_seconds": delay // 1000,
    }
    return msgspec.convert(shown_of, Spectator)
