"""One transaction of appends to different matches: look, answer each, write what is accepted.

The long way, open to every append; events/accept.py has the short one.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, bindparam, delete, update
from sqlalchemy.engine import make_url

from events.append import (
    Answer,
    Append,
    Appended,
    Conflict,
    KeyReused,
    NotFound,
    Replayed,
)
from events.erasing import erase, note
from events.erasure import ERASED
from events.stored import archives_of
from events.tables import (
    COMMAND,
    EVENT,
    GAME_DATA,
    HELD,
    LISTED,
    MARK,
    MATCH,
    SEAT,
    SECRET,
    TEXT,
    TOKEN,
)

Row = tuple[Any, ...]


class _Head(msgspec.Struct, frozen=True):
    version: int
    hash: bytes


class _Known(msgspec.Struct, frozen=True):
    """A key in use: its request, and what it was answered."""

    request: bytes
    first: int
    last: int
    head: bytes


def flush(connection: Connection, appends: Sequence[Append]) -> list[Answer]:
    """The answers in the order of `appends`, which are of different matches.

    Holds the heads' row locks from here to the commit; takes them in the order of match ids.
    """
    ordered = sorted(appends, key=lambda each: each.match_id)
    _create(connection, [each for each in ordered if each.created is not None])
    heads = locked(connection, [each.match_id for each in ordered])
    # A statement of its own, after the locks are held: only then is a key stored by the
    # transaction we waited for visible.
    known = _known(connection, [each for each in ordered if each.match_id in heads])
    answers = {
        each.match_id: _answer(each, heads.get(each.match_id), known.get(each.match_id))
        for each in ordered
    }
    _store(connection, [e for e in ordered if isinstance(answers[e.match_id], Appended)])
    return [answers[each.match_id] for each in appends]


def _answer(append: Append, head: _Head | None, known: _Known | None) -> Answer:
    """The order of these lines is the contract."""
    if head is None:
        return NotFound()
    if known is not None and known.request == append.request:
        return Replayed(known.first, known.last, known.head)
    if known is not None:
        return KeyReused()
    if (head.version, head.hash) != (append.expected_version, append.expected_hash):
        return Conflict(head.version, head.hash)
    return Appended(append.records[0].version, append.last.version, append.last.hash)


def _create(connection: Connection, appends: Sequence[Append]) -> None:
    """Heads at version 0 for new matches; one that exists stays as it is and is answered so."""
    rows = []
    for each in appends:
        new = each.created
        assert new is not None
        fixed = (new.org, new.external_id, new.game, new.rules_version, new.seats, new.data_digest)
        moving = (0, each.expected_hash, each.status.value, None, None)
        rows.append((each.match_id, *fixed, new.deal_group, new.created_at, *moving))
    _insert(connection, MATCH, rows, "ON CONFLICT DO NOTHING")


def locked(connection: Connection, ids: list[str]) -> dict[str, _Head]:
    """The heads, which nobody else moves until this transaction ends.

    On PostgreSQL a lock is written to its log: the commit waits as long as one that stores.
    """
    if _is_postgres(connection):
        found = connection.exec_driver_sql(_LOCK, (ids,))
    else:
        # BEGIN IMMEDIATE has locked the whole database.
        found = connection.exec_driver_sql(_HEADS, (_json(ids),))
    return {str(row[0]): _Head(*row[1:]) for row in found}


def latest(connection: Connection, ids: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """Version and hash of the last event of those matches that exist."""
    if _is_postgres(connection):
        found = connection.exec_driver_sql(_VERSIONS, (list(ids),))
    else:
        found = connection.exec_driver_sql(_HEADS, (_json(ids),))
    return {str(row[0]): (row[1], bytes(row[2])) for row in found}


def _known(connection: Connection, appends: Sequence[Append]) -> dict[str, _Known]:
    ids, keys = [each.match_id for each in appends], [each.key for each in appends]
    if not ids:
        return {}
    if _is_postgres(connection):
        found = connection.exec_driver_sql(_KEYS, (ids, keys))
    else:
        pairs = list(zip(ids, keys, strict=True))
        found = connection.exec_driver_sql(_KEYS_SQLITE, (_json(pairs),))
    known, archived = dict[str, _Known](), list[str]()
    for match_id, request, *answer in found:
        if request is None:
            archived.append(str(match_id))
        else:
            known[str(match_id)] = _Known(request, *answer)
    return known | _archived(connection, archived, appends) if archived else known


def _archived(
    connection: Connection, match_ids: list[str], appends: Sequence[Append]
) -> dict[str, _Known]:
    """Keys that went with the log of their match into an archive."""
    keys = {each.match_id: each.key for each in appends}
    known: dict[str, _Known] = {}
    for match_id, archive in archives_of(connection, match_ids).items():
        kept = archive.command(keys[match_id])
        if kept is not None:
            head = archive.records[kept.last - 1].hash
            known[match_id] = _Known(kept.request_hash, kept.first, kept.last, head)
    return known


def _store(connection: Connection, appends: Sequence[Append]) -> None:
    if not appends:
        return
    _move_heads(connection, appends)
    _insert(
        connection,
        MARK,
        [(each.match_id, each.last.version) for each in appends],
        "ON CONFLICT (match_id) DO UPDATE SET version = EXCLUDED.version",
    )
    _insert(connection, COMMAND, [_command(each) for each in appends])
    _insert(
        connection,
        EVENT,
        [
            (each.match_id, r.version, r.kind, r.schema, r.at, r.body, r.salt, r.facets, r.hash)
            for each in appends
            for r in each.records
        ],
    )
    _store_rest(connection, appends)


def _command(append: Append) -> Row:
    last = append.last
    first = append.records[0].version
    return (append.match_id, append.key, append.request, first, last.version, last.at)


def _move_heads(connection: Connection, appends: Sequence[Append]) -> None:
    rows = [
        (
            *(e.last.version, e.last.hash, e.status.value, e.result, e.due_at),
            *(e.match_id, e.expected_version),
        )
        for e in appends
    ]
    if _is_postgres(connection):
        moved = connection.exec_driver_sql(_MOVE, columns(rows))
    else:
        moved = connection.exec_driver_sql(_MOVE_SQLITE, rows)
    # The heads are locked, so this can't fail; it is a net under the locks.
    if moved.rowcount != len(rows):
        raise AssertionError(f"moved {moved.rowcount} of {len(rows)} locked heads")


def _store_rest(connection: Connection, appends: Sequence[Append]) -> None:
    """What few appends carry: texts, seats, erasures, claimants, secrets, component tables."""
    texts = [(e.match_id, t.version, t.field, t.salt, t.text) for e in appends for t in e.texts]
    _insert(connection, TEXT, texts)
    seats = [(e.match_id, seat) for e in appends for seat in e.seats]
    if seats:
        freed = [{"of": match_id, "at": seat.seat} for match_id, seat in seats]
        connection.execute(_FREE_SEAT, freed)
        left = [
            {"of": each.match_id, "at": seat.seat, "when": each.last.at}
            for each in appends
            for seat in each.seats
            if seat.holder is None
        ]
        if left:
            connection.execute(_REVOKE, left)
        held = [(m, s.seat, s.holder, s.account) for m, s in seats if s.holder is not None]
        _insert(connection, SEAT, held)
        kept = [(m, s.holder, s.account) for m, s in seats if s.holder and s.account]
        _insert(connection, HELD, kept, "ON CONFLICT DO NOTHING")
    for each in appends:
        if each.erases is not None:
            event = next(record for record in each.records if record.kind == ERASED)
            erase(connection, each.match_id, each.erases)
            note(connection, each.match_id, event.version, event.at, each.erases)
    created = [each.created for each in appends if each.created is not None]
    # With the match, or whoever erases an account would not find it.
    listed = [
        (e.match_id, *row) for e in appends if e.created is not None for row in e.created.listed
    ]
    _insert(connection, LISTED, listed, "ON CONFLICT DO NOTHING")
    secrets = {new.secret.id: new.secret for new in created if new.secret is not None}
    seeds = [(each.id, each.ciphertext, each.key_id) for _, each in sorted(secrets.items())]
    _insert(connection, SECRET, seeds, "ON CONFLICT DO NOTHING")
    tables = {new.game_data.digest: new.game_data for new in created if new.game_data is not None}
    rows = [(each.digest, each.game, each.tables) for _, each in sorted(tables.items())]
    _insert(connection, GAME_DATA, rows, "ON CONFLICT DO NOTHING")


def _insert(connection: Connection, table: Table, rows: Sequence[Row], conflict: str = "") -> None:
    """Whole rows in the order of the table's columns."""
    if not rows:
        return
    if _is_postgres(connection):
        connection.exec_driver_sql(_unnested(table, conflict), columns(rows))
    else:
        connection.exec_driver_sql(_valued(table, conflict), list(rows))


