"""Organisations, API keys, tokens of seats and spectators, answers of creating requests: rows."""

from collections.abc import Sequence
from hmac import compare_digest
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Table, bindparam, delete, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite

from events.filling import filled_up
from events.tables import API_KEY, HELD, LISTED, MATCH, ORG, REQUEST, SEAT, TICKET, TOKEN
from service.callers import ADMIN, FIRST_ORG

__all__ = ["ADMIN", "FIRST_ORG"]

PLAY: Final = "play"
WATCH: Final = "watch"
RULE: Final = "rule"


class KeyRow(msgspec.Struct, frozen=True):
    """An API key that is neither revoked nor expired; `prefix` may be shown."""

    id: str
    org: str
    prefix: str
    name: str
    scopes: str


class TokenRow(msgspec.Struct, frozen=True):
    """A token that is neither revoked nor expired; `org` owns the match.

    `seat` is None for a spectator's, which stays so many versions and milliseconds behind, and for
    an arbiter's, who has the name `arbiter` in the log.
    """

    hash: bytes
    match_id: str
    seat: int | None
    delay_versions: int
    delay_ms: int
    arbiter: str | None
    org: str


class Request(msgspec.Struct, frozen=True):
    """A creating request: the same `key` on the same route is the same request, or refused."""

    org: str
    route: str
    key: str
    hash: bytes


class Begun(msgspec.Struct, frozen=True):
    """`at` is when the request was first made; `fresh` if that is now."""

    at: int
    fresh: bool
    matches: bool
    status: int | None = None
    body: bytes = b""
    headers: bytes = b""


def find_keys(connection: Connection, hashes: Sequence[bytes], now: int) -> dict[bytes, KeyRow]:
    """Those of at most 256 hashes that are of a key that works."""
    rows = connection.execute(_KEYS, {"hashes": filled_up(hashes), "now": now})
    return {bytes(row[0]): KeyRow(*row[1:]) for row in rows}


def find_tokens(connection: Connection, hashes: Sequence[bytes], now: int) -> dict[bytes, TokenRow]:
    """Those of at most 256 hashes that are of a token that works."""
    rows = connection.execute(_TOKENS, {"hashes": filled_up(hashes), "now": now})
    return {bytes(row[0]): TokenRow(bytes(row[0]), *row[1:]) for row in rows}


def working(connection: Connection, hashes: Sequence[bytes], now: int) -> set[bytes]:
    """Those of the hashes that are of a key or a token that works."""
    found: set[bytes] = set()
    for start in range(0, len(hashes), 256):
        some = filled_up(hashes[start : start + 256])
        for table in (API_KEY, TOKEN):
            rows = connection.execute(
                select(table.c.hash).where(table.c.hash.in_(some), *_works(table, now))
            )
            found.update(bytes(row[0]) for row in rows)
    return found


def add_org(connection: Connection, org: str, at: int, *, name: str | None = None) -> bool:
    """Whether it was new; of several processes that start at once, one is told so."""
    return insert_new(connection, ORG, {"id": org, "name": name or org, "created_at": at})


def add_key(
    connection: Connection, stored: bytes, prefix: str, at: int, *, org: str = FIRST_ORG
) -> None:
    """An admin key of an organisation; one that is there, revoked or not, stays as it is."""
    row = {
        "id": stored.hex()[:16],
        "org": org,
        "prefix": prefix,
        "hash": stored,
        "name": ADMIN,
        "scopes": ADMIN,
        "created_at": at,
    }
    insert_new(connection, API_KEY, row)


def kept_held(connection: Connection, match_id: str) -> set[str]:
    """The accounts that hold or held a seat of the match and were not erased. None of them is
    until this transaction ends.
    """
    held = select(HELD.c.account).where(HELD.c.match_id == match_id)
    return set(connection.execute(held.with_for_update()).scalars())


def parties(connection: Connection, match_id: str) -> set[str]:
    """Every account that holds, held or may claim a seat of the match, or of its deal group."""
    own = MATCH.c.match_id == match_id
    group = connection.execute(select(MATCH.c.deal_group).where(own)).scalar()
    ids = [match_id]
    if group is not None:
        query = select(MATCH.c.match_id).where(MATCH.c.deal_group == group)
        ids = list(connection.execute(query).scalars())
    found: set[str] = set()
    for table in (SEAT, HELD, LISTED):
        rows = connection.execute(
            select(table.c.account).where(table.c.match_id.in_(filled_up(ids)))
        )
        found.update(account for (account,) in rows if account is not None)
    return found


def elsewhere(connection: Connection, match_id: str, seat: int) -> set[str]:
    """Every account that holds or may claim another seat of the match."""
    found: set[str] = set()
    for table in (SEAT, LISTED):
        others = select(table.c.account).where(table.c.match_id == match_id, table.c.seat != seat)
        found.update(account for account in connection.scalars(others) if account is not None)
    return found


def accounts(connection: Connection, match_id: str, seats: int) -> tuple[str | None, ...]:
    """By seat, the account that holds it."""
    own = held(connection, match_id)
    return tuple(own.get(seat) for seat in range(seats))


def held(connection: Connection, match_id: str) -> dict[int, str | None]:
    """By seat that is held, the account of who holds it; None where it is nobody's."""
    query = select(SEAT.c.seat, SEAT.c.account).where(SEAT.c.match_id == match_id)
    return {row.seat: row.account for row in connection.execute(query)}


