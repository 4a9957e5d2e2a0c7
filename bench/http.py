"""Durable moves a second over REST, beside yardsticks measured in the same minutes.

One `plyscribe serve` on SQLite (FULL) and one on PostgreSQL (fsync on), a real game, 32
connections: each plays one match after the other. Yardsticks: pgbench single-row inserts at 32
clients, a bare Starlette POST at 32 connections, a plain loop of single-row commits on SQLite.
Rounds are interleaved, ratios are taken within a round, medians reported. After every run the rows
stored are counted: they are the moves that were acknowledged.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias
from uuid import uuid4

import msgspec
import uvloop

from bench import yardsticks
from bench.connections import Tally, drive, request
from bench.plans import Plan, plans, played_rows
from bench.ratios import ratios
from service import migrate
from service.cli.demo.server import Server
from tests import servers

CONNECTIONS = 32
MATCHES = 40  # planned for each run; a run ends early when one connection finds none left
RATIOS = (
    ("REST on PostgreSQL / pgbench", "postgresql", "pgbench", 0.20, 0.40),
    ("REST on SQLite / plain sqlite3 loop", "sqlite", "sqlite3_loop", 0.6, 1.0),
    ("REST on PostgreSQL / bare Starlette POST", "postgresql", "starlette_post", None, None),
    ("REST on SQLite / bare Starlette POST", "sqlite", "starlette_post", None, None),
)

Contender: TypeAlias = Callable[[float, int], dict[str, float]]  # (seconds, round): its figures


def run(
    rounds: int = 5,
    seconds: float = 2.0,
    matches: int = MATCHES,
    connections: int = CONNECTIONS,
) -> dict[str, Any]:
    """Figures by name: every round and the medians; ratios with their goals."""
    with _contenders(matches, connections) as found:
        figures: dict[str, list[dict[str, float]]] = {name: [] for name in found}
        for number in range(rounds):
            for name, contender in found.items():
                figures[name].append(contender(seconds, number))
    rates = {name: [one["per_second"] for one in each] for name, each in figures.items()}
    return {
        "figures": {name: _medians(each) for name, each in figures.items()},
        "ratios": ratios(RATIOS, rates),
        "skipped": [] if "pgbench" in figures else ["pgbench: no such program"],
    }


@contextmanager
def _contenders(matches: int, connections: int) -> Iterator[dict[str, Contender]]:
    """Ours and the yardsticks, by name; their servers run while the block does."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        theirs = servers.create_database(postgres, f"bench_{uuid4().hex}")
        echo = stack.enter_context(yardsticks.echo_server())
        found: dict[str, Contender] = {}
        pgbench = yardsticks.pgbench_program()
        if pgbench is not None:
            yardsticks.create_rows(theirs)
            found["pgbench"] = lambda seconds, _: _rate(
                yardsticks.pgbench(pgbench, theirs, folder, seconds)
            )
        load = _Load(matches, connections)
        found["postgresql"] = _ours(stack, folder / "postgresql", load, postgres)
        found["starlette_post"] = lambda seconds, _: _tallied(_echoed(echo, connections, seconds))
        found["sqlite"] = _ours(stack, folder / "sqlite", load, None)
        found["sqlite3_loop"] = lambda seconds, _: _rate(
            yardsticks.sqlite_loop(folder / f"{uuid4().hex}.db", seconds)
        )
        yield found


class _Load(msgspec.Struct, frozen=True):
    """How many matches are planned for a run, and how many connections play them."""

    matches: int
    connections: int


def _ours(stack: ExitStack, folder: Path, load: _Load, postgres: str | None) -> Contender:
    """A server of ours on a database of its own."""
    folder.mkdir()
    url = None
    if postgres is not None:
        url = servers.create_database(postgres, f"bench_{uuid4().hex}")
        migrate.upgrade(url)
    server = Server(folder, url)
    stack.callback(server.stop)
    return lambda seconds, number: _tallied(_played(server, load, seconds, seed=str(number)))


async def _played(server: Server, load: _Load, seconds: float, seed: str) -> Tally:
    ready = await plans(server, load.matches, seed)
    before = await played_rows(server.database_url)
    tally = await drive(server.url, ready, load.connections, seconds)
    stored = await played_rows(server.database_url) - before
    acknowledged = len(tally.latencies)
    assert stored == acknowledged, f"{stored} stored, {acknowledged} acknowledged"
    return tally


async def _echoed(url: str, connections: int, seconds: float) -> Tally:
    body = b'{"decision":"41.0","move":{"type":"choose_live","character":"KING"}}'
    one = request(f"/v1/matches/{uuid4()}/moves", "st_" + "a" * 48, body)
    many: list[Plan] = [[one] * 1_000 for _ in range(int(400 * seconds) + connections)]
    return await drive(url, many, connections, seconds)


def _rate(rate: float) -> dict[str, float]:
    return {"per_second": rate}


def _tallied(work: Coroutine[Any, Any, Tally]) -> dict[str, float]:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        tally = runner.run(work)
    return {
        "per_second": tally.rate,
        "p50_ms": tally.milliseconds(0.5),
        "p99_ms": tally.milliseconds(0.99),
        "answers": float(len(tally.latencies)),
    }


def _medians(rounds: list[dict[str, float]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        name: round(median(each[name] for each in rounds), 2) for name in rounds[0]
    }
    return {**found, "rounds": [round(each["per_second"]) for each in rounds]}
