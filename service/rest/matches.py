"""Matches: create, list, look at, start, cancel."""

import msgspec

from events.canonical import canonical
from events.store import MatchFilter
from events.types import Status
from service import arrangements, making, queries
from service.errors import Fault, ParameterInvalid
from service.http import Answer, Request, json, tagged
from service.parts import Parts
from service.repeating import once
from service.rest import lists
from service.rest.inputs import (
    MATCH,
    MatchBody,
    caller_of,
    idempotency_key,
    match_id_of,
)
from service.rest.play import FORM, done, viewer_tag

_ROUTE = "POST /v1/matches"


async def post_match(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    body = await request.decoded(MATCH, parts.settings.body_limit)

    async def make(match_id: str | None) -> Answer:
        made = await arrangements.create_match(parts, caller, body.wanted, match_id)
        return await _created(parts, made)

    asked = canonical(_plain(body))
    return await once(parts, caller, making.RIGHT, _ROUTE, key, asked, make)


async def get_matches(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "status", "game", "external_id", *lists.PAGING)
    narrowed = MatchFilter(_status(request), request.query("game"), request.query("external_id"))
    bound = canonical([caller.org, msgspec.to_builtins(narrowed)])
    asked = lists.wanted(parts, request, bound)
    found = await queries.list_matches(parts, caller, narrowed, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "matches", found, lambda each: each.match_id)


async def get_match(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    detail, current, viewer = await queries.match_detail(parts, caller, match_id_of(request))
    tag = viewer_tag(current.version, viewer)
    if detail.status != current.status:
        tag += f".{detail.status}"
    return tagged(request, tag, msgspec.json.encode(detail))


async def post_start(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    key = idempotency_key(request)
    return done(await arrangements.start_match(parts, caller, match_id_of(request), key))


async def post_cancel(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    key = idempotency_key(request)
    return done(await arrangements.cancel_match(parts, caller, match_id_of(request), key))


async def _created(parts: Parts, match_id: str) -> Answer:
    """Whoever creates a match is told of it, even with a key that reads none."""
    detail, _ = await queries.new_match(parts, match_id)
    location = (b"location", f"/v1/matches/{match_id}".encode())
    return json(201, detail, (location,))


def _status(request: Request) -> str | None:
    given = request.query("status")
    if given is not None and given not in list(Status):
        raise ParameterInvalid(
            Fault("status", "unknown-value", f"has to be one of {', '.join(Status)}")
        )
    return given


def _plain(body: MatchBody) -> object:
    return {**msgspec.structs.asdict(body), "form": FORM}
