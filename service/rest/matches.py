"""Matches: create, list, look at, start, cancel."""

import msgspec

from events.canonical import canonical
from events.store import MatchFilter
from events.types import Status
from service import arrangements, queries
from service.arrangements import NewMatchRequest
from service.errors import Fault, ParameterInvalid
from service.http import Answer, Header, Request, json, tagged
from service.parts import Parts
from service.repeating import once
from service.rest.inputs import (
    MATCH,
    MatchBody,
    caller_of,
    idempotency_key,
    match_id_of,
    opened_cursor,
    sealed_cursor,
)
from service.rest.play import FORM, done, viewer_tag

_ROUTE = "POST /v1/matches"


async def post_match(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    body = await request.decoded(MATCH, parts.settings.body_limit)
    wanted = NewMatchRequest(
        game=body.game,
        rules_version=body.rules_version,
        options=msgspec.Raw(msgspec.json.encode(body.options)),
        seats=body.seats,
        start=body.start,
        external_id=body.external_id,
        accounts=body.accounts,
        entropy=body.entropy,
        reveal_by=body.reveal_by,
    )

    async def make(match_id: str | None) -> Answer:
        return await _created(
            parts, await arrangements.create_match(parts, caller, wanted, match_id)
        )

    if key is None:
        return await make(None)
    return await once(parts, caller, _ROUTE, key, canonical(_plain(body)), make)


async def get_matches(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "status", "game", "external_id", "limit", "cursor")
    narrowed = MatchFilter(_status(request), request.query("game"), request.query("external_id"))
    limit = request.whole("limit", 50, 1, 200)
    bound = canonical([caller.org, msgspec.to_builtins(narrowed)])
    cursor = opened_cursor(parts, request, bound)
    before = None if cursor is None else cursor.decode()
    found = await queries.list_matches(parts, caller, narrowed, before, limit + 1)
    shown, following = found[:limit], None
    if len(found) > limit:
        following = sealed_cursor(parts, shown[-1].match_id.encode(), bound)
    headers = () if following is None else (next_link(request, following),)
    return json(200, {"matches": shown, "next": following}, headers)


async def get_match(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    detail, current, viewer = await queries.match_detail(parts, caller, match_id_of(request))
    return tagged(request, viewer_tag(current.version, viewer), msgspec.json.encode(detail))


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


def next_link(request: Request, cursor: str) -> Header:
    """RFC 8288: the same query, further on."""
    query = str(request.scope["query_string"], "latin-1")
    kept = [part for part in query.split("&") if part and not part.startswith("cursor=")]
    target = "&".join([*kept, f"cursor={cursor}"])
    path = request.scope["path"]
    return (b"link", f'<{path}?{target}>; rel="next"'.encode())


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
