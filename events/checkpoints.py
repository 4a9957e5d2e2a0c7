"""Signed roots of the log, each checked against the one before; whoever holds the lease signs."""

from collections.abc import Sequence
from typing import Final

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import Connection, insert, select

from events import merkle, notes, tiles
from events.database import Database
from events.feed import Deposed, state_of, still_leads
from events.notes import Checkpoint
from events.tables import CHECKPOINT

_MOST_LEAVES: Final = 65_536  # more wait for the next checkpoint


class LogInconsistent(Exception):
    """The stored log does not begin with what was signed last: nothing is signed any more.

    It was changed, or a database of an earlier moment was put in its place.
    """


class Signed(msgspec.Struct, frozen=True):
    """A checkpoint and the note it was published as. `at` in ms."""

    checkpoint: Checkpoint
    note: str
    at: int


class Signer:
    """Signs for one process. Remembers what it saw signed, beside what the database says."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seen: Checkpoint | None = None

    async def sign(self, epoch: int, keys: Sequence[Ed25519PrivateKey], at: int) -> Signed | None:
        """Sign what the log has grown to under a lease; None where it has not grown.

        Raises: LogInconsistent, Deposed, DatabaseFault.
        """
        state = await self._database.read(state_of)
        before = await self._database.read(newest)
        last = None if before is None else before.checkpoint
        size = min(state.size, (last.size if last else 0) + _MOST_LEAVES)
        if state.origin is None or size == (last.size if last else 0):
            return None
        known = [each for each in (last, self._seen_of(state.origin)) if each is not None]
        root = await self._database.read(lambda c: _checked_root(c, known, size))
        made = Checkpoint(state.origin, size, root)
        signed = Signed(made, notes.signed(made.text, made.origin, keys), at)
        await self._database.write(lambda c: _store(c, epoch, last, signed))
        self._seen = made
        return signed

    def _seen_of(self, origin: str) -> Checkpoint | None:
        """What a break of the log was declared for is no measure any more."""
        return self._seen if self._seen is not None and self._seen.origin == origin else None


def newest(connection: Connection) -> Signed | None:
    """The last checkpoint that was signed."""
    row = connection.execute(_NEWEST).first()
    if row is None:
        return None
    size, origin, root, note, at = row
    return Signed(Checkpoint(origin, size, bytes(root)), note, at)


def _checked_root(connection: Connection, known: Sequence[Checkpoint], size: int) -> bytes:
    """The root of the log as it is stored, which has to begin with all that is known as signed.

    Raises: LogInconsistent.
    """
    tree = tiles.Tree(connection, size)
    root = tree.root
    for each in known:
        if not _continues(tree, size, root, each):
            raise LogInconsistent(f"it does not begin with the {each.size} leaves signed before")
    return root


def _continues(tree: tiles.Tree, size: int, root: bytes, known: Checkpoint) -> bool:
    if known.size > size:
        return False
    path = tree.consistency(known.size)
    return merkle.is_consistent(known.size, size, known.root, root, path)


def _store(connection: Connection, epoch: int, last: Checkpoint | None, signed: Signed) -> None:
    """Raises: Deposed, also when somebody has signed meanwhile."""
    if not still_leads(connection, epoch):
        raise Deposed
    found = newest(connection)
    if (found.checkpoint if found else None) != last:
        raise Deposed
    made = signed.checkpoint
    tiles.store_full(connection, last.size if last else 0, made.size)
    row = {"origin": made.origin, "root": made.root, "note": signed.note, "at": signed.at}
    connection.execute(insert(CHECKPOINT), [{"size": made.size, **row}])


_NEWEST = (
    select(*(CHECKPOINT.c[name] for name in ("size", "origin", "root", "note", "at")))
    .order_by(CHECKPOINT.c.size.desc())
    .limit(1)
)
