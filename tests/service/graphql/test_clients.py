"""Clients of others against a real server: the audit of graphql-http, graphql-ws, gql."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.websockets import WebsocketsTransport

from tests.service.client import Table, bearer, open_table, random_move
from tests.service.graphql.asking import ref
from tests.service.node import installed
from tests.service.process import Server, server
from tests.waiting import PATIENCE

NPM = Path(__file__).with_name("npm")
EVENTS = gql(
    """subscription($match: MatchRef!, $after: Int!) { matchEvents(match: $match, after: $after) {
      ... on Event { version json } } }"""
)
DECISIONS = gql("subscription { decisions { decision { id offersJson } } }")
PLAY = gql(
    """mutation($match: MatchRef!, $decision: String!, $move: JSON!) {
      playMove(input: {match: $match, decision: $decision, moveJson: $move}) {
        __typename ... on Problem { code } } }"""
)
# Another seat was quicker where the first answer is taken.
LATE = ("DECISION_CLOSED", "OFFER_GONE", "MATCH_NOT_RUNNING")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with server(f"sqlite:///{folder / 'plyscribe.db'}", folder) as found:
        yield found


@pytest.fixture(scope="module")
def npm() -> Path:
    """The scripts beside the packages they need, which are installed once and kept."""
    folder = installed(NPM)
    for script in NPM.glob("*.mjs"):
        shutil.copy(script, folder)
    return folder


def test_the_audit_of_graphql_http_finds_nothing(running: Server, npm: Path) -> None:
    done = _node(npm, "audit.mjs", running.address + "/graphql")
    results = [json.loads(line) for line in done.splitlines()]
    assert len(results) == 61
    assert [each for each in results if each["status"] != "ok"] == []


async def test_graphql_ws_plays_and_follows_a_match(running: Server, npm: Path) -> None:
    async with running.client() as http:
        table = await open_table(http, running.key, "high_card", 3)
        address = running.address.replace("http", "ws") + "/graphql"
        arguments = ("play.mjs", address, ref(table.match_id)["id"], *table.tokens)
        seen = json.loads(await asyncio.to_thread(_node, npm, *arguments))
        assert seen == await _events(http, table)
        assert seen[-1]["kind"] == "match_revealed"


async def test_gql_plays_and_follows_a_match(running: Server) -> None:
    async with running.client() as http:
        table = await open_table(http, running.key, "high_card", 3)
        seats = [_play(running, table, seat) for seat in range(3)]
        seen, *_ = await asyncio.gather(_follow(running, table), *seats)
        assert seen == await _events(http, table)


async def test_gql_reads_the_schema_and_asks_by_it(running: Server) -> None:
    transport = AIOHTTPTransport(running.address + "/graphql", headers=bearer(running.key))
    async with Client(transport=transport, fetch_schema_from_transport=True) as session:
        assert session.client.schema is not None
        told = await session.execute(gql("{ games { slug name } }"))
        assert {"slug": "high_card", "name": "High card"} in told["games"]


async def _play(running: Server, table: Table, seat: int) -> None:
    rng = Random(seat)
    async with _client(running, table.tokens[seat]) as session:
        async for told in session.subscribe(DECISIONS):
            own = told["decisions"]["decision"]
            move = random_move(own["offersJson"], rng)
            given = {"match": ref(table.match_id), "decision": own["id"], "move": move}
            PLAY.variable_values = given
            answer = await session.execute(PLAY)
            assert answer["playMove"].get("code") in (None, *LATE)


async def _follow(running: Server, table: Table) -> list[Any]:
    """The events that seat 1 saw, over connections that break off."""
    seen: list[Any] = []
    while True:
        left = 5
        async with _client(running, table.tokens[1]) as session:
            after = seen[-1]["version"] if seen else 0
            EVENTS.variable_values = {"match": ref(table.match_id), "after": after}
            async for told in session.subscribe(EVENTS):
                if told["matchEvents"]:
                    seen.append(told["matchEvents"])
                left -= 1
                if not left:
                    break
        if left:
            return [each["json"] for each in seen]


def _client(running: Server, token: str) -> Any:
    transport = WebsocketsTransport(
        running.address.replace("http", "ws") + "/graphql",
        subprotocols=[WebsocketsTransport.GRAPHQLWS_SUBPROTOCOL],
        init_payload={"authorization": bearer(token)["Authorization"]},
    )
    return Client(transport=transport)


async def _events(http: Any, table: Table) -> list[Any]:
    got = await http.get(table.path + "/events", headers=bearer(table.tokens[1]))
    found: list[Any] = got.json()["events"]
    return found


def _node(folder: Path, *arguments: str) -> str:
    command = ["node", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout
