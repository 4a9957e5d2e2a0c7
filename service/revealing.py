"""Reveals that wait for a window, of matches whose row does not say when.

The end of a window is a moment in the row of its match, at which any process comes to it
(`service/flags.py`). A process of an earlier program writes none there: this finds those.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select, update

from events.database import DatabaseFault
from events.filling import filled_up
from events.tables import MATCH, REVEAL
from events.types import DONE
from service.committing import loaded
from service.errors import MatchNotFound, Refusal
from service.identities import insert_new
from service.parts import Parts
from service.signals import SET_ASIDE, Work

EVERY_SECONDS: Final = 15.0
AT_ONCE: Final = 200
LATER_MS: Final = 300_000  # before one that can't be read is looked at again
_LEAST_MS: Final = 60_000  # before a match that is not over yet is looked at again


def watch(connection: Connection, match_id: str, at: int) -> None:
    """Look at a match that is made at `at`. Called before it is stored: none is missed."""
    insert_new(connection, REVEAL, {"match_id": match_id, "look_at": at + _LEAST_MS})


@asynccontextmanager
async def watching(parts: Parts) -> AsyncIterator[None]:
    """Reveals what is due, now and then, as long as the context is open."""
    task = asyncio.create_task(_watch(parts))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def sweep(parts: Parts) -> int:
    """Look at the matches that are to be looked at by now; how many they were. Of those that are
    played nothing but their rows.

    Several processes may do so at once: a reveal is one append under one key.
    """
    now = parts.clock()
    due = await parts.database.read(lambda c: list(c.scalars(_DUE, {"now": now, "most": AT_ONCE})))
    played = await parts.database.read(lambda c: set(c.scalars(_PLAYED, {"ids": filled_up(due)})))
    looks = {
        match_id: now + _LEAST_MS if match_id in played else await _next_look(parts, match_id, now)
        for match_id in due
    }
    if looks:
        await parts.database.write(lambda c: _put(c, looks))
    return len(due)


async def _watch(parts: Parts) -> None:
    while True:
        try:
            found = await sweep(parts)
        except DatabaseFault as error:
            parts.log.warning("reveals_not_looked_at", error=type(error).__name__)
            found = 0
        except Exception as error:
            parts.log.error("reveals_not_looked_at", exc_info=error)
            found = 0
        if found < AT_ONCE:
            await asyncio.sleep(EVERY_SECONDS)


async def _next_look(parts: Parts, match_id: str, now: int) -> int | None:
    """When to look at the match again; None if it is revealed, or was never stored."""
    try:
        current = await loaded(parts, match_id)
    except MatchNotFound:
        return None
    except Refusal:
        return now + _LEAST_MS
    except DatabaseFault:
        raise
    except Exception as error:
        # Nothing more is heard of it for a while, and the others are looked at.
        SET_ASIDE.labels(Work.REVEALS).inc()
        parts.log.error("reveal_not_looked_at", match_id=match_id, exc_info=error)
        return now + LATER_MS
    if current.is_revealed:
        return None
    if current.reveal_at is not None:
        return max(now + 1, current.reveal_at)
    return now + max(_LEAST_MS, current.created.window or 0)


def _put(connection: Connection, looks: Mapping[str, int | None]) -> None:
    for match_id, look_at in sorted(looks.items()):
        if look_at is None:
            connection.execute(_DONE, {"of": match_id})
        else:
            connection.execute(_LATER, {"of": match_id, "later": look_at})


_DUE = (
    select(REVEAL.c.match_id)
    .where(REVEAL.c.look_at <= bindparam("now"))
    .order_by(REVEAL.c.look_at)
    .limit(bindparam("most"))
)
_PLAYED = select(MATCH.c.match_id).where(
    MATCH.c.match_id.in_(bindparam("ids", expanding=True)), MATCH.c.status.not_in(DONE)
)
_DONE = delete(REVEAL).where(REVEAL.c.match_id == bindparam("of"))
_LATER = (
    update(REVEAL).where(REVEAL.c.match_id == bindparam("of")).values(look_at=bindparam("later"))
)
