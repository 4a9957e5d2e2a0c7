"""The log of a match moved out of its rows into an archive, and back: each in one transaction.

Appends go on as if nothing had happened: both lock the head first, as every append does.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import astuple
from sqlalchemy import Connection, bindparam, delete, func, insert, select

from events.archive import Archive, packed
from events.match import LogBroken
from events.stored import archives_of, whole
from events.tables import ARCHIVE, COMMAND, EVENT, MARK, MATCH, SNAPSHOT
from events.types import Record


class Kept(msgspec.Struct, frozen=True):
    """What is archived took in rows of events and commands, and an archive before, and takes now.

    Bytes are those of the values, without what a database adds to each row and keeps in indexes.
    """

    rows_before: int
    bytes_before: int
    bytes_after: int


class Moved(Exception):
    """The match is not as it was when it was read; nothing is changed."""


class Rests(Exception):
    """The match is archived to its end already; nothing is changed."""


def put_away(connection: Connection, archive: Archive, at: int) -> Kept:
    """Put `archive` in place of all rows of its events and commands, and of the snapshots.

    Only if that is all there is of the match by now, and what was written reads the same.
    Raises: Moved, Rests; LogBroken where it does not read the same.
    """
    match_id = archive.match_id
    own = {"of": match_id}
    head = connection.execute(_LOCK, own).first()
    is_same = head is not None and tuple(head) == (archive.version, archive.records[-1].hash)
    if not is_same or connection.execute(_MARKED, own).first() is not None:
        raise Moved
    if whole(connection, match_id) != archive:
        raise Moved
    before = connection.execute(_SIZE, own).first()
    through, size = (0, 0) if before is None else before
    if through == archive.version:
        raise Rests
    connection.execute(_DELETE_ARCHIVE, own)
    row: dict[str, Any] = {
        "match_id": match_id,
        "version": archive.version,
        "at": at,
        "hashes": archive.hashes,
        "log": packed(archive),
    }
    connection.execute(insert(ARCHIVE), [row])
    if archives_of(connection, [match_id]) != {match_id: archive}:
        raise LogBroken(1, "reads otherwise out of its archive")
    for each in (_DELETE_EVENTS, _DELETE_COMMANDS, _DELETE_SNAPSHOTS):
        connection.execute(each, own)
    return _kept(archive, through, size, len(row["hashes"]) + len(row["log"]))


def put_back(connection: Connection, match_id: str) -> Archive | None:
    """Put rows in place of the archive, which is returned; None where there is none.

    Raises: LogBroken for an archive that can't be read, which stays.
    """
    own = {"of": match_id}
    connection.execute(_LOCK, own)
    archive = archives_of(connection, [match_id]).get(match_id)
    if archive is None:
        return None
    _insert(connection, EVENT, match_id, archive.records, Record.__struct_fields__)
    if archive.commands:
        names = archive.commands[0].__struct_fields__
        _insert(connection, COMMAND, match_id, archive.commands, names)
    connection.execute(_DELETE_ARCHIVE, own)
    return archive


def _kept(archive: Archive, through: int, size: int, size_after: int) -> Kept:
    """`through` is how far it was archived before, in `size` bytes."""
    gone = (
        *(each for each in archive.records if each.version > through),
        *(each for each in archive.commands if each.first > through),
    )
    rows = len(gone) + bool(through)
    return Kept(rows, size + sum(map(_bytes, gone)), size_after)


def _bytes(row: msgspec.Struct) -> int:
    """Of the values of a row, and of the id of its match."""
    return 16 + sum(8 if isinstance(v, int) else len(v) for v in astuple(row))


def _insert(
    connection: Connection, table: Any, match_id: str, rows: Sequence[Any], names: Sequence[str]
) -> None:
    values = [
        {"match_id": match_id, **{name: getattr(each, name) for name in names}} for each in rows
    ]
    connection.execute(insert(table), values)


_LOCK: Final = (
    select(MATCH.c.version, MATCH.c.head)
    .where(MATCH.c.match_id == bindparam("of"))
    .with_for_update()
)
_SIZE: Final = select(
    ARCHIVE.c.version, func.length(ARCHIVE.c.hashes) + func.length(ARCHIVE.c.log)
).where(ARCHIVE.c.match_id == bindparam("of"))
_MARKED: Final = select(MARK.c.version).where(MARK.c.match_id == bindparam("of"))
_DELETE_ARCHIVE: Final = delete(ARCHIVE).where(ARCHIVE.c.match_id == bindparam("of"))
_DELETE_EVENTS: Final = delete(EVENT).where(EVENT.c.match_id == bindparam("of"))
_DELETE_COMMANDS: Final = delete(COMMAND).where(COMMAND.c.match_id == bindparam("of"))
_DELETE_SNAPSHOTS: Final = delete(SNAPSHOT).where(SNAPSHOT.c.match_id == bindparam("of"))
