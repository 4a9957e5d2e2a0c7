"""The log of all matches as others may check it: tiles, proofs, statements."""

from base64 import b64encode
from typing import Final

import msgspec
from sqlalchemy import Connection, bindparam, select

from events import notes, tiles
from events.checkpoints import Signed
from events.feed import Entry, entries_after
from events.merkle import HASH_BYTES
from events.notes import Proof, verifier_key
from events.signing import Purpose
from events.tables import FEED
from events.types import Status
from service.apart import groups_apart
from service.auth import Caller, require
from service.callers import Scope
from service.errors import NotFound
from service.exporting import READING
from service.parts import Parts
from service.queries import READING as OF_MATCHES
from service.spectating import shown
from service.unlogged import PositionNotFound, ProofNotReady

MOST_STATEMENTS: Final = 500
_ENDED: Final = (Status.OVER.value, Status.CANCELLED.value, Status.VOID.value)


class LogDetail(msgspec.Struct, frozen=True):
    """`size` and `root` (base64) are those of the newest checkpoint; `verifier_keys` sign
    checkpoints now, in the form that programs for signed notes take.
    """

    origin: str
    size: int
    root: str
    verifier_keys: tuple[str, ...]


class LogStatement(msgspec.Struct, frozen=True):
    """What the log says about itself at a position; its canonical JSON is the leaf."""

    position: int
    statement: msgspec.Raw
    kid: str
    signature: str


class LogConsistency(msgspec.Struct, frozen=True):
    """That the log of `second` leaves begins with that of `first`; hashes in base64."""

    first: int
    second: int
    first_root: str
    second_root: str
    path: tuple[str, ...]


async def newest_checkpoint(parts: Parts) -> Signed:
    """Raises: NotFound before the first one."""
    signed = await parts.feeding.checkpoint()
    if signed is None:
        raise NotFound
    return signed


async def log_detail(parts: Parts) -> LogDetail:
    """Raises: NotFound before the first checkpoint."""
    checkpoint = (await newest_checkpoint(parts)).checkpoint
    keys = parts.keys.active(Purpose.CHECKPOINTS)
    return LogDetail(
        origin=checkpoint.origin,
        size=checkpoint.size,
        root=b64encode(checkpoint.root).decode(),
        verifier_keys=tuple(verifier_key(checkpoint.origin, k.public.public) for k in keys),
    )


async def tile(parts: Parts, level: int, number: int, width: int) -> bytes:
    """Hashes of a tile within what is signed. Raises: NotFound."""
    kept = parts.tiles.get(level, number)
    if kept is not None:
        return kept[: width * HASH_BYTES]
    size = (await newest_checkpoint(parts)).checkpoint.size
    if not 0 < width <= tiles.width_of(level, number, size):
        raise NotFound
    found = await parts.database.read(lambda c: tiles.Tree(c, size).tile(level, number, width))
    if width == tiles.WIDTH:
        parts.tiles.keep(level, number, found)
    return found


async def entry_bundle(parts: Parts, caller: Caller, number: int, width: int) -> bytes:
    """Leaves of a tile of level 0, each behind its length, for who may see every match among them.

    Raises: ApiKeyRequired, ScopeMissing; NotFound also for a bundle with other organisations'
    and of a deal group that still runs.
    """
    require(caller, *READING)
    size = (await newest_checkpoint(parts)).checkpoint.size
    if not 0 < width <= tiles.width_of(0, number, size):
        raise NotFound
    start = number * tiles.WIDTH
    entries = await parts.database.read(lambda c: entries_after(c, start, width))
    if any(each.org not in (None, caller.org) for each in entries):
        raise NotFound
    if await groups_apart(parts, caller, (each.deal_group for each in entries)):
        raise NotFound
    return b"".join(len(each.leaf).to_bytes(2, "big") + each.leaf for each in entries)


async def consistency(parts: Parts, first: int, second: int | None) -> LogConsistency:
    """Between two sizes within what is signed; `second` is by default all of it.

    Raises: PositionNotFound; NotFound before the first checkpoint.
    """
    size = (await newest_checkpoint(parts)).checkpoint.size
    second = size if second is None else second
    if not first <= second <= size:
        raise PositionNotFound

    def work(connection: Connection) -> tuple[bytes, bytes, list[bytes]]:
        earlier, later = tiles.Tree(connection, first), tiles.Tree(connection, second)
        return earlier.root, later.root, later.consistency(first)

    first_root, second_root, path = await parts.database.read(work)
    coded = [b64encode(each).decode() for each in (first_root, second_root, *path)]
    return LogConsistency(first, second, coded[0], coded[1], tuple(coded[2:]))


async def statements(parts: Parts, after: int) -> list[LogStatement]:
    found = await parts.keys.statements(after, MOST_STATEMENTS)
    return [
        LogStatement(each.position or 0, msgspec.Raw(each.leaf), *_named(each.signature))
        for each in found
    ]


async def match_proof(parts: Parts, caller: Caller, match_id: str) -> str:
    """That the end of a match is in the log, as a .tlog-proof; `extra` holds the leaf.

    Of what the caller has come to see: a delayed spectator has to wait. Raises: MatchNotFound,
    ScopeMissing, ProofNotReady.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, *OF_MATCHES, Scope.AUDIT_READ)
    current = await shown(parts, caller, match_id)
    signed = await parts.feeding.checkpoint()
    if signed is None or current.status in (Status.SEATING, Status.RUNNING):
        raise ProofNotReady
    size = signed.checkpoint.size

    def work(connection: Connection) -> tuple[Entry, list[bytes]] | None:
        row = connection.execute(_LAST, {"of": match_id, "upto": current.version, "size": size})
        found = row.mappings().first()
        if found is None or found["status"] not in _ENDED:
            return None
        entry = Entry(**found)
        return entry, tiles.Tree(connection, size).inclusion(entry.position - 1)

    found = await parts.database.read(work)
    if found is None:
        raise ProofNotReady
    entry, path = found
    return notes.proof_text(Proof(entry.position - 1, tuple(path), signed.note, entry.leaf))


def _named(signature: msgspec.Struct) -> tuple[str, str]:
    return msgspec.structs.astuple(signature)


_LAST = (
    select(FEED)
    .where(FEED.c.match_id == bindparam("of"), FEED.c.last <= bindparam("upto"))
    .where(FEED.c.position <= bindparam("size"))
    .order_by(FEED.c.last.desc())
    .limit(1)
)
