"""Who may arbitrate a match, and by what name the log knows an arbiter."""

from sqlalchemy import Connection

from events.canonical import prefixed
from service import identities
from service.auth import Caller, require
from service.callers import ARBITERS, Scope
from service.errors import ArbiterIsParty
from service.parts import Parts
from service.vault import Vault


async def arbiter_of(parts: Parts, caller: Caller, match_id: str, account: str | None) -> str:
    """The name of an arbiter in the log: a key that arbitrates, acting for `account` if it names
    one, or whoever the token was made for.

    It is the same throughout a match and means nothing in another.
    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, Scope.ARBITRATE)
    if caller.kind not in ARBITERS:
        raise ArbiterIsParty
    if caller.arbiter is not None:
        name, org = caller.arbiter, caller.org
        if await parts.database.read(lambda c: is_party(c, parts.vault, org, match_id, name)):
            raise ArbiterIsParty
        return name
    require(caller, Scope.ARBITRATE)
    if account is None:
        return _name(parts.vault, caller.org, match_id, caller.principal)
    if account in await parts.database.read(lambda c: identities.parties(c, match_id)):
        raise ArbiterIsParty
    return arbiter_name(parts.vault, caller.org, match_id, account)


def arbiter_name(vault: Vault, org: str, match_id: str, account: str) -> str:
    """That of an account, whether it comes with a token or a key acts for it."""
    return _name(vault, org, match_id, f"account:{account}")


def is_party(connection: Connection, vault: Vault, org: str, match_id: str, name: str) -> bool:
    """Whether whoever has that name holds, held or may claim a seat of the match."""
    parties = identities.parties(connection, match_id)
    return any(arbiter_name(vault, org, match_id, each) == name for each in parties)


def _name(vault: Vault, org: str, match_id: str, principal: str) -> str:
    return "a_" + vault.derived(prefixed("arbiter", match_id, org, principal)).hex()[:20]
