"""The matches of a batch as rulings have left it by now, ahead of the reader of the feed.

Who was told of a match that is played in place of another acts on it at once.
"""

from collections.abc import Collection
from functools import partial
from typing import Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from events import stored
from events.match import LogBroken, decode
from events.rulings import Replay
from events.schema import UnknownSchema
from events.types import DisputeRuled, Record
from service.asking import some_at_a_time
from service.batches import rows
from service.batches.rows import Member
from service.parts import Parts

_RULED: Final = str(DisputeRuled.__struct_config__.tag)


async def members_by_now(parts: Parts, batch_id: str) -> list[Member]:
    """By place, each with the external id that the match itself has.

    What a ruling has played in place of another is of the batch from then on: it is put there if
    the reader of the feed has not come to it yet, which finds it done.
    """
    before: list[tuple[str, str]] = []
    # What is played in place of a match may be replaced, too.
    while (missing := await parts.database.read(lambda c: _missing(c, batch_id))) != before:
        await parts.database.write(partial(_add, replaced=missing))
        before = missing
    return await parts.database.read(lambda c: _named(c, batch_id))


def _missing(connection: Connection, batch_id: str) -> list[tuple[str, str]]:
    """Each match that was replaced and what is played in its place, if that is not there."""
    ids = {each.match_id for each in rows.members(connection, batch_id)}
    found = _replaced(connection, ids)
    return [(old, new) for old, new in found if new not in ids]


def _replaced(connection: Connection, ids: Collection[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for some in some_at_a_time(ids):
        for match_id, records in stored.of_kinds(connection, some, (_RULED,)).items():
            rulings = [each.ruling for each in map(_ruled_by, records) if each is not None]
            found += [(match_id, each.match_id) for each in rulings if isinstance(each, Replay)]
    return found


def _ruled_by(record: Record) -> DisputeRuled | None:
    """None of what can't be read: the match itself says so, and holds up no other."""
    try:
        event = decode(record)
    except (LogBroken, UnknownSchema, msgspec.MsgspecError):
        return None
    return event if isinstance(event, DisputeRuled) else None


def _add(connection: Connection, replaced: Collection[tuple[str, str]]) -> None:
    for old, new in replaced:
        rows.replace(connection, {old: new})


def _named(connection: Connection, batch_id: str) -> list[Member]:
    found = rows.members(connection, batch_id)
    names = rows.external_ids(connection, [each.match_id for each in found])
    return [replace(each, external_id=names[each.match_id]) for each in found]
