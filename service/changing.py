"""A command that no decision names: decided on the newest match, appended once under its key."""

from collections.abc import Awaitable, Callable
from hmac import compare_digest

from events.append import SeatRow
from events.canonical import prefixed
from events.dealer import Dealer
from events.decide import Command, Refused, Step, decide
from events.match import Match
from service.auth import Caller
from service.committing import ATTEMPTS, Done, Receipt, commit, loaded
from service.errors import IdempotencyKeyReused, Invalid, TryAgain
from service.flags import in_turn
from service.parts import Parts

Make = Callable[[Match], Awaitable[Command]]
Lead = Callable[[Match, Dealer], Awaitable[tuple[Step, ...]]]


async def change(
    parts: Parts,
    caller: Caller,
    match_id: str,
    name: str,
    make: Make,
    idempotency_key: str | None,
    body: bytes = b"",
    *,
    seats: tuple[SeatRow, ...] = (),
) -> Done:
    """Decide what `make` gives for the match as it is; without a key each request is its own.

    Raises: as `change_by`, IllegalMove; what `make` raises.
    """

    async def lead(current: Match, dealer: Dealer) -> tuple[Step, ...]:
        return decide(current, await make(current), dealer, parts.clock())

    return await change_by(parts, caller, match_id, name, lead, idempotency_key, body, seats=seats)


async def change_by(
    parts: Parts,
    caller: Caller,
    match_id: str,
    name: str,
    lead: Lead,
    idempotency_key: str | None,
    body: bytes = b"",
    *,
    seats: tuple[SeatRow, ...] = (),
) -> Done:
    """Append the steps that `lead` gives for the match as it is, all of them or none.

    `name` and `body` say what the request is. A repeated one is answered as the first time, also
    when it could not be done any more.
    Raises: IdempotencyKeyReused, MatchNotFound, TryAgain; what `lead` raises.
    """
    own = idempotency_key or parts.entropy(16).hex()
    key = f"{name}:{caller.principal}:{own}"
    request = parts.vault.request_hash(prefixed(caller.principal, name, body))

    async def act() -> Done:
        for _ in range(ATTEMPTS):
            try:
                current = await loaded(parts, match_id)
                dealer = await parts.dealers.of(match_id)
                steps = await lead(current, dealer)
            except (Refused, Invalid):
                known = await repeated(parts, match_id, key, request)
                if known is not None:
                    return known
                raise
            done = await commit(parts, steps, dealer, key, request, seats=seats)
            if done is not None:
                return done
        raise TryAgain

    return await in_turn(parts, match_id, act)


async def repeated(parts: Parts, match_id: str, key: str, request: bytes) -> Done | None:
    """What the key was answered before. Raises: IdempotencyKeyReused."""
    known = await parts.store.command(match_id, key)
    if known is None:
        return None
    if not compare_digest(known.request_hash, request):
        raise IdempotencyKeyReused
    return Done(Receipt(known.first, known.last, known.head.hex()), replayed=True)
