"""Tokens that watch a match, and tickets that open a stream of its events."""

from events.canonical import canonical
from service import spectating, tickets
from service.errors import MatchNotFound, Refusal
from service.http import Answer, Request, json, parsed
from service.ids import match_id_in
from service.parts import Parts
from service.rest import lists
from service.rest.bodies import SPECTATOR, TICKET, SpectatorBody
from service.rest.creating import created_once
from service.rest.inputs import caller_of, match_id_of
from service.spectating import NewSpectator


async def get_spectators(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    match_id = match_id_of(request)
    asked = lists.wanted(parts, request, canonical(["spectators", caller.org, match_id]))
    found = await spectating.list_spectators(parts, caller, match_id, asked.place, asked.one_more)
    return lists.page(
        parts, request, asked, "spectators", found, lambda each: each.place, match_id=match_id
    )


async def post_spectator(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = match_id_of(request)
    body: SpectatorBody = await request.decoded(SPECTATOR, parts.settings.body_limit)
    wanted = NewSpectator(body.delay_versions, body.delay_seconds, body.expires_at)

    async def make() -> Answer:
        made = await spectating.issue_spectator(parts, caller, match_id, wanted)
        location = (b"location", f"/v1/matches/{match_id}/spectators/{made.id}".encode())
        return json(201, made, (location,))

    route = f"POST /v1/matches/{match_id}/spectators"
    right = spectating.right_to_issue(match_id)
    return await created_once(parts, request, caller, right, route, body, make)


async def get_spectator(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = request.path["spectator"]
    return json(200, await spectating.spectator_of(parts, caller, match_id_of(request), identity))


async def delete_spectator(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = request.path["spectator"]
    await spectating.revoke_spectator(parts, caller, match_id_of(request), identity)
    return Answer(204)


async def post_ticket(parts: Parts, request: Request) -> Answer:
    """A user's token is tried at the match of the path, so that is read first, if it can be."""
    data = await request.body(parts.settings.body_limit)
    try:
        match_id = _match_id_in(parsed(data, TICKET).path)
    except Refusal:
        match_id = None
    caller = await caller_of(parts, request, match_id=match_id)
    request.refuse_other_media()
    match_id = _match_id_in(parsed(data, TICKET).path)
    if match_id is None:
        raise MatchNotFound
    return json(201, await tickets.issue_ticket(parts, caller, match_id))


def _match_id_in(path: str) -> str | None:
    return match_id_in(path.removeprefix("/v1/matches/").removesuffix("/events"))
