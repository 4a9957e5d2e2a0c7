"""How many appends a second the log takes, beside yardsticks measured in the same minutes.

Ours: 64 matches, each appending its next event when the one before is durable. Yardsticks: Python
`eventsourcing` with 8 threads and pgbench single-row inserts at 32 clients, both on the same
PostgreSQL; a plain loop of single-row commits on SQLite. Rounds are interleaved, ratios are taken
within a round, medians reported.
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Any
from uuid import uuid4

import psycopg
import uvloop
from sqlalchemy import text
from sqlalchemy.engine import make_url

from bench import yardsticks
from bench.ratios import ratios
from events.append import Append, Appended, NewMatch
from events.database import Database
from events.store import Store
from events.types import Record, Status
from service import migrate
from tests import servers

MATCHES = 64
THREADS = 8
BODY = yardsticks.BODY.encode()
RATIOS = (
    ("sqlite / plain sqlite3 loop", "sqlite", "sqlite3_loop", 0.6, 1.0),
    ("postgresql / eventsourcing", "postgresql", "eventsourcing", 8.0, 20.0),
    ("postgresql / pgbench", "postgresql", "pgbench", None, None),
)


def run(rounds: int = 5, seconds: float = 1.0) -> dict[str, Any]:
    """Appends a second by name, every round and the median; ratios with their goals."""
    with servers.postgres() as server, tempfile.TemporaryDirectory() as folder:
        contenders = _contenders(server, Path(folder))
        figures: dict[str, list[float]] = {name: [] for name in contenders}
        for _ in range(rounds):
            for name, contender in contenders.items():
                figures[name].append(contender(seconds))
    return {
        "appends_per_second": {
            name: {"median": round(median(each)), "rounds": [round(one) for one in each]}
            for name, each in figures.items()
        },
        "ratios": ratios(RATIOS, figures),
        "skipped": [] if "pgbench" in figures else ["pgbench: no such program"],
    }


def _contenders(server: str, folder: Path) -> dict[str, Callable[[float], float]]:
    ours = servers.create_database(server, f"bench_{uuid4().hex}")
    theirs = servers.create_database(server, f"bench_{uuid4().hex}")
    file = f"sqlite:///{folder / 'plyscribe.db'}"
    migrate.upgrade(ours)
    migrate.upgrade(file)
    found: dict[str, Callable[[float], float]] = {
        "sqlite3_loop": lambda seconds: yardsticks.sqlite_loop(
            folder / f"{uuid4().hex}.db", seconds
        ),
        "sqlite": lambda seconds: _appends(file, seconds),
        "eventsourcing": lambda seconds: _eventsourcing(theirs, seconds),
        "postgresql": lambda seconds: _appends(ours, seconds),
    }
    pgbench = yardsticks.pgbench_program()
    if pgbench is not None:
        yardsticks.create_rows(theirs)
        found["pgbench"] = lambda seconds: yardsticks.pgbench(pgbench, theirs, folder, seconds)
    return found


def _appends(url: str, seconds: float) -> float:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_appended(url, seconds))


async def _appended(url: str, seconds: float) -> float:
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
        assert stored == sum(done), f"{stored} stored, {sum(done)} acknowledged"
    finally:
        await database.close()
    return sum(done) / elapsed


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


def _eventsourcing(url: str, seconds: float) -> float:
    """Its application recorder in its default mode: one event an insert, one stream a thread."""
    from eventsourcing.persistence import StoredEvent
    from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

    at = make_url(url)
    table = f"events_{uuid4().hex}"
    counts = [0] * THREADS
    with PostgresDatastore(
        dbname=str(at.database),
        host=str(at.host),
        port=int(at.port or 5432),
        user=str(at.username),
        password=str(at.password or ""),
        pool_size=THREADS,
        max_overflow=THREADS,
    ) as datastore:
        recorder = PostgresApplicationRecorder(datastore, events_table_name=table)
        recorder.create_table()

        def play(thread: int, until: float) -> None:
            stream = uuid4()
            while time.perf_counter() < until:
                event = StoredEvent(stream, counts[thread], "bench:MovePlayed", BODY)
                recorder.insert_events([event])
                counts[thread] += 1

        start = time.perf_counter()
        threads = [Thread(target=play, args=(n, start + seconds)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        elapsed = time.perf_counter() - start
    with psycopg.connect(url) as connection:
        stored = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    assert stored == (sum(counts),)
    return sum(counts) / elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = run(chosen.rounds, chosen.seconds)
    if chosen.json:
        print(json.dumps(found, indent=2))
        return
    for name, figure in found["appends_per_second"].items():
        print(f"{name:15} {figure['median']:8,}/s   {figure['rounds']}")
    for each in found["ratios"]:
        print(f"{each['name']:30} {each['ratio']:6}   must {each['must']}, goal {each['goal']}")
    for reason in found["skipped"]:
        print("skipped", reason)


if __name__ == "__main__":
    main()
