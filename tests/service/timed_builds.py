"""Builds of the service that are broken on purpose, as in tests/service/builds.py: those of what
time brings about.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, update

from events import firing
from events.dealer import Dealer
from events.decide import Step, settle
from events.flags import Outage
from events.match import Match
from events.store import Answer, Append, Store
from events.tables import MATCH, OUTAGE
from events.timed import TimeCredited
from events.types import MatchStarted, Status
from service import app, committing, flags, pulse
from service.parts import Parts


def noticing_no_outage() -> None:
    """Nobody notices that no process served for a while."""
    honest = vars(pulse)["_beat"]

    def beat(connection: Connection, clock: object, _threshold: int, *given: int) -> Sequence[Any]:
        found: Sequence[Any] = honest(connection, clock, 10**15, *given)
        return found

    vars(pulse)["_beat"] = beat


def keeping_outages_to_itself() -> None:
    """An outage is known to the process that noticed it, and is written down for nobody."""
    honest = vars(pulse)["_beat"]

    def beat(connection: Connection, *given: Any) -> Any:
        found = honest(connection, *given)
        connection.execute(delete(OUTAGE))
        return found

    vars(pulse)["_beat"] = beat


def forgetting_what_it_takes() -> None:
    """What is due is taken off the list, and then it is done."""
    honest = vars(flags)["_let_fall"]

    async def take(parts: Parts, match_id: str, by: int) -> bool:
        own = update(MATCH).where(MATCH.c.match_id == match_id).values(due_at=None)
        await parts.database.write(lambda connection: connection.execute(own))
        done: bool = await honest(parts, match_id, by)
        return done

    vars(flags)["_let_fall"] = take


def minding_its_own() -> None:
    """Nobody looks for the flags and the deal groups of matches that another process made."""
    own = set[str]()
    honest, due = Store.append, vars(flags)["_due"]

    async def keep(self: Store, append: Append) -> Answer:
        if append.created is not None:
            own.add(append.match_id)
        return await honest(self, append)

    async def no_groups(_parts: object) -> list[str]:
        return []

    Store.append = keep  # type: ignore[method-assign]
    vars(flags)["_due"] = lambda *given: [each for each in due(*given) if each[1] in own]
    vars(app)["due_groups"] = no_groups


def remembering_what_it_gave_back() -> None:
    """That a match was given back an outage is remembered, and not seen from its clocks."""
    given: dict[tuple[str, Outage], int] = {}

    def credit(current: Match, outages: Sequence[Outage], at: int) -> TimeCredited | None:
        if current.clocks is None or current.status is not Status.RUNNING:
            return None
        version = current.version
        for each in outages:
            is_owed = current.created.at < each[1] <= at
            if is_owed and given.setdefault((current.match_id, each), version) == version:
                return TimeCredited(version=version + 1, at=at, since=each[0], until=each[1])
        return None

    vars(firing)["credit"] = vars(committing)["credit"] = credit


def remembering_what_it_started() -> None:
    """That a match has started by its schedule is remembered, and not seen from its log."""
    moment_of, overdue = vars(committing)["scheduled_moment"], vars(committing)["overdue"]
    started = set[str]()

    def is_to_start(current: Match) -> bool:
        return current.status is Status.RUNNING and current.match_id not in started

    def moment(current: Match) -> int | None:
        schedule, found = current.created.schedule, moment_of(current)
        return schedule.starts_at if schedule and is_to_start(current) else found

    def due(current: Match, dealer: Dealer, at: int) -> tuple[Step, ...]:
        is_again = is_to_start(current)
        started.add(current.match_id)
        if is_again:
            start = MatchStarted(version=current.version + 1, at=at)
            return settle(current, start, (), dealer, at)
        steps: tuple[Step, ...] = overdue(current, dealer, at)
        return steps

    vars(committing).update(scheduled_moment=moment, overdue=due)
