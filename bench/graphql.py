"""Moves a second over GraphQL beside the same matches over REST.

One `plyscribe serve` on PostgreSQL (fsync on), 32 connections, rounds interleaved, ratios taken
within a round. Each move asks for its receipt. After every run the rows stored are counted: they
are the moves that were acknowledged.
"""

import asyncio
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import msgspec
import uvloop

from bench.connections import Tally, drive, request
from bench.plans import plans, played_rows
from bench.ratios import ratios
from service import migrate
from service.cli.demo.server import Server
from service.graphql.ids import MATCH, node_id
from tests import servers

CONNECTIONS = 32
RATIOS = (("GraphQL / REST", "graphql", "rest", 0.18, 0.30),)
PLAY = (
    "mutation($input: PlayMoveInput!) { playMove(input: $input) { "
    "... on PlayMovePayload { receipt { first last head } } ... on Problem { code } } }"
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
