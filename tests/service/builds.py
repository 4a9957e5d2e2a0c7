"""Builds of the service that are broken on purpose, as in tests/faults/builds.py: those of what it
does beside matches, on SQLite.
"""

from pathlib import Path
from typing import Any
from uuid import uuid4

from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, select

from events.archive import Archive, packed
from events.archiving import Kept, put_away
from events.batching import CrashPoint
from events.flush import flush
from events.store import Store
from events.tables import ARCHIVE, COMMAND, EVENT, SNAPSHOT, TOKEN
from service import archiving
from service.archiving import Put
from service.auth import Caller
from service.batches import acting, creating
from service.batches.acting import Work
from service.batches.rows import Member
from service.cli import archiving as commands
from service.parts import Parts
from service.platforms import links, pods, reporting, startgg
from service.platforms.links import Try
from service.platforms.told import Call, Outcome
from service.series import rows
from service.series.rows import SeriesRow
from service.series.terms import Game
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


def telling_what_is_there() -> None:
    """A result is told to its platform whatever is there, be it that very result."""
    vars(startgg)["_Set"].says = lambda _found, _told: False
    vars(startgg)["require_ours"] = lambda *_given: None


def naming_every_report() -> None:
    """Each attempt to tell a result to an organiser's address has a key of its own."""
    honest = vars(pods)["json_call"]

    def call(method: str, url: str, headers: dict[str, str], body: object) -> Call:
        asked: Call = honest(method, url, {**headers, "idempotency-key": uuid4().hex}, body)
        return asked

    vars(pods)["json_call"] = call


def storing_matches_before_their_batch() -> None:
    """The matches of a batch are stored, and then what belongs to them."""
    vars(creating)["flush"] = in_two(flush)


def storing_links_after_their_batch() -> None:
    """A batch is stored with its matches, and the links to these when it is made known."""
    honest, known = vars(creating)["_store"], creating.create_batch
    later: list[dict[str, Any]] = []

    def store(parts: Parts, connection: Connection, new: Any, at_once: int) -> bool:
        is_new: bool = honest(parts, connection, new, at_once)
        if is_new:
            later.extend(new.tokens)
            hashes = [each["hash"] for each in new.tokens]
            connection.execute(delete(TOKEN).where(TOKEN.c.hash.in_(hashes)))
        return is_new

    async def create(parts: Parts, *given: Any) -> str:
        batch_id = await known(parts, *given)
        await parts.database.write(lambda connection: connection.execute(insert(TOKEN), later))
        later.clear()
        return batch_id

    vars(creating).update(_store=store, create_batch=create)


def acting_under_no_key() -> None:
    """What is done to a match of a batch is not asked for under the key of the request."""
    honest = vars(acting)["_line"]

    async def line(parts: Parts, caller: Caller, member: Member, _key: object, work: Work) -> Any:
        return await honest(parts, caller, member, None, work)

    vars(acting)["_line"] = line


def giving_a_place_before_its_match() -> None:
    """The place of a match in a series is stored, and then the match."""
    vars(rows)["add_match"] = in_two(rows.add_match)


def giving_a_place_after_its_match() -> None:
    """The next match of a series is stored, and its place when the series is looked at again."""
    add, locked = rows.add_match, rows.locked
    later: list[tuple[str, Game]] = []

    def add_match(connection: Connection, series_id: str, game: Game) -> None:
        if game.number == 0:
            add(connection, series_id, game)  # The series begins with it.
        else:
            later.append((series_id, game))

    def look(connection: Connection, series_id: str) -> SeriesRow | None:
        for place in later:
            add(connection, *place)
        later.clear()
        return locked(connection, series_id)

    vars(rows).update(add_match=add_match, locked=look)


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


def deleting_what_it_has_checked() -> None:
    """The rows of a match are deleted when its log is found to hold, and then it is archived."""
    honest = vars(archiving)["_checked"]

    async def checked(store: Store, match_id: str, put: Put | None) -> Archive:
        archive: Archive = await honest(store, match_id, put)
        await store.database.write(lambda connection: _delete(connection, match_id))
        return archive

    def put(connection: Connection, archive: Archive, at: int) -> Kept:
        row = {"match_id": archive.match_id, "version": archive.version, "at": at}
        log = {"hashes": archive.hashes, "log": packed(archive)}
        connection.execute(insert(ARCHIVE), [row | log])
        return Kept(len(archive.records), 0, 0)

    def _delete(connection: Connection, match_id: str) -> None:
        for table in (EVENT, COMMAND, SNAPSHOT):
            connection.execute(delete(table).where(table.c.match_id == match_id))

    vars(archiving).update(_checked=checked, put_away=put)


def taking_a_bundle_for_an_archive() -> None:
    """A match whose bundle is in the folder counts as archived."""
    putting, one = vars(commands)["_putting"], vars(commands)["_one"]
    folders: list[Path] = []

    def into(folder: Path, crash_at: CrashPoint) -> Put:
        folders.append(folder)
        put: Put = putting(folder, crash_at)
        return put

    async def other(store: Store, match_id: str, *given: object) -> None:
        if not any((folder / f"{match_id}.zip").exists() for folder in folders):
            await one(store, match_id, *given)

    vars(commands).update(_putting=into, _one=other)


def keeping_bundles_of_what_is_archived() -> None:
    """A match is archived, and then its bundle is put into the folder."""
    honest = archiving.archive_match

    async def archive(
        store: Store, match_id: str, at: int, put: Put | None, crash_at: CrashPoint
    ) -> Kept:
        bundles: dict[str, bytes] = {}
        kept = await honest(store, match_id, at, bundles.__setitem__, crash_at)
        for each in bundles.items():
            assert put is not None
            put(*each)
        return kept

    vars(archiving)["archive_match"] = archive
