"""Links as rows: the result that shall be at a place of a platform, and how far that has come.

A link is its own queue, of one: a newer result takes the place of one that waits, so what arrives
last is what is so. Whoever tries has claimed the connection and notes the number of that claim;
what came of it is written by the one whose number is there, so two that overlap can't undo each
other.
"""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select, update

from events.filling import filled_up
from events.results import Result
from service.parameters import written
from service.platforms.tables import CONNECTION, IS_DUE, LINK
from service.platforms.told import AGAIN, DONE, HELD, Outcome, Told

_LOGGED: Final = 10  # attempts
_BEGUN: Final = 10  # results that may be at the platform
_PASSED_OVER: Final = 10  # links of a connection that are looked at for one that can be read


class LinkState(StrEnum):
    WAITING = "waiting"  # there is nothing to tell yet
    PENDING = "pending"
    REPORTED = "reported"
    REFUSED = "refused"  # this result can't be told there
    FAILED = "failed"  # it was tried for days


class Try(msgspec.Struct, frozen=True):
    """When it began, how long it took (ms), of which revision of the result, what came of it.

    `status` is that of the platform's last answer, `detail` what it said if it said no.
    """

    at: int
    took: int
    revision: int
    status: int | None
    outcome: str
    detail: str


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """No `participants`: they are found by the external ids of the seats. Times in ms."""

    connection_id: str
    match_id: str
    org: str
    target: str
    participants: tuple[str, ...]
    created_at: int
    state: LinkState = LinkState.WAITING
    wanted: Result | None = None
    wanted_version: int = 0
    begun: tuple[Told, ...] = ()
    attempts: int = 0
    due_at: int = 0
    claim: int = 0
    log: tuple[Try, ...] = ()


def put(connection: Connection, link: Link) -> Link:
    """Make it, or give the one that is there its target and participants, to be told again."""
    before = find(connection, link.connection_id, link.match_id)
    if before is None:
        connection.execute(insert(LINK), [_stored(msgspec.structs.asdict(link))])
        return link
    fields: dict[str, Any] = {"participants": link.participants, "target": link.target}
    if before.target != link.target:
        fields["begun"] = ()  # Nothing of ours is at the new place.
    if before.wanted is not None:
        fields |= {"state": LinkState.PENDING, "attempts": 0, "due_at": link.created_at}
    written(connection, _own(before), _stored(fields))
    return msgspec.structs.replace(before, **fields)


def find(connection: Connection, connection_id: str, match_id: str) -> Link | None:
    own = (LINK.c.connection_id == connection_id, LINK.c.match_id == match_id)
    row = connection.execute(select(LINK).where(*own)).first()
    return None if row is None else _link(row)


def listed(
    connection: Connection, connection_id: str, state: str | None, after: str | None, limit: int
) -> list[Link]:
    """Those after a match's id, by that."""
    query = select(LINK).where(LINK.c.connection_id == connection_id)
    if state is not None:
        query = query.where(LINK.c.state == state)
    if after is not None:
        query = query.where(LINK.c.match_id > after)
    return [_link(row) for row in connection.execute(query.order_by(LINK.c.match_id).limit(limit))]


def count(connection: Connection, connection_id: str) -> int:
    query = select(func.count()).select_from(LINK).where(LINK.c.connection_id == connection_id)
    return int(connection.execute(query).scalar_one())


def remove(connection: Connection, link: Link) -> None:
    connection.execute(delete(LINK).where(*_of(link)))


def of_matches(
    connection: Connection, over: Collection[str], others: Collection[str] = ()
) -> list[tuple[Link, bool]]:
    """Links of matches that are over, and those of others for which a result was wanted before.

    Each with whether its connection tells provisional results.
    """
    was_over = LINK.c.match_id.in_(filled_up(others)) & LINK.c.wanted.is_not(None)
    query = (
        select(LINK, CONNECTION.c.provisional)
        .join(CONNECTION, CONNECTION.c.id == LINK.c.connection_id)
        .where(LINK.c.match_id.in_(filled_up(over)) | was_over)
        .order_by(LINK.c.connection_id, LINK.c.match_id)
    )
    return [(_link(row), bool(row.provisional)) for row in connection.execute(query)]


