"""The first step of every request behind a token, at either door: who calls, and not too often."""

from service.callers import Caller
from service.errors import NoCredentials, TooManyRequests
from service.limits import Policy, Taken
from service.parts import Parts


async def admitted(
    parts: Parts, authorization: str | None, address: str, match_id: str | None = None
) -> tuple[Caller, Taken]:
    """The caller, and what is left of its limit.

    `address` is where the request comes from: tokens that are none are counted by it, and once
    there are too many, only callers who are at hand get in from there for a while.
    Raises: NoCredentials, TooManyRequests.
    """
    caller = await recognised(parts, authorization, address, match_id)
    return caller, await counted(parts, caller)


async def recognised(
    parts: Parts, authorization: str | None, address: str, match_id: str | None = None
) -> Caller:
    """The caller of a request that is counted already. Raises: NoCredentials, TooManyRequests."""
    known = parts.doorkeeper.at_hand(authorization, match_id)
    if known is not None:
        return known
    failed = Policy("failures", parts.settings.failures_per_minute)
    left = await parts.limits.take(failed, address, 0)
    if not left.is_ok:
        raise TooManyRequests.until(left)
    try:
        return await parts.doorkeeper.caller_of(authorization, match_id)
    except NoCredentials:
        await parts.limits.take(failed, address)
        raise


async def counted(parts: Parts, caller: Caller, count: int = 1) -> Taken:
    """So many more requests of the caller. Raises: TooManyRequests."""
    policy = Policy("requests", parts.settings.requests_per_minute)
    taken = await parts.limits.take(policy, caller.hash.hex()[:32], count)
    if not taken.is_ok:
        raise TooManyRequests.until(taken)
    return taken
