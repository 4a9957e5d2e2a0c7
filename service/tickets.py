"""One-use tickets: how a browser's EventSource, which sends no headers, opens a stream.

A ticket stands in an address, so it works once, for a minute, for one path, and what it opens is
closed with the caller's own token.
"""

from typing import Final

import msgspec
from sqlalchemy import Connection, delete, insert, select

from events.tables import TICKET
from service import credentials
from service.callers import Caller
from service.errors import NoCredentials
from service.parts import Parts

LIFE_MS: Final = 60_000

_CALLER: Final = msgspec.json.Decoder(Caller)


class Ticket(msgspec.Struct, frozen=True):
    """`expires_at` in ms."""

    ticket: str
    path: str
    expires_at: int


async def issue_ticket(parts: Parts, caller: Caller, match_id: str) -> Ticket:
    """A ticket for the events of a match. Raises: MatchNotFound, ScopeMissing."""
    await parts.doorkeeper.viewer_of(caller, match_id)
    made = Ticket(credentials.ticket(), events_path(match_id), parts.clock() + LIFE_MS)
    row = {
        "hash": credentials.stored(made.ticket),
        "path": made.path,
        "caller": msgspec.json.encode(caller),
        "expires_at": made.expires_at,
    }
    await parts.database.write(lambda c: c.execute(insert(TICKET), [row]))
    return made


async def redeemed(parts: Parts, ticket: str, path: str) -> Caller:
    """Who asked for the ticket, as that caller is now; the ticket is used up.

    Raises: NoCredentials.
    """
    if len(ticket) > credentials.LONGEST or not ticket.startswith(credentials.TICKET):
        raise NoCredentials
    stored, now = credentials.stored(ticket), parts.clock()
    found = await parts.database.write(lambda c: _take(c, stored, path, now))
    if found is None:
        raise NoCredentials
    return await parts.doorkeeper.again(_CALLER.decode(found))


def events_path(match_id: str) -> str:
    return f"/v1/matches/{match_id}/events"


def _take(connection: Connection, stored: bytes, path: str, now: int) -> bytes | None:
    """Of several that come at once, one gets it: the row is deleted by whoever takes it."""
    own = TICKET.c.hash == stored
    row = connection.execute(select(TICKET).where(own)).first()
    if row is None or row.path != path:
        return None
    if connection.execute(delete(TICKET).where(own)).rowcount != 1 or row.expires_at <= now:
        return None
    return bytes(row.caller)