def want(connection: Connection, link: Link, result: Result, now: int) -> None:
    """The result shall be told, unless a newer one is wanted already."""
    newer = (LINK.c.wanted_version < result.version,)
    values = {
        "state": LinkState.PENDING,
        "wanted": result,
        "wanted_version": result.version,
        "attempts": 0,
        "due_at": now,
    }
    connection.execute(_own(link).where(*newer).values(_stored(values)))


def again(connection: Connection, link: Link, now: int) -> Link:
    """To be told from the first attempt on."""
    fields = {"state": LinkState.PENDING, "attempts": 0, "due_at": now}
    connection.execute(_own(link).values(**fields))
    return msgspec.structs.replace(link, **fields)


def hurry(connection: Connection, connection_id: str, now: int) -> None:
    """What waits over the connection is told at once, from the first attempt on."""
    own = (LINK.c.connection_id == connection_id, LINK.c.state == LinkState.PENDING)
    connection.execute(update(LINK).where(*own).values(attempts=0, due_at=now))


def next_due(
    connection: Connection, connection_id: str, now: int, unread: Callable[[str, Exception], None]
) -> Link | None:
    """What became due first over a connection, but for a few links that can't be read here: of
    those `unread` is told the match and why.
    """
    for row in connection.execute(_NEXT_DUE, {"of": connection_id, "now": now}):
        try:
            return _link(row)
        except (msgspec.MsgspecError, ValueError) as error:
            unread(row.match_id, error)
    return None


def claimed(connection: Connection, link: Link, told: Told | None, claim: int) -> Link | None:
    """The link with one more attempt, if it is as it was; `claim` is that of its connection.

    What is going to be told is noted first: it may be at the platform whatever becomes of us.
    """
    query = select(LINK).where(*_of(link)).with_for_update()
    row = connection.execute(query).first()
    if row is None or _link(row) != link:
        return None
    begun = [*(each for each in link.begun if each != told), *([] if told is None else [told])]
    fields = {"attempts": link.attempts + 1, "claim": claim, "begun": tuple(begun[-_BEGUN:])}
    written(connection, _own(link), _stored(fields))
    return msgspec.structs.replace(link, **fields)


def ended(
    connection: Connection, link: Link, tried: Try, outcome: str, now: int, pause: float | None
) -> None:
    """What an attempt came to. `pause` (seconds) is until the next one, None if there is none.

    A result that came meanwhile stays due.
    """
    mine = _own(link).where(LINK.c.claim == link.claim)
    written(connection, mine, _stored({"log": (*link.log, tried)[-_LOGGED:]}))
    come = {"state": _state(outcome, pause), "due_at": now + int((pause or 0) * 1000)}
    if outcome in HELD:
        come["attempts"] = link.attempts - 1  # It was not the fault of this result.
    same = mine.where(
        LINK.c.state == LinkState.PENDING,
        LINK.c.wanted_version == link.wanted_version,
        LINK.c.attempts == link.attempts,  # Else it was asked for once more meanwhile.
    )
    connection.execute(same.values(**come))


def _state(outcome: str, pause: float | None) -> LinkState:
    if outcome in DONE:
        return LinkState.REPORTED
    if outcome in HELD:
        return LinkState.PENDING
    if outcome in set(Outcome) - set(AGAIN):
        return LinkState.REFUSED
    return LinkState.FAILED if pause is None else LinkState.PENDING


def _of(link: Link) -> tuple[Any, ...]:
    return (LINK.c.connection_id == link.connection_id, LINK.c.match_id == link.match_id)


def _own(link: Link) -> Any:
    return update(LINK).where(*_of(link))


def _stored(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {n: msgspec.json.encode(v) if _is_json(n, v) else v for n, v in fields.items()}


def _is_json(name: str, value: Any) -> bool:
    return name in _JSON and value is not None


def _link(row: "Row[Any]") -> Link:
    fields = {name: getattr(row, name) for name in Link.__struct_fields__}
    for name, kind in _JSON.items():
        if fields[name] is not None:
            fields[name] = msgspec.json.decode(fields[name], type=kind)
    return Link(**{**fields, "state": LinkState(fields["state"])})


_JSON: Final[Mapping[str, Any]] = {
    "participants": tuple[str, ...],
    "wanted": Result,
    "begun": tuple[Told, ...],
    "log": tuple[Try, ...],
}
_NEXT_DUE: Final = (
    select(LINK)
    .where(*IS_DUE, LINK.c.connection_id == bindparam("of"))
    .order_by(LINK.c.due_at, LINK.c.match_id)
    .limit(_PASSED_OVER)
)
