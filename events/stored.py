"""The log of matches as it is read: rows of events, archives in their place, or first the one and
then the other. Whoever reads can't tell which it was.

Every function raises LogBroken for an archive that can't be read.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import Connection, Select, and_, bindparam, select, tuple_

from events.archive import Archive, Archives, KeptCommand, split, together
from events.filling import filled_up
from events.tables import ARCHIVE, COMMAND, EVENT
from events.types import Record

# The hash of a request, the versions it was answered with, and the hash of the last.
Answered: TypeAlias = tuple[bytes, int, int, bytes]


def records(connection: Connection, match_id: str, after: int, most: int) -> list[Record]:
    """At most so many after a version, in order; a page that is shorter is the last."""
    own = {"of": match_id, "after": after}
    rows = connection.execute(_RECORDS, {**own, "most": most}).all()
    if rows and rows[0].version == after + 1:
        return [Record(*row) for row in rows]
    # None that follows has a row: there is none, or it is archived.
    found, archives = split(connection.execute(_BEHIND, own))
    archive = archives.get(match_id)
    return [*(archive.after(after) if archive else ()), *_ordered(found)][:most]


def of_kinds(
    connection: Connection, match_ids: Collection[str], kinds: Collection[str]
) -> dict[str, list[Record]]:
    """By match, the records that are of one of the kinds, in order."""
    if not match_ids:
        return {}
    own = {"ids": filled_up(sorted(match_ids)), "kinds": sorted(kinds)}
    rows, archives = split(connection.execute(_OF_KINDS, own))
    found = {
        match_id: [each for each in archive.records if each.kind in kinds]
        for match_id, archive in archives.items()
    }
    for match_id, *fields in sorted(rows):
        found.setdefault(match_id, []).append(Record(*fields))
    return {match_id: own for match_id, own in found.items() if own}


def beside(
    connection: Connection, query: Select[Any], match_ids: Collection[str]
) -> tuple[list[tuple[Any, ...]], Archives]:
    """What a query over `event` finds, and the archives of those of the matches that have one, all
    of one moment: what the query asks for has to be looked up in these as well.
    """
    return split(connection.execute(together(query, ARCHIVE.c.match_id.in_(filled_up(match_ids)))))


def times(connection: Connection, match_id: str, after: int) -> list[tuple[int, int]]:
    """Version and time of the events after a version, in order."""
    rows, archives = split(connection.execute(_TIMES, {"of": match_id, "after": after}))
    archived = archives[match_id].after(after) if archives else ()
    return [*((each.version, each.at) for each in archived), *((v, at) for v, at in sorted(rows))]


def moments(
    connection: Connection, places: Collection[tuple[str, int]]
) -> dict[tuple[str, int], int]:
    """When the events at those places – match and version – were, of such as are not archived."""
    rows = connection.execute(_MOMENTS, {"places": filled_up(sorted(places))})
    return {(str(match_id), version): at for match_id, version, at in rows}


def command(connection: Connection, match_id: str, key: str) -> Answered | None:
    """What a key stands for."""
    rows, archives = split(connection.execute(_COMMAND, {"of": match_id, "by": key}))
    if rows:
        request, first, last, head = rows[0]
        return request, first, last, head
    archive = archives.get(match_id)
    kept = archive and archive.command(key)
    if not archive or not kept:
        return None
    return kept.request_hash, kept.first, kept.last, archive.records[kept.last - 1].hash


def whole(connection: Connection, match_id: str) -> Archive | None:
    """All there is of a match; None if it has no event.

    Of one moment if nothing can be appended meanwhile: two statements read it.
    """
    rows, archives = split(connection.execute(_BEHIND, {"of": match_id, "after": 0}))
    before = archives.get(match_id) or Archive(match_id, (), ())
    commands = [KeptCommand(*row) for row in connection.execute(_COMMANDS, {"of": match_id})]
    after = sorted((*before.commands, *commands), key=lambda each: (each.first, each.key))
    found = (*before.records, *_ordered(rows))
    return Archive(match_id, found, tuple(after)) if found else None


def archives_of(connection: Connection, match_ids: Sequence[str]) -> Archives:
    """The archives of those of the matches that have one."""
    return split(connection.execute(_ARCHIVES, {"ids": filled_up(match_ids)}))[1]


def hashes_of(connection: Connection, match_ids: Iterable[str]) -> dict[str, bytes]:
    """The hashes of the events of those of the matches that are archived, joined."""
    rows = connection.execute(_HASHES, {"ids": filled_up(sorted(match_ids))})
    return {str(match_id): bytes(hashes) for match_id, hashes in rows}


def _ordered(rows: Iterable[tuple[Any, ...]]) -> list[Record]:
    return [Record(*row) for row in sorted(rows, key=lambda row: row[0])]


# Built once, so that a read does no more than run one.
_FIELDS: Final = tuple(EVENT.c[name] for name in Record.__struct_fields__)
_OWN: Final = ARCHIVE.c.match_id == bindparam("of")
_ANY: Final = ARCHIVE.c.match_id.in_(bindparam("ids", expanding=True))
_AFTER: Final = and_(EVENT.c.match_id == bindparam("of"), EVENT.c.version > bindparam("after"))

_RECORDS: Final = select(*_FIELDS).where(_AFTER).order_by(EVENT.c.version).limit(bindparam("most"))
_BEHIND: Final = together(
    select(*_FIELDS).where(_AFTER), and_(_OWN, ARCHIVE.c.version > bindparam("after"))
)
_OF_KINDS: Final = together(
    select(EVENT.c.match_id, *_FIELDS).where(
        EVENT.c.match_id.in_(bindparam("ids", expanding=True)),
        EVENT.c.kind.in_(bindparam("kinds", expanding=True)),
    ),
    _ANY,
)
_TIMES: Final = together(
    select(EVENT.c.version, EVENT.c.at).where(_AFTER),
    and_(_OWN, ARCHIVE.c.version > bindparam("after")),
)
_MOMENTS: Final = select(EVENT.c.match_id, EVENT.c.version, EVENT.c.at).where(
    tuple_(EVENT.c.match_id, EVENT.c.version).in_(bindparam("places", expanding=True))
)
_COMMAND: Final = together(
    select(COMMAND.c.request_hash, COMMAND.c.first, COMMAND.c.last, EVENT.c.hash)
    .join(
        EVENT,
        and_(EVENT.c.match_id == COMMAND.c.match_id, EVENT.c.version == COMMAND.c.last),
    )
    .where(COMMAND.c.match_id == bindparam("of"), COMMAND.c.key == bindparam("by")),
    _OWN,
)
_COMMANDS: Final = select(*(COMMAND.c[name] for name in KeptCommand.__struct_fields__)).where(
    COMMAND.c.match_id == bindparam("of")
)
_HASHES: Final = select(ARCHIVE.c.match_id, ARCHIVE.c.hashes).where(_ANY)
_ARCHIVES: Final = select(ARCHIVE.c.match_id, ARCHIVE.c.hashes, ARCHIVE.c.log).where(_ANY)
