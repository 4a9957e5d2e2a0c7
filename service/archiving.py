"""Matches that rest, and their logs moved into archives: which may go, each checked whole before.

Nobody who reads a match can tell whether it is archived. An event that comes later gets a row; the
next time, all of it is archived anew.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, Select, and_, bindparam, func, select

from events import stored
from events.archive import Archive, packed, unpacked
from events.archiving import Kept, Moved, Rests, put_away
from events.batching import CrashPoint, inert
from events.consumers import all_aside
from events.database import DatabaseFault
from events.disputes import Stage
from events.feedsql import fed
from events.feedsql import heads as heads_of
from events.filling import filled_up
from events.match import LogBroken, Match, decode, fold
from events.schema import UnknownSchema
from events.snapshots import install_tables
from events.store import Store
from events.tables import CONSUMER, EVENT, FEED, MARK, MATCH
from events.types import DONE
from events.verify_bundle import verify_bundle
from games.registry import UnknownGame
from service import result_rows
from service.bundling import full_bundle
from service.group_rows import unrevealed
from service.platforms import wanting
from service.platforms.links import LinkState
from service.platforms.tables import LINK
from service.webhooks import messages
from service.webhooks.deliveries import State
from service.webhooks.tables import DELIVERY

PAGE: Final = 100
# All that is checked of the bundle of a match that is revealed.
CHECKED: Final = frozenset({"chain", "facets", "moves", "draws", "answers", "outcome"})

MOVED_ON: Final = "it moves on"
ARCHIVED: Final = "somebody else has archived it meanwhile"
_CONSUMERS: Final = (result_rows.CONSUMER, messages.CONSUMER, wanting.CONSUMER)
_OPEN: Final = (Stage.OPEN, Stage.UNDER_REVIEW)

# Told the bundle of a match. Returns when that is durable and reads as it was given.
Put = Callable[[str, bytes], None]


class Left(Exception):
    """The match stays in its rows; the text says why."""


class Broken(Exception):
    """The log of the match does not hold; nothing of it was touched."""


def count(connection: Connection, before: int) -> int:
    """How many matches rest since a time (ms) and are not archived, or not to their end."""
    found: int = connection.execute(_COUNT, {"before": before}).scalar_one()
    return found


def page(connection: Connection, before: int, after: str) -> list[str]:
    """Some of them, in the order of their ids, which is that of their creation."""
    found = connection.execute(_PAGE, {"before": before, "after": after})
    return [str(match_id) for match_id in found.scalars()]


def waiting(connection: Connection, match_ids: Collection[str]) -> dict[str, str]:
    """Those of the matches that something waits for, and what."""
    found: dict[str, str] = {}
    for reason, waiters in _waiting(connection, sorted(match_ids)):
        for match_id in waiters:
            found.setdefault(match_id, reason)
    return found


async def archive_match(
    store: Store, match_id: str, at: int, put: Put | None = None, crash_at: CrashPoint = inert
) -> Kept:
    """Move the log of a match, for which nothing waits, into an archive.

    First all of it is checked as it reads out of the archive, and with `put` the bundle is kept
    elsewhere. Raises: Left, Broken, DatabaseFault; what `put` raises.
    """
    archive = await _checked(store, match_id, put)
    crash_at("archive_checked")

    def work(connection: Connection) -> Kept:
        # Once more: nothing begins to wait for a match but by an event, or by hand.
        reason = waiting(connection, (match_id,)).get(match_id)
        if reason is not None:
            raise Left(reason)
        kept = put_away(connection, archive, at)
        crash_at("before_archive")
        return kept

    try:
        kept = await store.database.write(work)
    except Moved:
        raise Left(MOVED_ON) from None
    except Rests:
        raise Left(ARCHIVED) from None
    except LogBroken as broken:
        raise Broken(str(broken)) from None
    crash_at("after_archive")
    return kept


async def assert_settled(store: Store, match_id: str) -> None:
    """The match may be archived, as far as its log says. Raises: Left, Broken."""
    await _read(store, match_id)


async def _checked(store: Store, match_id: str, put: Put | None) -> Archive:
    read = await _read(store, match_id)
    try:
        archive = unpacked(match_id, read.hashes, packed(read))
        # Without texts: those stay where they can be erased.
        data = await full_bundle(store, archive.records, ())
    except DatabaseFault:
        raise
    except Exception as error:
        raise Broken(_reason(error)) from None
    if archive != read:
        raise Broken("reads otherwise out of its archive")
    found = verify_bundle(data)
    if found.fault is not None:
        raise Broken(f"{found.place}: {found.fault.reason} ({found.fault.code})")
    if not set(found.checked) >= CHECKED:
        raise Broken(f"not all of it can be checked here: {'; '.join(found.unchecked)}")
    if put is not None:
        put(match_id, data)
    return archive


async def _read(store: Store, match_id: str) -> Archive:
    """What there is of a match that may rest. Raises: Left, Broken."""
    row = await store.match(match_id)
    try:
        found = await store.database.read(lambda c: stored.whole(c, match_id))
        if found is not None:
            await install_tables(store, decode(found.records[0]))
        current = None if found is None else fold(found.records)
    except DatabaseFault:
        raise
    except Exception as error:
        raise Broken(_reason(error)) from None
    if row is None or found is None or current is None:
        raise Broken("has no events")
    if current.version > row.version:
        raise Left(MOVED_ON)
    if (current.version, current.head) != (row.version, row.head):
        raise Broken("its head is not that of its log")
    reason = _unsettled(current)
    if reason is not None:
        raise Left(reason)
    return found


def _reason(error: Exception) -> str:
    """Why a log does not fold. What else is raised by one that is damaged may repeat some of it."""
    is_said = isinstance(error, LogBroken | UnknownSchema | UnknownGame | AssertionError)
    return str(error) if is_said else f"can't be read: {type(error).__name__}"


def _unsettled(current: Match) -> str | None:
    if current.status not in DONE:
        return "it is not over"
    if not current.is_revealed:
        return "it is not revealed"
    if any(each.stage in _OPEN for each in current.disputes):
        return "a dispute is open"
    return None


def _waiting(connection: Connection, ids: list[str]) -> Iterator[tuple[str, Iterable[str]]]:
    """Reasons, and those of the matches that have them.

    No query joins what a cluster spreads with what it does not.
    """

    def among(query: "Select[Any]") -> list[str]:
        return [
            str(match_id)
            for match_id in connection.execute(query, {"ids": filled_up(ids)}).scalars()
        ]

    yield "something of it is due", among(_DUE)
    heads, last = heads_of(connection, ids), fed(connection, ids)
    behind = [h.match_id for h in heads if last.get(h.match_id) != (h.version, h.head)]
    yield "the log of all matches has not taken it in", [*behind, *among(_MARKED)]
    positions = {row.name: row.position for row in connection.execute(_POSITIONS)}
    least = min(positions.get(name, 0) for name in _CONSUMERS)
    told = _FED.where(FEED.c.position > least)
    aside = {match_id for _, match_id in all_aside(connection)}
    yield "results or webhooks have not come as far", [*among(told), *aside.intersection(ids)]
    groups = unrevealed(connection, {h.deal_group for h in heads if h.deal_group is not None})
    yield "its deal group is not revealed", [h.match_id for h in heads if h.deal_group in groups]
    yield "news of it are to be delivered", among(_UNDELIVERED)
    yield "a platform is to be told of it", among(_UNTOLD)


_IDS: Final[BindParameter[Any]] = bindparam("ids", expanding=True)
_DUE: Final = select(MATCH.c.match_id).where(
    MATCH.c.match_id.in_(_IDS), MATCH.c.due_at.is_not(None)
)
_MARKED: Final = select(MARK.c.match_id).where(MARK.c.match_id.in_(_IDS))
_FED: Final = select(FEED.c.match_id).where(FEED.c.match_id.in_(_IDS))
_UNDELIVERED: Final = select(DELIVERY.c.match_id).where(
    DELIVERY.c.match_id.in_(_IDS), DELIVERY.c.state == State.PENDING
)
_UNTOLD: Final = select(LINK.c.match_id).where(
    LINK.c.match_id.in_(_IDS), LINK.c.state == LinkState.PENDING
)
_POSITIONS: Final = select(CONSUMER.c.name, CONSUMER.c.position)
# The row of the last event is what an archived match lacks.
_RESTING: Final = MATCH.join(
    EVENT, and_(EVENT.c.match_id == MATCH.c.match_id, EVENT.c.version == MATCH.c.version)
)
_SINCE: Final = (MATCH.c.status.in_(DONE), EVENT.c.at <= bindparam("before"))
_COUNT: Final = select(func.count()).select_from(_RESTING).where(*_SINCE)
_PAGE: Final = (
    select(MATCH.c.match_id)
    .select_from(_RESTING)
    .where(*_SINCE, MATCH.c.match_id > bindparam("after"))
    .order_by(MATCH.c.match_id)
    .limit(PAGE)
)
