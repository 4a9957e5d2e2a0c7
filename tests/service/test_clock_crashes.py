"""Clocks while processes are killed: each flag falls once, and nobody's time runs unserved."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from events.given_log import GivenLog
from tests.service.client import Json, Table, bearer, open_table
from tests.service.process import PATIENCE, Server, server

FAST = {"time": {"type": "per_move", "move": 1_500}}


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    url: str = request.getfixturevalue(name)
    return url


async def events(http: httpx.AsyncClient, table: Table) -> list[Json]:
    got = await http.get(table.path + "/events?limit=500", headers=bearer(table.tokens[0]))
    assert got.status_code == 200, got.text
    found: list[Json] = got.json()["events"]
    return found


async def until(
    http: httpx.AsyncClient, table: Table, holds: Callable[[list[Json]], bool]
) -> list[Json]:
    """The events of a match once they are so."""
    async with asyncio.timeout(PATIENCE):
        while True:
            found = await events(http, table)
            if holds(found):
                return found
            await asyncio.sleep(0.1)


def of_kind(found: list[Json], kind: str) -> list[Json]:
    return [each for each in found if each["kind"] == kind]


def is_over(found: list[Json]) -> bool:
    return bool(found[-1]["kind"] == "match_revealed")


async def is_sound(running: Server, table: Table) -> bool:
    """The revealed log, by the program's own verifier."""
    path = table.path + "/events?perspective=full&proof=true&limit=500"
    async with running.client() as http:
        got = await http.get(path, headers=bearer(running.key))
    verdict = GivenLog(got.json()["events"]).verdict(None)
    return verdict.is_sound and "clocks" in verdict.checked


async def test_nobody_loses_on_time_while_the_service_is_down(
    database_url: str, tmp_path: Path
) -> None:
    with server(database_url, tmp_path) as first:
        async with first.client() as http:
            clock = {**FAST, "flag": "forfeit"}
            table = await open_table(http, first.key, "high_card", 2, clock=clock)
            started = (await events(http, table))[-1]
        first.kill()
    await asyncio.sleep(2)  # Longer than a seat has.
    with server(database_url, tmp_path) as second:
        async with second.client() as http:
            found = await until(http, table, is_over)
            (credit,) = of_kind(found, "time_credited")
            (fall,) = of_kind(found, "flag_fell")
            since, until_ = credit["data"]["since"], credit["data"]["until"]
            assert since <= started["at"] + 1_500 < until_
            ran = max(0, since - started["at"])
            assert fall["data"]["fell"] == max(until_, started["at"]) + 1_500 - ran
            assert found[-2]["data"]["outcome"]["terminal"] == "timed_out"
        assert await is_sound(second, table)


@pytest.mark.parametrize(
    ("database_url", "point"),
    [("sqlite", "after_flag:1"), ("postgresql", "after_credit:1")],
    indirect=["database_url"],
)
async def test_killed_after_what_a_clock_led_to(
    database_url: str, tmp_path: Path, point: str
) -> None:
    clock = {**FAST, "abandon_after": 2}
    with server(database_url, tmp_path) as first:
        async with first.client() as http:
            table = await open_table(http, first.key, "high_card", 2, clock=clock)
        first.kill()
    with server(database_url, tmp_path, TEST="1", TEST_CRASH_AT=point) as second:
        second.process.wait(PATIENCE)
    with server(database_url, tmp_path) as third:
        async with third.client() as http:
            found = await until(http, table, is_over)
        assert found[-2]["data"]["outcome"]["terminal"] == "abandoned"
        assert await is_sound(third, table)


async def test_two_processes_let_every_flag_fall_once(postgres_url: str, tmp_path: Path) -> None:
    clock: Any = {"time": {"type": "per_move", "move": 400}, "abandon_after": 2}
    with server(postgres_url, tmp_path) as one, server(postgres_url, tmp_path):
        async with one.client() as http:
            tables = [
                await open_table(http, one.key, "high_card", 4, clock=clock) for _ in range(8)
            ]
            for table in tables:
                found = await until(http, table, is_over)
                fallen = [each["data"]["decision"] for each in of_kind(found, "flag_fell")]
                assert len(set(fallen)) == len(fallen)
                assert await is_sound(one, table)
