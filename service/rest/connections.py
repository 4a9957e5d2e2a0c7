"""Connections of the caller's organisation to platforms, and the matches linked over them."""

from typing import Final

import msgspec

from events.canonical import canonical
from service.auth import Caller
from service.errors import Fault, ParameterInvalid
from service.http import Answer, Header, Request, json, tagged
from service.ids import match_id_in
from service.parts import Parts
from service.platforms import managing
from service.platforms.links import LinkState
from service.platforms.managing import ConnectionFields, PlatformConnection
from service.platforms.refusals import ConnectionNotFound, LinkNotFound
from service.rest import lists
from service.rest.connection_bodies import (
    CONNECTION,
    CONNECTION_CHANGE,
    LINK,
    ConnectionBody,
    ConnectionChangeBody,
    LinkBody,
)
from service.rest.creating import created_once
from service.rest.inputs import (
    caller_of,
    match_id_of,
    revision_if_named,
    revision_of,
    revision_tag,
)

_STATE: Final = "state"


async def get_connections(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    asked = lists.wanted(parts, request, canonical(["connections", caller.org]))
    found = await managing.list_connections(parts, caller, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "connections", found, lambda each: each.id)


async def post_connection(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body: ConnectionBody = await request.decoded(CONNECTION, parts.settings.body_limit)

    async def make() -> Answer:
        given = msgspec.structs.asdict(body)
        fields = ConnectionFields(**{n: given[n] for n in ConnectionFields.__struct_fields__})
        known = body.credentials.known
        made = await managing.create_connection(parts, caller, body.platform, fields, known)
        location = (b"location", f"/v1/connections/{made.id}".encode())
        return json(201, made, (location, _tag(made)))

    right = managing.RIGHT
    return await created_once(parts, request, caller, right, "POST /v1/connections", body, make)


async def get_connection(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    found = await managing.connection_of(parts, caller, _id_of(request))
    return tagged(request, str(found.revision), msgspec.json.encode(found))


async def patch_connection(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body: ConnectionChangeBody = await request.decoded(CONNECTION_CHANGE, parts.settings.body_limit)

    def change(before: PlatformConnection) -> ConnectionFields:
        given = {n: getattr(body, n) for n in ConnectionFields.__struct_fields__}
        kept = {n: getattr(before, n) if v is msgspec.UNSET else v for n, v in given.items()}
        return ConnectionFields(**kept)

    known = None if body.credentials is msgspec.UNSET else body.credentials.known
    revision = revision_of(request)
    changed = await managing.change_connection(
        parts, caller, _id_of(request), change, known, revision
    )
    return json(200, changed, (_tag(changed),))


async def delete_connection(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    revision = revision_if_named(request)
    await managing.remove_connection(parts, caller, _id_of(request), revision)
    return Answer(204)


async def get_links(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, _STATE, *lists.PAGING)
    identity, state = _id_of(request), request.query(_STATE)
    if state is not None and state not in set(LinkState):
        raise ParameterInvalid(Fault(_STATE, "unknown", f"has to be one of {', '.join(LinkState)}"))
    bound_to = canonical(["links", caller.org, identity, state or ""])
    asked = lists.wanted(parts, request, bound_to)
    found = await managing.list_links(parts, caller, identity, state, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "links", found, lambda each: each.match_id)


async def get_link(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    match_id = await _linked(parts, caller, request)
    return json(200, await managing.link_of(parts, caller, identity, match_id))


async def put_link(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body: LinkBody = await request.decoded(LINK, parts.settings.body_limit)
    identity, match_id = _id_of(request), match_id_of(request)
    linked = await managing.put_link(
        parts, caller, identity, match_id, body.target, body.participants
    )
    return json(200, linked)


async def delete_link(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    match_id = await _linked(parts, caller, request)
    await managing.remove_link(parts, caller, _id_of(request), match_id)
    return Answer(204)


async def post_report(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    match_id = await _linked(parts, caller, request)
    return json(202, await managing.report_again(parts, caller, identity, match_id))


async def _linked(parts: Parts, caller: Caller, request: Request) -> str:
    """The match that is named. Raises: ConnectionNotFound, LinkNotFound."""
    match_id = match_id_in(request.path["match"])
    if match_id is None:
        await managing.connection_of(parts, caller, _id_of(request))
        raise LinkNotFound
    return match_id


def _tag(connection: PlatformConnection) -> Header:
    return (b"etag", revision_tag(connection.revision).encode())


def _id_of(request: Request) -> str:
    """Raises: ConnectionNotFound."""
    identity = request.path["connection"]
    if len(identity) > 64 or not identity.isalnum() or not identity.isascii():
        raise ConnectionNotFound
    return identity
