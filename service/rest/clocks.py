"""The clocks of a match: stopped, let go on, added to."""

from service import timing
from service.clock_bodies import EXTEND
from service.http import Answer, Request
from service.parts import Parts
from service.rest.disputes import account_in
from service.rest.inputs import caller_of, idempotency_key, match_id_of
from service.rest.play import done


async def post_pause(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await account_in(parts, request)
    match_id, key = match_id_of(request), idempotency_key(request)
    return done(await timing.pause_match(parts, caller, match_id, body.account, key))


async def post_resume(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await account_in(parts, request)
    match_id, key = match_id_of(request), idempotency_key(request)
    return done(await timing.resume_match(parts, caller, match_id, body.account, key))


async def post_extend(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(EXTEND, parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    return done(
        await timing.add_time(parts, caller, match_id, body.seat, body.ms, body.account, key)
    )
