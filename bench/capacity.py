"""What a move costs machines, what a match leaves on their disks, how much the feed takes.

One `plyscribe serve` on PostgreSQL (fsync on) with hints through Redis, a real game over 32
connections. Processor time is that of the processes themselves; a busy machine makes it a quarter
more. Sizes are those of the tables with their indexes, after the feed has taken everything in. The
feed is timed alone: a sequencer takes in matches with one event each, as when many play slowly.
"""

import asyncio
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import psycopg

from bench.append import first_of
from bench.plans import LONGEST, counted, plans
from bench.processes import cpu_seconds, of_postgres, own_named
from bench.rounds import Tell, quiet, runs, told
from bench.served import fresh, served
from events.database import Database
from events.feed import Sequencer
from events.store import Store
from service.cli.demo.server import Server
from tests import servers

CONNECTIONS = 32
MATCHES = 60
FED = 8_000
_AT_ONCE = 500
_FEED_SECONDS = 60.0
_BY_EVENT = ("event", "command", "feed", "tile")
_BY_MATCH = ("match", "seat", "token", "secret")


def run(
    rounds: int = 5, seconds: float = 2.0, tell: Tell = quiet, matches: int = MATCHES
) -> dict[str, Any]:
    """The figures of one round, that in which the service spent the median; bytes, microseconds.

    `seconds` is not looked at: a round ends with the first connection that finds no match left. The
    servers have to be this machine's.
    """
    rows: dict[str, list[float]] = {}
    measured, fed = [], []
    for number in range(rounds):
        tell(f"round {number + 1} of {rounds}: moves", number / rounds)
        figures, kept = _measured(matches, number)
        measured.append(figures)
        for name, value in kept.items():
            rows.setdefault(name, []).append(value)
        tell(f"round {number + 1} of {rounds}: the feed", (number + 0.7) / rounds)
        fed.append(_fed_per_second())
    return {
        **sorted(measured, key=_total)[rounds // 2],
        "feed_entries_per_second": round(median(fed)),
        "figures": {name: told(each) for name, each in rows.items()},
    }


def _total(figures: dict[str, Any]) -> float:
    total: float = figures["cpu_us_per_move"]["service"]
    return total


def _measured(matches: int, number: int) -> tuple[dict[str, Any], dict[str, float]]:
    """Beside the figures, how many moves were acknowledged and how many are astray."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        redis = stack.enter_context(servers.redis())
        url = fresh(postgres)
        empty = _sizes(url)
        server = served(stack, folder, url, redis)
        pids = {
            "service": [server.pid],
            "postgresql": of_postgres(url),
            "redis": own_named("redis"),
        }
        return _played(server, url, pids, empty, matches, str(number))


def _played(
    server: Server,
    url: str,
    pids: dict[str, list[int]],
    empty: dict[str, int],
    matches: int,
    seed: str,
) -> tuple[dict[str, Any], dict[str, float]]:
    ready = runs(plans(server, matches, seed))
    before = {name: _spent(each) for name, each in pids.items()}
    transactions = _commits(url)
    planned = sum(map(len, ready))
    tally, kept = runs(counted(server, ready, CONNECTIONS, seconds=120))
    pids["postgresql"] = sorted({*pids["postgresql"], *of_postgres(url)})
    moves = len(tally.latencies)
    spent = {name: _spent(each) - before[name] for name, each in pids.items()}
    done = _commits(url) - transactions
    _fed(url)
    grown = {name: size - empty[name] for name, size in _sizes(url).items()}
    with psycopg.connect(url) as connection:
        (events,) = connection.execute("SELECT count(*) FROM event").fetchone() or (0,)
        (entries,) = connection.execute("SELECT count(*) FROM feed").fetchone() or (0,)
    figures = {
        "game": LONGEST,
        "moves": moves,
        "moves_per_match": round(planned / matches, 1),
        "events_per_move": round(events / moves, 3),
        "entries_per_move": round(entries / moves, 3),
        "cpu_us_per_move": {name: round(1e6 * each / moves, 1) for name, each in spent.items()},
        "transactions_per_move": round(done / moves, 3),
        "bytes_per_event": {name: round(grown[name] / events, 1) for name in _BY_EVENT},
        "bytes_per_match": {name: round(grown[name] / matches, 1) for name in _BY_MATCH},
    }
    return figures, kept


def _fed_per_second() -> float:
    with servers.postgres() as server:
        url = fresh(server)
        return runs(_sequenced(url))


async def _sequenced(url: str) -> float:
    """Entries a second that one sequencer takes in."""
    database = await Database.open(url)
    try:
        store, sequencer = Store(database), Sequencer(database, "bench")
        for _ in range(FED // _AT_ONCE):
            matches = [str(uuid4()) for _ in range(_AT_ONCE)]
            await asyncio.gather(*(store.append(first_of(match_id)) for match_id in matches))
        epoch = await sequencer.lead()
        assert epoch is not None
        began, taken = time.perf_counter(), 0
        while count := await sequencer.round(epoch):
            taken += count
        assert taken == FED, taken
        return taken / (time.perf_counter() - began)
    finally:
        await database.close()


def _sizes(url: str) -> dict[str, int]:
    """Bytes of the tables that grow with matches, their indexes and long values included."""
    with psycopg.connect(url) as connection:
        return {
            name: connection.execute(
                "SELECT pg_total_relation_size(%s::regclass)", (f'"{name}"',)
            ).fetchone()[0]  # type: ignore[index]
            for name in (*_BY_EVENT, *_BY_MATCH)
        }


def _commits(url: str) -> int:
    query = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
    with psycopg.connect(url, autocommit=True) as connection:
        time.sleep(1.2)  # Backends tell what they did once a second.
        return int(connection.execute(query).fetchone()[0])  # type: ignore[index]


def _fed(url: str) -> None:
    """Wait until the feed has everything."""
    deadline = time.monotonic() + _FEED_SECONDS
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute("SELECT count(*) FROM mark").fetchone() != (0,):
            assert time.monotonic() < deadline, "the feed stands still"
            time.sleep(0.1)


def _spent(pids: list[int]) -> float:
    """Seconds of processor time of those that are there."""
    return sum(map(cpu_seconds, pids))
