"""Events as they come: read after the cursor, wait for a hint or the tick, read again."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

import msgspec

from events.evidence import Evidence
from events.types import DONE
from games.core.game import ALL, Viewer
from projections.history import Entry
from projections.news import Watch
from service import queries
from service.apart import is_apart, is_inside
from service.auth import Caller
from service.errors import NoCredentials, NotRevealed, Refusal, VersionNotFound
from service.leases import Lease
from service.parts import Parts
from service.queries import SeatDecision
from service.spectating import shown

_REVEALED: Final = b"match_revealed"


class Feed(msgspec.Struct, frozen=True):
    """What a caller reads: the events of a match after `after`, as `viewer` sees them.

    `caller` is looked up again before each page, so a revoked token sees no more. `by_clock`: it
    looks every tick, for when a hint comes would tell that something happened just now.
    """

    match_id: str
    viewer: Viewer
    after: int
    caller: Caller
    proof: bool = False
    by_clock: bool = False


class Page(msgspec.Struct, frozen=True):
    """`version` and `head` are where the match was for the caller; head is in hex.

    `is_final`: the match is revealed, nothing will come after `version`.
    """

    entries: list[Entry]
    version: int
    head: str
    is_final: bool = False


class _Kind(msgspec.Struct, frozen=True):
    kind: str


_KIND: Final = msgspec.json.Decoder(_Kind)


async def open_feed(
    parts: Parts, caller: Caller, match_id: str, after: int, *, full: bool, proof: bool
) -> Feed:
    """Raises: MatchNotFound, ScopeMissing, NotRevealed; VersionNotFound beyond the last event.

    A cursor from a later moment than the log knows (it was restored, or the cursor is of another
    match) would skip what is yet to come.
    """
    viewer = await parts.doorkeeper.viewer_of(caller, match_id)
    current = await shown(parts, caller, match_id)
    if after > current.version:
        raise VersionNotFound
    if full:
        if not current.is_revealed:
            raise NotRevealed
        viewer = ALL
    by_clock = caller.delay is not None or is_apart(caller, current)
    return Feed(match_id, viewer, after, caller, proof, by_clock)


async def page(parts: Parts, feed: Feed, limit: int) -> Page:
    """One page of what is stored and old enough for the caller."""
    current = await shown(parts, feed.caller, feed.match_id)
    entries = await _entries(parts, feed, feed.after, limit, current.version)
    return Page(entries, current.version, current.head.hex(), current.is_revealed)


async def awaited_page(parts: Parts, feed: Feed, limit: int, seconds: float) -> Page:
    """A page as soon as there is something after the cursor, or an empty one after `seconds`.

    Raises: TooManyStreams.
    """
    with (
        parts.streams.counted(),
        parts.news.watch(feed.match_id) as watch,
        parts.doorkeeper.leases.open(feed.caller) as own,
    ):
        found = await page(parts, feed, limit)
        deadline = asyncio.get_running_loop().time() + seconds
        while not (found.entries or found.is_final or parts.streams.stopping):
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                break
            await _wait(feed, watch, own, min(left, parts.settings.tick_seconds))
            await _recheck(parts, feed)
            found = await page(parts, feed, limit)
        return found


async def follow(parts: Parts, feed: Feed) -> AsyncIterator[list[Entry]]:
    """Pages of entries; an empty one when nothing came for a while.

    Ends after the reveal, when all there is has been read. Raises: NoCredentials when the caller
    may not read any more.
    """
    limit, after = parts.settings.page_limit, feed.after
    with parts.news.watch(feed.match_id) as watch, parts.doorkeeper.leases.open(feed.caller) as own:
        known = feed.caller
        current = await shown(parts, feed.caller, feed.match_id)
        through, is_last = current.version, current.is_revealed
        while True:
            while after < through:
                entries = await _entries(parts, feed, after, limit, through)
                if not entries:
                    watch.correct(after)
                    through = after
                    break
                if not parts.doorkeeper.is_current(known):
                    known = await _recheck(parts, feed)
                yield entries
                after = entries[-1].version
                is_last = is_last or _is_reveal(entries[-1])
            if is_last:
                return
            come = await _next(parts, feed, watch, own, through)
            if come is None:
                await _recheck(parts, feed)
                await shown(parts, feed.caller, feed.match_id)  # A reveal may be due by now.
                yield []
            else:
                through = max(through, come)


async def _next(parts: Parts, feed: Feed, watch: Watch, own: Lease, through: int) -> int | None:
    """The version that has come after `through`; None when none did for a while."""
    quiet = parts.settings.keep_alive_seconds
    if not feed.by_clock:
        return watch.version if await own.news(watch, quiet) else None
    loop = asyncio.get_running_loop()
    until = loop.time() + quiet
    while (left := until - loop.time()) > 0:
        await _wait(feed, watch, own, min(left, parts.settings.tick_seconds))
        current = await shown(parts, feed.caller, feed.match_id)
        if current.version > through:
            return current.version
    return None


async def _wait(feed: Feed, watch: Watch, own: Lease, seconds: float) -> None:
    """Until there may be something new. Raises: NoCredentials when the lease ends."""
    if not feed.by_clock:
        await own.news(watch, seconds)
    else:
        await own.waiting(asyncio.sleep(seconds, result=False))


def _is_reveal(entry: Entry) -> bool:
    # Most are none, and one that is has the word in it.
    return _REVEALED in entry.body and _KIND.decode(entry.body).kind == _REVEALED.decode()


async def _recheck(parts: Parts, feed: Feed) -> Caller:
    """The caller as it is now. Raises: NoCredentials if it may not read on as it did."""
    caller = await parts.doorkeeper.again(feed.caller)
    if caller is feed.caller:
        return caller
    try:
        viewer = await parts.doorkeeper.viewer_of(caller, feed.match_id)
    except Refusal:
        raise NoCredentials from None
    if viewer != feed.viewer and feed.viewer != ALL:
        raise NoCredentials
    if is_inside(caller) != is_inside(feed.caller):
        raise NoCredentials
    return caller


async def _entries(parts: Parts, feed: Feed, after: int, limit: int, through: int) -> list[Entry]:
    return await parts.history.page(
        feed.match_id, feed.viewer, after, limit, through=through, proof=feed.proof
    )


async def signed_head(parts: Parts, feed: Feed, after: int) -> Evidence | None:
    """That the log stands at version `after`; None if it has moved on."""
    current = parts.cache.peek(feed.match_id) if feed.caller.delay is None else None
    if current is None or current.version != after:
        current = await shown(parts, feed.caller, feed.match_id)
    if current.version != after:
        return None
    return parts.notary.head(feed.match_id, after, current.head.hex())


async def decisions(parts: Parts, feed: Feed) -> AsyncIterator[SeatDecision]:
    """What the seat is asked, now and after each change; ends when the match does.

    `feed` is one of who plays a seat. Raises: NoCredentials when the caller may not read any more.
    """
    with parts.news.watch(feed.match_id) as watch, parts.doorkeeper.leases.open(feed.caller) as own:
        seen = 0
        while True:
            await _recheck(parts, feed)
            current = await shown(parts, feed.caller, feed.match_id)
            if current.version > seen:
                seen = current.version
                yield queries.decision_of(current, feed.viewer)
            if current.status in DONE and current.is_revealed:
                return
            await own.news(watch, parts.settings.keep_alive_seconds)
