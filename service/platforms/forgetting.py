"""Forgetting who somebody is at platforms: in connections, and in what links say of results.

Whoever is telling a result at the moment is out of it: what it writes afterwards would have the
person in it again. A link that lacks a participant is refused by its next report.
"""

from collections.abc import Collection, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, bindparam, select, update

from service.parameters import holds, needle
from service.platforms.links import Try
from service.platforms.tables import CONNECTION, LINK
from service.platforms.told import Told

NOBODY: Final = ""  # in place of somebody's id at a platform


def forget_participant(connection: Connection, org: str, account: str) -> None:
    """Whom the organisation's connections know the account as, and that one in their links.

    A connection that knew it comes to a new revision.
    """
    own = (CONNECTION.c.org == org, holds(connection, "participants"))
    query = select(CONNECTION.c.id, CONNECTION.c.participants).where(*own)
    locked = query.order_by(CONNECTION.c.id).with_for_update()
    for row in connection.execute(locked, needle(account)).all():
        known = msgspec.json.decode(row.participants, type=dict[str, str])
        person = known.pop(account, None)
        if person is None:
            continue  # Somebody's id at the platform reads the same.
        connection.execute(_KNOWN, {"of": row.id, "left": msgspec.json.encode(known)})
        _forget_person(connection, row.id, person)


def forget_seats(connection: Connection, match_id: str, seats: Collection[int]) -> None:
    """Who is at these seats, in every link of the match."""
    query = _LINKS.where(LINK.c.match_id == match_id)
    for row in connection.execute(query.with_for_update()).all():
        told = msgspec.json.decode(row.participants, type=tuple[str, ...])
        left = tuple(NOBODY if seat in seats else each for seat, each in enumerate(told))
        _write(connection, row, left, ())  # Every result names all seats.


def _forget_person(connection: Connection, connection_id: str, person: str) -> None:
    """Wherever links over a connection have the id, whoever's seat it is at."""
    own = (LINK.c.connection_id == connection_id, holds(connection, "participants", "begun"))
    query = _LINKS.where(*own).with_for_update()
    for row in connection.execute(query, needle(person)).all():
        told = msgspec.json.decode(row.participants, type=tuple[str, ...])
        begun = msgspec.json.decode(row.begun, type=tuple[Told, ...])
        left = tuple(NOBODY if each == person else each for each in told)
        others = tuple(each for each in begun if person not in each.participants)
        _write(connection, row, left, others)


def _write(
    connection: Connection, row: Any, participants: Sequence[str], begun: Sequence[Told]
) -> None:
    """Without what the platform said in words: it may name anybody."""
    log = msgspec.json.decode(row.log, type=tuple[Try, ...])
    silent = tuple(msgspec.structs.replace(each, detail="") for each in log)
    left = {"told": participants, "sent": begun, "tries": silent}
    own = {"of": row.connection_id, "match": row.match_id}
    connection.execute(
        _LINK, {**own, **{name: msgspec.json.encode(value) for name, value in left.items()}}
    )


_LINKS: Final = select(
    LINK.c.connection_id, LINK.c.match_id, LINK.c.participants, LINK.c.begun, LINK.c.log
).order_by(LINK.c.connection_id, LINK.c.match_id)
_KNOWN: Final = (
    update(CONNECTION)
    .where(CONNECTION.c.id == bindparam("of"))
    .values(participants=bindparam("left"), revision=CONNECTION.c.revision + 1)
)
_LINK: Final = (
    update(LINK)
    .where(LINK.c.connection_id == bindparam("of"), LINK.c.match_id == bindparam("match"))
    .values(
        participants=bindparam("told"),
        begun=bindparam("sent"),
        log=bindparam("tries"),
        claim=0,  # Whoever is telling it writes nothing more: no claim has this number.
    )
)
