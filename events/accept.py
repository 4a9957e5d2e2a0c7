"""The short way into the log on PostgreSQL: one statement for all appends nothing speaks against.

What it does not accept is answered by `flush`, which looks at every append by itself.
"""

from collections.abc import Sequence

from sqlalchemy import Connection

from events.append import Append, Appended
from events.flush import columns


def is_plain(append: Append) -> bool:
    """Nothing is stored but events, a command, a mark and the head of a match that exists."""
    has_more = append.texts or append.seats or append.erases is not None
    return append.created is None and not has_more


def accept(connection: Connection, appends: Sequence[Append]) -> list[Appended | None]:
    """Store those of the plain `appends`, of different matches, that are accepted; None for others.

    Takes the heads' row locks in the order of match ids. Of a match that is archived, the keys are
    not among the rows, so that is for `flush` to look at. A key that another transaction stores
    meanwhile is a unique violation; running it again gives the right answer.
    """
    ordered = sorted(appends, key=lambda each: each.match_id)
    latest = [
        (
            *(each.match_id, each.expected_version, each.expected_hash),
            *(each.status.value, each.result, each.due_at, each.key, each.request),
            *(r.version, r.kind, r.schema, r.at, r.body, r.salt, r.facets, r.hash),
        )
        for each in ordered
        for r in (each.last,)
    ]
    earlier = [
        (each.match_id, r.version, r.kind, r.schema, r.at, r.body, r.salt, r.facets, r.hash)
        for each in ordered
        for r in each.records[:-1]
    ]
    parameters = (*columns(latest), *(columns(earlier) if earlier else _NONE_EARLIER))
    moved = {str(row[0]) for row in connection.exec_driver_sql(_ACCEPT, parameters)}
    return [
        Appended(each.records[0].version, each.last.version, each.last.hash)
        if each.match_id in moved
        else None
        for each in appends
    ]


_RECORD = '"version", "kind", "schema", "at", "body", "salt", "facets", "hash"'
_RECORD_TYPES = ("bigint", "text", "integer", "bigint", "bytea", "bytea", "bytea", "bytea")
_HEAD_TYPES = ("uuid", "bigint", "bytea", "text", "bytea", "bigint", "text", "bytea")
_NONE_EARLIER: tuple[list[object], ...] = ([],) * (1 + len(_RECORD_TYPES))


def _arrays(types: Sequence[str], start: int) -> str:
    return ", ".join(f"${place}::{each}[]" for place, each in enumerate(types, start))


_LATEST = _arrays((*_HEAD_TYPES, *_RECORD_TYPES), 1)
_EARLIER = _arrays(("uuid", *_RECORD_TYPES), 1 + len(_HEAD_TYPES) + len(_RECORD_TYPES))

# The last event of an append travels with its head, so that the usual append needs no join.
_ACCEPT = f"""
WITH moved AS (
    UPDATE "match" m
    SET version = a.version, head = a.hash, status = a.status, due_at = a.due_at,
        result = COALESCE(a.result, m.result)
    FROM unnest({_LATEST})
      AS a (match_id, expected, expected_hash, status, result, due_at, key, request, {_RECORD})
    WHERE m.match_id = a.match_id AND m.version = a.expected AND m.head = a.expected_hash
      AND NOT EXISTS (SELECT FROM archive k WHERE k.match_id = a.match_id)
      AND NOT EXISTS (SELECT FROM command c WHERE c.match_id = a.match_id AND c.key = a.key)
    RETURNING a.*
), marks AS (
    INSERT INTO mark (match_id, version) SELECT match_id, version FROM moved
    ON CONFLICT (match_id) DO UPDATE SET version = EXCLUDED.version
), commands AS (
    INSERT INTO command (match_id, key, request_hash, "first", "last", "at")
    SELECT match_id, key, request, expected + 1, version, "at" FROM moved
), earlier AS (
    INSERT INTO event (match_id, {_RECORD})
    SELECT e.* FROM unnest({_EARLIER}) AS e (match_id, {_RECORD})
    WHERE e.match_id IN (SELECT match_id FROM moved)
), latest AS (
    INSERT INTO event (match_id, {_RECORD}) SELECT match_id, {_RECORD} FROM moved
)
SELECT match_id FROM moved
"""  # noqa: S608
