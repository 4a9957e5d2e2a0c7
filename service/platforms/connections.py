"""Connections as rows: which platform, under which credentials, and whether anything is sent."""

from enum import StrEnum
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from service.parameters import written
from service.platforms.tables import CONNECTION, IS_DUE, LINK
from service.platforms.told import Platform


class Held(StrEnum):
    """Why nothing is sent over a connection."""

    BY_HAND = "by_hand"
    UNAUTHORIZED = "unauthorized"  # the platform refused the credentials
    UNREADABLE = "secret_not_readable"  # they were sealed under another key


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """An organisation's connection. `credentials` are sealed. `claimed_until` is until when nobody
    else tells anything over it, then when that ended; `strain` how many attempts in a row failed by
    the platform, `paused_until` until when nothing is sent for that. Times in ms.
    """

    id: str
    org: str
    name: str
    platform: Platform
    address: str
    tournament: str
    provisional: bool
    participants: dict[str, str]
    credentials: bytes
    disabled: Held | None = None
    disabled_at: int | None = None
    created_at: int
    revision: int = 1
    claims: int = 0
    claimed_until: int = 0
    strain: int = 0
    paused_until: int = 0


def add(connection: Connection, account: Account) -> None:
    connection.execute(insert(CONNECTION), [_stored(msgspec.structs.asdict(account))])


def find(connection: Connection, identity: str, org: str) -> Account | None:
    own = (CONNECTION.c.id == identity, CONNECTION.c.org == org)
    row = connection.execute(select(CONNECTION).where(*own)).first()
    return None if row is None else _account(row)


def keep(connection: Connection, identity: str) -> None:
    """Until this transaction ends the connection, if it is there, is not removed."""
    own = select(CONNECTION.c.id).where(CONNECTION.c.id == identity)
    connection.execute(own.with_for_update(read=True)).first()


def count(connection: Connection, org: str) -> int:
    query = select(func.count()).select_from(CONNECTION).where(CONNECTION.c.org == org)
    return int(connection.execute(query).scalar_one())


def listed(connection: Connection, org: str, after: str | None, limit: int) -> list[Account]:
    """Those after an id, by id."""
    query = select(CONNECTION).where(CONNECTION.c.org == org)
    if after is not None:
        query = query.where(CONNECTION.c.id > after)
    rows = connection.execute(query.order_by(CONNECTION.c.id).limit(limit))
    return [_account(row) for row in rows]


def change(connection: Connection, before: Account, **fields: Any) -> Account | None:
    """The connection with other fields, if it is still at its revision; else None."""
    after = msgspec.structs.replace(before, **fields, revision=before.revision + 1)
    own = (CONNECTION.c.id == before.id, CONNECTION.c.revision == before.revision)
    stored = {**_stored(fields), "revision": after.revision}
    return after if written(connection, update(CONNECTION).where(*own), stored) == 1 else None


def hold(connection: Connection, before: Account, why: Held, at: int) -> None:
    """Unless it is held already or was changed since: credentials may be new."""
    if before.disabled is None:
        change(connection, before, disabled=why, disabled_at=at)


def remove(connection: Connection, identity: str) -> None:
    """With its credentials and all its links."""
    connection.execute(delete(CONNECTION).where(CONNECTION.c.id == identity))
    connection.execute(delete(LINK).where(LINK.c.connection_id == identity))


def due(connection: Connection, now: int) -> list[tuple[str, str]]:
    """Ids and organisations of those over which something is due and nobody tells anything; first
    the one over which that was the longest ago.
    """
    return [(row.id, row.org) for row in connection.execute(_DUE, {"now": now})]


def claimed(connection: Connection, account: Account, now: int, until: int) -> Account | None:
    """The connection with one more claim, if it is as it was; else None."""
    fields = {"claims": account.claims + 1, "claimed_until": until}
    own = update(CONNECTION).where(
        CONNECTION.c.id == account.id,
        CONNECTION.c.claims == account.claims,
        CONNECTION.c.revision == account.revision,
        CONNECTION.c.claimed_until <= now,
        CONNECTION.c.paused_until <= now,
    )
    won = connection.execute(own.values(fields)).rowcount == 1
    return msgspec.structs.replace(account, **fields) if won else None


def released(connection: Connection, account: Account, now: int) -> None:
    """The claim has ended."""
    connection.execute(_claim(account).values(claimed_until=now))


def told(connection: Connection, account: Account, now: int, pause: float | None) -> None:
    """The claim has ended, and the platform did its part, or shall be left alone for `pause` s: as
    long as the connection is what it was.
    """
    released(connection, account, now)
    strain, until = (0, 0) if pause is None else (account.strain + 1, now + int(pause * 1000))
    same = _claim(account).where(CONNECTION.c.revision == account.revision)
    connection.execute(same.values(strain=strain, paused_until=until))


def _claim(account: Account) -> Any:
    """The row, as long as the claim is the newest."""
    own = (CONNECTION.c.id == account.id, CONNECTION.c.claims == account.claims)
    return update(CONNECTION).where(*own)


def _stored(fields: dict[str, Any]) -> dict[str, Any]:
    return {n: msgspec.json.encode(v) if n in _JSON else v for n, v in fields.items()}


def _account(row: "Row[Any]") -> Account:
    fields = dict(row._mapping)
    fields["platform"] = Platform(fields["platform"])
    fields["participants"] = msgspec.json.decode(fields["participants"], type=dict[str, str])
    fields["credentials"] = bytes(fields["credentials"])
    fields["disabled"] = fields["disabled"] and Held(fields["disabled"])
    return Account(**fields)


_JSON: Final = ("participants",)
_DUE: Final = (
    select(CONNECTION.c.id, CONNECTION.c.org)
    .where(
        CONNECTION.c.disabled.is_(None),
        CONNECTION.c.claimed_until <= bindparam("now"),
        CONNECTION.c.paused_until <= bindparam("now"),
        CONNECTION.c.id.in_(select(LINK.c.connection_id).where(*IS_DUE)),
    )
    .order_by(CONNECTION.c.claimed_until, CONNECTION.c.id)
)
