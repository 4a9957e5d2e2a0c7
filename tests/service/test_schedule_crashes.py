"""Schedules while processes are killed: what is due happens once; an outage makes nobody late."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from service.clock import wall_clock
from tests.forking import nothing
from tests.service import timed_builds
from tests.service.client import bearer, create, open_table, play_out, seat_all
from tests.service.followed import events, is_over, is_sound, of_kind, until
from tests.service.process import PATIENCE, server
from tests.waiting import eventually

SOON = 2_500  # ms


async def test_nobody_is_absent_while_the_service_is_down(sqlite_url: str, tmp_path: Path) -> None:
    with server(sqlite_url, tmp_path) as first:
        async with first.client() as http:
            join_by = wall_clock() + SOON
            schedule = {"join_by": join_by, "no_show": "forfeit"}
            match_id = await create(http, first.key, "high_card", 2, schedule=schedule)
            table = await seat_all(http, first.key, match_id, 2)
        first.kill()
    await asyncio.sleep(SOON / 1000)
    with server(sqlite_url, tmp_path, TEST="1", TEST_CRASH_AT="after_flag:1") as second:
        async with second.client() as http:
            await events(http, table)  # Seat 0 is there, seat 1 never.
        await second.has_died()
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
        assert await is_sound(third, table)


async def test_a_start_is_made_once_whoever_dies_of_it(sqlite_url: str, tmp_path: Path) -> None:
    await _dying_of_a_start(sqlite_url, tmp_path, ("before_commit:1", "after_commit:1"))


@pytest.mark.soak
async def test_who_forgets_a_start_that_it_takes_is_found_out(
    sqlite_url: str, tmp_path: Path
) -> None:
    build = timed_builds.forgetting_what_it_takes
    with pytest.raises(AssertionError, match=r"it never came; at last there was \['seating'\]"):
        await _dying_of_a_start(sqlite_url, tmp_path, ("before_commit:1",), build, patience=4)


@pytest.mark.soak
async def test_who_starts_again_what_has_started_is_found_out(
    sqlite_url: str, tmp_path: Path
) -> None:
    build = timed_builds.remembering_what_it_started
    with pytest.raises(AssertionError, match="it started 2 times"):
        await _dying_of_a_start(sqlite_url, tmp_path, ("after_commit:1",), build)


async def _dying_of_a_start(
    database_url: str,
    tmp_path: Path,
    points: tuple[str, ...],
    build: Callable[[], None] = nothing,
    patience: float = PATIENCE,
) -> None:
    """All seats are taken when the time to start comes, and whoever starts it dies, at each of the
    points once. By the list: whoever looks at a match itself does what is due there.
    """
    starts_at, wait = 0, SOON // 4
    while wall_clock() >= starts_at:  # On a busy machine it may have started before it dies.
        wait *= 2
        with server(database_url, tmp_path) as first:
            async with first.client() as http:
                schedule = {"starts_at": (starts_at := wall_clock() + wait)}
                table = await open_table(http, first.key, "high_card", 2, schedule=schedule)
            first.kill()
    await asyncio.sleep(max(0, starts_at - wall_clock()) / 1000)
    for point in points:
        with server(database_url, tmp_path, build, TEST="1", TEST_CRASH_AT=point) as dying:
            await dying.has_died()
    with server(database_url, tmp_path, build) as last:
        async with last.client() as http:

            async def listed() -> list[str]:
                got = await http.get("/v1/matches?limit=200", headers=bearer(last.key))
                lines = got.json()["matches"]
                return [e["status"] for e in lines if e["match_id"] == table.match_id]

            await eventually(listed, lambda found: found == ["running"], patience)
            starts = of_kind(await events(http, table), "match_started")
            assert len(starts) == 1, f"it started {len(starts)} times"
            assert starts[0]["at"] >= starts_at
            await play_out(http, table, 1)
        assert await is_sound(last, table)
