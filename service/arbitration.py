"""Who may arbitrate a match, and by what name the log knows an arbiter."""

from events.canonical import prefixed
from service import identities
from service.auth import Caller, require
from service.callers import Kind, Scope
from service.errors import ArbiterIsParty
from service.parts import Parts


async def arbiter_of(parts: Parts, caller: Caller, match_id: str, account: str | None) -> str:
    """The pseudonym of an arbiter: a key that arbitrates, acting for `account` if it names one.

    It is the same throughout a match and means nothing in another.
    Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, ArbiterIsParty.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, Scope.ARBITRATE)
    if caller.kind is not Kind.KEY:
        raise ArbiterIsParty
    require(caller, Scope.ARBITRATE)
    if account is not None:
        parties = await parts.database.read(lambda c: identities.parties(c, match_id))
        if account in parties:
            raise ArbiterIsParty
    name = f"account:{account}" if account is not None else caller.principal
    return "a_" + parts.vault.derived(prefixed("arbiter", match_id, caller.org, name)).hex()[:20]
