"""The log of all matches as others may check it: tiles, proofs, statements."""

from base64 import b64encode
from collections.abc import Iterable
from math import ceil
from typing import Final

import msgspec
from sqlalchemy import Connection, bindparam, select

from events import notes, tiles
from events.checkpoints import Signed
from events.feed import Entry, entries_after
from events.merkle import HASH_BYTES
from events.notes import NoteWrong, Proof, verifier_key
from events.signing import PublicKey, Purpose
from events.tables import CHECKPOINT, FEED
from events.types import DONE
from service.apart import groups_apart
from service.auth import Caller, require
from service.callers import Scope
from service.errors import Fault, NotFound, ParameterInvalid
from service.exporting import READING
from service.parts import Parts
from service.queries import READING as OF_MATCHES
from service.spectating import shown
from service.unlogged import PositionNotFound, ProofNotReady

MOST_STATEMENTS: Final = 500


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

    Raises: ParameterInvalid where `first` is the larger one, PositionNotFound; NotFound before the
    first checkpoint.
    """
    if second is not None and first > second:
        raise ParameterInvalid(Fault("first", "out-of-range", "has to be at most `second`"))
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
    return [LogStatement(each.position, each.statement, each.kid, each.signature) for each in found]


async def match_proof(parts: Parts, caller: Caller, match_id: str) -> str:
    """That the end of a match is in the log, as a .tlog-proof; `extra` holds the leaf.

    Of what the caller has come to see: a delayed spectator has to wait. Raises: MatchNotFound,
    ScopeMissing, ProofNotReady.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, *OF_MATCHES, Scope.AUDIT_READ)
    current = await shown(parts, caller, match_id)
    if current.status not in DONE:
        raise ProofNotReady
    signed = await parts.feeding.checkpoint()
    if signed is None:
        raise _soon(parts)
    size = signed.checkpoint.size

    def work(connection: Connection) -> tuple[Entry, list[bytes]] | None:
        entry = _ending(connection, match_id, current.version, size)
        if entry is None:
            return None
        return entry, tiles.Tree(connection, size).inclusion(entry.position - 1)

    found = await parts.database.read(work)
    if found is None:
        raise _soon(parts)
    entry, path = found
    return notes.proof_text(Proof(entry.position - 1, tuple(path), signed.note, entry.leaf))


def _soon(parts: Parts) -> ProofNotReady:
    """The match is over: the next checkpoint will have it, or the one after."""
    seconds = max(1, ceil(parts.settings.checkpoint_seconds))
    return ProofNotReady(headers=((b"retry-after", b"%d" % seconds),))


def lasting_proof(connection: Connection, match_id: str, upto: int) -> tuple[str, str]:
    """The same proof under the first checkpoint there was for it, which is the same for ever, with
    the name of the log; nothing while there is none, or the match is not over at version `upto`.
    """
    newest = connection.execute(_SIZE).scalar()
    entry = None if newest is None else _ending(connection, match_id, upto, newest)
    if entry is None:
        return "", ""
    size, origin, note = connection.execute(_FIRST, {"least": entry.position}).one()
    path = tiles.Tree(connection, size).inclusion(entry.position - 1)
    return notes.proof_text(Proof(entry.position - 1, tuple(path), note, entry.leaf)), origin


def signers(proof: str, origin: str, keys: Iterable[PublicKey]) -> list[PublicKey]:
    """Those keys that signed the checkpoint of a proof."""
    note = notes.proof_in(proof).checkpoint
    return [each for each in keys if _signed(note, origin, each)]


def size_of(proof: str) -> int:
    """How many leaves the checkpoint of a proof is of."""
    text, _, _ = notes.proof_in(proof).checkpoint.rpartition("\n\n")
    return notes.checkpoint_in(text + "\n").size


def _signed(note: str, origin: str, key: PublicKey) -> bool:
    try:
        notes.verified(note, origin, key.public)
    except NoteWrong:
        return False
    return True


def _ending(connection: Connection, match_id: str, upto: int, size: int) -> Entry | None:
    """The last entry of a match that is over, up to a version and within so many leaves."""
    row = connection.execute(_LAST, {"of": match_id, "upto": upto, "size": size})
    found = row.mappings().first()
    return None if found is None or found["status"] not in DONE else Entry(**found)


_LAST = (
    select(FEED)
    .where(FEED.c.match_id == bindparam("of"), FEED.c.last <= bindparam("upto"))
    .where(FEED.c.position <= bindparam("size"))
    .order_by(FEED.c.last.desc())
    .limit(1)
)
_SIZE = select(CHECKPOINT.c.size).order_by(CHECKPOINT.c.size.desc()).limit(1)
_FIRST = (
    select(CHECKPOINT.c.size, CHECKPOINT.c.origin, CHECKPOINT.c.note)
    .where(CHECKPOINT.c.size >= bindparam("least"))
    .order_by(CHECKPOINT.c.size)
    .limit(1)
)
