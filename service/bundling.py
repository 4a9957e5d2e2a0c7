"""Bundles of matches: who may have which, and what is in them."""

import msgspec

from events.bundle import bundle_of, key_set, packed
from events.match import LogBroken, Match
from events.store import PAGE, Store
from events.types import Record
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from service.auth import Caller
from service.callers import Scope
from service.errors import NotRevealed, SeatNotFound
from service.parts import Parts
from service.proving import lasting_proof, signers
from service.queries import READING
from service.spectating import shown


class Choice(msgspec.Struct, frozen=True):
    """A bundle somebody may have: the match as far as they have come, and whose sight it is.

    `proof` and `origin` are empty where there is no proof yet.
    """

    current: Match
    viewer: Viewer
    proof: str
    origin: str


async def chosen(parts: Parts, caller: Caller, match_id: str, viewer: Viewer) -> Choice:
    """Everybody who may see the match has its public bundle, each seat its own; all are open after
    the reveal, and to arbiters before it.

    Raises: MatchNotFound, ScopeMissing, SeatNotFound, NotRevealed.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, *READING, Scope.AUDIT_READ)
    current = await shown(parts, caller, match_id)
    if viewer >= current.seats:
        raise SeatNotFound
    if not (viewer == SPECTATOR or caller.holds(viewer) or _is_open(caller, current)):
        raise NotRevealed
    proof, origin = await parts.database.read(lambda c: lasting_proof(c, match_id, current.version))
    return Choice(current, viewer, proof, origin)


async def made(parts: Parts, choice: Choice) -> bytes:
    """The file."""
    current, viewer = choice.current, choice.viewer
    match_id, version = current.match_id, current.version
    records = await records_of(parts.store, match_id, version)
    texts = await parts.store.texts(match_id, 0, version)
    seen = [] if viewer == ALL else await parts.history.facets(match_id, viewer, version)
    created = current.created
    tables = registry.tables_of(created.game, created.data_digest)
    keys = await _keys(parts, choice)
    bundle = bundle_of(
        records, texts, tables, viewer=viewer, shown=seen, proof=choice.proof, keys=keys
    )
    return packed(bundle)


async def records_of(store: Store, match_id: str, version: int) -> list[Record]:
    """The records of a match up to a version it has. Raises: LogBroken where one is missing."""
    found: list[Record] = []
    while len(found) < version:
        page = await store.records(match_id, len(found), min(PAGE, version - len(found)))
        for number, record in enumerate(page or [None], len(found) + 1):
            if record is None or record.version != number:
                raise LogBroken(number, "is missing")
            found.append(record)
    return found


async def _keys(parts: Parts, choice: Choice) -> bytes:
    if not choice.proof:
        return b""
    found = signers(choice.proof, choice.origin, parts.keys.public)
    if found == key_set(()):  # A key that another process made a moment ago.
        await parts.keys.refresh()
        found = signers(choice.proof, choice.origin, parts.keys.public)
    return found


def _is_open(caller: Caller, current: Match) -> bool:
    return current.is_revealed or Scope.ARBITRATE in caller.scopes
