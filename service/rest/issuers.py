"""Issuers of users' tokens, of the caller's organisation."""

import msgspec

from events.canonical import canonical
from service import issuers
from service.errors import IssuerNotFound
from service.http import Answer, Header, Request, json, tagged
from service.issuers import Issuer, IssuerFields
from service.parts import Parts
from service.rest import lists
from service.rest.bodies import ISSUER, ISSUER_CHANGE, IssuerBody, IssuerChangeBody
from service.rest.creating import created_once
from service.rest.inputs import caller_of, revision_if_named, revision_of, revision_tag


async def get_issuers(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    asked = lists.wanted(parts, request, canonical(["issuers", caller.org]))
    found = await issuers.list_issuers(parts, caller, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "issuers", found, lambda each: each.id)


async def post_issuer(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body: IssuerBody = await request.decoded(ISSUER, parts.settings.body_limit)

    async def make() -> Answer:
        fields = IssuerFields(**msgspec.to_builtins(body))
        made = await issuers.create_issuer(parts, caller, fields)
        location = (b"location", f"/v1/issuers/{made.id}".encode())
        return json(201, made, (location, _tag(made)))

    right = issuers.RIGHT
    return await created_once(parts, request, caller, right, "POST /v1/issuers", body, make)


async def get_issuer(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    found = await issuers.issuer_of(parts, caller, _id_of(request))
    return tagged(request, str(found.revision), msgspec.json.encode(found))


async def patch_issuer(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    body: IssuerChangeBody = await request.decoded(ISSUER_CHANGE, parts.settings.body_limit)

    def change(before: Issuer) -> IssuerFields:
        return _merged(before, body)

    revision = revision_of(request)
    changed = await issuers.change_issuer(parts, caller, identity, change, revision)
    return json(200, changed, (_tag(changed),))


async def delete_issuer(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await issuers.remove_issuer(parts, caller, _id_of(request), revision_if_named(request))
    return Answer(204)


def _merged(before: Issuer, body: IssuerChangeBody) -> IssuerFields:
    fields = {name: getattr(before, name) for name in IssuerFields.__struct_fields__}
    given = msgspec.to_builtins(body)  # Without what is left out.
    if "jwks" in given or "jwks_uri" in given:
        fields |= {"jwks": None, "jwks_uri": None}
    return IssuerFields(**{**fields, **given})


def _tag(issuer: Issuer) -> Header:
    return (b"etag", revision_tag(issuer.revision).encode())


def _id_of(request: Request) -> str:
    """Raises: IssuerNotFound."""
    identity = request.path["issuer_id"]
    if len(identity) > 64 or not identity.isalnum() or not identity.isascii():
        raise IssuerNotFound
    return identity