def _is_postgres(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def columns(rows: Iterable[Row]) -> tuple[list[Any], ...]:
    """One array per column, as `unnest` takes them."""
    return tuple(map(list, zip(*rows, strict=True)))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


@cache
def _unnested(table: Table, conflict: str) -> str:
    """INSERT from one array per column: the cheapest way to send many rows to PostgreSQL."""
    arrays = ", ".join(
        f"${place}::{column.type.compile(_POSTGRES)}[]"
        for place, column in enumerate(table.columns, 1)
    )
    return f"INSERT INTO {_head_of(table)} SELECT * FROM unnest({arrays}) {conflict}"  # noqa: S608


@cache
def _valued(table: Table, conflict: str) -> str:
    places = ", ".join("?" for _ in table.columns)
    return f"INSERT INTO {_head_of(table)} VALUES ({places}) {conflict}"  # noqa: S608


def _head_of(table: Table) -> str:
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    return f'"{table.name}" ({names})'


_POSTGRES = make_url("postgresql+asyncpg://").get_dialect()()

_FREE_SEAT = delete(SEAT).where(SEAT.c.match_id == bindparam("of"), SEAT.c.seat == bindparam("at"))

# In the same transaction: a token must not outlive the hold on its seat, whatever happens next.
_REVOKE = (
    update(TOKEN)
    .where(
        TOKEN.c.match_id == bindparam("of"),
        TOKEN.c.seat == bindparam("at"),
        TOKEN.c.revoked_at.is_(None),
    )
    .values(revoked_at=bindparam("when"))
)

_HEADS = (
    'SELECT match_id, version, head FROM "match" WHERE match_id IN (SELECT value FROM json_each(?))'
)
_VERSIONS = 'SELECT match_id, version, head FROM "match" WHERE match_id = ANY($1::uuid[])'
_LOCK = (
    'SELECT match_id, version, head FROM "match"'
    " WHERE match_id = ANY($1::uuid[]) ORDER BY match_id FOR UPDATE"
)

# Whoever is archived has a row without a request besides.
# No `c.match_id = ANY`: it tempts the planner to read every command of the matches.
_KEYS = (
    'SELECT c.match_id, c.request_hash, c."first", c."last", e.hash'
    " FROM unnest($1::uuid[], $2::text[]) AS asked (match_id, key)"
    " JOIN command c ON c.match_id = asked.match_id AND c.key = asked.key"
    ' JOIN event e ON e.match_id = c.match_id AND e.version = c."last"'
    " UNION ALL SELECT match_id, NULL, NULL, NULL, NULL FROM archive"
    " WHERE match_id = ANY($1::uuid[])"
)
_KEYS_SQLITE = (
    'SELECT c.match_id, c.request_hash, c."first", c."last", e.hash'
    " FROM json_each(?1) AS asked"
    " CROSS JOIN command c ON c.match_id = json_extract(asked.value, '$[0]')"
    " AND c.key = json_extract(asked.value, '$[1]')"
    ' JOIN event e ON e.match_id = c.match_id AND e.version = c."last"'
    " UNION ALL SELECT k.match_id, NULL, NULL, NULL, NULL FROM json_each(?1) AS asked"
    " CROSS JOIN archive k ON k.match_id = json_extract(asked.value, '$[0]')"
)

# On a cluster, `= ANY` is what makes this one task when all matches share a shard.
_MOVE = (
    'UPDATE "match" m SET version = r.version, head = r.head, status = r.status,'
    " result = COALESCE(r.result, m.result), due_at = r.due_at"
    " FROM unnest($1::bigint[], $2::bytea[], $3::text[], $4::bytea[], $5::bigint[], $6::uuid[],"
    " $7::bigint[]) AS r (version, head, status, result, due_at, match_id, expected)"
    " WHERE m.match_id = r.match_id AND m.match_id = ANY($6::uuid[]) AND m.version = r.expected"
)
_MOVE_SQLITE = (
    'UPDATE "match" SET version = ?, head = ?, status = ?, result = COALESCE(?, result),'
    " due_at = ?"
    " WHERE match_id = ? AND version = ?"
)
