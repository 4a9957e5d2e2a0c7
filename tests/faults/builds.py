"""Builds of the service that are changed before they start: impatient, or broken on purpose.

What a suite must find is shown by a build that does it. Each is the `build` of a service.
"""

import asyncio
from functools import partial

from events import accept, batching, database, engines, faults, flush, store
from events.append import Answer, Append, Appended
from events.database import Database


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
        return Appended(given.records[0].version, given.last.version, given.last.hash)

    vars(batching)["Batcher"].append = append


def knowing_no_key() -> None:
    """What was stored under a key is not looked for."""

    async def command(_store: object, _match_id: str, _key: str) -> None: ...

    vars(store)["Store"].command = command
    vars(flush)["_known"] = lambda _connection, _appends: {}
