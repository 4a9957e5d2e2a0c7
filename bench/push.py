"""How soon who watches sees a move, beside a bare uvloop socket measured in the same rounds.

One `plyscribe serve` on PostgreSQL (fsync on) with hints through Redis. `paced`: 1,000 moves a
second over 64 matches with a subscriber each. `fanout`: one move to 1,000 spectators, from sending
the move until the last has it, its commit included; the bare socket does no more than write the
same number of bytes to 1,000 connections. The same over subscriptions of GraphQL.
`memory`: what a subscriber of each door and a folded match take.
"""

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from uuid import uuid4

import httpx
import msgspec
import uvloop

from bench.connections import Connection, Tally, drive
from bench.plans import Plan, plans
from bench.receivers import Receiver
from service import migrate
from service.cli.demo.server import Server
from tests import servers

MATCHES = 64
RATE = 1_000
SPECTATORS = 1_000
PUSHES = 10
FOLDED = 130
CONNECTIONS = 32

GOALS = {  # must, stretch
    "answer_p99_ms": (10, 5),
    "push_p99_ms": (3, 1),
    "fanout_ratio": (3, 2),
    "graphql_fanout_ratio": (8, 4),
    "subscriber_kb": (40, 30),
    "graphql_subscriber_kb": (60, 50),
    "match_kb": (8, 4),
}

T = TypeVar("T")
Subscribe = Callable[[str, str, str], Awaitable[Receiver]]
DOORS: dict[str, Subscribe] = {
    "": Receiver.subscribe,
    "graphql_": Receiver.subscribe_by_graphql,
}
_PATH = re.compile(rb"POST (\S+)/moves ")


class _Receipt(msgspec.Struct):
    first: int
    last: int


_RECEIPT = msgspec.json.Decoder(_Receipt)


def run(rounds: int = 5, seconds: float = 2.0, spectators: int = SPECTATORS) -> dict[str, Any]:
    """Milliseconds and ratios of every round, and their medians; kilobytes of memory."""
    found: dict[str, list[float]] = {}
    with _ours() as (server, redo), _bare() as bare:
        for number in range(rounds):
            figures = _run(_paced(server, seconds, f"paced {number}"))
            for door, subscribe in DOORS.items():
                pushed = _run(_fanout(server, spectators, f"fanout {door}{number}", subscribe))
                least = _run(_bare_fanout(bare, spectators, round(pushed["bytes"])))
                figures[door + "fanout_last_ms"] = pushed["last_ms"]
                figures[door + "bare_last_ms"] = least
                figures[door + "fanout_ratio"] = pushed["last_ms"] / least
                figures[door + "fanout_cpu_us"] = pushed["cpu_us"]
            for name, value in figures.items():
                found.setdefault(name, []).append(value)
        found.update({name: [value] for name, value in _memory(redo, spectators).items()})
    return {
        name: {"median": round(median(each), 2), "rounds": [round(value, 2) for value in each]}
        for name, each in found.items()
    }


def memory(spectators: int = SPECTATORS) -> dict[str, float]:
    """Kilobytes of a subscriber of each door, and of a folded match."""
    with _ours() as (_, redo):
        return _memory(redo, spectators)


def _memory(redo: Callable[[], Server], spectators: int) -> dict[str, float]:
    """Of servers that have just started: others have room left in memory they took before."""
    found = {}
    for door, subscribe in DOORS.items():
        pushed = _run(_fanout(redo(), spectators, f"memory {door}", subscribe))
        found[door + "subscriber_kb"] = pushed["subscriber_kb"]
    return {**found, "match_kb": _run(_folded(redo(), redo, FOLDED))}


