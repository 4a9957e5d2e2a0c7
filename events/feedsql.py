"""What the sequencer asks the database, written for each dialect: many matches in one statement."""

import time
from collections.abc import Sequence
from typing import Final

import msgspec
from sqlalchemy import Connection, bindparam, select

from events.archive import split
from events.tables import MARK

PAUSE_MS: Final = 5000


class Head(msgspec.Struct, frozen=True):
    """A match as it is stored now."""

    match_id: str
    org: str
    external_id: str | None
    deal_group: str | None
    seats: int
    version: int
    head: bytes
    status: str


def now(connection: Connection) -> int:
    """Milliseconds by the clock that all processes share: the database's."""
    if not is_postgres(connection):
        return time.time_ns() // 1_000_000
    found: int = connection.exec_driver_sql(_CLOCK).scalar_one()
    return found


def bound_pause(connection: Connection, most_ms: int = PAUSE_MS) -> None:
    """Let the database end this transaction if its process stands still for so long in it.

    One that stands still between preparing a statement and running it is not idle to PostgreSQL:
    only the time of the whole transaction, which is given four times as long, ends it (from 17 on).
    """
    if not is_postgres(connection):
        return
    bounds = {"idle_in_transaction_session_timeout": most_ms}
    if (connection.dialect.server_version_info or (0,)) >= (17,):
        bounds["transaction_timeout"] = 4 * most_ms
    calls = [f"set_config('{name}', '{int(ms)}', true)" for name, ms in bounds.items()]
    connection.exec_driver_sql(f"SELECT {', '.join(calls)}")


def marks(connection: Connection, after: str | None, most: int) -> list[str]:
    """Matches that may have events the feed has not seen, in the order of their ids."""
    rows = connection.execute(_MARKS, {"after": after or _LOWEST, "most": most})
    return [str(row[0]) for row in rows]


def heads(connection: Connection, match_ids: Sequence[str]) -> list[Head]:
    if not match_ids:
        return []
    if is_postgres(connection):
        rows = connection.exec_driver_sql(_HEADS, (list(match_ids),))
    else:
        rows = connection.exec_driver_sql(_HEADS_SQLITE, (_json(match_ids),))
    found = [
        Head(str(of), org, name, group and str(group), seats, version, bytes(head), status)
        for of, org, name, group, seats, version, head, status in rows
    ]
    return sorted(found, key=lambda head: head.match_id)


def fed(connection: Connection, match_ids: Sequence[str]) -> dict[str, tuple[int, bytes]]:
    """The last version in the feed, and its hash, of those matches that are in it."""
    if not match_ids:
        return {}
    if is_postgres(connection):
        rows = connection.exec_driver_sql(_FED, (list(match_ids),))
    else:
        rows = connection.exec_driver_sql(_FED_SQLITE, (_json(match_ids),))
    return {str(of): (last, bytes(head)) for of, last, head in rows}


def forget(connection: Connection, upto: Sequence[tuple[str, int]]) -> None:
    """Delete the marks of matches that are marked for no later version.

    One that an append holds at this moment stays: waiting for many of them in turn could
    make a circle with an append that does the same, and it is about to be newer anyway.
    """
    if is_postgres(connection):
        ids, versions = [of for of, _ in upto], [version for _, version in upto]
        connection.exec_driver_sql(_FORGET if len(upto) > 1 else _FORGET_ONE, (ids, versions))
    else:
        connection.exec_driver_sql(_FORGET_SQLITE, list(upto))


