"""Tokens that arbitrate a match."""

from typing import Final

import msgspec

from events.canonical import canonical
from service import arbiters
from service.batches.bodies import ArbiterBody
from service.http import Answer, Request, json
from service.parts import Parts
from service.rest import lists
from service.rest.creating import created_once
from service.rest.inputs import caller_of, match_id_of

_ARBITER: Final = msgspec.json.Decoder(ArbiterBody)


async def get_arbiters(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    match_id = match_id_of(request)
    asked = lists.wanted(parts, request, canonical(["arbiters", caller.org, match_id]))
    found = await arbiters.list_arbiters(parts, caller, match_id, asked.place, asked.one_more)
    return lists.page(
        parts, request, asked, "arbiters", found, lambda each: each.place, match_id=match_id
    )


async def post_arbiter(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = match_id_of(request)
    body: ArbiterBody = await request.decoded(_ARBITER, parts.settings.body_limit)

    async def make() -> Answer:
        made = await arbiters.issue_arbiter(parts, caller, match_id, body.external_id)
        location = (b"location", f"/v1/matches/{match_id}/arbiters/{made.id}".encode())
        return json(201, made, (location,))

    route = f"POST /v1/matches/{match_id}/arbiters"
    right = arbiters.right_to_issue(match_id)
    return await created_once(parts, request, caller, right, route, body, make)


async def get_arbiter(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = request.path["arbiter"]
    return json(200, await arbiters.arbiter_in(parts, caller, match_id_of(request), identity))


async def delete_arbiter(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = request.path["arbiter"]
    await arbiters.revoke_arbiter(parts, caller, match_id_of(request), identity)
    return Answer(204)
