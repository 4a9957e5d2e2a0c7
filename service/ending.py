"""The end of deal groups: what is unfinished is ended by the policy, then all is revealed."""

import asyncio
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from events.canonical import prefixed
from events.decide import CloseMatch, Command, RevealMatch, decide
from events.match import Match
from events.types import DONE, UNFINISHED
from service import group_rows
from service.auth import Caller, require
from service.callers import Scope
from service.committing import ATTEMPTS, commit, loaded
from service.deal_groups import found, visible
from service.errors import DealGroupClosed, TryAgain
from service.group_rows import EndedBy, GroupRow, GroupState
from service.parts import Parts

_AT_ONCE: Final = 32  # matches that are ended or revealed side by side


async def close_group(parts: Parts, caller: Caller, group_id: str) -> None:
    """End it before its time: what is unfinished is cancelled, whatever the policy says.

    Only an arbiter may, and each log says that it was so. Again, it is closed already.
    Raises: DealGroupNotFound, ApiKeyRequired, ScopeMissing, DealGroupClosed.
    """
    row = await visible(parts, caller, group_id, Scope.ARBITRATE)
    require(caller, Scope.ARBITRATE)
    now = parts.clock()
    by = EndedBy.TIME if now >= row.closes_at else EndedBy.EARLY
    is_first = await parts.database.write(lambda c: group_rows.close(c, group_id, by, now))
    if is_first:
        parts.closer.stir(group_id)
    elif row.ended_by is not EndedBy.EARLY and not await _was_closed_early(parts, group_id):
        raise DealGroupClosed


async def due_groups(parts: Parts) -> list[str]:
    """Groups that may have to be ended or revealed now: closed, late, or with nothing unfinished.

    Of those that run a part is looked at each time; the next time, the next.
    """
    now, after = parts.clock(), parts.swept_groups[0]

    def work(connection: Connection) -> tuple[list[str], list[str], set[str]]:
        running = group_rows.running(connection, after)
        return group_rows.due(connection, now), running, group_rows.unfinished(connection, running)

    due, running, unfinished = await parts.database.read(work)
    is_full = len(running) == group_rows.DUE_AT_ONCE
    parts.swept_groups[0] = running[-1] if is_full else None
    return [*due, *(each for each in running if each not in unfinished)]


async def finish(parts: Parts, group_id: str) -> None:
    """End what the group's closing ends, and reveal all once all are over; nothing if it isn't due.

    Any process may do it at any time, also several at once, and go on where another broke off.
    """
    row = await found(parts, group_id)
    if row is None or row.state is GroupState.REVEALED:
        return
    now = parts.clock()
    if row.state is GroupState.RUNNING and now >= row.closes_at:
        await parts.database.write(lambda c: group_rows.close(c, group_id, EndedBy.TIME, now))
        row = await found(parts, group_id)
        assert row is not None
    if row.state is GroupState.CLOSING:
        command = CloseMatch(early=row.ended_by is EndedBy.EARLY)
        await _with_each(parts, await _unfinished(parts, group_id), f"close:{group_id}", command)
    if await _unfinished(parts, group_id):
        return
    await _with_each(parts, _all_of(row), f"reveal:{group_id}", RevealMatch())
    await parts.database.write(lambda c: group_rows.reveal(c, group_id, parts.clock()))


async def _unfinished(parts: Parts, group_id: str) -> list[str]:
    """By their rows, so that one that is over and can't be read any more is none of them."""
    statuses = await parts.database.read(lambda c: group_rows.statuses(c, group_id))
    return [match_id for match_id, status in statuses.items() if status in UNFINISHED]


def _all_of(row: GroupRow) -> list[str]:
    return [each.match_id for each in row.terms.tables]


async def _was_closed_early(parts: Parts, group_id: str) -> bool:
    """By somebody at the same moment."""
    row = await found(parts, group_id)
    return row is not None and row.ended_by is EndedBy.EARLY


async def _with_each(
    parts: Parts, ids: Sequence[str], key: str, command: CloseMatch | RevealMatch
) -> None:
    """One that fails keeps no other from it. Raises: what the first of those raised."""
    failed: list[BaseException] = []
    for start in range(0, len(ids), _AT_ONCE):
        some = [_change(parts, each, key, command) for each in ids[start : start + _AT_ONCE]]
        done = await asyncio.gather(*some, return_exceptions=True)
        failed += [each for each in done if each is not None]
    if failed:
        raise failed[0]


async def _change(parts: Parts, match_id: str, key: str, command: Command) -> None:
    """Close or reveal a match, unless that is done."""
    request = parts.vault.request_hash(prefixed(key))
    async with parts.lane(match_id):
        for _ in range(ATTEMPTS):
            current = await loaded(parts, match_id)
            if not _applies(current, command):
                return
            dealer = await parts.dealers.of(match_id)
            steps = decide(current, command, dealer, parts.clock())
            if await commit(parts, steps, dealer, key, request) is not None:
                parts.crash_at(f"after_{key.partition(':')[0]}")
                return
    raise TryAgain


def _applies(current: Match, command: Command) -> bool:
    if isinstance(command, CloseMatch):
        return current.status not in DONE
    return current.status in DONE and not current.is_revealed
