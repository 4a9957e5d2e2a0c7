"""API keys of the caller's organisation, and for the operator the organisations."""

from typing import Final

import msgspec

from events.canonical import canonical
from service import keyring
from service.errors import KeyNotFound, OrgNotFound
from service.http import Answer, Header, Request, json, tagged
from service.keyring import Key, KeyChange, NewKey, Org
from service.parts import Parts
from service.rest import lists
from service.rest.bodies import KEY, KEY_CHANGE, ORG, ROTATION, KeyBody, RotationBody
from service.rest.creating import created_once
from service.rest.inputs import caller_of, revision_if_named, revision_of, revision_tag

_LONGEST_ID: Final = 64


class MadeKey(Key, frozen=True):
    """`secret` is the key itself, told this once; null when the request is repeated."""

    secret: str | None


class MadeOrg(Org, frozen=True):
    """`secret` is the organisation's first key, told this once; null in a repetition."""

    secret: str | None


async def get_keys(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    asked = lists.wanted(parts, request, canonical(["keys", caller.org]))
    found = await keyring.list_keys(parts, caller, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "keys", found, lambda each: each.place)


async def post_key(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body: KeyBody = await request.decoded(KEY, parts.settings.body_limit)

    async def make() -> Answer:
        wanted = NewKey(body.name, body.scopes, body.expires_at, body.test)
        return _made(*await keyring.create_key(parts, caller, wanted))

    right = keyring.right_to_create(body.scopes)
    return await created_once(parts, request, caller, right, "POST /v1/keys", body, make)


async def get_key(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    key = await keyring.key_of(parts, caller, _id_of(request))
    return tagged(request, str(key.revision), msgspec.json.encode(key))


async def patch_key(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    body = await request.decoded(KEY_CHANGE, parts.settings.body_limit)
    change = KeyChange(body.name, body.scopes, body.expires_at)
    key = await keyring.change_key(parts, caller, identity, change, revision_of(request))
    return json(200, key, (_tag(key),))


async def delete_key(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await keyring.revoke_key(parts, caller, _id_of(request), revision_if_named(request))
    return Answer(204)


async def post_rotation(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    body: RotationBody = await request.decoded(ROTATION, parts.settings.body_limit)

    async def make() -> Answer:
        return _made(*await keyring.rotate_key(parts, caller, identity, body.overlap_seconds))

    route = f"POST /v1/keys/{identity}/rotate"
    right = await keyring.right_to_rotate(parts, caller, identity)
    return await created_once(parts, request, caller, right, route, body, make)


async def get_orgs(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    asked = lists.wanted(parts, request, canonical(["orgs", caller.org]))
    found = await keyring.list_orgs(parts, caller, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "orgs", found, lambda each: each.id)


async def post_org(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body = await request.decoded(ORG, parts.settings.body_limit)

    async def make() -> Answer:
        org, secret = await keyring.create_org(parts, caller, body.id, body.name or body.id)
        location = (b"location", f"/v1/orgs/{org.id}".encode())
        return json(201, MadeOrg(**msgspec.structs.asdict(org), secret=secret), (location,))

    right = keyring.FOUNDING
    return await created_once(parts, request, caller, right, "POST /v1/orgs", body, make)


async def get_org(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = request.path["org"]
    if len(identity) > _LONGEST_ID or not (identity.isascii() and identity.isprintable()):
        raise OrgNotFound
    return json(200, await keyring.org_of(parts, caller, identity))


def _made(key: Key, secret: str) -> Answer:
    location = (b"location", f"/v1/keys/{key.id}".encode())
    shown = MadeKey(**msgspec.structs.asdict(key), secret=secret)
    return json(201, shown, (location, _tag(key)))


def _tag(key: Key) -> Header:
    return (b"etag", revision_tag(key.revision).encode())


def _id_of(request: Request) -> str:
    """Raises: KeyNotFound for what can't be an id, which PostgreSQL might not even take."""
    identity = request.path["key"]
    if len(identity) > _LONGEST_ID or not identity.isalnum() or not identity.isascii():
        raise KeyNotFound
    return identity
