"""A command that no decision names: decided on the newest match, appended once under its key."""

from collections.abc import Awaitable, Callable
from hmac import compare_digest

from events.append import SeatRow
from events.canonical import prefixed
from events.decide import Command, Refused, Step, decide
from events.match import Match
from service.auth import Caller
from service.committing import ATTEMPTS, Done, Receipt, commit, loaded
from service.errors import IdempotencyKeyReused, TryAgain
from service.flags import in_turn
from service.parts import Parts

Make = Callable[[Match], Awaitable[Command]]


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

    `name` and `body` say what the request is. A repeated one is answered as the first time, also
    when it could not be done any more.
    Raises: Refused, IllegalMove, IdempotencyKeyReused, MatchNotFound, TryAgain; what `make` raises.
    """
    own = idempotency_key or parts.entropy(16).hex()
    key = f"{name}:{caller.principal}:{own}"
    request = parts.vault.request_hash(prefixed(caller.principal, name, body))

    async def act() -> Done:
        for _ in range(ATTEMPTS):
            try:
                steps = await _decided(parts, match_id, make)
            except Refused:
                known = await repeated(parts, match_id, key, request)
                if known is not None:
                    return known
                raise
            dealer = await parts.dealers.of(match_id)
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


async def _decided(parts: Parts, match_id: str, make: Make) -> tuple[Step, ...]:
    current = await loaded(parts, match_id)
    dealer = await parts.dealers.of(match_id)
    command = await make(current)
    return decide(current, command, dealer, parts.clock())
