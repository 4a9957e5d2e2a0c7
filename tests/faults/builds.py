"""Builds of the service that are changed before they start: impatient, or broken on purpose.

What a suite must find is shown by a build that does it. Each is the `build` of a service.
"""

import asyncio
import os
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from events import accept, batching, database, engines, faults, flush, store
from events.append import Answer, Append, Appended, Conflict, Replayed
from events.canonical import decoded
from events.chain import PUBLIC
from events.database import Database, DatabaseBusy, DatabaseUnreachable
from events.engines import FileLock
from events.erasing import erase
from events.types import Record
from projections import history, news
from service import live, streams
from tests.torn import in_two


def impatient() -> None:
    """Gives statements a second and appends two attempts, so that tests need not wait long."""
    Database.open = staticmethod(partial(Database.open, patience=1))  # type: ignore[method-assign]
    batching.ATTEMPTS = 2


def waiting_for_no_standby() -> None:
    """A commit is answered before a standby has it: as with asynchronous replication."""
    impatient()
    engines.PLANNING["synchronous_commit"] = "local"


def repeating_what_it_reads() -> None:
    """What is in the database counts as stored, whether a standby has it or not."""
    impatient()
    vars(store)["locked"] = lambda _connection, _ids: {}


def naming_statements() -> None:
    """Statements are prepared once and used again, on whatever connection there is then."""
    vars(engines)["WITHOUT_NAMES"] = {}


def blind_to(state: str) -> None:
    """What the database says under that SQLSTATE is taken for a mistake of this program."""
    impatient()
    known = vars(faults)["_LOST"]
    vars(faults)["_LOST"] = tuple(each for each in known if each != state)
    vars(database)["is_closed_to_writing"] = lambda _error: False


def blind_to_its_own_pool() -> None:
    """That none of its own connections came free is taken for a mistake of this program."""
    impatient()
    vars(faults)["PoolTimeout"] = _NeverRaised


class _NeverRaised(Exception): ...


def answering_before_it_stores() -> None:
    """Moves are acknowledged when they are decided, and stored some time later."""
    honest = batching.Batcher.append
    later = set()

    async def store_later(batcher: batching.Batcher, given: Append) -> None:
        await asyncio.sleep(60)
        await honest(batcher, given)

    async def append(batcher: batching.Batcher, given: Append) -> Answer:
        if not accept.is_plain(given):
            return await honest(batcher, given)
        later.add(asyncio.create_task(store_later(batcher, given)))
        return _acknowledged(given)

    vars(batching)["Batcher"].append = append


def knowing_no_key() -> None:
    """What was stored under a key is not looked for."""

    async def command(_store: object, _match_id: str, _key: str) -> None: ...

    vars(store)["Store"].command = command
    vars(flush)["_known"] = lambda _connection, _appends: {}


def giving_up_at_once() -> None:
    """A commit whose answer is lost counts as one that failed."""
    batching.ATTEMPTS = 1


def believing_what_it_sent() -> None:
    """A commit that was sent counts as stored, whatever becomes of it."""

    async def persistently(_batcher: object, way: Any, appends: Sequence[Append]) -> Any:
        try:
            return await way(appends)
        except DatabaseUnreachable:
            return [_acknowledged(each) for each in appends]

    vars(batching)["Batcher"]._persistently = persistently


def taking_an_outage_for_a_mistake() -> None:
    """What a driver says of a database that is away is taken for a mistake of this program."""
    impatient()
    vars(database)["fault_of"] = lambda error: error


def never_coming_back() -> None:
    """Once the database was away, it is for good."""
    impatient()
    kind = vars(database)["_Postgres"]
    honest, lost = kind._run, list[DatabaseUnreachable]()

    async def run(self: object, engine: object, work: object) -> object:
        if lost:
            raise lost[0]
        try:
            return await honest(self, engine, work)
        except DatabaseUnreachable as error:
            lost.append(error)
            raise

    kind._run = run


