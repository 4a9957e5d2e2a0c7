"""Webhooks of the caller's organisation, and what was sent to them."""

from typing import Final

import msgspec

from events.canonical import canonical
from service.errors import Fault, ParameterInvalid
from service.http import Answer, Header, Request, json, tagged
from service.ids import match_id_in
from service.parts import Parts
from service.rest import lists
from service.rest.bodies import ROTATION, RotationBody
from service.rest.creating import created_once
from service.rest.hook_bodies import WEBHOOK, WEBHOOK_CHANGE, WebhookBody, WebhookChangeBody
from service.rest.inputs import caller_of, revision_if_named, revision_of, revision_tag
from service.webhooks import managing
from service.webhooks.deliveries import State
from service.webhooks.managing import HookFields, Webhook
from service.webhooks.refusals import DeliveryNotFound, WebhookNotFound

_STATE: Final = "state"


class MadeWebhook(Webhook, frozen=True, kw_only=True):
    """`secret` is what its messages are signed with, told this once; null in a repetition."""

    secret: str | None


async def get_webhooks(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, *lists.PAGING)
    asked = lists.wanted(parts, request, canonical(["webhooks", caller.org]))
    found = await managing.list_webhooks(parts, caller, asked.place, asked.one_more)
    return lists.page(parts, request, asked, "webhooks", found, lambda each: each.id)


async def post_webhook(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    body: WebhookBody = await request.decoded(WEBHOOK, parts.settings.body_limit)

    async def make() -> Answer:
        fields = HookFields(**msgspec.structs.asdict(body))
        return _made(201, *await managing.create_webhook(parts, caller, fields))

    right = managing.RIGHT
    return await created_once(parts, request, caller, right, "POST /v1/webhooks", body, make)


async def get_webhook(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    found = await managing.webhook_of(parts, caller, _id_of(request))
    return tagged(request, _mark(found), msgspec.json.encode(found))


async def patch_webhook(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    body: WebhookChangeBody = await request.decoded(WEBHOOK_CHANGE, parts.settings.body_limit)

    def change(before: Webhook) -> HookFields:
        given = msgspec.structs.asdict(body)
        return HookFields(
            **{
                name: getattr(before, name) if value is msgspec.UNSET else value
                for name, value in given.items()
            }
        )

    revision = revision_of(request)
    changed = await managing.change_webhook(parts, caller, identity, change, revision)
    return json(200, changed, (_tag(changed),))


async def delete_webhook(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    await managing.remove_webhook(parts, caller, _id_of(request), revision_if_named(request))
    return Answer(204)


async def post_rotation(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    identity = _id_of(request)
    body: RotationBody = await request.decoded(ROTATION, parts.settings.body_limit)

    async def make() -> Answer:
        rotated = managing.rotate_secret(parts, caller, identity, body.overlap_seconds)
        return _made(200, *await rotated)

    route = f"POST /v1/webhooks/{identity}/rotate"
    return await created_once(parts, request, caller, managing.RIGHT, route, body, make)


async def post_test(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    return json(202, await managing.send_test(parts, caller, _id_of(request)))


async def get_deliveries(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, _STATE, *lists.PAGING)
    identity, state = _id_of(request), request.query(_STATE)
    if state is not None and state not in set(State):
        raise ParameterInvalid(Fault(_STATE, "unknown", f"has to be one of {', '.join(State)}"))
    asked = lists.wanted(
        parts, request, canonical(["deliveries", caller.org, identity, state or ""])
    )
    found = await managing.list_deliveries(
        parts, caller, identity, state, asked.place, asked.one_more
    )
    return lists.page(parts, request, asked, "deliveries", found, lambda each: each.id)


async def post_redelivery(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request)
    delivery_id = match_id_in(request.path["delivery"])
    if delivery_id is None:
        await managing.webhook_of(parts, caller, _id_of(request))
        raise DeliveryNotFound
    return json(202, await managing.send_again(parts, caller, _id_of(request), delivery_id))


def _made(status: int, webhook: Webhook, secret: str) -> Answer:
    location = (b"location", f"/v1/webhooks/{webhook.id}".encode())
    told = MadeWebhook(**msgspec.structs.asdict(webhook), secret=secret)
    return json(status, told, (location, _tag(webhook)))


def _tag(webhook: Webhook) -> Header:
    return (b"etag", revision_tag(_mark(webhook)).encode())


def _mark(webhook: Webhook) -> str:
    """A pause makes no revision of its own: what is set about the webhook is what it was."""
    pause = webhook.paused_until
    return f"{webhook.revision}" if pause is None else f"{webhook.revision}-{pause}"


def _id_of(request: Request) -> str:
    """Raises: WebhookNotFound."""
    identity = request.path["webhook"]
    if len(identity) > 64 or not identity.isalnum() or not identity.isascii():
        raise WebhookNotFound
    return identity
