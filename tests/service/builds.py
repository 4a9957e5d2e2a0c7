"""Builds of the service that are broken on purpose, as in tests/faults/builds.py: those of what it
does beside matches, on SQLite.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, select

from events.archive import Archive
from events.archiving import Kept, put_away
from events.flush import flush
from events.store import Answer, Append, Store
from events.tables import ARCHIVE
from service import app, archiving, flags, pulse
from service.batches import creating
from service.platforms import links, reporting
from service.platforms.links import Try
from service.platforms.told import Outcome
from service.series import rows
from service.webhooks import deliveries, delivering
from service.webhooks.deliveries import Attempt, Delivery
from service.webhooks.rows import Hook
from tests.torn import commit, in_two


def noting_before_it_sends() -> None:
    """A webhook's message is noted as delivered when it is taken."""
    honest = vars(delivering)["_claimed"]

    def claimed(connection: Connection, picked: object, until: int) -> list[Delivery]:
        ours: list[Delivery] = honest(connection, picked, until)
        for each in ours:
            deliveries.delivered(connection, each, Attempt(until, 0, 200, "delivered"), until)
        return ours

    vars(delivering)["_claimed"] = claimed


def naming_every_attempt() -> None:
    """Each attempt to deliver a message has an id of its own."""
    honest = delivering.Delivering._answer

    async def answer(self: delivering.Delivering, hook: Hook, delivery: Delivery, at: int) -> Any:
        named = replace(delivery, message_id=f"{delivery.message_id}.{at}")
        return await honest(self, hook, named, at)

    delivering.Delivering._answer = answer  # type: ignore[method-assign]


def noting_before_it_tells() -> None:
    """A result is noted as told to its platform when it is taken."""
    honest = vars(reporting)["_claimed"]

    def claimed(connection: Connection, due: reporting.Due, now: int, until: int) -> Any:
        won = honest(connection, due, now, until)
        if won is not None:
            outcome = str(Outcome.REPORTED)
            links.ended(connection, won.link, Try(now, 0, 1, 200, outcome, ""), outcome, now, None)
        return won

    vars(reporting)["_claimed"] = claimed


def storing_matches_before_their_batch() -> None:
    """The matches of a batch are stored, and then what belongs to them."""
    vars(creating)["flush"] = in_two(flush)


def giving_a_place_before_its_match() -> None:
    """The place of a match in a series is stored, and then the match."""
    vars(rows)["add_match"] = in_two(rows.add_match)


def deleting_before_it_archives() -> None:
    """The rows of a match are deleted, and then there is its archive."""

    def put(connection: Connection, archive: Archive, at: int) -> Kept:
        kept = put_away(connection, archive, at)
        own = ARCHIVE.c.match_id == archive.match_id
        row = connection.execute(select(ARCHIVE).where(own)).mappings().one()
        connection.execute(delete(ARCHIVE).where(own))
        commit(connection)
        connection.execute(insert(ARCHIVE), [dict(row)])
        return kept

    vars(archiving)["put_away"] = put


def noticing_no_outage() -> None:
    """Nobody notices that no process served for a while."""
    honest = vars(pulse)["_beat"]

    def beat(connection: Connection, clock: object, _threshold: int, *given: int) -> Sequence[Any]:
        found: Sequence[Any] = honest(connection, clock, 10**15, *given)
        return found

    vars(pulse)["_beat"] = beat


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
