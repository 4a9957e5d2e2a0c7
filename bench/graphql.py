"""Moves a second over GraphQL beside the same matches over REST.

One `plyscribe serve` on PostgreSQL (fsync on), 32 connections, rounds interleaved, ratios taken
within a round. Each move asks for its receipt. After every run the rows stored are counted: they
are the moves that were acknowledged.
"""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from bench.connections import request
from bench.plans import counted, plans
from bench.rounds import Contender, Tell, interleaved, quiet, runs, summary
from bench.served import fresh, served
from service.cli.demo.server import Server
from service.graphql.ids import MATCH, node_id
from tests import servers

CONNECTIONS = 32
RATIOS = {"graphql / rest": ("graphql_per_second", "rest_per_second")}
PLAY = (
    "mutation($input: PlayMoveInput!) { playMove(input: $input) { "
    "... on PlayMovePayload { receipt { first last head } } ... on Problem { code } } }"
)


def run(
    rounds: int = 5, seconds: float = 2.0, tell: Tell = quiet, matches: int = 60
) -> dict[str, Any]:
    """Moves a second by door."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        server = served(stack, folder, fresh(stack.enter_context(servers.postgres())))

        def door(name: str) -> Contender:
            return lambda number: runs(_played(server, matches, seconds, f"{name}/{number}", name))

        found = interleaved({name: door(name) for name in ("rest", "graphql")}, rounds, tell)
    return summary(found, RATIOS)


async def _played(
    server: Server, matches: int, seconds: float, seed: str, door: str
) -> dict[str, float]:
    ready = await plans(server, matches, seed)
    if door == "graphql":
        ready = [[_translated(each) for each in plan] for plan in ready]
    tally, kept = await counted(server, ready, CONNECTIONS, seconds)
    return {"per_second": tally.rate, **kept}


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
