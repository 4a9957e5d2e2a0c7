"""The log of a match in one row: what stands in place of its rows of events and of commands.

Compressed, and complete from event 1 on; events that come later have rows again. Texts, refusals
and accounts are never in it: they lie outside the log and stay where they can be erased.
"""

import zlib
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import msgspec
from sqlalchemy import ColumnElement, CompoundSelect, Row, Select, null, select, union_all

from events.match import LogBroken
from events.tables import ARCHIVE
from events.types import Record

Archives: TypeAlias = "dict[str, Archive]"  # by match

_FORMAT: Final = 1
_HASH_BYTES: Final = 32


class KeptCommand(msgspec.Struct, frozen=True, array_like=True):
    """A row of `command`."""

    key: str
    request_hash: bytes
    first: int
    last: int
    at: int


class Archive(msgspec.Struct, frozen=True):
    """The records of a match from event 1 on, and its commands by version and key."""

    match_id: str
    records: tuple[Record, ...]
    commands: tuple[KeptCommand, ...]

    @property
    def version(self) -> int:
        return self.records[-1].version

    @property
    def hashes(self) -> bytes:
        """Those of the events, joined."""
        return b"".join(each.hash for each in self.records)

    def after(self, version: int) -> tuple[Record, ...]:
        return self.records[version:]

    def command(self, key: str) -> KeptCommand | None:
        return next((each for each in self.commands if each.key == key), None)


class _Columns(msgspec.Struct, frozen=True, array_like=True):
    """Column by column, which compresses better than row by row; versions go without saying."""

    form: int
    kinds: list[str]
    schemas: list[int]
    ats: list[int]
    bodies: list[bytes]
    salts: list[bytes]
    facets: list[bytes]
    commands: tuple[KeptCommand, ...]


def packed(archive: Archive) -> bytes:
    """All but the hashes of events."""
    records = archive.records
    columns = _Columns(
        _FORMAT,
        [each.kind for each in records],
        [each.schema for each in records],
        [each.at for each in records],
        [each.body for each in records],
        [each.salt for each in records],
        [each.facets for each in records],
        archive.commands,
    )
    return zlib.compress(msgspec.msgpack.encode(columns), 9)


def unpacked(match_id: str, hashes: bytes, data: bytes) -> Archive:
    """Raises: LogBroken."""
    try:
        columns = _DECODER.decode(zlib.decompress(data))
        if columns.form != _FORMAT:
            raise LogBroken(1, f"is archived in the form {columns.form}, known is {_FORMAT}")
        records = zip(
            range(1, len(hashes) // _HASH_BYTES + 1),
            columns.kinds,
            columns.schemas,
            columns.ats,
            columns.bodies,
            columns.salts,
            columns.facets,
            split_hashes(hashes),
            strict=True,
        )
        return Archive(match_id, tuple(Record(*each) for each in records), columns.commands)
    except (zlib.error, msgspec.MsgspecError, ValueError) as error:
        raise LogBroken(1, "its archive can't be read") from error


def split_hashes(hashes: bytes) -> list[bytes]:
    return [hashes[at : at + _HASH_BYTES] for at in range(0, len(hashes), _HASH_BYTES)]


def together(query: Select[Any], archived: ColumnElement[bool]) -> CompoundSelect[Any]:
    """A query over rows of the log together with the archives that `archived` tells: as they are
    at one moment, for a match that is just being archived is in one of both.
    """
    width = len(query.selected_columns)
    rows = query.add_columns(*(null().label(name) for name in ("of", "hashes", "log")))
    blanks = (null().label(f"blank_{number}") for number in range(width))
    kept = select(*blanks, ARCHIVE.c.match_id, ARCHIVE.c.hashes, ARCHIVE.c.log)
    return union_all(rows, kept.where(archived))


def split(found: Iterable[Row[Any]]) -> tuple[list[tuple[Any, ...]], Archives]:
    """The rows of the query, and the archives. Raises: LogBroken."""
    rows: list[tuple[Any, ...]] = []
    archives: Archives = {}
    for each in found:
        row: tuple[Any, ...] = tuple(each)
        match_id, hashes, data = row[-3:]
        if match_id is None:
            rows.append(row[:-3])
        else:
            archives[str(match_id)] = unpacked(str(match_id), bytes(hashes), bytes(data))
    return rows, archives


_DECODER: Final = msgspec.msgpack.Decoder(_Columns)
