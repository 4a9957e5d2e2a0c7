"""Batches as rows: what is fixed of them, and which matches are theirs."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, and_, func, insert, or_, select

from events.filling import filled_up
from events.tables import MATCH
from service.asking import some_at_a_time
from service.batches.points import Scoring
from service.identities import insert_new
from service.tournament_tables import BATCH, BATCH_MATCH

MOST_PLACES: Final = 500
Place = tuple[int, int, str | None]  # number, attempt, and the match if several share them


class Watching(msgspec.Struct, frozen=True):
    """How far those stay behind who watch by a link of the batch."""

    delay_versions: int = 0
    delay_seconds: int = 0


class Terms(msgspec.Struct, frozen=True):
    """`spectators` is None where nobody gets a link to watch."""

    scoring: Scoring
    spectators: Watching | None


class BatchRow(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    org: str
    external_id: str | None
    created_at: int
    terms: Terms


class Member(msgspec.Struct, frozen=True):
    """A match of a batch; `number` is its place, `attempt` counts those played there."""

    match_id: str
    batch_id: str
    number: int
    org: str
    external_id: str | None
    attempt: int = 0


def add(connection: Connection, row: BatchRow, members: Sequence[Member]) -> None:
    fields = msgspec.structs.asdict(row)
    fields["terms"] = msgspec.json.encode(row.terms)
    connection.execute(insert(BATCH), [fields])
    add_members(connection, members)


def add_members(connection: Connection, members: Sequence[Member]) -> None:
    if members:
        connection.execute(insert(BATCH_MATCH), [msgspec.structs.asdict(m) for m in members])


def replace(connection: Connection, replaced: Mapping[str, str]) -> None:
    """Matches that are played in place of others are of the batch of those, at the same place."""
    query = select(BATCH_MATCH).where(BATCH_MATCH.c.match_id.in_(filled_up(replaced)))
    for old in connection.execute(query).mappings().all():
        new = {"match_id": replaced[old["match_id"]], "attempt": old["attempt"] + 1}
        row = {**old, **new, "external_id": None}
        insert_new(connection, BATCH_MATCH, row)


def find(connection: Connection, batch_id: str) -> BatchRow | None:
    row = connection.execute(select(BATCH).where(BATCH.c.id == batch_id)).first()
    return None if row is None else _batch(row)


def locked(connection: Connection, batch_id: str) -> BatchRow | None:
    """The batch, held to the end of the transaction: nobody else adds to it."""
    query = select(BATCH).where(BATCH.c.id == batch_id).with_for_update()
    row = connection.execute(query).first()
    return None if row is None else _batch(row)


def newest(
    connection: Connection, org: str, external_id: str | None, before: str | None, limit: int
) -> list[BatchRow]:
    """An organisation's batches, newest first, those before `before` in that order."""
    query = select(BATCH).where(BATCH.c.org == org)
    if external_id is not None:
        query = query.where(BATCH.c.external_id == external_id)
    if before is not None:
        query = query.where(BATCH.c.id < before)
    return [
        _batch(row) for row in connection.execute(query.order_by(BATCH.c.id.desc()).limit(limit))
    ]


def members(
    connection: Connection,
    batch_id: str,
    after: Place | None = None,
    limit: int | None = None,
) -> list[Member]:
    """By place; matches that are played in place of another come after it."""
    table = BATCH_MATCH.c
    query = select(BATCH_MATCH).where(table.batch_id == batch_id)
    if after is not None:
        number, attempt, match_id = after
        later = [
            table.number > number,
            and_(table.number == number, table.attempt > attempt),
        ]
        if match_id is not None:
            same = and_(table.number == number, table.attempt == attempt)
            later.append(and_(same, table.match_id > match_id))
        query = query.where(or_(*later))
    query = query.order_by(table.number, table.attempt, table.match_id)
    rows = connection.execute(query if limit is None else query.limit(limit))
    return [Member(**row) for row in rows.mappings()]


def next_number(connection: Connection, batch_id: str) -> int:
    """The first place that is free, for whoever holds the batch."""
    query = select(func.max(BATCH_MATCH.c.number)).where(BATCH_MATCH.c.batch_id == batch_id)
    last: int | None = connection.execute(query).scalar()
    return 0 if last is None else last + 1


def made_with(connection: Connection, batch_id: str) -> list[Member]:
    """Those that the batch was made with, by place."""
    own = BATCH_MATCH.c
    query = select(BATCH_MATCH).where(own.batch_id == batch_id, own.attempt == 0)
    return [Member(**row) for row in connection.execute(query.order_by(own.number)).mappings()]


def counts(connection: Connection, batch_ids: Collection[str]) -> dict[str, Counter[str]]:
    """By batch, how many of its matches have which status."""
    own = BATCH_MATCH.c
    query = select(own.match_id, own.batch_id).where(own.batch_id.in_(filled_up(batch_ids)))
    batches = {row.match_id: row.batch_id for row in connection.execute(query)}
    found: dict[str, Counter[str]] = {each: Counter() for each in batch_ids}
    for some in some_at_a_time(batches):
        statuses = select(MATCH.c.match_id, MATCH.c.status).where(MATCH.c.match_id.in_(some))
        for match_id, status in connection.execute(statuses):
            found[batches[match_id]][status] += 1
    return found


def taken(connection: Connection, org: str, names: Collection[str]) -> dict[str, str]:
    """Those of the names that a match of the organisation has, and which match."""
    found: dict[str, str] = {}
    for some in some_at_a_time(names):
        for table in (MATCH, BATCH_MATCH):
            query = select(table.c.external_id, table.c.match_id)
            rows = connection.execute(
                query.where(table.c.org == org, table.c.external_id.in_(some))
            )
            found |= {row.external_id: row.match_id for row in rows}
    return found


def _batch(row: "Row[Any]") -> BatchRow:
    fields: dict[str, Any] = dict(row._mapping)
    fields["terms"] = msgspec.json.decode(fields["terms"], type=Terms)
    return BatchRow(**fields)
