"""The feed of an organisation: what was appended to its matches, in the one order of all."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, Protocol, TypeVar

import msgspec

from events.feed import Entry, entries_after
from events.sandbox import is_test
from service.apart import groups_apart
from service.auth import Caller, require
from service.callers import Scope
from service.errors import NoCredentials, Refusal
from service.group_rows import revealed_among
from service.parts import Parts
from service.unlogged import PositionNotFound

READING: Final = (Scope.MATCHES_READ, Scope.AUDIT_READ)


class FeedEntry(msgspec.Struct, frozen=True):
    """Events `first` to `last` of a match. `before` and `head` are the hashes before `first` and of
    `last`, in hex; `status` is that of the match at `last`.
    """

    position: int
    match_id: str
    external_id: str | None
    test: bool
    first: int
    last: int
    before: str
    head: str
    status: str


class FeedPage(msgspec.Struct, frozen=True):
    """`after` is the position to go on from; `size` how many positions are taken, by all."""

    entries: tuple[FeedEntry, ...]
    after: int
    size: int

    @property
    def is_empty(self) -> bool:
        return not self.entries


class Page(Protocol):
    """`after` is the position to go on from."""

    @property
    def after(self) -> int: ...

    @property
    def is_empty(self) -> bool: ...


P = TypeVar("P", bound=Page)
T = TypeVar("T")


async def shown(parts: Parts, caller: Caller, entries: Sequence[Entry]) -> tuple[FeedEntry, ...]:
    """What of the rows of its own matches the caller is told.

    The one place where rows are withheld: those of a deal group that runs, from all but arbiters.
    Its matches are in the feed again with their reveal.
    """
    assert all(each.org == caller.org for each in entries)
    groups = await groups_apart(parts, caller, (each.deal_group for each in entries))
    apart = {each.match_id for each in entries if each.match_id and each.deal_group in groups}
    if apart:
        # A match is revealed before its group is marked so; who reads past it never comes again.
        apart -= await parts.database.read(lambda c: revealed_among(c, apart))
    seen = (each for each in entries if each.match_id not in apart)
    return tuple(_told(each) for each in seen if each.match_id is not None)


async def require_position(parts: Parts, caller: Caller, after: int) -> None:
    """The caller may read the feed, and has not come from a later moment than it knows.

    Raises: ApiKeyRequired, ScopeMissing, PositionNotFound.
    """
    require(caller, *READING)
    if after > await parts.feeding.size():
        raise PositionNotFound


async def page(parts: Parts, caller: Caller, after: int, limit: int) -> FeedPage:
    """One page of what is in the feed."""
    # Read before the rows: what it counts can be seen by then.
    size = await parts.feeding.size()
    rows = await _rows(parts, caller, after, limit)
    return FeedPage(await shown(parts, caller, rows), rows[-1].position if rows else after, size)


async def awaited_page(
    parts: Parts, caller: Caller, after: int, limit: int, seconds: float
) -> FeedPage:
    """A page as soon as there is an entry, or an empty one after `seconds`.

    Raises: TooManyStreams; NoCredentials when the caller may not read any more.
    """

    async def read(place: int) -> FeedPage:
        return await page(parts, caller, place, limit)

    return await awaited(parts, caller, lambda: parts.feeding.news, read, after, seconds)


async def awaited(
    parts: Parts,
    caller: Caller,
    news: Callable[[], asyncio.Event],
    read: Callable[[int], Awaitable[P]],
    after: int,
    seconds: float,
) -> P:
    """The first page that `read` gives that is not empty, or an empty one after `seconds`.

    `news` gives what rings next. Raises: TooManyStreams; NoCredentials when the caller may not read
    any more.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    with parts.streams.counted(), parts.doorkeeper.leases.open(caller) as own:
        while True:
            rings = news()
            found = await read(after)
            left = deadline - loop.time()
            if not found.is_empty or left <= 0 or parts.streams.stopping:
                return found
            after = found.after
            await own.waiting(rung(rings, min(left, parts.settings.tick_seconds)))
            await recheck(parts, caller)


async def while_allowed(
    parts: Parts, caller: Caller, pages: AsyncIterator[T], *scopes: Scope
) -> AsyncIterator[T]:
    """What `pages` gives while the caller has one of the scopes; by default one to read feeds.

    Raises: NoCredentials.
    """
    async for each in pages:
        await recheck(parts, caller, *scopes)
        yield each


async def follow(parts: Parts, caller: Caller, after: int) -> AsyncIterator[tuple[FeedEntry, ...]]:
    """Pages of entries for ever; an empty one when nothing came for a while.

    Raises: NoCredentials when the caller may not read any more.
    """
    loop, limit = asyncio.get_running_loop(), parts.settings.page_limit
    said = loop.time()
    with parts.doorkeeper.leases.open(caller) as own:
        while True:
            news = parts.feeding.news
            rows = await _rows(parts, caller, after, limit)
            await recheck(parts, caller)
            told = await shown(parts, caller, rows)
            if told or loop.time() - said >= parts.settings.keep_alive_seconds:
                said = loop.time()
                yield told
            if rows:
                after = rows[-1].position
            else:
                quiet = said + parts.settings.keep_alive_seconds - loop.time()
                seconds = max(0.01, min(quiet, parts.settings.tick_seconds))
                await own.waiting(rung(news, seconds))


async def _rows(parts: Parts, caller: Caller, after: int, limit: int) -> list[Entry]:
    return await parts.database.read(lambda c: entries_after(c, after, limit, caller.org))


async def recheck(parts: Parts, caller: Caller, *scopes: Scope) -> None:
    """Raises: NoCredentials, also if the key has lost its scope."""
    fresh = await parts.doorkeeper.again(caller)
    try:
        require(fresh, *(scopes or READING))
    except Refusal:
        raise NoCredentials from None


async def rung(news: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            return await news.wait()
    return False


def _told(entry: Entry) -> FeedEntry:
    assert entry.match_id is not None
    return FeedEntry(
        position=entry.position,
        match_id=entry.match_id,
        external_id=entry.external_id,
        test=is_test(entry.org or ""),
        first=entry.first,
        last=entry.last,
        before=entry.before.hex(),
        head=entry.head.hex(),
        status=entry.status,
    )