async def _paced(server: Server, seconds: float, seed: str) -> dict[str, float]:
    """Each match moves when its turn has come, or once its last move is answered."""
    ready = await plans(server, MATCHES, seed)
    watching = [await Receiver.subscribe(server.url, _path(p), server.key) for p in ready]
    tally, delays = Tally(), list[float]()
    await asyncio.sleep(0.5)
    start = time.perf_counter()

    async def play(plan: Plan, receiver: Receiver, offset: float) -> None:
        connection = await Connection.open(server.url)
        answered: list[tuple[int, float]] = []
        for number, each in enumerate(plan):
            due = start + offset + number * MATCHES / RATE
            if due > start + seconds:
                break
            await asyncio.sleep(max(0, due - time.perf_counter()))
            began = time.perf_counter()
            receipt = _RECEIPT.decode(await connection.send(each))
            answered.append((receipt.last, time.perf_counter()))
            tally.latencies.append(answered[-1][1] - began)
        for last, at in answered:
            delays.append(max(0.0, await receiver.until(last) - at))
        connection.close()
        receiver.close()

    offsets = [number / RATE for number in range(MATCHES)]
    await asyncio.gather(*map(play, ready, watching, offsets))
    tally.seconds = time.perf_counter() - start
    pushes = Tally()
    pushes.latencies = delays
    return {
        "moves_per_second": len(tally.latencies) / seconds,
        "answer_p50_ms": tally.milliseconds(0.5),
        "answer_p99_ms": tally.milliseconds(0.99),
        "push_p50_ms": pushes.milliseconds(0.5),
        "push_p99_ms": pushes.milliseconds(0.99),
    }


async def _fanout(
    server: Server, spectators: int, seed: str, subscribe: Subscribe
) -> dict[str, float]:
    (plan,) = await plans(server, 1, seed)
    before = resident(server.pid)
    watching = [await subscribe(server.url, _path(plan), server.key) for _ in range(spectators)]
    connection = await Connection.open(server.url)
    lasts: list[tuple[float, float]] = []
    spent = 0.0
    for number, each in enumerate(plan[: PUSHES + 2]):
        if number == 2:
            # Whoever subscribed is served by now.
            spent = _cpu_seconds(server.pid)
        sent = sum(receiver.bytes for receiver in watching)
        began = time.perf_counter()
        receipt = _RECEIPT.decode(await connection.send(each))
        came = [await receiver.until(receipt.last) for receiver in watching]
        await asyncio.sleep(0.05)
        sent = sum(receiver.bytes for receiver in watching) - sent
        lasts.append((max(came) - began, sent / spectators))
    spent = _cpu_seconds(server.pid) - spent
    taken = resident(server.pid) - before
    for receiver in watching:
        receiver.close()
    connection.close()
    await asyncio.sleep(0.5)
    return {
        "last_ms": 1000 * median(last for last, _ in lasts[2:]),
        "bytes": median(size for _, size in lasts[2:]),
        "subscriber_kb": taken / spectators / 1024,
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


async def _folded(server: Server, redo: Callable[[], Server], count: int) -> float:
    """Kilobytes for a match in the midst of its play, folded by a server that has just started."""
    ready = await plans(server, count, "folded")
    halves = [plan[: len(plan) // 2] for plan in ready]
    while halves:
        await drive(server.url, halves, CONNECTIONS, seconds=120)
    fresh = redo()
    headers = {"authorization": f"Bearer {fresh.key}"}
    async with httpx.AsyncClient(base_url=fresh.url, headers=headers, trust_env=False) as http:
        for plan in ready[:30]:
            (await http.get(_path(plan) + "/view")).raise_for_status()
        before = resident(fresh.pid)
        for plan in ready[30:]:
            (await http.get(_path(plan) + "/view")).raise_for_status()
        return (resident(fresh.pid) - before) / (count - 30) / 1024


def resident(pid: int) -> int:
    """Bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("a process without memory")


def _cpu_seconds(pid: int) -> float:
    """What a process has spent; unlike times, load of others hardly moves it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _ours() -> Iterator[tuple[Server, Callable[[], Server]]]:
    """A server, and how to have another one in its place."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        postgres = stack.enter_context(servers.postgres())
        redis = stack.enter_context(servers.redis())
        url = servers.create_database(postgres, f"bench_{uuid4().hex}")
        migrate.upgrade(url)

        def started() -> Server:
            server = Server(folder, url, redis_url=redis)
            stack.callback(server.stop)
            return server

        running = [started()]

        def again() -> Server:
            running.pop().stop()
            running.append(started())
            return running[-1]

        yield running[0], again


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


def _path(plan: Plan) -> str:
    found = _PATH.match(plan[0])
    assert found is not None
    return found[1].decode()


def _run(work: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)
