"""Feeds that are open, ended as soon as their caller may not read any more."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from events.database import DatabaseFault
from games.core.game import Seat
from projections.news import Watch
from service.callers import Caller
from service.errors import NoCredentials

Gone = Callable[[Sequence[Caller]], Awaitable[Sequence[Caller]]]


class Lease:
    """One open feed. It waits by `news` or `waiting`, which an end of the lease interrupts."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self._is_ended = False
        self._waiting: asyncio.Timeout | None = None
        self._watch: Watch | None = None

    def end(self) -> None:
        self._is_ended = True
        if self._watch is not None:
            self._watch.wake()
        if self._waiting is not None:
            self._waiting.reschedule(asyncio.get_running_loop().time())

    async def news(self, watch: Watch, seconds: float) -> bool:
        """What `watch` gives within the seconds. Raises: NoCredentials when the lease ends first.

        As `waiting` does, without the price of a timeout: it is paid for every push.
        """
        self._watch = watch
        was_new = not self._is_ended and await watch.wait(seconds)
        if self._is_ended:
            raise NoCredentials
        return was_new

    async def waiting(self, wait: Awaitable[bool]) -> bool:
        """What `wait` gives. Raises: NoCredentials when the lease ends first."""
        try:
            async with asyncio.timeout(0 if self._is_ended else None) as self._waiting:
                return await wait
        except TimeoutError:
            raise NoCredentials from None
        finally:
            self._waiting = None


class Leases:
    """All open feeds of the process.

    While there are any, every `seconds` all their callers are looked up at once: what is revoked
    in another process, or expires, ends within that time.
    """

    def __init__(self, gone: Gone, seconds: float) -> None:
        self._gone = gone
        self._seconds = max(0.1, seconds)
        self._open: set[Lease] = set()
        self._checking: asyncio.Task[None] | None = None

    @contextmanager
    def open(self, caller: Caller) -> Iterator[Lease]:
        lease = Lease(caller)
        self._open.add(lease)
        if self._checking is None:
            self._checking = asyncio.create_task(self._check())
        try:
            yield lease
        finally:
            self._open.discard(lease)
            if not self._open and self._checking is not None:
                self._checking.cancel()
                self._checking = None

    def end_seat(self, match_id: str, seat: Seat) -> None:
        """End the feeds of whoever reads as that seat."""
        self._end(lambda caller: caller.match_id == match_id and caller.seat == seat)

    def end_hash(self, stored: bytes) -> None:
        """End the feeds that were opened with that credential."""
        self._end(lambda caller: caller.hash == stored)

    def end_users(self, org: str) -> None:
        """End the feeds of users of an organisation's match."""
        self._end(lambda caller: caller.user is not None and caller.org == org)

    def _end(self, is_meant: Callable[[Caller], bool]) -> None:
        for lease in [each for each in self._open if is_meant(each.caller)]:
            lease.end()

    async def _check(self) -> None:
        while True:
            await asyncio.sleep(self._seconds)
            callers = list({lease.caller: None for lease in self._open})
            # A database that is away ends no feed by itself; reading from it will.
            with suppress(DatabaseFault):
                gone = set(await self._gone(callers))
                self._end(gone.__contains__)
