"""Deliveries as rows: queued with the feed, taken by whoever moves them on first, kept for a while.

A delivery that is being tried has its next time set to when it may be tried again if nothing is
heard of this attempt: so a process that dies leaves nothing behind that has to be freed.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from events.filling import filled_up
from service.webhooks import rows
from service.webhooks.rows import Reason
from service.webhooks.tables import DELIVERY

MOST_WAITING: Final = 10_000  # of a webhook
KEPT: Final = 1000  # of a webhook, of those that have come to an end
DEAD_MS: Final = 48 * 3_600_000  # after so long without a success the last attempt disables
_LOGGED: Final = 10  # attempts


class State(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"


class Attempt(msgspec.Struct, frozen=True):
    """When it began, how long it took (ms), and what came of it; `status` is that of the answer."""

    at: int
    took: int
    status: int | None
    outcome: str


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """`due_at` is when it may be tried (again), while it is pending. `log` is the last attempts."""

    id: str
    webhook_id: str
    org: str
    message_id: str
    type: str
    match_id: str | None
    body: bytes
    created_at: int
    state: State = State.PENDING
    attempts: int = 0
    due_at: int
    ended_at: int | None = None
    log: tuple[Attempt, ...] = ()


def add(connection: Connection, queued: Sequence[Delivery]) -> None:
    if queued:
        connection.execute(insert(DELIVERY), [_stored(each) for each in queued])


def find(connection: Connection, webhook_id: str, identity: str) -> Delivery | None:
    own = (DELIVERY.c.id == identity, DELIVERY.c.webhook_id == webhook_id)
    row = connection.execute(select(DELIVERY).where(*own)).first()
    return None if row is None else _delivery(row)


def newest(
    connection: Connection, webhook_id: str, state: str | None, before: str | None, limit: int
) -> list[Delivery]:
    """The newest first, those before an id in that order."""
    query = select(DELIVERY).where(DELIVERY.c.webhook_id == webhook_id)
    if state is not None:
        query = query.where(DELIVERY.c.state == state)
    if before is not None:
        query = query.where(DELIVERY.c.id < before)
    found = connection.execute(query.order_by(DELIVERY.c.id.desc()).limit(limit))
    return [_delivery(row) for row in found]


def waiting(connection: Connection, webhook_ids: Collection[str]) -> dict[str, int]:
    """How many are pending, of those webhooks with any."""
    pending = (DELIVERY.c.state == State.PENDING, DELIVERY.c.webhook_id.in_(filled_up(webhook_ids)))
    query = select(DELIVERY.c.webhook_id, func.count()).where(*pending)
    found = connection.execute(query.group_by(DELIVERY.c.webhook_id))
    return {row[0]: row[1] for row in found}


def due_hooks(connection: Connection, now: int) -> list[str]:
    """Ids of the webhooks for which something is due."""
    return list(connection.execute(_DUE_HOOKS, {"now": now}).scalars())


def due(connection: Connection, webhook_id: str, now: int, most: int) -> list[Delivery]:
    """What is due, in the order in which it became so."""
    found = connection.execute(_DUE, {"of": webhook_id, "now": now, "most": most})
    return [_delivery(row) for row in found]


def claimed(connection: Connection, wanted: Sequence[Delivery], until: int) -> list[Delivery]:
    """Those of the deliveries that nobody else took; nobody else will before `until`."""
    found = []
    for each in sorted(wanted, key=lambda each: each.id):
        own = {"of": each.id, "was": each.due_at, "until": until, "by": each.attempts + 1}
        if connection.execute(_CLAIM, own).rowcount == 1:
            found.append(msgspec.structs.replace(each, due_at=until, attempts=each.attempts + 1))
    return found


def delivered(connection: Connection, done: Delivery, attempt: Attempt, now: int) -> None:
    """Also if somebody else tries it by now: it has arrived."""
    rows.succeeded(connection, done.webhook_id)
    values = {"state": State.DELIVERED, "ended_at": now, "log": _log(done, attempt)}
    connection.execute(_pending(done.id).values(values))


def failed(
    connection: Connection, done: Delivery, attempt: Attempt, now: int, pause: float | None
) -> None:
    """To be tried again after `pause` seconds, or given up; then the webhook is disabled if nothing
    else came through.
    """
    since = rows.failed(connection, done.webhook_id, attempt.at)
    log = _log(done, attempt)
    # Not if its time ran out and somebody else tries it by now.
    own = _pending(done.id).where(DELIVERY.c.attempts == done.attempts)
    if pause is not None:
        connection.execute(own.values(due_at=now + int(pause * 1000), log=log))
        return
    connection.execute(own.values(state=State.FAILED, ended_at=now, log=log))
    if now - since >= DEAD_MS:
        give_up(connection, done.webhook_id, Reason.FAILING, now)


def gone(connection: Connection, done: Delivery, attempt: Attempt, now: int) -> None:
    """The webhook said that it wants nothing any more."""
    values = {"log": _log(done, attempt)}
    connection.execute(_pending(done.id).values(values))
    give_up(connection, done.webhook_id, Reason.GONE, now)


def give_up(connection: Connection, webhook_id: str, why: Reason, now: int) -> None:
    """Disable a webhook; what waits for it has failed."""
    rows.disable(connection, webhook_id, why, now)
    abandon(connection, webhook_id, now)


def abandon(connection: Connection, webhook_id: str, now: int) -> None:
    """What waits for the webhook has failed."""
    own = (DELIVERY.c.webhook_id == webhook_id, DELIVERY.c.state == State.PENDING)
    given_up = update(DELIVERY).where(*own)
    connection.execute(given_up.values(state=State.FAILED, ended_at=now))


def again(connection: Connection, old: Delivery, now: int) -> Delivery:
    """The same once more, from the first step on."""
    fields = {"state": State.PENDING, "attempts": 0, "due_at": now, "ended_at": None}
    connection.execute(update(DELIVERY).where(DELIVERY.c.id == old.id).values(**fields))
    return msgspec.structs.replace(old, **fields)


def forget(connection: Connection, webhook_id: str, kept: int = KEPT) -> None:
    """What has come to an end, but for the newest."""
    own = (DELIVERY.c.webhook_id == webhook_id, DELIVERY.c.state != State.PENDING)
    ended = select(DELIVERY.c.id).where(*own).order_by(DELIVERY.c.id.desc())
    last = connection.execute(ended.offset(kept).limit(1)).scalar()
    if last is not None:
        connection.execute(delete(DELIVERY).where(*own, DELIVERY.c.id <= last))


def remove(connection: Connection, webhook_id: str) -> None:
    connection.execute(delete(DELIVERY).where(DELIVERY.c.webhook_id == webhook_id))


def all_hooks(connection: Connection) -> list[str]:
    """Ids of the webhooks that have any deliveries."""
    return list(connection.execute(select(DELIVERY.c.webhook_id).distinct()).scalars())


def _pending(identity: str) -> Any:
    return update(DELIVERY).where(DELIVERY.c.id == identity, DELIVERY.c.state == State.PENDING)


def _log(done: Delivery, attempt: Attempt) -> bytes:
    return msgspec.json.encode((*done.log, attempt)[-_LOGGED:])


def _stored(queued: Delivery) -> dict[str, Any]:
    return {**msgspec.structs.asdict(queued), "log": msgspec.json.encode(queued.log)}


def _delivery(row: "Row[Any]") -> Delivery:
    fields = dict(row._mapping)
    log: tuple[Attempt, ...] = ()
    with suppress(msgspec.MsgspecError):  # Of what was, which keeps nothing from being sent.
        log = msgspec.json.decode(fields["log"], type=tuple[Attempt, ...])
    return Delivery(
        **{**fields, "log": log, "state": State(fields["state"]), "body": bytes(fields["body"])}
    )


_IS_DUE = (DELIVERY.c.state == State.PENDING, DELIVERY.c.due_at <= bindparam("now"))
_DUE_HOOKS = select(DELIVERY.c.webhook_id).where(*_IS_DUE).distinct()
_DUE = (
    select(DELIVERY)
    .where(*_IS_DUE, DELIVERY.c.webhook_id == bindparam("of"))
    .order_by(DELIVERY.c.due_at, DELIVERY.c.id)
    .limit(bindparam("most"))
)
_CLAIM = (
    update(DELIVERY)
    .where(DELIVERY.c.id == bindparam("of"), DELIVERY.c.due_at == bindparam("was"))
    .where(DELIVERY.c.state == State.PENDING)
    .values(due_at=bindparam("until"), attempts=bindparam("by"))
)
