"""Moves a second over GraphQL beside the same matches over REST, and one event to many watchers.

One `plyscribe serve` on PostgreSQL (fsync on), 32 connections, rounds interleaved, ratios taken
within a round. Each move asks for its receipt. After every run the rows stored are counted: they
are the moves that were acknowledged. Watchers are sockets of this process, all on one new match.
"""

import asyncio
import os
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import uvloop
from websockets.asyncio.client import ClientConnection, connect

from bench.connections import Tally, drive, request
from bench.plans import GAME, plans, played_rows
from bench.ratios import ratios
from games import registry
from service import migrate
from service.cli.demo.server import Server
from service.graphql.ids import MATCH, node_id
from service.graphql.sockets import PROTOCOL
from tests import servers

CONNECTIONS = 32
RATIOS = (("GraphQL / REST", "graphql", "rest", 0.18, 0.30),)
PLAY = (
    "mutation($input: PlayMoveInput!) { playMove(input: $input) { "
    "... on PlayMovePayload { receipt { first last head } } ... on Problem { code } } }"
)
FOLLOW = (
    "subscription($match: MatchRef!) { matchEvents(match: $match, after: 1) { "
    "... on Event { json } ... on CaughtUp { version } } }"
)


def run(rounds: int = 5, seconds: float = 2.0, matches: int = 60) -> dict[str, Any]:
    """Figures by name: every round, the medians, and the ratio with its goals."""
    found: dict[str, list[float]] = {"rest": [], "graphql": []}
    with ExitStack() as stack, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        server = _server(stack)
        for number in range(rounds):
            for name, figures in found.items():
                seed = f"{name}/{number}"
                tally = runner.run(_played(server, matches, seconds, seed, name == "graphql"))
                figures.append(round(tally.rate))
    return {
        "figures": {
            name: {"per_second": median(each), "rounds": each} for name, each in found.items()
        },
        "ratios": ratios(RATIOS, found),
    }


def fan_out(watchers: int = 1000, events: int = 12) -> dict[str, float]:
    """One event to so many watchers: time to the last, the server's own time, memory each."""
    with ExitStack() as stack, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_fanned_out(_server(stack), watchers, events))


def _server(stack: ExitStack) -> Server:
    folder = Path(stack.enter_context(TemporaryDirectory()))
    url = servers.create_database(stack.enter_context(servers.postgres()), f"bench_{uuid4().hex}")
    migrate.upgrade(url)
    server = Server(folder, url)
    stack.callback(server.stop)
    return server


async def _played(
    server: Server, matches: int, seconds: float, seed: str, is_graphql: bool
) -> Tally:
    ready = await plans(server, matches, seed)
    if is_graphql:
        ready = [[_translated(each) for each in plan] for plan in ready]
    before = await played_rows(server.database_url)
    tally = await drive(server.url, ready, CONNECTIONS, seconds)
    stored = await played_rows(server.database_url) - before
    acknowledged = len(tally.latencies)
    assert stored == acknowledged, f"{stored} stored, {acknowledged} acknowledged"
    return tally


def _translated(rest: bytes) -> bytes:
    """The same move through the other door."""
    head, body = rest.split(b"\r\n\r\n", 1)
    match_id = head.split(b"/")[3].decode()
    token = head.split(b"Bearer ", 1)[1].split(b"\r\n", 1)[0].decode()
    given = msgspec.json.decode(body)
    given = {
        "match": {"id": node_id(MATCH, match_id)},
        "decision": given["decision"],
        "moveJson": given["move"],
    }
    asked = {"query": PLAY, "variables": {"input": given}}
    return request("/graphql", token, msgspec.json.encode(asked))


async def _fanned_out(server: Server, watchers: int, events: int) -> dict[str, float]:
    headers = {"authorization": f"Bearer {server.key}"}
    async with httpx.AsyncClient(base_url=server.url, headers=headers, timeout=30) as http:
        options, seats = registry.game(GAME).trials[0]
        body = {"game": GAME, "seats": seats, "options": msgspec.to_builtins(options)}
        match_id = (await http.post("/v1/matches", json=body)).json()["match_id"]
        before = _resident(server.pid)
        sockets = [await _watching(server, match_id) for _ in range(watchers)]
        size = (_resident(server.pid) - before) / watchers
        lasts, spent = [], _cpu_seconds(server.pid)
        for number in range(events):
            verb = "claim" if number % 2 == 0 else "release"
            waiting = [asyncio.create_task(each.recv(decode=False)) for each in sockets]
            began = time.perf_counter()
            await http.post(f"/v1/matches/{match_id}/seats/0/{verb}")
            await asyncio.gather(*waiting)
            lasts.append((time.perf_counter() - began) * 1000)
        spent = _cpu_seconds(server.pid) - spent
        for each in sockets:
            each.transport.abort()
    return {
        "last_ms": round(median(lasts), 1),
        "server_us_per_message": round(spent * 1e6 / (watchers * events), 1),
        "kb_per_watcher": round(size, 1),
    }


async def _watching(server: Server, match_id: str) -> ClientConnection:
    address = server.url.replace("http", "ws") + "/graphql"
    made = await connect(address, subprotocols=[PROTOCOL], compression=None, ping_interval=None)  # type: ignore[list-item]
    init = {"type": "connection_init", "payload": {"authorization": f"Bearer {server.key}"}}
    await made.send(msgspec.json.encode(init).decode())
    await made.recv()
    payload = {"query": FOLLOW, "variables": {"match": {"id": node_id(MATCH, match_id)}}}
    frame = {"id": "1", "type": "subscribe", "payload": payload}
    await made.send(msgspec.json.encode(frame).decode())
    await made.recv()
    return made


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _resident(pid: int) -> float:
    """Resident memory in KB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return float(line.split()[1])
    raise AssertionError("no such line")