def versions_of_kinds(
    connection: Connection, parts: Sequence[tuple[str, int, int]], kinds: Sequence[str]
) -> dict[str, list[int]]:
    """By match, the versions of the events of these kinds in parts of logs: match, first, last.
    Of a match that is archived those of other parts may be among them.

    A statement that names each part by itself would have to be planned each time, which takes
    longer than it takes to answer it.
    """
    if not parts:
        return {}
    if is_postgres(connection):
        arrays = tuple(map(list, zip(*parts, strict=True)))
        rows = connection.exec_driver_sql(_OF_KINDS, (*arrays, list(kinds)))
    else:
        rows = connection.exec_driver_sql(_OF_KINDS_SQLITE, (_json(parts), _json(kinds)))
    own, archives = split(rows)
    found = {
        match_id: [each.version for each in archive.records if each.kind in kinds]
        for match_id, archive in archives.items()
    }
    for of, version in own:
        found.setdefault(str(of), []).append(version)
    return found


def is_postgres(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


_LOWEST = "00000000-0000-0000-0000-000000000000"
_CLOCK = "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_MARKS = (
    select(MARK.c.match_id)
    .where(MARK.c.match_id > bindparam("after"))
    .order_by(MARK.c.match_id)
    .limit(bindparam("most"))
)
_HEAD = "match_id, org, external_id, deal_group, seats, version, head, status"
_HEADS = f'SELECT {_HEAD} FROM "match" WHERE match_id = ANY($1::uuid[])'  # noqa: S608
_HEADS_SQLITE = f'SELECT {_HEAD} FROM "match" WHERE match_id IN (SELECT value FROM json_each(?))'  # noqa: S608

_FED = (
    'SELECT a.match_id, f."last", f.head FROM unnest($1::uuid[]) AS a (match_id)'
    ' JOIN feed f ON f.match_id = a.match_id AND f."last" ='
    ' (SELECT max("last") FROM feed g WHERE g.match_id = a.match_id)'
)
_FED_SQLITE = (
    'SELECT a.value, f."last", f.head FROM json_each(?) AS a'
    ' CROSS JOIN feed f ON f.match_id = a.value AND f."last" ='
    ' (SELECT max("last") FROM feed g WHERE g.match_id = a.value)'
)

_OF_KINDS = (
    "SELECT e.match_id, e.version, NULL, NULL, NULL"
    ' FROM unnest($1::uuid[], $2::bigint[], $3::bigint[]) AS a (match_id, "first", "last")'
    ' JOIN event e ON e.match_id = a.match_id AND e.version BETWEEN a."first" AND a."last"'
    " WHERE e.kind = ANY($4::text[])"
    " UNION ALL SELECT NULL, NULL, match_id, hashes, log FROM archive"
    " WHERE match_id = ANY($1::uuid[])"
)
_OF_KINDS_SQLITE = (
    "SELECT e.match_id, e.version, NULL, NULL, NULL FROM json_each(?1) AS a"
    " CROSS JOIN event e ON e.match_id = json_extract(a.value, '$[0]')"
    " AND e.version BETWEEN json_extract(a.value, '$[1]') AND json_extract(a.value, '$[2]')"
    " WHERE e.kind IN (SELECT value FROM json_each(?2))"
    " UNION ALL SELECT NULL, NULL, match_id, hashes, log FROM archive"
    " WHERE match_id IN (SELECT json_extract(value, '$[0]') FROM json_each(?1))"
)

# The condition on the version is looked at again once the row is locked: an append that came
# between has made it newer, and its mark stays.
_FORGET = """
WITH free AS (
    SELECT m.match_id, r.version FROM mark m
    JOIN unnest($1::uuid[], $2::bigint[]) AS r (match_id, version)
      ON m.match_id = r.match_id AND m.version <= r.version
    WHERE m.match_id = ANY($1::uuid[]) ORDER BY m.match_id FOR UPDATE OF m SKIP LOCKED
)
DELETE FROM mark USING free WHERE mark.match_id = free.match_id AND mark.version <= free.version
"""
_FORGET_ONE = """
DELETE FROM mark USING unnest($1::uuid[], $2::bigint[]) AS r (match_id, version)
WHERE mark.match_id = r.match_id AND mark.match_id = ANY($1::uuid[]) AND mark.version <= r.version
"""
_FORGET_SQLITE = "DELETE FROM mark WHERE match_id = ? AND version <= ?"
