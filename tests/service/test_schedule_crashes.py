"""Schedules while processes are killed: what is due happens once; an outage makes nobody late."""

import asyncio
import time
from pathlib import Path

from events.given_log import GivenLog
from tests.service.client import bearer, create, seat_all
from tests.service.process import PATIENCE, Server, server
from tests.service.test_clock_crashes import events, is_over, of_kind, until

SOON = 2_500  # ms


def now() -> int:
    return int(time.time() * 1000)


async def is_sound(running: Server, path: str) -> bool:
    """The revealed log, by the program's own verifier."""
    query = "/events?perspective=full&proof=true&limit=500"
    async with running.client() as http:
        got = await http.get(path + query, headers=bearer(running.key))
    return GivenLog(got.json()["events"]).verdict(None).is_sound


async def test_nobody_is_absent_while_the_service_is_down(sqlite_url: str, tmp_path: Path) -> None:
    with server(sqlite_url, tmp_path) as first:
        async with first.client() as http:
            join_by = now() + SOON
            schedule = {"join_by": join_by, "no_show": "forfeit"}
            match_id = await create(http, first.key, "high_card", 2, schedule=schedule)
            table = await seat_all(http, first.key, match_id, 2)
        first.kill()
    await asyncio.sleep(SOON / 1000)
    with server(sqlite_url, tmp_path, TEST="1", TEST_CRASH_AT="after_flag:1") as second:
        async with second.client() as http:
            await events(http, table)  # Seat 0 is there, seat 1 never.
        second.process.wait(PATIENCE)
    with server(sqlite_url, tmp_path) as third:
        async with third.client() as http:
            found = await until(http, table, is_over)
        (check,) = of_kind(found, "presence_checked")
        seen = check["data"]["seen"]
        assert seen[0] > join_by
        assert seen[1] is None
        assert found[-2]["data"]["outcome"] == {
            "note": "",
            "ranks": [1, 2],
            "scores": None,
            "terminal": "no_show",
        }
        assert await is_sound(third, table.path)
