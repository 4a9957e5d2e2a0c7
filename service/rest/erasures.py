"""Erasing what somebody said, or all there is about an account."""

from service import erasures
from service.erasing import Target
from service.http import Answer, Request, json
from service.parts import Parts
from service.rest.inputs import (
    ACCOUNT_ERASURE,
    ERASURE,
    caller_of,
    idempotency_key,
    match_id_of,
)
from service.rest.play import done


async def post_erasure(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(ERASURE, parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    target = Target(body.event, body.field, body.seat)
    return done(await erasures.erase_in_match(parts, caller, match_id, target, body.reason, key))


async def post_account(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(ACCOUNT_ERASURE, parts.settings.body_limit)
    return json(200, await erasures.forget_account(parts, caller, body.account, body.reason))
