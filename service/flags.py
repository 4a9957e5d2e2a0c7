"""Flags that fall, and what schedules say: found in the database, acted on by any process, once.

What is due is the row of the match itself, written with the events it follows from. Acting on it is
an ordinary append: of several processes one has it, and the others find it done.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias, TypeVar

from sqlalchemy import Connection, and_, bindparam, or_, select

from events.canonical import prefixed
from events.dealer import Dealer
from events.decide import Step
from events.firing import checked, fired, is_check_due
from events.match import Match
from events.refusals import FlagDue
from events.tables import MATCH
from service.committing import ATTEMPTS, commit, loaded
from service.errors import TryAgain
from service.flag_watch import TICK_SECONDS
from service.parts import Parts

T = TypeVar("T")

AT_ONCE: Final = 64  # matches looked at side by side

Due: TypeAlias = tuple[int, str]  # when (ms), and the match


def grace_of(parts: Parts) -> int:
    """How long (ms) an answer that came in time may take to be decided."""
    return round(parts.settings.flag_grace_seconds * 1000)


def settling_of(parts: Parts) -> int:
    """How long (ms) after the time to join every process has written down who was there: what
    takes longer is an outage, which puts the time off."""
    return round(parts.settings.outage_seconds * 1000) + 1000


@asynccontextmanager
async def falling(parts: Parts) -> AsyncIterator[None]:
    """Lets flags fall as long as the context is open."""
    task = asyncio.create_task(_watch(parts))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def sweep(parts: Parts) -> int | None:
    """Let every flag fall that is due by now; when the next is due (ms), as far as is known.

    All that is due is gone through from the earliest on, so that none waits for one that fails.
    """
    now = parts.clock()
    by = now - grace_of(parts)
    first = await parts.database.read(lambda c: _due(c, None, 1))
    if not first or first[0][0] > by:
        return first[0][0] if first else None
    # An outage that began before the flag fell has to be known first.
    await parts.pulse.knows(by)
    by = min(by, parts.pulse.beaten)
    place: Due | None = None
    has_fallen = False
    while True:
        some = await parts.database.read(lambda c, after=place: _due(c, after, AT_ONCE))  # type: ignore[misc]
        late = [match_id for due_at, match_id in some if due_at <= by]
        # Several processes that look at the same matches begin with different ones.
        random.shuffle(late)
        done = await asyncio.gather(*(_let_fall(parts, each, by) for each in late))
        has_fallen = has_fallen or any(done)
        if len(late) < AT_ONCE:
            break
        place = some[-1]
    if has_fallen:
        return now
    return some[len(late)][0] if len(late) < len(some) else None


async def _watch(parts: Parts) -> None:
    while True:
        found = None
        try:
            found = await sweep(parts)
        except Exception as error:
            parts.log.error("flags_not_looked_at", exc_info=error)
            await asyncio.sleep(TICK_SECONDS)
        await parts.flags.rest(found, grace_of(parts), parts.clock)


async def _let_fall(parts: Parts, match_id: str, by: int) -> bool:
    """Whether something was appended."""
    if parts.flags.pauses.rests(match_id, parts.clock()):
        return False
    try:
        has_fallen = await fall(parts, match_id, by)
    except Exception as error:
        parts.flags.pauses.failed(match_id, parts.clock())
        parts.log.error("flag_not_fallen", match_id=match_id, exc_info=error)
        return False
    parts.flags.pauses.went_on(match_id)
    return has_fallen


async def fall(parts: Parts, match_id: str, by: int) -> bool:
    """Append what is due: by the schedule, or what the first flag that fell at `by` (ms) or before
    leads to; False if nothing is.

    Raises: TryAgain, DatabaseFault; what loading raises.
    """
    async with parts.lane(match_id):
        for _ in range(ATTEMPTS):
            current = await loaded(parts, match_id)
            dealer = await parts.dealers.of(match_id)
            steps = fired(current, dealer, parts.clock(), by)
            steps = steps or await _looked(parts, current, dealer, by)
            if not steps:
                return False
            key = f"flag:{current.version}"
            request = parts.vault.request_hash(prefixed(key))
            done = await commit(parts, steps, dealer, key, request)
            if done is not None:
                parts.crash_at("after_flag")
                return not done.replayed
    raise TryAgain


async def _looked(parts: Parts, current: Match, dealer: Dealer, by: int) -> tuple[Step, ...]:
    """Who is there, if that is to be looked at."""
    if not is_check_due(current, by - settling_of(parts), parts.pulse.outages):
        return ()
    await parts.presence.flush()
    used = await parts.presence.used(current.match_id, current.seats)
    with suppress(FlagDue):  # That falls first.
        return checked(current, dealer, parts.clock(), used)
    return ()


async def in_turn(parts: Parts, match_id: str, act: Callable[[], Awaitable[T]]) -> T:
    """What `act` gives, which decides and appends: one at a time at a match in this process, and
    after the flags of all who were late before that.

    Raises: TryAgain, DatabaseFault; what `act` raises, but FlagDue.
    """
    for _ in range(ATTEMPTS):
        try:
            async with parts.lane(match_id):
                return await act()
        except FlagDue as due:
            await _fall_first(parts, match_id, due.over)
    raise TryAgain


async def _fall_first(parts: Parts, match_id: str, over: int) -> None:
    """Let flags fall from the one on that was due at `over` (ms), once the grace is over.

    Until then an answer that came in time may be about to be decided.
    """
    grace = grace_of(parts)
    # It is over already, or would keep nothing back; a clock that was set back says otherwise.
    await asyncio.sleep(min(grace, max(0, over + grace - parts.clock())) / 1000)
    await parts.pulse.knows(over)
    by = max(over, min(parts.clock() - grace_of(parts), parts.pulse.beaten))
    while await fall(parts, match_id, by):
        continue


def _due(connection: Connection, after: Due | None, most: int) -> list[Due]:
    """The matches whose flags fall first, from behind `after` on."""
    query = _DUE
    if after is not None:
        due_at, match_id = MATCH.c.due_at, MATCH.c.match_id
        behind = and_(due_at == after[0], match_id > after[1])
        query = query.where(or_(due_at > after[0], behind))
    return [(moment, str(each)) for moment, each in connection.execute(query, {"most": most})]


_PLACE: Final = (MATCH.c.due_at, MATCH.c.match_id)
_DUE: Final = (
    select(*_PLACE).where(MATCH.c.due_at.is_not(None)).order_by(*_PLACE).limit(bindparam("most"))
)
