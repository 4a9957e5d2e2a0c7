"""The rows that go with an `erased` event: deleted in its transaction, or again without one."""

import msgspec
from sqlalchemy import Connection, and_, bindparam, delete, insert, update

from events.tables import ERASURE, HELD, REFUSAL, SEAT, TEXT


class Erasing(msgspec.Struct, frozen=True):
    """What is deleted of a match: texts by version and field, of refusals (by seat and number) the
    move and its salt, and whom the pseudonym of a seat stands for.

    `of`, `field`, `seat`, `holder` are those of the event, `reason` is the operator's.
    """

    of: int | None
    field: str | None
    seat: int | None
    holder: str | None
    reason: str | None
    texts: tuple[tuple[int, str], ...] = ()
    refusals: tuple[tuple[int, int], ...] = ()


def erase(connection: Connection, match_id: str, erasing: Erasing) -> None:
    """Delete the rows; those that are gone are no fault."""
    own = {"of": match_id}
    if erasing.texts:
        connection.execute(_TEXT, [{**own, "at": v, "name": n} for v, n in erasing.texts])
    if erasing.refusals:
        connection.execute(_REFUSAL, [{**own, "by": s, "nth": n} for s, n in erasing.refusals])
    if erasing.holder is not None:
        named = {**own, "who": erasing.holder}
        connection.execute(_SEAT, named)
        connection.execute(_HELD, named)


def note(connection: Connection, match_id: str, version: int, at: int, erasing: Erasing) -> None:
    """Keep what was erased by the event of `version`, for after a restore."""
    row = {
        "match_id": match_id,
        "version": version,
        "said": erasing.of,
        "field": erasing.field,
        "seat": erasing.seat,
        "holder": erasing.holder,
        "at": at,
        "reason": erasing.reason,
    }
    connection.execute(insert(ERASURE), [row])


_TEXT = delete(TEXT).where(
    TEXT.c.match_id == bindparam("of"),
    TEXT.c.version == bindparam("at"),
    TEXT.c.field == bindparam("name"),
)
_REFUSAL = (
    update(REFUSAL)
    .where(
        REFUSAL.c.match_id == bindparam("of"),
        REFUSAL.c.seat == bindparam("by"),
        REFUSAL.c.number == bindparam("nth"),
    )
    .values(salt=None, move=None)
)
_SEAT = (
    update(SEAT)
    .where(and_(SEAT.c.match_id == bindparam("of"), SEAT.c.holder == bindparam("who")))
    .values(account=None)
)
_HELD = delete(HELD).where(HELD.c.match_id == bindparam("of"), HELD.c.holder == bindparam("who"))
