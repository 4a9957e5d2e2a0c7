"""Durable moves a second over REST, beside yardsticks measured in the same minutes.

One `plyscribe serve` on PostgreSQL (fsync on) with hints through Redis and one on SQLite (FULL), 32
connections: each plays one match after the other. The simplest and the largest game; on PostgreSQL
also with two of a match's seats watching, and both databases also without waiting for the disk.
Yardsticks: pgbench single-row inserts at 32 clients, a bare Starlette POST at 32 connections, a
plain loop of single-row commits on SQLite. After every run the rows stored are counted: they are
the moves that were acknowledged; and who watches was told each version once and in order.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

import msgspec
from sqlalchemy import select

from bench import yardsticks
from bench.connections import Tally, drive, request
from bench.plans import LARGEST, SIMPLEST, Plan, counted, path_of, plans, tokens_of
from bench.receivers import Receiver
from bench.rounds import Contender, Tell, interleaved, quiet, runs, summary
from bench.served import fresh, served
from events.database import Database
from events.tables import MATCH
from service.cli.demo.server import Server
from tests import servers

CONNECTIONS = 32
WATCHERS = 2  # of each match, where it is watched
# Planned for each run; a run ends early when a connection finds none left.
MATCHES: Final = {SIMPLEST: 60, LARGEST: 120}
MEMORY: Final = Path("/dev/shm")  # a folder of files that are on no disk
RATIOS = {
    "postgresql / pgbench": ("postgresql_per_second", "pgbench_per_second"),
    "largest / pgbench": ("largest_per_second", "pgbench_per_second"),
    "watched / pgbench": ("watched_per_second", "pgbench_per_second"),
    "watched_largest / pgbench": ("watched_largest_per_second", "pgbench_per_second"),
    "postgresql / relaxed": ("postgresql_per_second", "postgresql_relaxed_per_second"),
    "sqlite / relaxed": ("sqlite_per_second", "sqlite_relaxed_per_second"),
    "sqlite / loop": ("sqlite_per_second", "sqlite3_loop_per_second"),
    "postgresql / starlette": ("postgresql_per_second", "starlette_post_per_second"),
    "sqlite / starlette": ("sqlite_per_second", "starlette_post_per_second"),
}


class Load(msgspec.Struct, frozen=True):
    """What is played in a run. `matches` are planned, by default so many as it can take."""

    game: str = SIMPLEST
    seconds: float = 2.0
    connections: int = CONNECTIONS
    watchers: int = 0
    matches: int | None = None

    @property
    def planned(self) -> int:
        return self.matches or MATCHES[self.game]


def run(
    rounds: int = 5, seconds: float = 2.0, tell: Tell = quiet, load: Load | None = None
) -> dict[str, Any]:
    """Moves a second and milliseconds of answers by name."""
    with _contenders(msgspec.structs.replace(load or Load(), seconds=seconds)) as found:
        series = interleaved(found, rounds, tell)
    games = {"simplest": SIMPLEST, "largest": LARGEST}
    skipped = yardsticks.missing()
    if not MEMORY.is_dir():
        skipped.append(f"sqlite_relaxed: no {MEMORY}")
    return summary(series, RATIOS, games=games, skipped=skipped)


@contextmanager
def _contenders(load: Load) -> Iterator[dict[str, Contender]]:
    """Ours and the yardsticks, by name; their servers run while the block does."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        redis = stack.enter_context(servers.redis())
        server = served(stack, folder / "postgresql", fresh(postgres), redis)
        relaxed_url = fresh(postgres, waits_for_disk=False)
        relaxed = served(stack, folder / "relaxed", relaxed_url, redis)
        echo = stack.enter_context(yardsticks.echo_server())
        largest = msgspec.structs.replace(load, game=LARGEST)
        found: dict[str, Contender] = {}
        if (pgbench := yardsticks.pgbench_program()) is not None:
            theirs = servers.create_database(postgres, f"bench_{uuid4().hex}")
            yardsticks.create_rows(theirs)
            found["pgbench"] = lambda _: yardsticks.rate(
                yardsticks.pgbench(pgbench, theirs, folder, load.seconds)
            )
        found["postgresql"] = _ours(server, load)
        found["largest"] = _ours(server, largest)
        found["watched"] = _ours(server, load, WATCHERS)
        found["watched_largest"] = _ours(server, largest, WATCHERS)
        found["postgresql_relaxed"] = _ours(relaxed, load)
        found["starlette_post"] = lambda _: runs(_echoed(echo, load))
        found["sqlite"] = _ours(served(stack, folder / "sqlite"), load)
        if MEMORY.is_dir():
            held = Path(stack.enter_context(TemporaryDirectory(dir=MEMORY)))
            found["sqlite_relaxed"] = _ours(served(stack, held), load)
        found["sqlite3_loop"] = lambda _: yardsticks.rate(
            yardsticks.sqlite_loop(folder / f"{uuid4().hex}.db", load.seconds)
        )
        yield found


def _ours(server: Server, load: Load, watchers: int = 0) -> Contender:
    load = msgspec.structs.replace(load, watchers=watchers)
    return lambda number: runs(played(server, load, f"{load.game} {watchers} {number}"))


async def played(
    server: Server, load: Load, seed: str, begin: Callable[[], None] = lambda: None
) -> dict[str, float]:
    """The figures of one run; `begin` is called once everything is ready for it."""
    ready = await plans(server, load.planned, seed, load.game)
    watching = {
        path_of(plan): [
            await Receiver.subscribe(server.url, path_of(plan), token)
            for token in tokens_of(plan)[: load.watchers]
        ]
        for plan in ready
    }
    begin()
    tally, kept = await counted(server, ready, load.connections, load.seconds)
    found = {**_figures(tally), **kept}
    if load.watchers:
        began = time.perf_counter()
        found["astray"] += await _unheard(server, watching)
        found["heard_after_ms"] = 1000 * (time.perf_counter() - began)
    return found


async def _unheard(server: Server, watching: dict[str, list[Receiver]]) -> int:
    """How many versions were told out of order or twice, once all have the last of their match."""
    database = await Database.open(server.database_url, read_only=True)
    try:
        query = select(MATCH.c.match_id, MATCH.c.version)
        rows = await database.read(lambda connection: connection.execute(query).all())
    finally:
        await database.close()
    strange = 0
    for match_id, version in rows:
        for receiver in watching.get(f"/v1/matches/{match_id}", ()):
            await receiver.until(version)
            strange += receiver.strange
            receiver.close()
    return strange


async def _echoed(url: str, load: Load) -> dict[str, float]:
    body = b'{"decision":"41.0","move":{"type":"choose_live","character":"KING"}}'
    one = request(f"/v1/matches/{uuid4()}/moves", "st_" + "a" * 48, body)
    many: list[Plan] = [[one] * 1_000 for _ in range(int(400 * load.seconds) + load.connections)]
    return _figures(await drive(url, many, load.connections, load.seconds))


def _figures(tally: Tally) -> dict[str, float]:
    return {
        "per_second": tally.rate,
        "p50_ms": tally.milliseconds(0.5),
        "p99_ms": tally.milliseconds(0.99),
    }
