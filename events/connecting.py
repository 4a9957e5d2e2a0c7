"""Connections to the one of several PostgreSQL servers that can do what is needed."""

from typing import Any, Final

import asyncpg
from sqlalchemy.engine import URL

from events.faults import DatabaseUnreachable
from events.urls import WANTED, Place, asyncpg_dsn, is_pooled, places_of

ALONE_SECONDS: Final = 5.0
AMONG_SECONDS: Final = 2.5  # a server that says nothing must not keep us from the next for long

# Said by one server, these may be otherwise with the next.
_ELSEWHERE = (
    OSError,  # TimeoutError as well
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    DatabaseUnreachable,
)


class Connector:
    """Tries the servers of a parsed URL in order, first the one it was last connected to.

    Unless the URL wants something else (`target_session_attrs`), or this is `to_read_only` of
    whatever server, one that can't be written to is passed over: what a standby answers may be
    older than what was acknowledged. `forbids_writing` on all connections it makes.
    """

    def __init__(self, url: URL, *, to_read_only: bool, forbids_writing: bool) -> None:
        self._places = list(places_of(url))
        self._dsn = asyncpg_dsn(url)
        self._who = {"user": url.username, "password": url.password, "database": url.database}
        default = "any" if to_read_only or is_pooled(url) else "read-write"
        self._wanted = url.query.get(WANTED, default)
        self._forbids_writing = forbids_writing
        usual = ALONE_SECONDS if len(self._places) == 1 else AMONG_SECONDS
        self._seconds = float(str(url.query.get("connect_timeout", usual)))

    async def connect(self, **options: Any) -> asyncpg.Connection:
        """Raises: an error of asyncpg or of the network; DatabaseUnreachable if a server is not one
        that is wanted, or with what each of several said.
        """
        said = []
        for place in tuple(self._places):
            try:
                made = await self._connected(place, options)
            except _ELSEWHERE as error:
                if len(self._places) == 1:
                    raise
                said.append(f"{place[0]}:{place[1]}: {str(error) or 'no answer in time'}")
            else:
                self._places.remove(place)
                self._places.insert(0, place)
                return made
        raise DatabaseUnreachable("; ".join(said))

    async def _connected(self, place: Place, options: dict[str, Any]) -> asyncpg.Connection:
        host, port = place
        try:
            made = await asyncpg.connect(
                self._dsn,
                host=host,
                port=port,
                timeout=self._seconds,
                target_session_attrs=self._wanted,
                **self._who,
                **options,
            )
            if self._forbids_writing:
                await self._forbid_writing(made)
        except asyncpg.TargetServerAttributeNotMatched:
            raise DatabaseUnreachable(f"the server is not {self._wanted}") from None
        except (asyncpg.InternalClientError, asyncpg.InternalServerError) as error:
            # It went away in the middle of its greeting.
            raise DatabaseUnreachable(str(error)) from error
        return made

    async def _forbid_writing(self, made: asyncpg.Connection) -> None:
        # Not in the start-up message: such a session would count as one of a standby.
        try:
            await made.execute("SET default_transaction_read_only = on", timeout=self._seconds)
        except BaseException:
            made.terminate()
            raise