def listed_account(connection: Connection, match_id: str, seat: int) -> str | None:
    """Who alone may claim the seat, as said when the match was created."""
    query = select(LISTED.c.account).where(LISTED.c.match_id == match_id, LISTED.c.seat == seat)
    account: str | None = connection.execute(query).scalar()
    return account


def issue_token(connection: Connection, stored: bytes, match_id: str, seat: int, at: int) -> None:
    """A new token of the seat; older ones stop working. Again with the same token: no change."""
    # One at a time per match, or two tokens issued at once would both stay.
    connection.execute(
        select(MATCH.c.version).where(MATCH.c.match_id == match_id).with_for_update()
    )
    if connection.execute(select(TOKEN.c.hash).where(TOKEN.c.hash == stored)).first():
        return
    revoke_tokens(connection, match_id, seat, at)
    row = {"hash": stored, "match_id": match_id, "seat": seat, "kind": PLAY, "created_at": at}
    connection.execute(insert(TOKEN), [row])


def revoke_tokens(connection: Connection, match_id: str, seat: int, at: int) -> int:
    """How many tokens of the seat stopped working."""
    done = connection.execute(
        update(TOKEN)
        .where(TOKEN.c.match_id == match_id, TOKEN.c.seat == seat, TOKEN.c.revoked_at.is_(None))
        .values(revoked_at=at)
    )
    return done.rowcount


def forget_old(connection: Connection, before: int, now: int, most: int) -> int:
    """Drop requests first made before `before` and tickets past `now`: at most `most` of each."""
    key = (REQUEST.c.org, REQUEST.c.route, REQUEST.c.key)
    old = select(*key).where(REQUEST.c.at < before).order_by(REQUEST.c.at).limit(most)
    dropped = connection.execute(delete(REQUEST).where(tuple_(*key).in_(old))).rowcount
    late = select(TICKET.c.hash).where(TICKET.c.expires_at <= now).limit(most)
    return dropped + connection.execute(delete(TICKET).where(TICKET.c.hash.in_(late))).rowcount


def begin_request(connection: Connection, request: Request, at: int) -> Begun:
    row = {
        "org": request.org,
        "route": request.route,
        "key": request.key,
        "request_hash": request.hash,
        "at": at,
    }
    if insert_new(connection, REQUEST, row):
        return Begun(at, fresh=True, matches=True)
    found = connection.execute(
        select(
            REQUEST.c.at,
            REQUEST.c.request_hash,
            REQUEST.c.status,
            REQUEST.c.body,
            REQUEST.c.headers,
        )
        .where(*_is(request))
        # With a lock the commit waits for standbys: what is told again is as safe as it was.
        .with_for_update()
    ).first()
    if found is None:  # An earlier try was refused and forgotten just now.
        return Begun(at, fresh=False, matches=True)
    first, stored, status, body, headers = found
    same = compare_digest(bytes(stored), request.hash)
    return Begun(first, False, same, status, bytes(body or b""), bytes(headers or b""))


def hold_request(connection: Connection, request: Request) -> None:
    """Until this transaction ends nobody else changes it."""
    connection.execute(select(REQUEST.c.key).where(*_is(request)).with_for_update()).first()


def finish_request(
    connection: Connection, request: Request, status: int, body: bytes, headers: bytes
) -> None:
    connection.execute(
        update(REQUEST).where(*_is(request)).values(status=status, body=body, headers=headers)
    )


def forget_request(connection: Connection, request: Request) -> None:
    """A refused request leaves no trace; its key may be used again."""
    connection.execute(delete(REQUEST).where(*_is(request), REQUEST.c.status.is_(None)))


def _works(table: Table, now: Any) -> tuple[Any, ...]:
    """Neither revoked nor expired."""
    unlimited = table.c.expires_at.is_(None)
    return (table.c.revoked_at.is_(None), unlimited | (table.c.expires_at > now))


def _is(request: Request) -> tuple[Any, ...]:
    return (
        REQUEST.c.org == request.org,
        REQUEST.c.route == request.route,
        REQUEST.c.key == request.key,
    )


def insert_new(connection: Connection, table: Table, row: dict[str, Any]) -> bool:
    """Insert unless a row with that key is there; whether it was inserted."""
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    # The row as parameters: values in a statement stay in the cache of statements for long.
    statement = dialect.insert(table).on_conflict_do_nothing()
    return connection.execute(statement, row).rowcount > 0


_KEYS = select(
    API_KEY.c.hash,
    API_KEY.c.id,
    API_KEY.c.org,
    API_KEY.c.prefix,
    API_KEY.c.name,
    API_KEY.c.scopes,
).where(API_KEY.c.hash.in_(bindparam("hashes", expanding=True)), *_works(API_KEY, bindparam("now")))
_TOKENS = (
    select(
        TOKEN.c.hash,
        TOKEN.c.match_id,
        TOKEN.c.seat,
        TOKEN.c.delay_versions,
        TOKEN.c.delay_ms,
        TOKEN.c.arbiter,
        MATCH.c.org,
    )
    .join(MATCH, MATCH.c.match_id == TOKEN.c.match_id)
    .where(TOKEN.c.hash.in_(bindparam("hashes", expanding=True)), *_works(TOKEN, bindparam("now")))
)
