"""Python `eventsourcing` on PostgreSQL, as its documents say it is used: a yardstick."""

import time
from threading import Thread
from typing import Any
from uuid import UUID, uuid4

import psycopg
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from sqlalchemy.engine import make_url

from bench.yardsticks import BODY

_AT_ONCE = 50  # events of one save


def recorded(url: str, threads: int, seconds: float) -> float:
    """Events a second of its recorder in its default mode: one an insert, one stream a thread."""
    table = f"events_{uuid4().hex}"
    counts = [0] * threads
    with PostgresDatastore(**_arguments(url), pool_size=threads, max_overflow=threads) as datastore:
        recorder = PostgresApplicationRecorder(datastore, events_table_name=table)
        recorder.create_table()

        def play(thread: int, until: float) -> None:
            stream = uuid4()
            while time.perf_counter() < until:
                stored = StoredEvent(stream, counts[thread], "bench:MovePlayed", BODY.encode())
                recorder.insert_events([stored])
                counts[thread] += 1

        start = time.perf_counter()
        running = [Thread(target=play, args=(n, start + seconds)) for n in range(threads)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        elapsed = time.perf_counter() - start
    with psycopg.connect(url) as connection:
        stored = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    assert stored == (sum(counts),)
    return sum(counts) / elapsed


class Played(Aggregate):
    """A match that does next to nothing with its events."""

    moves = 0
    last = ""

    @event("Moved")
    def move(self, body: str) -> None:
        self.moves += 1
        self.last = body


class Library:
    """An application of it without a cache."""

    def __init__(self, url: str) -> None:
        names = {"dbname": "POSTGRES_DBNAME", "host": "POSTGRES_HOST", "port": "POSTGRES_PORT"}
        names |= {"user": "POSTGRES_USER", "password": "POSTGRES_PASSWORD"}
        given = {names[name]: str(value) for name, value in _arguments(url).items()}
        self._application: Application[UUID] = Application(
            {"PERSISTENCE_MODULE": "eventsourcing.postgres", **given}
        )

    def saved(self, events: int) -> UUID:
        """An aggregate with so many events."""
        made = Played()
        for number in range(1, events):
            made.move(BODY)
            if number % _AT_ONCE == 0:
                self._application.save(made)
        self._application.save(made)
        return made.id

    def rebuild(self, aggregate: UUID) -> None:
        found: Played = self._application.repository.get(aggregate)
        assert found.moves > 0

    def close(self) -> None:
        self._application.close()


def _arguments(url: str) -> dict[str, Any]:
    at = make_url(url)
    return {
        "dbname": str(at.database),
        "host": str(at.host),
        "port": int(at.port or 5432),
        "user": str(at.username),
        "password": str(at.password or ""),
    }
