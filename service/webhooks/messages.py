"""What webhooks are told: messages made of the rows of the feed, queued together with its position.

A message says which match came to which version and status, and nothing that a key with the scope
`matches:read` may not see. It depends on the log alone, not on how the feed joined its events.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, and_, or_, select

from events import stored
from events.attending import first_status
from events.canonical import prefixed
from events.feed import Entry
from events.filling import filled_up
from events.match import LogBroken
from events.results import endings_in
from events.sandbox import is_test
from events.scheduling import Schedule
from events.tables import EVENT
from events.types import Status
from service import result_rows
from service.ids import new_match_id
from service.webhooks import deliveries, rows
from service.webhooks.deliveries import MOST_WAITING, Delivery
from service.webhooks.news import MatchNews, Message
from service.webhooks.result_news import OF_RESULTS, result_messages, status_after
from service.webhooks.rows import TEST, EventType, Hook, Reason
from service.webhooks.waiting import paused_by

CONSUMER: Final = "webhooks"  # the name of the position in the feed

_REVEALED: Final = "match_revealed"
_KINDS: Final[Mapping[str, EventType]] = {
    "match_created": EventType.CREATED,
    "match_started": EventType.STARTED,
    "match_ended": EventType.ENDED,
    "match_cancelled": EventType.CANCELLED,
    _REVEALED: EventType.REVEALED,
    "seating_opened": EventType.OPENED,
    "match_paused": EventType.PAUSED,
    "match_resumed": EventType.RESUMED,
}
_LOOK: Final = "presence_checked"
_MAY_CHANGE: Final = ("dispute_ruled", _LOOK)  # what becomes of a match, by what they say
_ASKED: Final = (*_KINDS, *_MAY_CHANGE)
_STATUS: Final[Mapping[EventType, Status]] = {
    EventType.OPENED: Status.SEATING,
    EventType.STARTED: Status.RUNNING,
    EventType.PAUSED: Status.PAUSED,
    EventType.RESUMED: Status.RUNNING,
    EventType.ENDED: Status.OVER,
    EventType.CANCELLED: Status.CANCELLED,
}
_OPEN: Final = (EventType.CREATED, EventType.STARTED)  # of a deal group that runs
_ORDER: Final = tuple(EventType)


class _Created(msgspec.Struct):
    schedule: Schedule | None = None


class WebhookEvent(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a request to a webhook; the names are those of CloudEvents."""

    specversion: str
    id: str
    source: str
    type: str
    time: str
    subject: str
    data: Any


