"""Whoever sends a request, or holds a socket: let in once, and found again whenever asked for."""

import asyncio

from service import credentials
from service.admitting import counted, recognised
from service.auth import Caller
from service.errors import OtherSeat, TooManyRequests
from service.limits import Taken
from service.parts import Parts


class Visitor:
    """A user's token is one only at a match, so a visitor with one may be several callers.

    `match_id` is the match that is meant where an operation names none; `seat` is which of its
    seats a user means. `taken` is what is left of the limit, once the visitor is let in; `refused`
    is why it was not, if it comes too often: then nothing it asked for was done. A user who names
    no match is let in by the first operation that does.
    """

    def __init__(
        self,
        parts: Parts,
        authorization: str | None,
        address: str,
        match_id: str | None = None,
        seat: int | None = None,
    ) -> None:
        self.taken: Taken | None = None
        self.refused: TooManyRequests | None = None
        self._parts = parts
        self._authorization = authorization
        self._address = address
        self._match_id = match_id
        self._seat = seat
        credential = (authorization or "")[7:].strip()
        is_opaque = credential.startswith(credentials.OPAQUE)
        self._is_user = not is_opaque and credential.count(".") == 2
        self._callers: dict[str | None, Caller] = {}
        self._lane = asyncio.Lock()
        self._uncounted = 1  # requests so far that are not taken off the limit

    @property
    def is_known_alone(self) -> bool:
        """Who it is, if anybody, need not wait for the match an operation names."""
        return self._match_id is not None or not self._is_user

    @property
    def is_let_in(self) -> bool:
        return bool(self._callers)

    async def caller(self, match_id: str | None = None) -> Caller:
        """The caller, at the match if it is a user; the first time counts as a request.

        Raises: NoCredentials, TooManyRequests, OtherSeat.
        """
        about = self._about(match_id)
        found = self._callers.get(about)
        if found is not None:
            return found
        async with self._lane:
            if about not in self._callers:
                self._callers[about] = self._seated(await self._let_in(about))
            return self._callers[about]

    async def again(self) -> None:
        """Look every caller up again. Raises: NoCredentials, OtherSeat."""
        for about in list(self._callers):
            caller = await self._parts.doorkeeper.caller_of(self._authorization, about)
            self._callers[about] = self._seated(caller)

    async def still(self) -> None:
        """What `again` does, where nobody has come again: most are as they were a moment ago."""
        if not all(map(self._parts.doorkeeper.is_current, self._callers.values())):
            await self.again()

    async def once_more(self) -> None:
        """A further request on the same socket; it is counted once the visitor is let in.

        Raises: NoCredentials, TooManyRequests.
        """
        await self.again()
        self._uncounted += 1
        if self._callers:
            await self._count(next(iter(self._callers.values())))

    async def _let_in(self, about: str | None) -> Caller:
        """Raises: NoCredentials, TooManyRequests."""
        if self.refused is not None:
            raise self.refused
        parts = self._parts
        try:
            found = await recognised(parts, self._authorization, self._address, about)
            if self._uncounted:
                await self._count(found)
        except TooManyRequests as refused:
            if self.taken is None:
                self.refused = refused
            raise
        return found

    async def _count(self, caller: Caller) -> None:
        """Raises: TooManyRequests."""
        count, self._uncounted = self._uncounted, 0
        self.taken = await counted(self._parts, caller, count)

    def _about(self, match_id: str | None) -> str | None:
        return match_id or self._match_id if self._is_user else None

    def _seated(self, caller: Caller) -> Caller:
        if self._seat is None or self._seat == caller.seat:
            return caller
        if not caller.holds(self._seat):
            raise OtherSeat
        return caller.sitting(self._seat)
