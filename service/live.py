"""Events as they come: read after the cursor, wait for a hint or the tick, read again."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from events.types import Status
from games.core.game import ALL, Viewer
from projections.history import Entry
from service import queries
from service.auth import Caller
from service.committing import loaded
from service.errors import NotRevealed
from service.parts import Parts
from service.queries import SeatDecision

_REVEALED: Final = "match_revealed"


class Feed(msgspec.Struct, frozen=True):
    """What a caller reads: the events of a match after `after`, as `viewer` sees them.

    `authorization` is looked up again before each page, so a revoked token sees no more.
    """

    match_id: str
    viewer: Viewer
    after: int
    authorization: str | None
    proof: bool = False


class Page(msgspec.Struct, frozen=True):
    """`version` and `head` are where the match was when the page was read; head is in hex."""

    entries: list[Entry]
    version: int
    head: str


class _Kind(msgspec.Struct, frozen=True):
    kind: str


_KIND: Final = msgspec.json.Decoder(_Kind)


async def open_feed(
    parts: Parts, caller: Caller, authorization: str | None, match_id: str, after: int,
    *, full: bool, proof: bool,
) -> Feed:  # fmt: skip
    """Raises: MatchNotFound, NotRevealed."""
    viewer = await parts.doorkeeper.viewer_of(caller, match_id)
    if full:
        if not (await loaded(parts, match_id)).is_revealed:
            raise NotRevealed
        viewer = ALL
    return Feed(match_id, viewer, after, authorization, proof)


async def page(parts: Parts, feed: Feed, limit: int) -> Page:
    """One page of what is stored."""
    current = await loaded(parts, feed.match_id)
    entries = await _entries(parts, feed, feed.after, limit, current.version)
    return Page(entries, current.version, current.head.hex())


async def awaited_page(parts: Parts, feed: Feed, limit: int, seconds: float) -> Page:
    """A page as soon as there is something after the cursor, or an empty one after `seconds`."""
    with parts.news.watch(feed.match_id) as watch:
        found = await page(parts, feed, limit)
        deadline = asyncio.get_running_loop().time() + seconds
        while not found.entries and not parts.streams.stopping:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                break
            await watch.wait(min(left, parts.settings.tick_seconds))
            await parts.doorkeeper.caller_of(feed.authorization)
            found = await page(parts, feed, limit)
        return found


async def follow(parts: Parts, feed: Feed) -> AsyncIterator[list[Entry]]:
    """Pages of entries; an empty one when nothing came for a while.

    Ends after the reveal, when all there is has been read. Raises: NoCredentials when the caller's
    token stops working.
    """
    limit, after = parts.settings.page_limit, feed.after
    with parts.news.watch(feed.match_id) as watch:
        current = await loaded(parts, feed.match_id)
        through, is_last = current.version, current.is_revealed
        while True:
            while after < through:
                entries = await _entries(parts, feed, after, limit, through)
                await parts.doorkeeper.caller_of(feed.authorization)
                yield entries
                after = entries[-1].version
                is_last = is_last or _KIND.decode(entries[-1].body).kind == _REVEALED
            if is_last:
                return
            if await watch.wait(parts.settings.keep_alive_seconds):
                through = max(through, watch.version)
            else:
                await parts.doorkeeper.caller_of(feed.authorization)
                yield []


async def _entries(parts: Parts, feed: Feed, after: int, limit: int, through: int) -> list[Entry]:
    return await parts.history.page(
        feed.match_id, feed.viewer, after, limit, through=through, proof=feed.proof
    )


async def decisions(parts: Parts, feed: Feed) -> AsyncIterator[SeatDecision]:
    """What the seat is asked, now and after each change; ends when the match does.

    `feed` is one of a seat's token. Raises: NoCredentials when the token stops working.
    """
    with parts.news.watch(feed.match_id) as watch:
        seen = 0
        while True:
            await parts.doorkeeper.caller_of(feed.authorization)
            current = await loaded(parts, feed.match_id)
            if current.version > seen:
                seen = current.version
                yield queries.decision_of(current, feed.viewer)
            if current.status not in (Status.SEATING, Status.RUNNING):
                return
            await watch.wait(parts.settings.keep_alive_seconds)