def keeping_sealed_answers_in_memory() -> None:
    """Sealed answers wait in memory for the next event that is none, and are stored before it.

    As long as the process lives, nobody can tell.
    """
    held = _Held()
    honest, known = batching.Batcher.append, vars(store)["Store"]
    records, latest, command = known.records, known.latest, known.command

    async def append(batcher: batching.Batcher, given: Append) -> Answer:
        if held.takes(given):
            return held.answer(given)
        for each in held.pop(given.match_id):
            await honest(batcher, each)
        return await honest(batcher, given)

    async def all_records(
        self: store.Store, match_id: str, after: int = 0, limit: int = store.PAGE
    ) -> list[Record]:
        found: list[Record] = await records(self, match_id, after, limit)
        own = [r for each in held[match_id] for r in each.records if r.version > after]
        return [*found, *own][:limit]

    async def latest_of(self: store.Store, ids: Sequence[str]) -> dict[str, tuple[int, bytes]]:
        found: dict[str, tuple[int, bytes]] = await latest(self, ids)
        newer = {of: held[of][-1].last for of in found if held[of]}
        return found | {of: (last.version, last.hash) for of, last in newer.items()}

    async def any_command(self: store.Store, match_id: str, key: str) -> store.CommandRow | None:
        own = next((each for each in held[match_id] if each.key == key), None)
        if own is None:
            found: store.CommandRow | None = await command(self, match_id, key)
            return found
        first = own.records[0].version
        return store.CommandRow(own.request, first, own.last.version, own.last.hash)

    vars(batching)["Batcher"].append = append
    known.records, known.latest, known.command = all_records, latest_of, any_command


class _Held(defaultdict[str, list[Append]]):
    """What is kept in memory, by match."""

    def __init__(self) -> None:
        super().__init__(list)

    def takes(self, given: Append) -> bool:
        (first, *more) = given.records
        return not more and first.kind == "move_played" and _is_sealed(first.body)

    def answer(self, given: Append) -> Answer:
        own = self[given.match_id]
        for each in own:
            if each.key == given.key:
                return Replayed(each.records[0].version, each.last.version, each.last.hash)
        if own and own[-1].last.hash != given.expected_hash:
            return Conflict(own[-1].last.version, own[-1].last.hash)
        own.append(given)
        return _acknowledged(given)

    def pop(self, match_id: str) -> list[Append]:  # type: ignore[override]
        return super().pop(match_id, [])


def telling_sealed_answers() -> None:
    """Everybody reads a sealed answer as the seat does that gave it."""
    honest = vars(history)["_entry"]

    def entry(version: int, seen: Any, viewer: int, *more: object) -> object:
        public = seen.facets[PUBLIC]
        event = decoded(public)
        return honest(version, seen, event["seat"] if _is_sealed(public) else viewer, *more)

    vars(history)["_entry"] = entry


def locking_nothing() -> None:
    """Nobody is kept from an SQLite file that another process writes."""
    vars(engines)["FileLock"]._is_taken = lambda _lock: True


def locking_by_the_file_itself() -> None:
    """Where there is a lock file, somebody is taken to hold it; it is removed at the end."""

    class Lock(FileLock):
        def __init__(self, path: Path, seconds: float = 0) -> None:
            self._path = Path(f"{path}.lock")
            if self._path.exists():
                raise DatabaseBusy(f"another process serves {path.name}")
            super().__init__(path, seconds)

        def release(self) -> None:
            super().release()
            self._path.unlink()

    vars(database)["FileLock"] = Lock


def clearing_up() -> None:
    """What a dead process left beside the SQLite file is thrown away."""
    honest = engines.writing_sqlite

    def writing(path: Path) -> object:
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        return honest(path)

    vars(database)["writing_sqlite"] = writing


def ending_at_once() -> None:
    """Whoever is asked to stop is gone, whatever is under way."""
    vars(streams)["Streams"].stop = lambda _streams: os._exit(0)


def cutting_streams() -> None:
    """A stop drops the connections of streams."""
    kind = vars(streams)["Streams"]
    honest = kind.run

    async def run(self: streams.Streams, *given: Any) -> bool:
        is_there: bool = await honest(self, *given)
        if self.stopping:
            raise streams.SlowReader
        return is_there

    kind.run = run


def hearing_hints_alone() -> None:
    """Nobody looks whether a hint was lost: neither by the tick nor after a connection broke."""

    async def tick(*_given: object) -> None: ...

    vars(news)["News"]._tick = tick


def showing_what_a_hint_names() -> None:
    """A hint counts as news of one event, the one that it names."""
    honest = vars(live)["_entries"]

    async def entries(
        parts: object, feed: live.Feed, after: int, limit: int, through: int
    ) -> list[history.Entry]:
        start = after if after == feed.after else max(after, through - 1)
        found: list[history.Entry] = await honest(parts, feed, start, limit, through)
        return found

    vars(live)["_entries"] = entries


def erasing_later() -> None:
    """The event that says so is stored, and the text goes in a transaction of its own."""
    vars(flush)["erase"] = in_two(erase, is_before=True)


def _is_sealed(event: bytes) -> bool:
    return decoded(event).get("sealed") is not None


def _acknowledged(given: Append) -> Appended:
    return Appended(given.records[0].version, given.last.version, given.last.hash)
