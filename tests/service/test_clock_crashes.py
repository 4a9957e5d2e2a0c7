"""Clocks while processes are killed: each flag falls once, and nobody's time runs unserved."""

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from service.clock import wall_clock
from tests.forking import nothing
from tests.service import timed_builds
from tests.service.client import Json, Table, bearer, create, open_table, seat_all
from tests.service.followed import events, is_over, is_sound, of_kind, until
from tests.service.process import PATIENCE, Server, server

FAST: Final = {"time": {"type": "per_move", "move": 1_500}, "abandon_after": 1}
SLOW: Final = {"time": {"type": "per_move", "move": 3_600_000}}
QUICK: Final = {"FLAG_GRACE_SECONDS": "0.1"}


async def test_nobody_loses_on_time_while_the_service_is_down(
    postgres_url: str, tmp_path: Path
) -> None:
    await _away(postgres_url, tmp_path)


@pytest.mark.soak
async def test_who_charges_an_outage_is_found_out(sqlite_url: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="an outage was charged"):
        await _away(sqlite_url, tmp_path, timed_builds.noticing_no_outage)


async def _away(database_url: str, tmp_path: Path, build: Callable[[], None] = nothing) -> None:
    clock = {"time": {"type": "per_move", "move": 2_000}, "flag": "forfeit"}
    with server(database_url, tmp_path, build) as first:
        async with first.client() as http:
            over = 0
            while wall_clock() > over - 1_000:  # On a busy machine it may be too late to kill it.
                table = await open_table(http, first.key, "high_card", 2, clock=clock)
                started = (await events(http, table))[-1]
                over = started["at"] + 2_000
        first.kill()
    await asyncio.sleep(max(0, over - wall_clock()) / 1000)
    with server(database_url, tmp_path, build) as second:
        async with second.client() as http:
            found = await until(http, table, is_over)
            assert of_kind(found, "time_credited"), "an outage was charged"
            (credit,) = of_kind(found, "time_credited")
            (fall,) = of_kind(found, "flag_fell")
            since, until_ = credit["data"]["since"], credit["data"]["until"]
            assert since <= over < until_
            ran = max(0, since - started["at"])
            assert fall["data"]["fell"] == until_ + 2_000 - ran
            assert found[-2]["data"]["outcome"]["terminal"] == "timed_out"
        assert await is_sound(second, table, "clocks")


async def test_killed_after_a_flag_that_fell(sqlite_url: str, tmp_path: Path) -> None:
    await _killed_after_a_flag(sqlite_url, tmp_path)


@pytest.mark.soak
async def test_who_minds_no_flags_of_others_is_found_out(sqlite_url: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="it never came"):
        await _killed_after_a_flag(sqlite_url, tmp_path, timed_builds.minding_its_own, patience=10)


async def _killed_after_a_flag(
    sqlite_url: str,
    tmp_path: Path,
    build: Callable[[], None] = nothing,
    patience: float = PATIENCE,
) -> None:
    crash = {"TEST": "1", "TEST_CRASH_AT": "after_flag:1"}
    with server(sqlite_url, tmp_path, build, **crash, **QUICK) as first:
        table = await begun(first)
        await first.has_died()
    with server(sqlite_url, tmp_path, build, **QUICK) as second:
        await goes_on(second, table, patience)


async def test_killed_after_giving_back_what_it_stood_still(
    postgres_url: str, tmp_path: Path
) -> None:
    await _killed_after_giving_back(postgres_url, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("build", "found"),
    [
        (timed_builds.keeping_outages_to_itself, "another match was not given it back"),
        (timed_builds.remembering_what_it_gave_back, "it was given back twice"),
    ],
)
async def test_who_gives_back_otherwise_is_found_out(
    sqlite_url: str, tmp_path: Path, build: Callable[[], None], found: str
) -> None:
    with pytest.raises(AssertionError, match=found):
        await _killed_after_giving_back(sqlite_url, tmp_path, build)


async def _killed_after_giving_back(
    database_url: str, tmp_path: Path, build: Callable[[], None] = nothing
) -> None:
    """The process finds out by itself that nobody was served, and without a restart.

    It dies with the first match that it gives that back to; the other is looked at by the next.
    """
    crash = {"TEST": "1", "TEST_CRASH_AT": "after_credit:1", "OUTAGE_SECONDS": "2"}
    with server(database_url, tmp_path, build, **QUICK, **crash) as first:
        async with first.client() as http:
            other = await open_table(http, first.key, "high_card", 2, clock=SLOW)
        table = await begun(first)
        first.process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(2.1)  # An outage by then.
        first.process.send_signal(signal.SIGCONT)
        await first.has_died()
    with server(database_url, tmp_path, build, **QUICK) as second:
        (outage, *_) = given_back(await goes_on(second, table))
        async with second.client() as http:
            await http.get(other.path, headers=bearer(second.key))
            found = given_back(await events(http, other))
    assert found.count(outage) == 1, "another match was not given it back"


def given_back(found: list[Json]) -> list[tuple[int, int]]:
    """From when to when (ms) nobody was served, as the events of a match have it."""
    credits = (each["data"] for each in of_kind(found, "time_credited"))
    return [(each["since"], each["until"]) for each in credits]


async def begun(running: Server) -> Table:
    """A match that has started, with the token of seat 0; the process may die right then."""
    async with running.client() as http:
        match_id = await create(http, running.key, "high_card", 2, clock=FAST)
        table = await seat_all(http, running.key, match_id, 1)
        with suppress(httpx.TransportError):
            claim = table.path + "/seats/1/claim"
            await http.post(claim, headers=bearer(running.key))
    return table


async def goes_on(running: Server, table: Table, patience: float = PATIENCE) -> list[Json]:
    """The events of a match that was left in the middle, and to which nobody comes back."""
    async with running.client() as http:
        found = await until(http, table, is_over, patience)
    assert found[-2]["data"]["outcome"]["terminal"] == "abandoned"
    fallen = [each["data"]["decision"] for each in of_kind(found, "flag_fell")]
    assert len(set(fallen)) == len(fallen)
    assert len(set(given_back(found))) == len(given_back(found)), "it was given back twice"
    assert await is_sound(running, table, "clocks")
    return found


async def test_two_processes_let_every_flag_fall_once(postgres_url: str, tmp_path: Path) -> None:
    clock: Any = {"time": {"type": "per_move", "move": 400}, "abandon_after": 2}
    with server(postgres_url, tmp_path, **QUICK) as one, server(postgres_url, tmp_path, **QUICK):
        async with one.client() as http:
            tables = [
                await open_table(http, one.key, "high_card", 4, clock=clock) for _ in range(8)
            ]
            for table in tables:
                found = await until(http, table, is_over)
                fallen = [each["data"]["decision"] for each in of_kind(found, "flag_fell")]
                assert len(set(fallen)) == len(fallen)
                assert await is_sound(one, table, "clocks")
