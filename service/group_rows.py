"""Deal groups as rows: what is fixed of them, and the one thing that moves, their state."""

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from events import stored
from events.clocks import Clock
from events.filling import filled_up
from events.tables import DEAL_GROUP, MATCH
from events.types import UNFINISHED, Closing, Start

DUE_AT_ONCE: Final = 200


class GroupState(StrEnum):
    RUNNING = "running"
    CLOSING = "closing"  # closed, and what is unfinished is being ended
    REVEALED = "revealed"


class EndedBy(StrEnum):
    ALL_OVER = "all_over"  # every match came to its end
    TIME = "time"
    EARLY = "early"  # by an arbiter


class Table(msgspec.Struct, frozen=True):
    """One match of a group; `entrants` are accounts by seat."""

    match_id: str
    entrants: tuple[str, ...]


class Terms(msgspec.Struct, frozen=True, kw_only=True):
    """All that is fixed before the first draw, besides what has a column. `options` are whole."""

    rules_version: int
    options: msgspec.Raw
    seats: int
    data_digest: str
    seed_commitment: str
    algorithm: str
    start: Start
    reveal: str
    closing: Closing
    tables: tuple[Table, ...]
    clock: Clock | None = None


class GroupRow(msgspec.Struct, frozen=True, kw_only=True):
    """Times in milliseconds. `ended_by` and `ended_at` are None while it runs."""

    id: str
    org: str
    external_id: str | None
    game: str
    created_at: int
    closes_at: int
    terms: Terms
    state: GroupState
    ended_by: EndedBy | None = None
    ended_at: int | None = None


class GroupFilter(msgspec.Struct, frozen=True):
    """What a list of groups is narrowed to; None is everything."""

    state: str | None = None
    game: str | None = None
    external_id: str | None = None


def add(connection: Connection, row: GroupRow) -> None:
    fields = msgspec.structs.asdict(row)
    fields["terms"] = msgspec.json.encode(row.terms)
    connection.execute(insert(DEAL_GROUP), [fields])


def find(connection: Connection, group_id: str) -> GroupRow | None:
    row = connection.execute(select(DEAL_GROUP).where(DEAL_GROUP.c.id == group_id)).first()
    return None if row is None else _group(row)


def newest(
    connection: Connection, org: str, narrowed: GroupFilter, before: str | None, limit: int
) -> list[GroupRow]:
    """An organisation's groups, newest first, those before `before` in that order."""
    query = select(DEAL_GROUP).where(DEAL_GROUP.c.org == org)
    for name, value in msgspec.structs.asdict(narrowed).items():
        if value is not None:
            query = query.where(DEAL_GROUP.c[name] == value)
    if before is not None:
        query = query.where(DEAL_GROUP.c.id < before)
    rows = connection.execute(query.order_by(DEAL_GROUP.c.id.desc()).limit(limit))
    return [_group(row) for row in rows]


def unrevealed(connection: Connection, ids: Collection[str]) -> set[str]:
    """Those of the groups that are not revealed."""
    query = select(DEAL_GROUP.c.id).where(
        DEAL_GROUP.c.id.in_(filled_up(ids)), DEAL_GROUP.c.state != GroupState.REVEALED
    )
    return set(connection.execute(query).scalars())


def revealed_among(connection: Connection, match_ids: Collection[str]) -> set[str]:
    """Those of the matches that are revealed."""
    return set(stored.of_kinds(connection, match_ids, ("match_revealed",)))


def statuses(connection: Connection, group_id: str) -> dict[str, str]:
    """The status of each match of the group."""
    query = select(MATCH.c.match_id, MATCH.c.status).where(MATCH.c.deal_group == group_id)
    return {row.match_id: row.status for row in connection.execute(query)}


def close(connection: Connection, group_id: str, by: EndedBy, at: int) -> bool:
    """Close a group that runs, for one of all who try; whether it was this one."""
    done = connection.execute(
        update(DEAL_GROUP)
        .where(DEAL_GROUP.c.id == group_id, DEAL_GROUP.c.state == GroupState.RUNNING)
        .values(state=GroupState.CLOSING, ended_by=by, ended_at=at)
    )
    return done.rowcount == 1


def reveal(connection: Connection, group_id: str, at: int) -> None:
    """All its matches are revealed."""
    ended_by = func.coalesce(DEAL_GROUP.c.ended_by, EndedBy.ALL_OVER.value)
    connection.execute(
        update(DEAL_GROUP)
        .where(DEAL_GROUP.c.id == group_id, DEAL_GROUP.c.state != GroupState.REVEALED)
        .values(
            state=GroupState.REVEALED,
            ended_by=ended_by,
            ended_at=func.coalesce(DEAL_GROUP.c.ended_at, at),
        )
    )


def due(connection: Connection, now: int) -> list[str]:
    """Groups that are closed, or whose closing time has come; a bounded number of them."""
    table = DEAL_GROUP.c
    late = (table.state == GroupState.RUNNING) & (table.closes_at <= now)
    query = select(table.id).where((table.state == GroupState.CLOSING) | late)
    return list(connection.execute(query.order_by(table.closes_at).limit(DUE_AT_ONCE)).scalars())


def running(connection: Connection, after: str | None) -> list[str]:
    """Groups that run, by id, those after `after`; a bounded number of them."""
    query = select(DEAL_GROUP.c.id).where(DEAL_GROUP.c.state == GroupState.RUNNING)
    if after is not None:
        query = query.where(DEAL_GROUP.c.id > after)
    return list(connection.execute(query.order_by(DEAL_GROUP.c.id).limit(DUE_AT_ONCE)).scalars())


def unfinished(connection: Connection, ids: Sequence[str]) -> set[str]:
    """Those of the groups with a match that is not over."""
    if not ids:
        return set()
    query = select(MATCH.c.deal_group).where(
        MATCH.c.deal_group.in_(filled_up(ids)), MATCH.c.status.in_(UNFINISHED)
    )
    return set(connection.execute(query.distinct()).scalars())


def _group(row: "Row[Any]") -> GroupRow:
    fields: dict[str, Any] = dict(row._mapping)
    fields["terms"] = msgspec.json.decode(fields["terms"], type=Terms)
    fields["state"] = GroupState(fields["state"])
    fields["ended_by"] = fields["ended_by"] and EndedBy(fields["ended_by"])
    return GroupRow(**fields)
