"""Webhooks as rows: where to, of what, signed how, and whether anything is sent at all."""

from collections.abc import Collection
from enum import StrEnum
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from events.filling import filled_up
from service.webhooks.tables import WEBHOOK

_W = TypeVar("_W", bound=StrEnum)


class EventType(StrEnum):
    """What a webhook can be told of."""

    CREATED = "match.created"
    STARTED = "match.started"
    ENDED = "match.ended"
    CANCELLED = "match.cancelled"
    REVEALED = "match.revealed"
    ADVANCED = "match.advanced"  # of everything that is appended
    OPENED = "match.opened"  # seats can be claimed, of a match that was scheduled
    PAUSED = "match.paused"
    RESUMED = "match.resumed"
    PROVISIONAL = "result.provisional"
    FINAL = "result.final"
    REVISED = "result.revised"
    VOID = "result.void"  # the match does not count
    WITHDRAWN = "result.withdrawn"  # the match is played on
    MATCH_OPENED = "series.match_opened"
    DECIDED = "series.decided"
    SERIES_REVISED = "series.revised"


TEST: Final = "webhook.test"  # the type of what is sent on request alone
# What a webhook is told of that names nothing. What was added later is told by name only.
USUAL: Final = (
    EventType.CREATED,
    EventType.STARTED,
    EventType.ENDED,
    EventType.CANCELLED,
    EventType.REVEALED,
)


class Scheme(StrEnum):
    """The signatures of Standard Webhooks."""

    HMAC = "v1"
    ED25519 = "v1a"


class Reason(StrEnum):
    """Why nothing is sent to a webhook."""

    BY_HAND = "by_hand"
    GONE = "gone"  # it answered 410
    FAILING = "failing"  # for days nothing was taken
    FULL = "queue_full"  # more waits for it than is kept


class Hook(msgspec.Struct, frozen=True, kw_only=True):
    """`secret` and `previous` are sealed. No `games` are all of them. `strain` is 0 unless nothing
    was taken since its receiver said that it is too busy. Times in ms.
    """

    id: str
    org: str
    name: str
    url: str
    types: tuple[EventType, ...]
    games: tuple[str, ...]
    external_id_prefix: str
    signatures: tuple[Scheme, ...]
    secret: bytes
    previous: bytes | None = None
    previous_until: int | None = None
    disabled: Reason | None = None
    disabled_at: int | None = None
    failing_since: int | None = None
    created_at: int
    revision: int = 1
    strain: int = 0
    paused_until: int = 0

    def wants(self, kind: EventType, game: str, external_id: str | None) -> bool:
        return (
            kind in self.types
            and (not self.games or game in self.games)
            and (external_id or "").startswith(self.external_id_prefix)
        )


_WORDS: Final = ("types", "games", "signatures")


def add(connection: Connection, hook: Hook) -> None:
    connection.execute(insert(WEBHOOK), [_stored(msgspec.structs.asdict(hook))])


def find(connection: Connection, identity: str, org: str | None = None) -> Hook | None:
    query = select(WEBHOOK).where(WEBHOOK.c.id == identity)
    if org is not None:
        query = query.where(WEBHOOK.c.org == org)
    row = connection.execute(query).first()
    return None if row is None else _hook(row)


def count(connection: Connection, org: str) -> int:
    query = select(func.count()).select_from(WEBHOOK).where(WEBHOOK.c.org == org)
    return int(connection.execute(query).scalar_one())


def listed(connection: Connection, org: str, after: str | None, limit: int) -> list[Hook]:
    """Those after an id, by id."""
    query = select(WEBHOOK).where(WEBHOOK.c.org == org)
    if after is not None:
        query = query.where(WEBHOOK.c.id > after)
    return [_hook(row) for row in connection.execute(query.order_by(WEBHOOK.c.id).limit(limit))]


def named(connection: Connection, ids: Collection[str]) -> list[Hook]:
    rows = connection.execute(
        select(WEBHOOK).where(WEBHOOK.c.id.in_(filled_up(ids))).order_by(WEBHOOK.c.id)
    )
    return [_hook(row) for row in rows]


