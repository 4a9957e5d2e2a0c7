"""Tokens that arbitrate one match, as the organisation hands them out and takes them back.

Whom a token was made for is kept as the name that the log has for this arbiter, not by the account.
"""

from typing import Any

import msgspec
from sqlalchemy import Connection, insert

from events.tables import TOKEN
from service import credentials, identities, match_tokens
from service.arbitration import arbiter_name, is_party
from service.auth import Caller
from service.callers import Right, Scope
from service.committing import loaded
from service.errors import ArbiterIsParty, ArbiterNotFound, Fault, Invalid
from service.match_tokens import Row
from service.parts import Parts


class Arbiter(msgspec.Struct, frozen=True):
    """A token that arbitrates a match; `id` names it and is no secret. Times in ms.

    `arbiter` is how the log of the match names whom it was made for.
    """

    id: str
    match_id: str
    arbiter: str
    created_at: int
    revoked_at: int | None

    @property
    def place(self) -> str:
        """Where it lies among the arbiters of its match."""
        return f"{self.created_at} {self.id}"


class MadeArbiter(Arbiter, frozen=True):
    """`token` arbitrates the match; it is told this once, and null in a repetition."""

    token: str | None


def token_row(stored: bytes, match_id: str, arbiter: str, at: int) -> dict[str, Any]:
    """What is stored of a token that arbitrates."""
    return {
        "hash": stored,
        "match_id": match_id,
        "seat": None,
        "kind": identities.RULE,
        "created_at": at,
        "delay_versions": 0,
        "delay_ms": 0,
        "arbiter": arbiter,
    }


def right_to_issue(match_id: str) -> Right:
    """A token that arbitrates. Nobody gives a right away that it does not have."""
    return Right((Scope.SEATS_ISSUE, Scope.ARBITRATE), match_id)


async def issue_arbiter(
    parts: Parts, caller: Caller, match_id: str, external_id: str
) -> MadeArbiter:
    """A new token for an account that has, had and may claim no seat of the match.

    A match of a deal group is arbitrated with keys
    alone: who arbitrates one table could play at another.
    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty, Invalid.
    """
    await parts.doorkeeper.permits(caller, right_to_issue(match_id))
    if (await loaded(parts, match_id)).created.deal_group is not None:
        raise Invalid(Fault("", "deal-group", "a match of a deal group has no such tokens"))
    token, at = credentials.arbiter_token(), parts.clock()
    name = arbiter_name(parts.vault, caller.org, match_id, external_id)
    row = token_row(credentials.stored(token), match_id, name, at)

    def work(connection: Connection) -> None:
        if is_party(connection, parts.vault, caller.org, match_id, name):
            raise ArbiterIsParty
        connection.execute(insert(TOKEN), [row])

    await parts.database.write(work)
    return MadeArbiter(**msgspec.structs.asdict(_arbiter(row)), token=token)


async def list_arbiters(
    parts: Parts, caller: Caller, match_id: str, after: str | None, limit: int
) -> list[Arbiter]:
    """The newest first, after a place among them.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing.
    """
    rows = await match_tokens.of_match(parts, caller, identities.RULE, match_id, after, limit)
    return [_arbiter(row) for row in rows]


async def arbiter_in(parts: Parts, caller: Caller, match_id: str, identity: str) -> Arbiter:
    """One that is not revoked.

    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterNotFound.
    """
    own = (identities.RULE, match_id, identity)
    return _arbiter(await match_tokens.one(parts, caller, *own, ArbiterNotFound))


async def revoke_arbiter(parts: Parts, caller: Caller, match_id: str, identity: str) -> None:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterNotFound."""
    own = (identities.RULE, match_id, identity)
    await match_tokens.revoke(parts, caller, *own, ArbiterNotFound)


def _arbiter(row: Row) -> Arbiter:
    return Arbiter(
        id=match_tokens.identity_of(row["hash"]),
        match_id=row["match_id"],
        arbiter=row["arbiter"],
        created_at=row["created_at"],
        revoked_at=row.get("revoked_at"),
    )
