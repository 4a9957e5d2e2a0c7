"""Many matches at once over REST against a real server: no errors, and every log verifies."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import httpx
import pytest

from service.cli.checking import checked
from service.cli.configuration import configured
from service.cli.demo.server import Server
from service.cli.rebuilding import read_log
from tests.service.client import Table, answer, bearer, decision_of, open_table, random_move
from tests.waiting import PATIENCE

MATCHES = 64
GAME, SEATS = "ambition_characters", 4


@pytest.fixture
def server(database_url: str, tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path, database_url)
    yield started
    started.stop()


async def test_many_matches_at_once(server: Server) -> None:
    await _load_and_verify(server, seconds=3)


@pytest.mark.soak
async def test_many_matches_at_once_for_long(server: Server) -> None:
    await _load_and_verify(server, seconds=30)


async def _load_and_verify(server: Server, seconds: float) -> None:
    limits = httpx.Limits(max_connections=MATCHES, max_keepalive_connections=MATCHES)
    options = httpx.Timeout(PATIENCE)
    async with httpx.AsyncClient(
        base_url=server.url, limits=limits, timeout=options, trust_env=False
    ) as http:
        tables = await asyncio.gather(
            *(open_table(http, server.key, GAME, SEATS) for _ in range(MATCHES))
        )
        until = time.monotonic() + seconds
        played = await asyncio.gather(
            *(_play_until(http, table, until, Random(n)) for n, table in enumerate(tables))
        )
    assert min(played) > 0
    server.stop()
    settings = configured(data_dir=server.data_dir, database_url=server.database_url)
    stored = 0
    for table in tables:
        log = await read_log(settings, table.match_id)
        verdict = checked(log)
        assert verdict.ok, verdict.faults
        assert verdict.unchecked == ()
        stored += sum(record.kind == "move_played" for record in log.records)
    assert stored == sum(played), "what was acknowledged is what is stored"


async def _play_until(http: httpx.AsyncClient, table: Table, until: float, rng: Random) -> int:
    """Answer whatever is asked, at least once; those of a sealed decision together. How many."""
    made = 0
    while made == 0 or time.monotonic() < until:
        got = await http.get(table.path + "/view", headers=bearer(table.tokens[0]))
        asked = got.raise_for_status().json()["asked"]
        if asked is None:
            return made
        seats = asked["seats"] if asked["mode"] == "sealed" else [rng.choice(asked["seats"])]
        await asyncio.gather(*(_answer(http, table, seat, rng) for seat in seats))
        made += len(seats)
    return made


async def _answer(http: httpx.AsyncClient, table: Table, seat: int, rng: Random) -> None:
    shown = await decision_of(http, table, seat)
    move = random_move(shown["decision"]["offers"], rng)
    done = await answer(http, table, seat, shown["decision"]["id"], move)
    assert done.status_code == 200, done.text
