"""How many appends a second the log takes, beside yardsticks measured in the same minutes.

Ours: 64 matches, each appending its next event when the one before is durable. Yardsticks: Python
`eventsourcing` with 8 threads and pgbench single-row inserts at 32 clients, both on the same
PostgreSQL; a plain loop of single-row commits on SQLite. Rounds are interleaved, ratios are taken
within a round, medians reported.
"""

import asyncio
import tempfile
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import text

from bench import yardsticks
from bench.library import recorded
from bench.plans import kept
from bench.rounds import Contender, Tell, interleaved, quiet, runs, summary
from bench.served import fresh
from events.append import Append, Appended, NewMatch
from events.database import Database
from events.store import Store
from events.types import Record, Status
from service import migrate
from tests import servers

MATCHES = 64
THREADS = 8
BODY = yardsticks.BODY.encode()
RATIOS = {
    "sqlite / loop": ("sqlite_per_second", "sqlite3_loop_per_second"),
    "postgresql / eventsourcing": ("postgresql_per_second", "eventsourcing_per_second"),
    "postgresql / pgbench": ("postgresql_per_second", "pgbench_per_second"),
}


def run(rounds: int = 5, seconds: float = 1.0, tell: Tell = quiet) -> dict[str, Any]:
    """Appends a second by name."""
    with servers.postgres() as server, tempfile.TemporaryDirectory() as folder:
        found = interleaved(_contenders(server, Path(folder), seconds), rounds, tell)
    return summary(found, RATIOS, skipped=yardsticks.missing())


def _contenders(server: str, folder: Path, seconds: float) -> dict[str, Contender]:
    ours = fresh(server)
    theirs = servers.create_database(server, f"bench_{uuid4().hex}")
    file = f"sqlite:///{folder / 'plyscribe.db'}"
    migrate.upgrade(file)
    found: dict[str, Contender] = {
        "sqlite3_loop": lambda _: yardsticks.rate(
            yardsticks.sqlite_loop(folder / f"{uuid4().hex}.db", seconds)
        ),
        "sqlite": lambda _: runs(_appended(file, seconds)),
        "eventsourcing": lambda _: yardsticks.rate(recorded(theirs, THREADS, seconds)),
        "postgresql": lambda _: runs(_appended(ours, seconds)),
    }
    if (pgbench := yardsticks.pgbench_program()) is not None:
        yardsticks.create_rows(theirs)
        found["pgbench"] = lambda _: yardsticks.rate(
            yardsticks.pgbench(pgbench, theirs, folder, seconds)
        )
    return found


async def _appended(url: str, seconds: float) -> dict[str, float]:
    database = await Database.open(url)
    try:
        before = await _events(database)
        store = Store(database)
        matches = [str(uuid4()) for _ in range(MATCHES)]
        await asyncio.gather(*(store.append(first_of(match_id)) for match_id in matches))
        start = time.perf_counter()
        done = await asyncio.gather(*(_play(store, m, start + seconds) for m in matches))
        elapsed = time.perf_counter() - start
        stored = await _events(database) - before - MATCHES
    finally:
        await database.close()
    return {"per_second": sum(done) / elapsed, **kept(sum(done), stored)}


async def _events(database: Database) -> int:
    return int(
        await database.read(
            lambda connection: connection.scalar(text("SELECT count(*) FROM event"))
        )
    )


async def _play(store: Store, match_id: str, until: float) -> int:
    version = 1
    while time.perf_counter() < until:
        answer = await store.append(_next(match_id, version))
        assert isinstance(answer, Appended)
        version += 1
    return version - 1


def first_of(match_id: str) -> Append:
    """What makes a match, of one event."""
    created = NewMatch("org", "bench", 1, 4, "", 0)
    return Append(
        match_id, "1", b"1" * 32, 0, _hash(0), (_record(1),), Status.RUNNING, None, created=created
    )


def _next(match_id: str, version: int) -> Append:
    key = f"{version}.0"
    record = _record(version + 1)
    return Append(match_id, key, b"1" * 32, version, _hash(version), (record,), Status.RUNNING)


def _record(version: int) -> Record:
    """Of the size of a move with four seats."""
    return Record(version, "move_played", 1, 0, BODY, b"s" * 32, b"f" * 32 * 6, _hash(version))


def _hash(version: int) -> bytes:
    return version.to_bytes(32, "big")
