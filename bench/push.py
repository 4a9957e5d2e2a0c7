"""How soon who watches sees a move, beside yardsticks measured in the same rounds.

One `plyscribe serve` on PostgreSQL (fsync on) with hints through Redis. `paced`: 1,000 moves a
second over 64 matches with a subscriber each, of the simplest and of the largest game, beside
pgbench at as many inserts a second with as many clients. `fanout`: one move to 1,000 spectators,
from sending the move until the last has it, its commit included; the bare socket does no more than
write the same number of bytes to 1,000 connections. The same over subscriptions of GraphQL.
"""

import asyncio
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import msgspec

from bench import yardsticks
from bench.connections import Connection, Tally
from bench.plans import LARGEST, SIMPLEST, Plan, kept, path_of, plans, played_rows
from bench.processes import cpu_seconds, resident
from bench.receivers import Receiver
from bench.rounds import Contender, Tell, interleaved, quiet, runs, summary
from bench.served import fresh, served
from service.cli.demo.server import Server
from tests import servers

MATCHES = 64
RATE = 1_000
WARMING = 1.0  # seconds of play before what is measured: the first move of each is another figure
SPECTATORS = 1_000
PUSHES = 10

Subscribe = Callable[[str, str, str], Awaitable[Receiver]]
DOORS: dict[str, Subscribe] = {
    "fanout": Receiver.subscribe,
    "graphql_fanout": Receiver.subscribe_by_graphql,
}
RATIOS = {
    "paced answer / pgbench": ("paced_answer_p99_ms", "pgbench_p99_ms"),
    "paced_largest answer / pgbench": ("paced_largest_answer_p99_ms", "pgbench_p99_ms"),
    "fanout / bare": ("fanout_last_ms", "fanout_bare_ms"),
    "graphql_fanout / bare": ("graphql_fanout_last_ms", "graphql_fanout_bare_ms"),
}


class _Receipt(msgspec.Struct):
    first: int
    last: int


_RECEIPT = msgspec.json.Decoder(_Receipt)


def run(
    rounds: int = 5, seconds: float = 2.0, tell: Tell = quiet, spectators: int = SPECTATORS
) -> dict[str, Any]:
    """Milliseconds, and microseconds of the server's processor time a spectator."""
    with _contenders(seconds, spectators) as found:
        return summary(interleaved(found, rounds, tell), RATIOS, skipped=yardsticks.missing())


@contextmanager
def _contenders(seconds: float, spectators: int) -> Iterator[dict[str, Contender]]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        redis = stack.enter_context(servers.redis())
        server = served(stack, folder / "served", fresh(postgres), redis)
        bare = stack.enter_context(_bare())
        found: dict[str, Contender] = {}
        if (pgbench := yardsticks.pgbench_program()) is not None:
            theirs = servers.create_database(postgres, f"bench_{uuid4().hex}")
            yardsticks.create_rows(theirs)
            found["pgbench"] = lambda _: _shares(
                yardsticks.pgbench_paced(pgbench, theirs, folder, seconds, RATE, MATCHES)
            )
        for name, game in (("paced", SIMPLEST), ("paced_largest", LARGEST)):
            found[name] = _pacing(server, seconds, game)
        for name, subscribe in DOORS.items():
            found[name] = _fanning(server, bare, spectators, f"{name} %d", subscribe)
        yield found


def _pacing(server: Server, seconds: float, game: str) -> Contender:
    return lambda number: runs(_paced(server, seconds, f"paced {number}", game))


def _fanning(
    server: Server, bare: str, spectators: int, seed: str, subscribe: Subscribe
) -> Contender:
    def measured(number: int) -> dict[str, float]:
        found = runs(fanout(server, spectators, seed % number, subscribe))
        found["bare_ms"] = runs(_bare_fanout(bare, spectators, round(found["bytes"])))
        return found

    return measured


