"""Seats: who holds them, and the tokens that play them."""

from typing import TypeVar

import msgspec
from msgspec import UNSET

from events.decide import CommitEntropy, OpenEntropy
from service import arrangements, queries, standing_in
from service.errors import Fault, Invalid
from service.http import Answer, Request, json, parsed, tagged
from service.parts import Parts
from service.repeating import REPLAYED
from service.rest.creating import created_once
from service.rest.inputs import (
    CLAIM,
    ENTROPY,
    RESIGN,
    ClaimBody,
    EntropyBody,
    ResignBody,
    caller_of,
    idempotency_key,
    match_id_of,
    seat_of,
)
from service.rest.play import done, viewer_tag
from service.schedule_bodies import STAND_IN, StandInBody

T = TypeVar("T")


async def get_seats(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    current, viewer = await queries.public_match(parts, caller, match_id_of(request))
    lines = queries.seat_lines(current)
    body = msgspec.json.encode({"match_id": current.match_id, "seats": lines})
    return tagged(request, viewer_tag(current.version, viewer), body)


async def get_seat(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = match_id_of(request)
    line = await queries.seat_line(parts, caller, match_id, seat_of(request))
    return json(200, line)


async def post_claim(parts: Parts, request: Request) -> Answer:
    """With an API key the answer holds the seat's new token; a seat's token claims for itself."""
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    body = await _optional(parts, request, CLAIM, ClaimBody())
    match_id, seat = match_id_of(request), seat_of(request)
    claimed = await arrangements.claim_seat(
        parts, caller, match_id, seat, body.account, key, body.key
    )
    return _claimed(match_id, seat, claimed)


async def post_stand_in(parts: Parts, request: Request) -> Answer:
    """The answer holds the seat's new token, as that of a claim does."""
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    body = await _optional(parts, request, STAND_IN, StandInBody())
    match_id, seat = match_id_of(request), seat_of(request)
    claimed = await standing_in.seat_stand_in(parts, caller, match_id, seat, body.account, key)
    return _claimed(match_id, seat, claimed)


async def post_release(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    key, match_id = idempotency_key(request), match_id_of(request)
    return done(await arrangements.release_seat(parts, caller, match_id, seat_of(request), key))


async def post_resign(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    signed = (await _optional(parts, request, RESIGN, ResignBody())).signed
    key, match_id, seat = idempotency_key(request), match_id_of(request), seat_of(request)
    return done(await arrangements.resign(parts, caller, match_id, seat, key, signed))


async def put_entropy(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(ENTROPY, parts.settings.body_limit)
    seat, match_id = seat_of(request), match_id_of(request)
    command = contribution(seat, body)
    return done(await arrangements.contribute(parts, caller, match_id, command))


def contribution(seat: int, body: EntropyBody) -> CommitEntropy | OpenEntropy:
    """Raises: Invalid."""
    if (body.commitment is UNSET) == (body.opening is UNSET):
        raise Invalid(Fault("", "wrong-shape", "give either commitment or opening"))
    if body.opening is not UNSET:
        return OpenEntropy(seat, body.opening)
    assert body.commitment is not UNSET
    return CommitEntropy(seat, body.commitment)


async def post_token(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    match_id, seat = match_id_of(request), seat_of(request)

    async def make() -> Answer:
        token = await arrangements.issue_token(parts, caller, match_id, seat)
        location = (b"location", f"/v1/matches/{match_id}/seats/{seat}".encode())
        return json(201, {"match_id": match_id, "seat": seat, "token": token}, (location,))

    route = f"POST /v1/matches/{match_id}/seats/{seat}/tokens"
    right = arrangements.right_to_issue(match_id)
    return await created_once(parts, request, caller, right, route, None, make)


async def delete_tokens(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await arrangements.revoke_tokens(parts, caller, match_id_of(request), seat_of(request))
    return Answer(204)


def _claimed(match_id: str, seat: int, claimed: arrangements.Claimed) -> Answer:
    receipt = msgspec.structs.asdict(claimed.done.receipt)
    headers = (REPLAYED,) if claimed.done.replayed else ()
    shown = {"match_id": match_id, "seat": seat, "token": claimed.token, **receipt}
    return json(200, shown, headers)


async def _optional(
    parts: Parts, request: Request, decoder: msgspec.json.Decoder[T], without: T
) -> T:
    """Generated clients name the content type of a body even where they leave it out."""
    if request.header(b"content-type") is not None:
        request.refuse_other_media()
    data = await request.body(parts.settings.body_limit)
    if not data.strip():
        return without
    request.refuse_other_media()
    return parsed(data, decoder)
