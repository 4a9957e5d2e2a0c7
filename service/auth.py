"""Who calls, and what of a match they may see; looked up anew at least every second.

Everything that may or may not be done is decided here: by the kind of caller, by the match, and
for keys by scope.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from sys import intern
from typing import Final

from sqlalchemy import Connection

from events.store import Store
from games.core.game import SPECTATOR, Seat, Viewer
from service import credentials, identities
from service.callers import WATCHING, Caller, Delay, Kind, Right, Scope, scopes_of
from service.errors import (
    ApiKeyRequired,
    MatchNotFound,
    NoCredentials,
    OtherSeat,
    Refusal,
    ScopeMissing,
    SeatTokenRequired,
)
from service.leases import Leases
from service.lookups import Lookups, Place
from service.users import Users

__all__ = ["Caller", "Doorkeeper"]

_ANY: Final = tuple(Scope)

Asking = dict[Hashable, "asyncio.Task[Caller | None]"]


class Doorkeeper:
    """Knows callers by their credentials, and what they may see.

    A look-up is kept for `seconds` (at most one), so what is revoked in another process works here
    for that long; what is revoked in this process stops at once. `leases` are the open feeds.
    `noted` is told of each caller that comes, or that still has a feed open.
    """

    def __init__(
        self,
        store: Store,
        clock: Callable[[], int],
        seconds: float,
        users: Users | None = None,
        noted: Callable[[Caller], None] = lambda _: None,
        most_owners: int = 50_000,
    ) -> None:
        self._store = store
        self._clock = clock
        self._users = users or Users(store, clock)
        self._noted = noted
        self._known = Lookups(clock, int(seconds * 1000))
        self._asking: Asking = {}
        self._most_owners = most_owners
        self._owners: OrderedDict[str, str] = OrderedDict()
        self.leases = Leases(self._gone, seconds)

    async def caller_of(self, authorization: str | None, match_id: str | None = None) -> Caller:
        """The caller by the value of the header Authorization.

        `match_id` is the match that is asked about, if it is one: a user's token is tried only
        against the organisation that owns it. Raises: NoCredentials.
        """
        credential = _bearer(authorization)
        stored = credentials.stored(credential)
        if credential.startswith(credentials.OPAQUE):
            caller = await self._looked_up((stored, None))
        elif match_id is None or credential.count(".") != 2:
            raise NoCredentials
        else:
            caller = await self._user((stored, match_id), credential)
        self._noted(caller)
        return caller

    def at_hand(self, authorization: str | None, match_id: str | None = None) -> Caller | None:
        """The caller as `caller_of` gives it, if that costs nothing; else None."""
        try:
            credential = _bearer(authorization)
        except NoCredentials:
            return None
        is_opaque = credential.startswith(credentials.OPAQUE)
        found = self._known.get((credentials.stored(credential), None if is_opaque else match_id))
        is_over = found is not None and found.user and found.user.expires_at <= self._clock()
        if found is None or is_over:
            return None
        self._noted(found)
        return found

    async def again(self, caller: Caller) -> Caller:
        """The caller as it is now, looked up by what is known of it without its secret.

        Raises: NoCredentials, also if it now sees another way than before.
        """
        if caller.user is not None:
            fresh = await self._user_again(caller)
        else:
            fresh = await self._looked_up((caller.hash, None))
        if (fresh.org, fresh.delay) != (caller.org, caller.delay):
            raise NoCredentials
        if caller.seat == fresh.seat:
            return fresh
        if caller.seat is None or not fresh.holds(caller.seat):
            raise NoCredentials
        return fresh.sitting(caller.seat)

    def is_current(self, caller: Caller) -> bool:
        """Whether the caller, as it was given out here, is what a look-up gives now as well.

        False also where it takes a query to know that.
        """
        is_user = caller.user is not None
        if self._known.get((caller.hash, caller.match_id if is_user else None)) is not caller:
            return False
        return caller.user is None or caller.user.expires_at > self._clock()

    def forget(self, match_id: str, seat: Seat) -> None:
        """Look the seat's callers up again and end their feeds: they may hold it no more."""
        self._drop(lambda c: c.match_id == match_id and (c.seat == seat or c.user is not None))
        self.leases.end_seat(match_id, seat)

    def forget_hash(self, stored: bytes) -> None:
        """A key or a token was changed or revoked: look it up again, end its feeds."""
        self._drop(lambda caller: caller.hash == stored)
        self.leases.end_hash(stored)

    def forget_users(self, org: str) -> None:
        """An issuer of the organisation was changed: look its users up again, end their feeds."""
        self._drop(lambda caller: caller.user is not None and caller.org == org)
        self.leases.end_users(org)

    async def viewer_of(self, caller: Caller, match_id: str, *scopes: Scope) -> Viewer:
        """How the caller sees a match. A key needs one of the scopes; by default, one to watch.

        Raises: MatchNotFound, ScopeMissing.
        """
        if caller.kind is Kind.KEY:
            require(caller, *(scopes or WATCHING))
            if await self._owner_of(match_id) != caller.org:
                raise MatchNotFound
            return SPECTATOR
        if caller.match_id != match_id:
            raise MatchNotFound
        return SPECTATOR if caller.seat is None else caller.seat

    async def seat_of(self, caller: Caller, match_id: str) -> Seat:
        """The seat the caller plays. Raises: MatchNotFound, SeatTokenRequired."""
        viewer = await self.viewer_of(caller, match_id, *_ANY)
        if viewer == SPECTATOR:
            raise SeatTokenRequired
        return viewer

    async def manages(
        self, caller: Caller, match_id: str, scope: Scope = Scope.MATCHES_MANAGE
    ) -> None:
        """The caller is a key of the organisation that owns the match.

        Raises: MatchNotFound, ApiKeyRequired, ScopeMissing.
        """
        await self.viewer_of(caller, match_id, scope)
        require(caller, scope)

    async def permits(self, caller: Caller, right: Right) -> None:
        """The caller, as it is by now, has the right.

        Raises: NoCredentials, MatchNotFound, ApiKeyRequired, ScopeMissing.
        """
        fresh = await self.again(caller)
        for scope in right.scopes:
            if right.match_id is None:
                require(fresh, scope)
            else:
                await self.manages(fresh, right.match_id, scope)

    async def manages_or_holds(self, caller: Caller, match_id: str, seat: Seat) -> None:
        """A key that issues seats, or whoever holds or may claim this one.

        Raises: MatchNotFound, OtherSeat, ScopeMissing.
        """
        await self.viewer_of(caller, match_id, Scope.SEATS_ISSUE)
        if caller.kind is not Kind.KEY and not caller.may_claim(seat):
            raise OtherSeat

    async def _looked_up(self, place: Place) -> Caller:
        kept = self._known.get(place)
        if kept is not None:
            return kept
        return await self._asked(place, place, lambda: self._read(place[0]))

    async def _user(self, place: Place, credential: str) -> Caller:
        kept = self._known.get(place)
        match_id = place[1]
        assert match_id is not None
        if kept is not None and kept.user is not None and kept.user.expires_at > self._clock():
            return kept
        return await self._asked(place, place, lambda: self._vouched(credential, match_id))

    async def _user_again(self, caller: Caller) -> Caller:
        place = (caller.hash, caller.match_id)
        kept = self._known.get(place)
        if kept is not None and kept.user is not None and caller.user is not None:
            expires_at = caller.user.expires_at
            if kept.user.expires_at == expires_at > self._clock():
                return kept
        return await self._asked(place, caller, lambda: self._users.again(caller))

    async def _read(self, stored: bytes) -> Caller | None:
        """One query for it and for all who will ask soon: many tokens are in use at a time."""
        now, due, drops = self._clock(), self._known.due(), self._known.drops
        found = await self._store.database.read(lambda c: _found(c, [stored, *due], now))
        if self._known.drops == drops:
            for each in due:
                self._known.put((each, None), found.get(each))
        return found.get(stored)

    async def _vouched(self, credential: str, match_id: str) -> Caller | None:
        org = await self._owner_of(match_id)
        return None if org is None else await self._users.caller(org, credential, match_id)

    async def _asked(
        self, place: Place, name: Hashable, look: Callable[[], Awaitable[Caller | None]]
    ) -> Caller:
        """One look-up for all who ask for the same meanwhile. Raises: NoCredentials."""
        task = self._asking.get(name)
        if task is None:
            task = self._asking[name] = asyncio.ensure_future(look())
            task.add_done_callback(lambda done: self._answered(place, name, done))
        caller = await asyncio.shield(task)
        if caller is None:
            raise NoCredentials
        return caller

    def _answered(self, place: Place, name: Hashable, done: "asyncio.Task[Caller | None]") -> None:
        if self._asking.get(name) is not done:
            return  # It began before something was revoked.
        del self._asking[name]
        if not done.cancelled() and done.exception() is None:
            self._known.put(place, done.result())

    def _drop(self, is_meant: Callable[[Caller], bool]) -> None:
        self._known.drop(is_meant)
        # What is being read may be older than the change: whoever asks from now on asks anew.
        self._asking.clear()

    async def _gone(self, callers: Sequence[Caller]) -> list[Caller]:
        """Those who may not read any more."""
        now = self._clock()
        hashes = [caller.hash for caller in callers if caller.user is None]
        works = await self._store.database.read(lambda c: identities.working(c, hashes, now))
        gone = [each for each in callers if each.user is None and each.hash not in works]
        for each in (caller for caller in callers if caller.user is not None):
            try:
                await self.again(each)
            except Refusal:
                gone.append(each)
        for each in (caller for caller in callers if caller not in gone):
            self._noted(each)
        return gone

    async def _owner_of(self, match_id: str) -> str | None:
        """The organisation of a match, which never changes."""
        if match_id not in self._owners:
            row = await self._store.match(match_id)
            if row is None:
                return None
            self._owners[match_id] = intern(row.org)
            if len(self._owners) > self._most_owners:
                self._owners.popitem(last=False)
        return self._owners[match_id]


