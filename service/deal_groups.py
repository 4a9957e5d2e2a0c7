"""Deal groups as callers see them: matches that share all draws.

A group is fixed before its first draw. Every match of it is dealt from the group's one seed, so
whoever plays one must learn nothing of another (service/apart.py) until all are over or the group
is closed; then all are revealed. They are made in service/founding.py, ended in service/ending.py.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from events.clocks import Clock
from events.sandbox import is_test
from events.types import Closing, Start, Status
from service import group_rows
from service.apart import told_apart
from service.auth import Caller, require
from service.callers import Kind, Scope
from service.committing import loaded
from service.errors import DealGroupNotFound, ScopeMissing
from service.group_rows import EndedBy, GroupFilter, GroupRow, GroupState
from service.parts import Parts
from service.queries import READING


class TableState(StrEnum):
    """All that anybody but its own seats and arbiters is told of a match of a running group."""

    SEATING = "seating"
    STARTED = "started"
    OVER = "over"


class GroupTable(msgspec.Struct, frozen=True):
    """A match of the group. `entrants` are by seat, and told to the organisation's keys alone."""

    match_id: str
    state: TableState
    entrants: tuple[str, ...] | None


class GroupSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A deal group in a list. Times in milliseconds since 1970; `tables` is how many."""

    id: str
    external_id: str | None
    test: bool
    game: str
    rules_version: int
    seats: int
    table_count: int
    state: GroupState
    created_at: int
    closes_at: int
    closing: Closing
    ended_by: EndedBy | None
    ended_at: int | None


class DealGroup(GroupSummary, frozen=True, kw_only=True):
    """A deal group. `seed` (hex) is there once it is revealed."""

    options: msgspec.Raw
    data_digest: str
    seed_commitment: str
    start: Start
    reveal: str
    clock: Clock | None
    seed: str | None
    tables: tuple[GroupTable, ...]


async def group_of(parts: Parts, caller: Caller, group_id: str) -> DealGroup:
    """Raises: DealGroupNotFound, ScopeMissing."""
    return await _shown(parts, caller, await visible(parts, caller, group_id))


async def new_group(parts: Parts, caller: Caller, group_id: str) -> DealGroup:
    """A group as its creator is told of it, even with a key that reads none.

    Raises: DealGroupNotFound.
    """
    row = await found(parts, group_id)
    if row is None:
        raise DealGroupNotFound
    return await _shown(parts, caller, row)


async def _shown(parts: Parts, caller: Caller, row: GroupRow) -> DealGroup:
    statuses = await parts.database.read(lambda c: group_rows.statuses(c, row.id))
    seed = None
    if row.state is GroupState.REVEALED:
        seed = (await loaded(parts, row.terms.tables[0].match_id)).seed
    names = caller.kind is Kind.KEY
    return DealGroup(
        **msgspec.structs.asdict(_summary(row)),
        options=row.terms.options,
        data_digest=row.terms.data_digest,
        seed_commitment=row.terms.seed_commitment,
        start=row.terms.start,
        reveal=row.terms.reveal,
        clock=row.terms.clock,
        seed=seed,
        tables=tuple(
            GroupTable(
                each.match_id,
                _state_of(statuses[each.match_id]),
                each.entrants if names else None,
            )
            for each in row.terms.tables
        ),
    )


async def list_groups(
    parts: Parts, caller: Caller, narrowed: GroupFilter, before: str | None, limit: int
) -> list[GroupSummary]:
    """The organisation's groups, newest first. Raises: ApiKeyRequired, ScopeMissing."""
    require(caller, Scope.MATCHES_READ)
    rows = await parts.database.read(
        lambda c: group_rows.newest(c, caller.org, narrowed, before, limit)
    )
    return [_summary(row) for row in rows]


async def group_named(parts: Parts, caller: Caller, external_id: str) -> str:
    """The id of the organisation's newest group of that external id.

    Raises: DealGroupNotFound, ApiKeyRequired, ScopeMissing.
    """
    named = await list_groups(parts, caller, GroupFilter(external_id=external_id), None, 1)
    if not named:
        raise DealGroupNotFound
    return named[0].id


async def visible(parts: Parts, caller: Caller, group_id: str, *scopes: Scope) -> GroupRow:
    """The group if the caller may see it: a key of its organisation, or who has a seat in it.

    Whoever only watches or arbitrates a match does not. Raises: DealGroupNotFound, ScopeMissing.
    """
    row = await found(parts, group_id)
    if caller.kind is Kind.KEY:
        allowed = scopes or READING
        if not any(scope in caller.scopes for scope in allowed):
            raise ScopeMissing.of(allowed[0])
        if row is None or row.org != caller.org:
            raise DealGroupNotFound
        return row
    is_seated = caller.kind not in (Kind.SPECTATOR, Kind.ARBITER)
    if row is None or not is_seated or caller.match_id not in _ids(row):
        raise DealGroupNotFound
    return row


def _summary(row: GroupRow) -> GroupSummary:
    terms = row.terms
    return GroupSummary(
        id=row.id,
        external_id=row.external_id,
        test=is_test(row.org),
        game=row.game,
        rules_version=terms.rules_version,
        seats=terms.seats,
        table_count=len(terms.tables),
        state=row.state,
        created_at=row.created_at,
        closes_at=row.closes_at,
        closing=terms.closing,
        ended_by=row.ended_by,
        ended_at=row.ended_at,
    )


_STATES: Final[Mapping[Status, TableState]] = {
    Status.SEATING: TableState.SEATING,
    Status.RUNNING: TableState.STARTED,
    Status.OVER: TableState.OVER,
}


def _state_of(status: str) -> TableState:
    return _STATES[told_apart(Status(status))]


def _ids(row: GroupRow) -> set[str]:
    return {each.match_id for each in row.terms.tables}


async def found(parts: Parts, group_id: str) -> GroupRow | None:
    """The group, whoever asks."""
    return await parts.database.read(lambda c: group_rows.find(c, group_id))