def enabled(connection: Connection, orgs: Collection[str]) -> list[Hook]:
    """Those of the organisations to which something is sent."""
    query = select(WEBHOOK).where(WEBHOOK.c.org.in_(filled_up(orgs)), WEBHOOK.c.disabled.is_(None))
    return [_hook(row) for row in connection.execute(query.order_by(WEBHOOK.c.id))]


def change(connection: Connection, before: Hook, **fields: Any) -> Hook | None:
    """The webhook with other fields, if it is still at its revision; else None."""
    after = msgspec.structs.replace(before, **fields, revision=before.revision + 1)
    done = connection.execute(
        update(WEBHOOK)
        .where(WEBHOOK.c.id == before.id, WEBHOOK.c.revision == before.revision)
        .values(**_stored(fields), revision=after.revision)
    )
    return after if done.rowcount == 1 else None


def disable(connection: Connection, identity: str, why: Reason, at: int) -> None:
    """Unless it is disabled already."""
    connection.execute(
        update(WEBHOOK)
        .where(WEBHOOK.c.id == identity, WEBHOOK.c.disabled.is_(None))
        .values(disabled=why, disabled_at=at, revision=WEBHOOK.c.revision + 1)
    )


def failed(connection: Connection, identity: str, at: int) -> int:
    """Since when nothing was taken, now that it failed (again)."""
    own = WEBHOOK.c.id == identity
    first = update(WEBHOOK).where(own, WEBHOOK.c.failing_since.is_(None))
    connection.execute(first.values(failing_since=at))
    return connection.execute(select(WEBHOOK.c.failing_since).where(own)).scalar() or at


def succeeded(connection: Connection, identity: str) -> None:
    own = (WEBHOOK.c.id == identity, WEBHOOK.c.failing_since.is_not(None))
    connection.execute(update(WEBHOOK).where(*own).values(failing_since=None))


def tries(connection: Connection, hook: Hook, until: int) -> bool:
    """Whether it falls to the caller to find out if a busy webhook is well again: to one, and to
    no other before `until`.
    """
    seen = (WEBHOOK.c.strain == hook.strain, WEBHOOK.c.paused_until == hook.paused_until)
    own = update(WEBHOOK).where(WEBHOOK.c.id == hook.id, *seen)
    return connection.execute(own.values(paused_until=until)).rowcount == 1


def strained(connection: Connection, hook: Hook, until: int, asked: int) -> None:
    """What was sent to the webhook as it was then was too much: it is left alone until then, and
    until `asked` in any case. What was sent side by side with it is no further strain.
    """
    own = update(WEBHOOK).where(WEBHOOK.c.id == hook.id)
    first = own.where(WEBHOOK.c.strain == hook.strain)
    more = {"strain": hook.strain + 1, "paused_until": max(until, asked)}
    if connection.execute(first.values(more)).rowcount == 0:
        longer = own.where(WEBHOOK.c.strain > 0, WEBHOOK.c.paused_until < asked)
        connection.execute(longer.values(paused_until=asked))


def eased(connection: Connection, hook: Hook) -> None:
    """It took something that was sent to it as it was then."""
    own = update(WEBHOOK).where(WEBHOOK.c.id == hook.id, WEBHOOK.c.strain == hook.strain)
    connection.execute(own.values(strain=0, paused_until=0))


def remove(connection: Connection, identity: str) -> None:
    connection.execute(delete(WEBHOOK).where(WEBHOOK.c.id == identity))


def _stored(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: " ".join(value) if name in _WORDS else value for name, value in fields.items()}


def _hook(row: "Row[Any]") -> Hook:
    fields = dict(row._mapping)
    fields["types"] = _known(EventType, fields["types"])
    fields["games"] = tuple(fields["games"].split())
    fields["signatures"] = _known(Scheme, fields["signatures"])
    if fields["disabled"] is not None and fields["disabled"] not in tuple(Reason):
        fields["disabled"] = Reason.BY_HAND
    fields["disabled"] = fields["disabled"] and Reason(fields["disabled"])
    return Hook(**fields)


def _known(words: type[_W], stored: str) -> tuple[_W, ...]:
    """Without those of a newer release, which can't be told here and keep no others from it."""
    return tuple(each for each in words if each in stored.split())
