"""Forced endings of test matches."""

from typing import Final

import msgspec

from service import sandbox
from service.http import Answer, Request, json
from service.parts import Parts
from service.repeating import REPLAYED
from service.rest.dispute_bodies import SeatNumber
from service.rest.inputs import Body, caller_of, idempotency_key, match_id_of
from service.sandbox import Forced


class EndBody(Body, frozen=True):
    """`winner` is the seat that wins where somebody does, by default seat 0."""

    terminal: Forced
    winner: SeatNumber | None = None


END: Final = msgspec.json.Decoder(EndBody)


async def post_end(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    sandbox.require_sandbox(caller)
    body = await request.decoded(END, parts.settings.body_limit)
    match_id, key = match_id_of(request), idempotency_key(request)
    ended = await sandbox.end_test(parts, caller, match_id, body.terminal, body.winner, key)
    receipt = msgspec.structs.asdict(ended.done.receipt)
    shown = {"match_id": match_id, "replacement": ended.match_id, **receipt}
    return json(200, shown, (REPLAYED,) if ended.done.replayed else ())
