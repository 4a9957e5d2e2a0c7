"""Erasing as callers may ask for it: keys of the organisation with the scope `erase`."""

from collections.abc import Sequence
from typing import Final

from events.match import Match
from events.sealing import Sealed
from service.apart import is_apart
from service.auth import Caller, require
from service.callers import Scope
from service.committing import Done, loaded, make_known
from service.erasing import Eraser, Order, Target, erase_texts
from service.errors import ScopeMissing
from service.forgetting import Forgotten, erase_account
from service.parts import Parts

MOST_MATCHES: Final = 50  # of an account in one request


async def erase_in_match(
    parts: Parts,
    caller: Caller,
    match_id: str,
    target: Target,
    reason: str | None,
    key: str | None,
) -> Done:
    """Raises: MatchNotFound, ApiKeyRequired, ScopeMissing, SeatNotFound, TextNotFound,
    IdempotencyKeyReused, TryAgain."""
    await parts.doorkeeper.manages(caller, match_id, Scope.ERASE)
    if is_apart(caller, await loaded(parts, match_id)):
        # The answer tells how far the match has come.
        raise ScopeMissing.of(Scope.ARBITRATE)
    async with parts.lane(match_id):
        done = await erase_texts(
            _eraser(parts), match_id, target, Order(caller.principal, reason, key)
        )
    said = {"match_id": match_id, "version": done.receipt.last}
    parts.log.info("texts_erased", principal=caller.principal, **said)
    return done


async def forget_account(
    parts: Parts, caller: Caller, account: str, reason: str | None
) -> Forgotten:
    """Some of the account's matches, and with the last of them all else there is of it.

    Raises: ApiKeyRequired, ScopeMissing, TryAgain.
    """
    require(caller, Scope.ERASE)
    found = await erase_account(
        _eraser(parts), caller.org, account, Order(caller.principal, reason), MOST_MATCHES
    )
    # Who was let in under the account is looked up again.
    parts.doorkeeper.forget_users(caller.org)
    status = "unfinished" if found.more or found.failed else "done"
    told = {"matches": found.matches, "status": status, "org": caller.org}
    parts.log.info("account_erased", principal=caller.principal, **told)
    return found


def _eraser(parts: Parts) -> Eraser:
    def told(after: Match, sealed: Sequence[Sealed]) -> None:
        make_known(parts, after, sealed, ())

    def stopped(hashes: Sequence[bytes]) -> None:
        for each in hashes:
            parts.doorkeeper.forget_hash(each)

    return Eraser(
        store=parts.store,
        cache=parts.cache,
        dealers=parts.dealers,
        vault=parts.vault,
        clock=parts.clock,
        entropy=parts.entropy,
        told=told,
        stopped=stopped,
    )
