"""Webhooks of an organisation: made, changed, rotated, tested, and what was sent to them."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from service.auth import require
from service.callers import Caller, Right, Scope
from service.errors import Fault, Invalid, PreconditionFailed
from service.parts import Parts
from service.reaching import is_address
from service.webhooks import deliveries, rows, signing
from service.webhooks.deliveries import Attempt, Delivery, State
from service.webhooks.refusals import (
    DeliveryNotFound,
    TooManyWebhooks,
    WebhookDisabled,
    WebhookNotFound,
)
from service.webhooks.rows import EventType, Hook, Reason, Scheme

MOST: Final = 50  # of an organisation
# What is sent is what the one who manages webhooks may read.
RIGHT: Final = Right((Scope.WEBHOOKS_MANAGE, Scope.MATCHES_READ))


class HookFields(msgspec.Struct, frozen=True, kw_only=True):
    """What is set about a webhook."""

    name: str
    url: str
    types: tuple[EventType, ...]
    games: tuple[str, ...]
    external_id_prefix: str
    signatures: tuple[Scheme, ...]
    enabled: bool


class Webhook(HookFields, frozen=True, kw_only=True):
    """`disabled` says why it isn't enabled; `overlap_until` is when the secret before this one
    stops signing, null if there is none; `paused_until` when something is sent again to one whose
    receiver is too busy, null if it is not. Times in ms.
    """

    id: str
    disabled: Reason | None
    disabled_at: int | None
    overlap_until: int | None
    paused_until: int | None
    created_at: int
    revision: int


class WebhookDelivery(msgspec.Struct, frozen=True, kw_only=True):
    """`message_id` is the `webhook-id` of every attempt, `payload` the body. Times in ms."""

    id: str
    message_id: str
    type: str
    match_id: str | None
    state: State
    attempts: int
    next_at: int | None
    created_at: int
    ended_at: int | None
    log: tuple[Attempt, ...]
    payload: msgspec.Raw


async def create_webhook(parts: Parts, caller: Caller, wanted: HookFields) -> tuple[Webhook, str]:
    """A webhook and its secret. Raises: ApiKeyRequired, ScopeMissing, TooManyWebhooks, Invalid."""
    _require(caller)
    _refuse_address(parts, wanted.url)
    identity, secret = parts.entropy(8).hex(), parts.entropy(signing.SECRET_BYTES)
    hook = Hook(
        id=identity,
        org=caller.org,
        **_fields(wanted),
        **_enabled(None, wanted.enabled, parts.clock()),
        secret=parts.vault.seal_webhook(identity, secret),
        created_at=parts.clock(),
    )

    def work(connection: Connection) -> None:
        if rows.count(connection, caller.org) >= MOST:
            raise TooManyWebhooks
        rows.add(connection, hook)

    await parts.database.write(work)
    return _shown(parts, hook), signing.told(secret)


async def list_webhooks(
    parts: Parts, caller: Caller, after: str | None, limit: int
) -> list[Webhook]:
    """Those after an id, by id. Raises: ApiKeyRequired, ScopeMissing."""
    _require(caller)
    found = await parts.database.read(lambda c: rows.listed(c, caller.org, after, limit))
    return [_shown(parts, each) for each in found]


async def webhook_of(parts: Parts, caller: Caller, identity: str) -> Webhook:
    """Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound."""
    _require(caller)
    return _shown(parts, await parts.database.read(lambda c: _hook(c, caller.org, identity)))


async def change_webhook(
    parts: Parts,
    caller: Caller,
    identity: str,
    change: Callable[[Webhook], HookFields],
    revision: int | None,
) -> Webhook:
    """What `change` makes of it, if it is still at `revision`.

    Enabled again, it is sent what comes; disabled, what waits for it has failed. A pause is over.
    Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound, PreconditionFailed, Invalid.
    """
    _require(caller)
    now = parts.clock()

    def work(connection: Connection) -> Hook:
        before = _at(connection, caller.org, identity, revision)
        wanted = change(_shown(parts, before))
        if wanted.url != before.url:
            _refuse_address(parts, wanted.url)
        fields = {**_fields(wanted), **_enabled(before, wanted.enabled, now)}
        after = rows.change(connection, before, **fields)
        if after is None:
            raise PreconditionFailed
        if after.disabled is not None:
            deliveries.abandon(connection, before.id, now)
        return after

    return _shown(parts, await parts.database.write(work))


async def remove_webhook(parts: Parts, caller: Caller, identity: str, revision: int | None) -> None:
    """With all that waits for it, if it is still at `revision` (None: whatever it is at).

    Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound, PreconditionFailed.
    """
    _require(caller)

    def work(connection: Connection) -> None:
        before = _at(connection, caller.org, identity, revision)
        rows.remove(connection, before.id)
        deliveries.remove(connection, before.id)

    await parts.database.write(work)


async def rotate_secret(
    parts: Parts, caller: Caller, identity: str, overlap_seconds: int
) -> tuple[Webhook, str]:
    """A new secret; the one before it signs as well until the overlap is over.

    Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound, PreconditionFailed.
    """
    _require(caller)
    secret = parts.entropy(signing.SECRET_BYTES)
    sealed = parts.vault.seal_webhook(identity, secret)
    until = parts.clock() + overlap_seconds * 1000

    def work(connection: Connection) -> Hook:
        before = _hook(connection, caller.org, identity)
        old = {"previous": before.secret, "previous_until": until}
        none = {"previous": None, "previous_until": None}
        fields = {"secret": sealed, **(old if overlap_seconds else none)}
        after = rows.change(connection, before, **fields)
        if after is None:
            raise PreconditionFailed
        return after

    return _shown(parts, await parts.database.write(work)), signing.told(secret)


async def send_test(parts: Parts, caller: Caller, identity: str) -> WebhookDelivery:
    """Queue a message about the webhook itself.

    Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound, WebhookDisabled.
    """
    _require(caller)

    def work(connection: Connection) -> Delivery:
        queued = parts.webhooks.queue.test(_working(connection, caller.org, identity))
        deliveries.add(connection, [queued])
        return queued

    made = await parts.database.write(work)
    parts.webhooks.stir()
    return _told(made)


async def list_deliveries(
    parts: Parts, caller: Caller, identity: str, state: str | None, before: str | None, limit: int
) -> list[WebhookDelivery]:
    """The newest first, those before an id in that order.

    Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound.
    """
    _require(caller)

    def work(connection: Connection) -> list[Delivery]:
        hook = _hook(connection, caller.org, identity)
        return deliveries.newest(connection, hook.id, state, before, limit)

    return [_told(each) for each in await parts.database.read(work)]


async def send_again(
    parts: Parts, caller: Caller, identity: str, delivery_id: str
) -> WebhookDelivery:
    """The same message under the same id, from the first attempt on; one that waits goes at once.

    Raises: ApiKeyRequired, ScopeMissing, WebhookNotFound, DeliveryNotFound, WebhookDisabled.
    """
    _require(caller)

    def work(connection: Connection) -> Delivery:
        hook = _working(connection, caller.org, identity)
        found = deliveries.find(connection, hook.id, delivery_id)
        if found is None:
            raise DeliveryNotFound
        return deliveries.again(connection, found, parts.clock())

    queued = await parts.database.write(work)
    parts.webhooks.stir()
    return _told(queued)


def _require(caller: Caller) -> None:
    """Raises: ApiKeyRequired, ScopeMissing."""
    for scope in RIGHT.scopes:
        require(caller, scope)


def _hook(connection: Connection, org: str, identity: str) -> Hook:
    """Raises: WebhookNotFound."""
    found = rows.find(connection, identity, org)
    if found is None:
        raise WebhookNotFound
    return found


def _working(connection: Connection, org: str, identity: str) -> Hook:
    """Raises: WebhookNotFound, WebhookDisabled."""
    found = _hook(connection, org, identity)
    if found.disabled is not None:
        raise WebhookDisabled
    return found


def _at(connection: Connection, org: str, identity: str, revision: int | None) -> Hook:
    """Raises: WebhookNotFound, PreconditionFailed."""
    found = _hook(connection, org, identity)
    if revision is not None and revision != found.revision:
        raise PreconditionFailed
    return found


def _refuse_address(parts: Parts, url: str) -> None:
    """Raises: Invalid."""
    if not is_address(url, allow_private=parts.settings.private_webhooks):
        raise Invalid(Fault("/url", "no-address", "is no public https address"))


def _fields(wanted: HookFields) -> dict[str, Any]:
    """Each word once, in the order of its kind."""
    fields = msgspec.structs.asdict(wanted)
    del fields["enabled"]
    types = tuple(each for each in EventType if each in wanted.types)
    signatures = tuple(each for each in Scheme if each in wanted.signatures)
    games = tuple(sorted(set(wanted.games)))
    return {**fields, "types": types, "signatures": signatures, "games": games}


def _enabled(before: Hook | None, wanted: bool, now: int) -> dict[str, Any]:
    if wanted:
        fresh = {"failing_since": None, "strain": 0, "paused_until": 0}
        return {"disabled": None, "disabled_at": None, **fresh}
    if before is not None and before.disabled is not None:
        return {}
    return {"disabled": Reason.BY_HAND, "disabled_at": now}


def _shown(parts: Parts, hook: Hook) -> Webhook:
    fields = msgspec.structs.asdict(hook)
    own = {name: fields[name] for name in Webhook.__struct_fields__ if name in fields}
    now = parts.clock()
    own["paused_until"] = hook.paused_until if hook.paused_until > now else None
    is_over = hook.previous_until is None or hook.previous_until <= now
    overlap = None if is_over else hook.previous_until
    return Webhook(**own, enabled=hook.disabled is None, overlap_until=overlap)


def _told(delivery: Delivery) -> WebhookDelivery:
    fields = msgspec.structs.asdict(delivery)
    own = {name: fields[name] for name in WebhookDelivery.__struct_fields__ if name in fields}
    due = delivery.due_at if delivery.state is State.PENDING else None
    return WebhookDelivery(**own, next_at=due, payload=msgspec.Raw(delivery.body))