def require(caller: Caller, *scopes: Scope) -> None:
    """The caller is a key with one of the scopes. Raises: ApiKeyRequired, ScopeMissing."""
    if caller.kind is not Kind.KEY:
        raise ApiKeyRequired
    if not any(scope in caller.scopes for scope in scopes):
        raise ScopeMissing.of(scopes[0])


def _found(connection: Connection, hashes: Sequence[bytes], now: int) -> dict[bytes, Caller]:
    """Tokens first: most requests come with one."""
    found = {
        stored: _with_token(token)
        for stored, token in identities.find_tokens(connection, hashes, now).items()
    }
    left = [each for each in hashes if each not in found]
    if left:
        for stored, key in identities.find_keys(connection, left, now).items():
            found[stored] = _with_key(key, stored)
    return found


def _with_key(key: identities.KeyRow, stored: bytes) -> Caller:
    scopes = scopes_of(key.org, key.scopes)
    return Caller(org=key.org, hash=stored, prefix=key.prefix, scopes=scopes)


def _with_token(token: identities.TokenRow) -> Caller:
    if token.arbiter is not None:
        return Caller(
            org=token.org,
            hash=token.hash,
            kind=Kind.ARBITER,
            scopes=(Scope.ARBITRATE,),
            match_id=token.match_id,
            arbiter=token.arbiter,
        )
    is_delayed = token.delay_versions > 0 or token.delay_ms > 0
    return Caller(
        org=token.org,
        hash=token.hash,
        kind=Kind.SPECTATOR if token.seat is None else Kind.SEAT,
        match_id=token.match_id,
        seat=token.seat,
        delay=Delay(token.delay_versions, token.delay_ms) if is_delayed else None,
    )


def _bearer(authorization: str | None) -> str:
    if authorization is None or authorization[:7].lower() != "bearer ":
        raise NoCredentials
    credential = authorization[7:].strip()
    if len(credential) > credentials.LONGEST or not credential.isascii():
        raise NoCredentials
    return credential