class Queue:
    """Takes rows of the feed. `source` is the name of this service, as its log has it."""

    def __init__(self, source: Callable[[], str], clock: Callable[[], int]) -> None:
        self._source = source
        self._clock = clock

    def take(self, connection: Connection, entries: Sequence[Entry]) -> None:
        """Queue what the enabled webhooks of the organisations shall be told of the rows."""
        orgs = {each.org for each in entries if each.org is not None}
        hooks = rows.enabled(connection, orgs) if orgs else []
        if not hooks:
            return
        watched = {hook.org for hook in hooks}
        own = [each for each in entries if each.org in watched]
        told = messages(connection, own)
        if any(set(hook.types) & OF_RESULTS for hook in hooks):
            told += result_messages(connection, own)
        queued = [
            self._delivery(hook, message, number)
            for number, (message, hook) in enumerate(
                (message, hook) for message in told for hook in _whom(hooks, message)
            )
        ]
        deliveries.add(connection, self._within_bounds(connection, queued))

    def tell(
        self,
        connection: Connection,
        org: str,
        kind: EventType,
        subject: str,
        data: msgspec.Struct,
        name: bytes,
        game: str,
        external_id: str | None,
    ) -> None:
        """Queue what follows of no row of the feed, in the transaction that made it so.

        `name` is the same for the same news, however often they are told.
        """
        identity = f"msg_{sha256(prefixed('plyscribe/webhook/2', name)).hexdigest()[:32]}"
        hooks = [
            hook for hook in rows.enabled(connection, {org}) if hook.wants(kind, game, external_id)
        ]
        body = self._body(identity, org, kind, self._clock(), subject, data)
        queued = [
            self._queued(
                hook,
                identity,
                kind,
                None,
                body,
                number,
            )
            for number, hook in enumerate(hooks)
        ]
        deliveries.add(connection, self._within_bounds(connection, queued))

    def test(self, hook: Hook) -> Delivery:
        """A message about nothing but the webhook itself."""
        at, identity = self._clock(), os.urandom(16).hex()
        body = self._body(f"msg_{identity}", hook.org, TEST, at, hook.id, None)
        return self._queued(hook, f"msg_{identity}", TEST, None, body, 0)

    def _delivery(self, hook: Hook, message: Message, number: int) -> Delivery:
        news = message.news
        named = prefixed("plyscribe/webhook/1", news.match_id, news.version, message.type)
        identity = f"msg_{sha256(named).hexdigest()[:32]}"
        body = self._body(identity, hook.org, message.type, message.at, news.match_id, news)
        return self._queued(hook, identity, message.type, news.match_id, body, number)

    def _body(
        self, identity: str, org: str, kind: str, at: int, subject: str, data: msgspec.Struct | None
    ) -> bytes:
        event = WebhookEvent(
            specversion="1.0",
            id=identity,
            source=f"{self._source()}/orgs/{org}",
            type=kind,
            time=_time(at),
            subject=subject,
            data=data,
        )
        return msgspec.json.encode(event)

    def _queued(
        self, hook: Hook, identity: str, kind: str, match_id: str | None, body: bytes, number: int
    ) -> Delivery:
        now = self._clock()
        # Those of one moment are told apart by their number, in order. Not from the service's pool
        # of entropy: this runs where the database does, on another thread.
        low = (number % 4096).to_bytes(2, "big") + os.urandom(8)
        return Delivery(
            id=new_match_id(now + number // 4096, low),
            webhook_id=hook.id,
            org=hook.org,
            message_id=identity,
            type=kind,
            match_id=match_id,
            body=body,
            created_at=now,
            due_at=now,
        )

    def _within_bounds(self, connection: Connection, queued: list[Delivery]) -> list[Delivery]:
        """Without those of webhooks that take nothing for too long: they are disabled."""
        added: dict[str, int] = {}
        for each in queued:
            added[each.webhook_id] = added.get(each.webhook_id, 0) + 1
        waiting = deliveries.waiting(connection, added) if added else {}
        full = {hook for hook, n in waiting.items() if n + added[hook] > MOST_WAITING}
        for hook in sorted(full):
            deliveries.give_up(connection, hook, Reason.FULL, self._clock())
        return [each for each in queued if each.webhook_id not in full]


def messages(connection: Connection, entries: Sequence[Entry]) -> list[Message]:
    """All there is to tell of rows of the feed, in their order. Raises: LogBroken.

    Of a match of a deal group only that it was created and started, until it is revealed; its end
    is told then.
    """
    found = _events(connection, entries)
    games = result_rows.games(connection, {each.match_id for each in entries if each.match_id})
    scheduled = _scheduled(connection, entries)
    ended, paused = _changed(connection, found)
    told = []
    for entry in entries:
        assert entry.match_id is not None
        own = found.get(entry.match_id, {})
        if entry.last not in own:
            raise LogBroken(entry.last, "is missing")
        ends = ended.get(entry.match_id, {})
        named = {v: _KINDS[kind] for v, (kind, _) in own.items() if kind in _KINDS}
        named |= {v: _end(status) for v, status in ends.items()}
        if entry.match_id in paused:
            named[paused[entry.match_id]] = EventType.PAUSED
        picked = [(v, kind) for v, kind in named.items() if _is_told(entry, v, kind, named)]
        if not _is_apart(entry, named):
            picked.append((entry.last, EventType.ADVANCED))
        for version, kind in sorted(picked, key=lambda each: (each[0], _ORDER.index(each[1]))):
            status = _STATUS.get(kind, entry.status)
            if version in ends and kind is _end(ends[version]):
                status = ends[version]
            if kind is EventType.CREATED:
                status = scheduled.get(entry.match_id, Status.SEATING)
            news = _news(entry, games.get(entry.match_id, ""), version, status)
            told.append(Message(kind, entry.org or "", own[version][1], news))
    return told


def _is_told(entry: Entry, version: int, kind: EventType, named: Mapping[int, EventType]) -> bool:
    if version > entry.last:
        return False
    if entry.deal_group is None or kind in _OPEN:
        return version >= entry.first
    revealed = _revealed(entry, named)
    # What was held back is told with the row that has the reveal in it.
    return revealed is not None and max(version, revealed) >= entry.first


def _is_apart(entry: Entry, named: Mapping[int, EventType]) -> bool:
    return entry.deal_group is not None and _revealed(entry, named) is None


def _revealed(entry: Entry, named: Mapping[int, EventType]) -> int | None:
    """The version that revealed the match, as far as the row knows."""
    shown = (v for v, kind in named.items() if kind is EventType.REVEALED and v <= entry.last)
    return next(shown, None)


def _news(entry: Entry, game: str, version: int, status: str) -> MatchNews:
    assert entry.match_id is not None
    return MatchNews(
        match_id=entry.match_id,
        external_id=entry.external_id,
        game=game,
        deal_group=entry.deal_group,
        test=is_test(entry.org or ""),
        version=version,
        status=status,
    )


def _whom(hooks: Sequence[Hook], message: Message) -> list[Hook]:
    news = message.news
    return [
        hook
        for hook in hooks
        if hook.org == message.org and hook.wants(message.type, news.game, news.external_id)
    ]


def _events(
    connection: Connection, entries: Sequence[Entry]
) -> dict[str, dict[int, tuple[str, int]]]:
    """By match and version, kind and time of what may be told of: columns that are no secret."""
    ranges = []
    for each in entries:
        first = each.first if each.deal_group is None else 1
        own = and_(EVENT.c.match_id == each.match_id, EVENT.c.version.between(first, each.last))
        ranges.append(and_(own, or_(EVENT.c.kind.in_(_ASKED), EVENT.c.version == each.last)))
    if not ranges:
        return {}
    query = select(EVENT.c.match_id, EVENT.c.version, EVENT.c.kind, EVENT.c.at)
    named = {each.match_id for each in entries if each.match_id is not None}
    rows, archives = stored.beside(connection, query.where(or_(*filled_up(ranges))), named)
    # All of what is archived, which is more than was asked for.
    found = {
        match_id: {each.version: (each.kind, each.at) for each in one.records}
        for match_id, one in archives.items()
    }
    for match_id, version, kind, at in rows:
        found.setdefault(match_id, {})[version] = (kind, at)
    return found


def _changed(
    connection: Connection, found: Mapping[str, Mapping[int, tuple[str, int]]]
) -> tuple[dict[str, dict[int, Status]], dict[str, int]]:
    """What became of matches by a ruling, or because somebody did not come: by match and version
    how it ended, and by match the version since which it waits for an arbiter.
    """
    asked = {
        match_id: versions
        for match_id, own in found.items()
        if (versions := [v for v, (kind, _) in own.items() if kind in _MAY_CHANGE])
    }
    logs = result_rows.logs_of(connection, asked)
    ends = {match_id: endings_in(log.events) for match_id, log in logs.items()}
    ended = {
        match_id: {v: status_after(ends[match_id][v]) for v in versions if v in ends[match_id]}
        for match_id, versions in asked.items()
        if match_id in ends
    }
    looked = [
        log
        for match_id, log in logs.items()
        if any(found[match_id][v][0] == _LOOK for v in asked[match_id])
    ]
    return ended, paused_by(connection, looked)


def _end(status: Status) -> EventType:
    """What the end is told as that left a match so."""
    return EventType.ENDED if status is Status.OVER else EventType.CANCELLED


def _scheduled(connection: Connection, entries: Sequence[Entry]) -> dict[str, Status]:
    """What new matches were at first, as event 1 says."""
    new = [each.match_id for each in entries if each.first == 1 and each.match_id is not None]
    if not new:
        return {}
    return {
        match_id: first_status(msgspec.json.decode(own[0].body, type=_Created).schedule)
        for match_id, own in stored.of_kinds(connection, new, ("match_created",)).items()
    }


def _time(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
