"""What webhooks are told of results: every one there was, in the order of the log.

Of a match of a deal group the first that is told is the one its reveal shows.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import msgspec
from sqlalchemy import Connection

from events.feed import Entry
from events.results import WITHOUT_RESULT, Ending, Result, ResultStatus
from events.sandbox import is_test
from events.types import Status
from service.result_rows import Changed, changed_by
from service.webhooks.news import MatchNews, Message
from service.webhooks.rows import EventType

OF_RESULTS: Final = frozenset(
    {
        EventType.PROVISIONAL,
        EventType.FINAL,
        EventType.REVISED,
        EventType.VOID,
        EventType.WITHDRAWN,
    }
)
_STATUS: Final[Mapping[Ending, Status]] = {
    Ending.CANCELLED: Status.CANCELLED,
    Ending.VOID: Status.VOID,
    Ending.REPLAYED: Status.VOID,
}


class ResultSaid(msgspec.Struct, frozen=True):
    """What the result is; ranks and scores are read with a key."""

    status: ResultStatus
    revision: int
    terminal: Ending | None


class ResultNews(MatchNews, frozen=True, kw_only=True):
    """The result of a match is so since `version`."""

    result: ResultSaid


def result_messages(connection: Connection, entries: Sequence[Entry]) -> list[Message]:
    """All there is to tell of the results that rows of the feed changed, in their order."""
    return [
        _message(changed, each, kind)
        for changed in changed_by(connection, entries)
        for before, each in pairwise((changed.before, *changed.results))
        if each is not None
        for kind in types_of(before, each)
    ]


def types_of(before: Result | None, result: Result) -> tuple[EventType, ...]:
    """What a result is told as that came after another, None if it is the first that is told.

    A correction that is final at once is both.
    """
    if result.status is ResultStatus.PENDING:
        return (EventType.WITHDRAWN,)
    if result.terminal in WITHOUT_RESULT:
        return (EventType.VOID,)
    is_revised = before is not None and before.revision != result.revision
    if result.status is ResultStatus.FINAL:
        return (EventType.REVISED, EventType.FINAL) if is_revised else (EventType.FINAL,)
    return (EventType.REVISED if is_revised else EventType.PROVISIONAL,)


def status_after(ending: Ending) -> Status:
    """That of a match that ended so."""
    return _STATUS.get(ending, Status.OVER)


def _message(changed: Changed, result: Result, kind: EventType) -> Message:
    entry = changed.entry
    assert entry.match_id is not None
    news = ResultNews(
        match_id=entry.match_id,
        external_id=entry.external_id,
        game=changed.log.game,
        deal_group=entry.deal_group,
        test=is_test(entry.org or ""),
        version=result.version,
        status=_status(result),
        result=ResultSaid(result.status, result.revision, result.terminal),
    )
    return Message(kind, entry.org or "", changed.log.time_of(result.version), news)


def _status(result: Result) -> Status:
    """That of the match."""
    return Status.RUNNING if result.terminal is None else status_after(result.terminal)
