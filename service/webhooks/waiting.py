"""Matches that wait for an arbiter since somebody did not come: no event of their own says so."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from events import stored
from events.attended import PresenceChecked
from events.match import Folding
from events.scheduling import NoShow
from events.tables import GAME_DATA
from events.types import MatchCreated, Status
from games import registry
from service.result_rows import ResultLog


def paused_by(connection: Connection, logs: Iterable[ResultLog]) -> dict[str, int]:
    """By match, the version of the look at who is there that paused it, of those that one paused.

    Raises: UnknownGame, UnknownSchema, LogBroken.
    """
    found = {}
    for log in logs:
        created, check = log.events[0], _check(log)
        assert isinstance(created, MatchCreated)
        waits = created.schedule is not None and created.schedule.no_show is NoShow.WAIT
        if not waits or check is None or None not in check.seen:
            continue
        if _is_paused(connection, created, check.version):
            found[created.match_id] = check.version
    return found


def _check(log: ResultLog) -> PresenceChecked | None:
    return next((each for each in log.events if isinstance(each, PresenceChecked)), None)


def _is_paused(connection: Connection, created: MatchCreated, version: int) -> bool:
    """Whether it was running before, which only the whole log says."""
    _install(connection, created)
    records = stored.records(connection, created.match_id, 0, version)
    folding = Folding(records)
    for record in records[:-1]:
        folding.take(record)
    before = folding.current
    folding.take(records[-1])
    after = folding.current
    assert before is not None
    assert after is not None
    return before.status is Status.RUNNING and after.status is Status.PAUSED


def _install(connection: Connection, created: MatchCreated) -> None:
    """Component tables that this process may not have come across."""
    try:
        registry.game(created.game, created.rules_version, created.data_digest)
    except registry.UnknownGame:
        kept = select(GAME_DATA.c.tables).where(GAME_DATA.c.digest == created.data_digest)
        tables = connection.execute(kept).scalar()
        if tables is None:
            raise
        registry.install(created.game, bytes(tables), created.rules_version)
