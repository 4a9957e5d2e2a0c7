"""Draws by agreement."""

from events.refusals import DrawClosed
from service import draws
from service.http import Answer, Request, json
from service.parts import Parts
from service.rest.disputes import made, number
from service.rest.inputs import SEAT, caller_of, idempotency_key, match_id_of
from service.rest.play import done


async def get_draw(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = match_id_of(request)
    line = await draws.draw_of(parts, caller, match_id)
    return json(200, {"match_id": match_id, "draw": line})


async def post_draw(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    await request.nothing(parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    outcome, offer = await draws.offer_draw(parts, caller, match_id, key)
    return made(match_id, "draws", offer, outcome)


async def post_acceptance(parts: Parts, request: Request) -> Answer:
    return await _answered(parts, request, accepts=True)


async def post_refusal(parts: Parts, request: Request) -> Answer:
    return await _answered(parts, request, accepts=False)


async def _answered(parts: Parts, request: Request, *, accepts: bool) -> Answer:
    caller = await caller_of(parts, request, SEAT)
    await request.nothing(parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    offer = number(request, "draw", DrawClosed)
    return done(await draws.answer_draw(parts, caller, match_id, offer, key, accepts=accepts))