async def _paced(server: Server, seconds: float, seed: str, game: str) -> dict[str, float]:
    """Each match moves when its turn has come, or once its last move is answered."""
    ready = await plans(server, MATCHES, seed, game)
    watching = [await Receiver.subscribe(server.url, path_of(p), server.key) for p in ready]
    answers, delays, moves = list[float](), list[float](), 0
    await asyncio.sleep(0.5)
    before = await played_rows(server.database_url)
    start = time.perf_counter() + WARMING

    async def play(plan: Plan, receiver: Receiver, offset: float) -> None:
        nonlocal moves
        connection = await Connection.open(server.url)
        answered: list[tuple[int, float]] = []
        for number, each in enumerate(plan):
            due = start - WARMING + offset + number * MATCHES / RATE
            if due > start + seconds:
                break
            await asyncio.sleep(max(0, due - time.perf_counter()))
            began = time.perf_counter()
            receipt = _RECEIPT.decode(await connection.send(each))
            moves += 1
            if due >= start:
                answered.append((receipt.last, time.perf_counter()))
                answers.append(answered[-1][1] - began)
        for last, at in answered:
            delays.append(max(0.0, await receiver.until(last) - at))
        connection.close()
        receiver.close()

    offsets = [number / RATE for number in range(MATCHES)]
    await asyncio.gather(*map(play, ready, watching, offsets))
    stored = await played_rows(server.database_url) - before
    found = kept(moves, stored)
    found["astray"] += sum(each.strange for each in watching)
    for name, times in (("answer", answers), ("push", delays)):
        shares = _shares([1000 * each for each in times])
        found |= {f"{name}_{share}": value for share, value in shares.items()}
    return {"moves_per_second": len(answers) / seconds, **found}


def _shares(milliseconds: list[float]) -> dict[str, float]:
    tally = Tally()
    tally.latencies = [each / 1000 for each in milliseconds]
    return {"p50_ms": tally.milliseconds(0.5), "p99_ms": tally.milliseconds(0.99)}


async def fanout(
    server: Server, spectators: int, seed: str, subscribe: Subscribe
) -> dict[str, float]:
    """One move after the other to so many who watch; what they take of the server's memory."""
    (plan,) = await plans(server, 1, seed)
    rows = await played_rows(server.database_url)
    before = resident(server.pid)
    watching = [await subscribe(server.url, path_of(plan), server.key) for _ in range(spectators)]
    connection = await Connection.open(server.url)
    lasts: list[tuple[float, float]] = []
    spent = 0.0
    for number, each in enumerate(plan[: PUSHES + 2]):
        if number == 2:
            # Whoever subscribed is served by now.
            spent = cpu_seconds(server.pid)
        sent = sum(receiver.bytes for receiver in watching)
        began = time.perf_counter()
        receipt = _RECEIPT.decode(await connection.send(each))
        came = [await receiver.until(receipt.last) for receiver in watching]
        await asyncio.sleep(0.05)
        sent = sum(receiver.bytes for receiver in watching) - sent
        lasts.append((max(came) - began, sent / spectators))
    spent = cpu_seconds(server.pid) - spent
    taken = resident(server.pid) - before
    for receiver in watching:
        receiver.close()
    connection.close()
    await asyncio.sleep(0.5)
    rows = await played_rows(server.database_url) - rows
    return {
        **kept(len(lasts), rows),
        "last_ms": 1000 * median(last for last, _ in lasts[2:]),
        "bytes": median(size for _, size in lasts[2:]),
        "taken_kb": taken / spectators / 1024,
        "cpu_us": 1e6 * spent / PUSHES / spectators,
    }


async def _bare_fanout(url: str, spectators: int, size: int) -> float:
    """Milliseconds to the last."""
    watching = [await Receiver.open(url) for _ in range(spectators)]
    pusher = await Receiver.open(url)
    lasts = []
    for _ in range(PUSHES + 2):
        for receiver in watching:
            receiver.came.clear()
        began = time.perf_counter()
        pusher.send(b"push %d\n" % size)
        came = [await receiver.until(0) for receiver in watching]
        lasts.append(max(came) - began)
        await asyncio.sleep(0.05)
    for receiver in (*watching, pusher):
        receiver.close()
    return 1000 * median(lasts[2:])


@contextmanager
def _bare() -> Iterator[str]:
    command = [sys.executable, "-m", "bench.bare"]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield f"tcp://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()
