"""Who calls, and for which seat; looked up anew at least every second, also on open streams."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec

from events.store import Store
from games.core.game import SPECTATOR, Seat, Viewer
from service import credentials, identities
from service.errors import (
    ApiKeyRequired,
    MatchNotFound,
    NoCredentials,
    OtherSeat,
    SeatTokenRequired,
)

_MOST: Final = 50_000


class Caller(msgspec.Struct, frozen=True):
    """An API key of `org` (then `seat` is None), or the token of one seat of one match.

    `hash` is what is stored of the credential; `prefix` is the part of a key that may be shown.
    """

    org: str
    hash: bytes
    prefix: str | None = None
    match_id: str | None = None
    seat: Seat | None = None

    @property
    def principal(self) -> str:
        """In whose name requests are repeated; a new token of a seat is the same principal."""
        return f"key:{self.hash.hex()[:16]}" if self.seat is None else f"seat:{self.seat}"


class Doorkeeper:
    """Knows callers by their credentials, and what they may see.

    A look-up is kept for `seconds` (at most one), so a token revoked in another process works here
    for that long; one revoked in this process stops at once.
    """

    def __init__(self, store: Store, clock: Callable[[], int], seconds: float) -> None:
        self._store = store
        self._clock = clock
        self._keep = int(seconds * 1000)
        self._known: OrderedDict[str, tuple[int, Caller]] = OrderedDict()
        self._owners: OrderedDict[str, str] = OrderedDict()

    async def caller_of(self, authorization: str | None) -> Caller:
        """The caller by the value of the header Authorization. Raises: NoCredentials."""
        credential = _bearer(authorization)
        known = self._known.get(credential)
        now = self._clock()
        if known is not None and now - known[0] < self._keep:
            return known[1]
        caller = await self._look_up(credential, now)
        self._known[credential] = (now, caller)
        self._known.move_to_end(credential)
        _bounded(self._known)
        return caller

    def forget(self, match_id: str, seat: Seat) -> None:
        """Look the seat's tokens up again: they may have been revoked."""
        stale = [
            credential
            for credential, (_, caller) in self._known.items()
            if caller.match_id == match_id and caller.seat == seat
        ]
        for credential in stale:
            del self._known[credential]

    async def viewer_of(self, caller: Caller, match_id: str) -> Viewer:
        """How the caller sees a match. Raises: MatchNotFound."""
        if caller.seat is not None:
            if caller.match_id != match_id:
                raise MatchNotFound
            return caller.seat
        if await self._owner_of(match_id) != caller.org:
            raise MatchNotFound
        return SPECTATOR

    async def seat_of(self, caller: Caller, match_id: str) -> Seat:
        """The seat the caller plays. Raises: MatchNotFound, SeatTokenRequired."""
        viewer = await self.viewer_of(caller, match_id)
        if viewer == SPECTATOR:
            raise SeatTokenRequired
        return viewer

    async def manages(self, caller: Caller, match_id: str) -> None:
        """The caller is the organisation that owns it. Raises: MatchNotFound, ApiKeyRequired."""
        if await self.viewer_of(caller, match_id) != SPECTATOR:
            raise ApiKeyRequired

    async def manages_or_holds(self, caller: Caller, match_id: str, seat: Seat) -> None:
        """Raises: MatchNotFound, OtherSeat."""
        if await self.viewer_of(caller, match_id) not in (SPECTATOR, seat):
            raise OtherSeat

    async def _look_up(self, credential: str, now: int) -> Caller:
        stored = credentials.stored(credential)
        read = self._store.database.read
        if credential.startswith(credentials.API_KEY):
            key = await read(lambda connection: identities.find_key(connection, stored, now))
            if key is not None:
                return Caller(org=key.org, hash=stored, prefix=key.prefix)
        elif credential.startswith(credentials.SEAT_TOKEN):
            token = await read(lambda connection: identities.find_token(connection, stored))
            if token is not None:
                return Caller(token.org, stored, match_id=token.match_id, seat=token.seat)
        self._known.pop(credential, None)
        raise NoCredentials

    async def _owner_of(self, match_id: str) -> str | None:
        """The organisation of a match, which never changes."""
        if match_id not in self._owners:
            row = await self._store.match(match_id)
            if row is None:
                return None
            self._owners[match_id] = row.org
            _bounded(self._owners)
        return self._owners[match_id]


def _bearer(authorization: str | None) -> str:
    if authorization is None or authorization[:7].lower() != "bearer ":
        raise NoCredentials
    credential = authorization[7:].strip()
    if len(credential) > credentials.LONGEST or not credential.isascii():
        raise NoCredentials
    return credential


def _bounded(kept: "OrderedDict[str, tuple[int, Caller]] | OrderedDict[str, str]") -> None:
    if len(kept) > _MOST:
        kept.popitem(last=False)
