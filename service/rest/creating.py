"""Creating requests whose answer holds a secret: told once, never stored."""

from collections.abc import Awaitable, Callable

import msgspec

from events.canonical import canonical
from service.auth import Caller
from service.callers import Right
from service.http import Answer, Request
from service.parts import Parts
from service.repeating import once
from service.rest.inputs import idempotency_key

SECRETS = ("secret", "token")


async def created_once(
    parts: Parts,
    request: Request,
    caller: Caller,
    right: Right,
    route: str,
    body: msgspec.Struct | None,
    make: Callable[[], Awaitable[Answer]],
) -> Answer:
    """What `make` answers; under an Idempotency-Key once, and repeated without the secret.

    Raises: ParameterInvalid; as `once`.
    """
    return await made_once(parts, caller, right, route, idempotency_key(request), body, make)


async def made_once(
    parts: Parts,
    caller: Caller,
    right: Right,
    route: str,
    key: str | None,
    body: msgspec.Struct | None,
    make: Callable[[], Awaitable[Answer]],
) -> Answer:
    """What `make` answers; under a key once, and repeated without the secret.

    Raises: as `once`.
    """

    async def made(_: str | None) -> Answer:
        return await make()

    asked = canonical([caller.principal, msgspec.to_builtins(body)])
    return await once(parts, caller, right, route, key, asked, made, told_once=without_secret)


def without_secret(body: bytes) -> bytes:
    told = msgspec.json.decode(body)
    return msgspec.json.encode({name: None if name in SECRETS else told[name] for name in told})
