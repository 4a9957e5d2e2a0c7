"""Creating requests under an Idempotency-Key: the second of two gets the answer of the first.

Whoever may not make a request is told just that, whether it was made or not.
"""

from collections.abc import Awaitable, Callable
from typing import Final

import msgspec

from events.canonical import prefixed
from events.database import DatabaseFault
from service import identities
from service.auth import Caller
from service.callers import Right
from service.errors import IdempotencyKeyReused, RequestRunning
from service.http import Answer, Header
from service.ids import RANDOM_BYTES, new_match_id
from service.kept_answers import keep_answer
from service.parts import Parts

# A request that is older and still unanswered was cut off by a crash and is run again.
ABANDONED_MS: Final = 30_000
KEPT_MS: Final = 48 * 3_600_000  # how long an answer is kept for a repetition
SWEPT_MS: Final = 60_000
SWEPT_AT_ONCE: Final = 500
REPLAYED: Final[Header] = (b"plyscribe-replayed", b"true")

_HEADERS: Final = msgspec.json.Decoder(tuple[tuple[str, str], ...])


async def once(
    parts: Parts,
    caller: Caller,
    right: Right,
    route: str,
    key: str | None,
    body: bytes,
    make: Callable[[str | None], Awaitable[Answer]],
    told_once: Callable[[bytes], bytes] | None = None,
) -> Answer:
    """What `make(id)` answers; called again with the same key, the stored answer.

    That the caller has the `right` to make the request is asked before anything is looked for,
    reserved or forgotten under the key. Without a key each request is its own, and the id None.
    The id is the same however often the request is run, so that a crash in between makes nothing
    twice. A refused request may be sent again, corrected, under the same key. Of a body with a
    secret in it `told_once` makes the one that is kept, without it.
    Raises: NoCredentials, MatchNotFound, ApiKeyRequired, ScopeMissing, IdempotencyKeyReused,
    RequestRunning; what `make` raises.
    """
    await parts.doorkeeper.permits(caller, right)
    if key is None:
        return await make(None)
    hashed = parts.vault.request_hash(prefixed(route, caller.org, body))
    request = identities.Request(caller.org, route, key, hashed)
    now = parts.clock()
    await _swept(parts, now)
    begun = await parts.database.write(lambda c: identities.begin_request(c, request, now))
    if not begun.matches:
        raise IdempotencyKeyReused
    if begun.status is not None:
        headers = ((a.encode(), b.encode()) for a, b in _HEADERS.decode(begun.headers))
        return Answer(begun.status, begun.body, headers=(*headers, REPLAYED))
    if not begun.fresh and now - begun.at < ABANDONED_MS:
        raise RequestRunning
    answer = await _made(parts, request, make, _id_of(parts, request, begun.at))
    kept = msgspec.json.encode([(a.decode(), b.decode()) for a, b in answer.headers])
    body = answer.body if told_once is None else told_once(answer.body)
    await parts.database.write(
        lambda c: keep_answer(c, parts.vault, request, begun.at, answer.status, body, kept)
    )
    return answer


async def _swept(parts: Parts, now: int) -> None:
    """Forget what is older than it has to be kept, a bounded part of it now and then."""
    if parts.swept_at[0] <= now < parts.swept_at[0] + SWEPT_MS:
        return
    parts.swept_at[0] = now
    await parts.database.write(
        lambda c: identities.forget_old(c, now - KEPT_MS, now, SWEPT_AT_ONCE)
    )


async def _made(
    parts: Parts,
    request: identities.Request,
    make: Callable[[str | None], Awaitable[Answer]],
    made_id: str,
) -> Answer:
    try:
        return await make(made_id)
    except DatabaseFault:
        # Done or not: nobody knows. It stays as it is until it is run again.
        raise
    except Exception:
        await parts.database.write(lambda c: identities.forget_request(c, request))
        raise


def _id_of(parts: Parts, request: identities.Request, at: int) -> str:
    purpose = prefixed("match", request.org, request.route, request.key, request.hash, at)
    return new_match_id(at, parts.vault.derived(purpose)[:RANDOM_BYTES])
