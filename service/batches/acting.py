"""What a director does to the matches of a batch, one by one, and what came of each.

Each is a command of its own, in the log of its match. What broke off in the middle is sent again:
what is done is found done.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from http import HTTPStatus
from typing import Final

import msgspec

from events.database import DatabaseFault
from events.decide import CancelMatch, Command
from events.match import Match
from events.refusals import MatchAlreadyStarted, NoClock
from events.types import DONE, LIVE, Status
from games.core.game import Seat
from service import arrangements, timing
from service.auth import Caller, require
from service.batches import rows
from service.batches.rows import Member
from service.batches.viewing import visible
from service.callers import Scope
from service.changing import change
from service.committing import loaded
from service.errors import row_of
from service.parts import Parts

_AT_ONCE: Final = 32  # commands side by side, to be committed together

Work = Callable[[Parts, Caller, str, str | None], Awaitable[object]]


class Done(StrEnum):
    DONE = "done"
    REFUSED = "refused"


class ActionLine(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a match; `code` is that of the problem if it was refused."""

    number: int
    match_id: str
    external_id: str | None
    outcome: Done
    code: str | None


class BatchAction(msgspec.Struct, frozen=True, kw_only=True):
    batch_id: str
    done: int
    refused: int
    matches: tuple[ActionLine, ...]


async def start_batch(parts: Parts, caller: Caller, batch_id: str, key: str | None) -> BatchAction:
    """Start every match whose seats are claimed.

    Raises: BatchNotFound, ApiKeyRequired, ScopeMissing, DatabaseFault.
    """
    return await _with_each(parts, caller, batch_id, key, arrangements.start_match)


async def start_clocks(
    parts: Parts, caller: Caller, batch_id: str, account: str | None, key: str | None
) -> BatchAction:
    """Let the clocks of every match run: start those that wait for it, resume those that are
    paused. Of a match whose clocks run it is done.

    Raises: BatchNotFound, ApiKeyRequired, ScopeMissing, DatabaseFault.
    """
    require(caller, Scope.MATCHES_MANAGE)

    async def work(parts: Parts, caller: Caller, match_id: str, key: str | None) -> object:
        current = await loaded(parts, match_id)
        if current.created.clock is None:
            raise NoClock
        if current.status is Status.RUNNING:
            return None
        if current.status in (*LIVE, *DONE):
            return await timing.resume_match(parts, caller, match_id, account, key)
        return await arrangements.start_match(parts, caller, match_id, key)

    return await _with_each(parts, caller, batch_id, key, work, Scope.ARBITRATE)


async def cancel_batch(parts: Parts, caller: Caller, batch_id: str, key: str | None) -> BatchAction:
    """Cancel every match that has not started.

    Raises: BatchNotFound, ApiKeyRequired, ScopeMissing, DatabaseFault.
    """
    return await _with_each(parts, caller, batch_id, key, _cancel_unstarted)


async def pause_batch(
    parts: Parts, caller: Caller, batch_id: str, account: str | None, key: str | None
) -> BatchAction:
    """Pause every match that runs; an arbiter's doing, for `account` if it names one.

    Raises: BatchNotFound, ApiKeyRequired, ScopeMissing, DatabaseFault.
    """

    def work(parts: Parts, caller: Caller, match_id: str, key: str | None) -> Awaitable[object]:
        return timing.pause_match(parts, caller, match_id, account, key)

    return await _with_each(parts, caller, batch_id, key, work, Scope.ARBITRATE)


async def resume_batch(
    parts: Parts, caller: Caller, batch_id: str, account: str | None, key: str | None
) -> BatchAction:
    """Resume every match that is paused. Raises: as `pause_batch`."""

    def work(parts: Parts, caller: Caller, match_id: str, key: str | None) -> Awaitable[object]:
        return timing.resume_match(parts, caller, match_id, account, key)

    return await _with_each(parts, caller, batch_id, key, work, Scope.ARBITRATE)


async def extend_batch(
    parts: Parts,
    caller: Caller,
    batch_id: str,
    seat: Seat | None,
    ms: int,
    account: str | None,
    key: str | None,
) -> BatchAction:
    """So many ms more on the clocks of every match, of one seat or of each.

    Raises: as `pause_batch`.
    """

    def work(parts: Parts, caller: Caller, match_id: str, key: str | None) -> Awaitable[object]:
        return timing.add_time(parts, caller, match_id, seat, ms, account, key)

    return await _with_each(parts, caller, batch_id, key, work, Scope.ARBITRATE)


async def _with_each(
    parts: Parts,
    caller: Caller,
    batch_id: str,
    key: str | None,
    work: Work,
    scope: Scope = Scope.MATCHES_MANAGE,
) -> BatchAction:
    await visible(parts, caller, batch_id, scope)
    members = await parts.database.read(lambda c: rows.members(c, batch_id))
    lines: list[ActionLine] = []
    later: list[Exception] = []
    for start in range(0, len(members), _AT_ONCE):
        some = members[start : start + _AT_ONCE]
        came = await asyncio.gather(*(_line(parts, caller, each, key, work) for each in some))
        lines += [each for each in came if isinstance(each, ActionLine)]
        later += [each for each in came if isinstance(each, Exception)]
        parts.crash_at("batch_action")
    if later:
        raise later[0]
    return BatchAction(
        batch_id=batch_id,
        done=_count(lines, Done.DONE),
        refused=_count(lines, Done.REFUSED),
        matches=tuple(lines),
    )


async def _line(
    parts: Parts, caller: Caller, member: Member, key: str | None, work: Work
) -> ActionLine | Exception:
    """Or why it has to be sent again for this match, which keeps no other from its turn.

    Raises: DatabaseFault.
    """
    code = None
    try:
        await work(parts, caller, member.match_id, key)
    except DatabaseFault:
        raise
    except Exception as error:
        row = row_of(error)
        if row.status == HTTPStatus.SERVICE_UNAVAILABLE:
            return error
        if row.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            parts.log.error("not_done_to_a_match", match_id=member.match_id, exc_info=error)
        code = row.code
    return ActionLine(
        number=member.number,
        match_id=member.match_id,
        external_id=member.external_id,
        outcome=Done.DONE if code is None else Done.REFUSED,
        code=code,
    )


async def _cancel_unstarted(parts: Parts, caller: Caller, match_id: str, key: str | None) -> object:
    """Raises: MatchAlreadyStarted, MatchEndedAlready."""

    async def make(current: Match) -> Command:
        if current.status in LIVE:
            raise MatchAlreadyStarted
        return CancelMatch()

    await parts.doorkeeper.manages(caller, match_id)
    return await change(parts, caller, match_id, "CancelUnstarted", make, key)


def _count(lines: Sequence[ActionLine], outcome: Done) -> int:
    return sum(each.outcome is outcome for each in lines)
