"""Deal groups: created with all their matches, looked at, compared, closed."""

import msgspec

from events.canonical import canonical
from service import deal_groups, ending, founding, making, standings
from service.auth import Caller
from service.errors import DealGroupNotFound, Fault, ParameterInvalid
from service.group_rows import GroupFilter, GroupState
from service.http import Answer, Request, json
from service.ids import match_id_in
from service.parts import Parts
from service.repeating import once
from service.rest import lists
from service.rest.bodies import GROUP
from service.rest.inputs import caller_of, idempotency_key
from service.rest.play import FORM

_ROUTE = "POST /v1/deal-groups"


async def post_group(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    key = idempotency_key(request)
    body = await request.decoded(GROUP, parts.settings.body_limit)

    async def make(group_id: str | None) -> Answer:
        made = await founding.create_group(parts, caller, body.wanted, group_id)
        group = await deal_groups.new_group(parts, caller, made)
        return json(201, group, ((b"location", f"/v1/deal-groups/{made}".encode()),))

    asked = canonical({**msgspec.to_builtins(body), "form": FORM})
    return await once(parts, caller, making.RIGHT, _ROUTE, key, asked, make)


async def get_groups(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, "state", "game", "external_id", *lists.PAGING)
    narrowed = GroupFilter(_state(request), request.query("game"), request.query("external_id"))
    bound = canonical(["deal groups", caller.org, msgspec.to_builtins(narrowed)])
    asked = lists.wanted(parts, request, bound)
    found = await deal_groups.list_groups(parts, caller, narrowed, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "deal_groups", found, lambda each: each.id)


async def get_group(parts: Parts, request: Request) -> Answer:
    caller = await _caller(parts, request)
    return lists.told(request, await deal_groups.group_of(parts, caller, _id_of(request)))


async def get_standings(parts: Parts, request: Request) -> Answer:
    caller = await _caller(parts, request)
    return lists.told(request, await standings.standings_of(parts, caller, _id_of(request)))


async def post_close(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await request.nothing(parts.settings.body_limit)
    group_id = _id_of(request)
    await ending.close_group(parts, caller, group_id)
    return json(200, await deal_groups.group_of(parts, caller, group_id))


async def _caller(parts: Parts, request: Request) -> Caller:
    """A user's token is one at a match: the query names it."""
    given = request.query("match")
    named = None if given is None else match_id_in(given)
    caller = await caller_of(parts, request, "match", match_id=named)
    if given is not None and named is None:
        raise ParameterInvalid(Fault("match", "malformed", "is not the id of a match"))
    return caller


def _id_of(request: Request) -> str:
    """Raises: DealGroupNotFound."""
    group_id = match_id_in(request.path["group"])
    if group_id is None:
        raise DealGroupNotFound
    return group_id


def _state(request: Request) -> str | None:
    given = request.query("state")
    if given is not None and given not in list(GroupState):
        reason = f"has to be one of {', '.join(GroupState)}"
        raise ParameterInvalid(Fault("state", "unknown-value", reason))
    return given
