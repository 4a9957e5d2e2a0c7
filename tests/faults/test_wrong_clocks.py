"""Clocks that are set back and forward in play, and machines that don't agree about the time."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from random import Random

import httpx
import psycopg
import pytest

from events.canonical import decoded
from tests.faults import clocks
from tests.faults.balancing import balanced
from tests.faults.clocks import DAY, HOUR, Offset
from tests.faults.history import History, faults
from tests.faults.players import (
    GAME,
    insisting_client,
    next_answers,
    open_table,
    play_out,
    played,
)
from tests.faults.serving import KEY, Service, service
from tests.faults.stored import assert_sound, final_of, records_of
from tests.service.client import Table, bearer
from tests.waiting import eventually

# Far more than any machine is late, far less than the clocks are set by.
SLOW = {"time": {"type": "per_move", "move": 600_000}, "flag": "forfeit"}
FAST = {"time": {"type": "per_move", "move": 1_000}, "flag": "fallback", "abandon_after": 1}
BACK, JUMPS = (-HOUR,), (-HOUR, DAY)
QUICKLY, LONG = 3_000, 600_000  # for a move; nothing here takes as long as the second


async def test_nobody_loses_by_a_clock_that_is_set(postgres_url: str, tmp_path: Path) -> None:
    """On SQLite, that it is found when it is not noticed, and the long form below."""
    await _set_in_play(postgres_url, tmp_path, JUMPS, clocks.wrong_clocks)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(4))
async def test_nobody_loses_by_a_clock_that_is_set_all_the_time(
    database_url: str, tmp_path: Path, seed: int
) -> None:
    rng = Random(seed)
    jumps = [rng.choice((-DAY, -HOUR, -8_000, 0, 2_000, HOUR, DAY)) for _ in range(12)]
    await _set_in_play(database_url, tmp_path, (*jumps, 0), clocks.wrong_clocks)


@pytest.mark.parametrize(
    ("broken", "jumps", "found"),
    [
        (clocks.clocks_never_set_back, (*BACK, 0), "flag-fell|match-not-running|lost on time"),
        (clocks.moments_as_they_come, BACK, "time ran back"),
    ],
)
async def test_it_is_found_when_that_is_not_noticed(
    sqlite_url: str,
    tmp_path: Path,
    broken: Callable[[], None],
    jumps: tuple[int, ...],
    found: str,
) -> None:
    with pytest.raises(AssertionError, match=found):
        await _set_in_play(sqlite_url, tmp_path, jumps, broken)


async def test_no_flag_falls_early_where_machines_disagree(own_url: str, tmp_path: Path) -> None:
    assert await _pressed(own_url, tmp_path, clocks.wrong_clocks, QUICKLY) >= QUICKLY
    await _played_by_two(own_url, tmp_path)


async def test_it_is_found_when_each_goes_by_its_own_clock(own_url: str, tmp_path: Path) -> None:
    assert await _pressed(own_url, tmp_path, clocks.clocks_of_machines, LONG) < LONG


async def _set_in_play(
    url: str, folder: Path, jumps: tuple[int, ...], first: Callable[[], None]
) -> None:
    """With every jump another match begins, and all are played on; at last to their end."""
    offset = Offset(folder / "ahead")
    async with service(folder, url) as served, insisting_client(served.url) as http:
        served.build = first
        # Where all go by the database's clock it is that one that is set.
        name = clocks.MACHINE if url.startswith("sqlite") else clocks.DATABASE
        served.environ = {name: str(offset.path)}
        await served.start()
        matches = [(await open_table(http, clock=SLOW), History())]
        await _moved(http, matches)
        for ahead in jumps:
            offset.set(ahead)
            await _moved(http, matches)
            await _noticed(http, ahead)
            matches.append((await open_table(http, clock=SLOW), History()))
            await _assert_falls(http, served)
            await _moved(http, matches)
        for table, history in matches:
            await play_out(http, table, history)
            await _assert_kept(served, table, history)


async def _noticed(http: httpx.AsyncClient, ahead: int) -> None:
    """Returns when the service goes by the clock as it is set now, which takes a beat."""

    async def off() -> float:
        body = {"game": GAME, "seats": 4}
        made = await http.post("/v1/matches", json=body, headers=bearer(KEY))
        return abs(int(made.json()["created_at"]) - 1000 * time.time() - ahead)

    await eventually(off, lambda off: off < HOUR / 2)


async def _moved(http: httpx.AsyncClient, matches: list[tuple[Table, History]]) -> None:
    rng = Random(1)
    for table, history in matches:
        for ask in (await next_answers(http, table, rng))[:1]:
            await played(http, table, ask, history)


async def _assert_falls(http: httpx.AsyncClient, served: Service) -> None:
    """Time goes by: a match that nobody plays ends by its flags, whatever the clock was set to.

    By then whoever looks for flags has looked at all matches.
    """
    table = await open_table(http, clock=FAST)

    async def kinds() -> list[str]:
        return [each.kind for each in await records_of(served, table.match_id)]

    found = await eventually(kinds, lambda kinds: "match_ended" in kinds)
    assert "flag_fell" in found


async def _assert_kept(served: Service, table: Table, history: History) -> None:
    log = await assert_sound(served, table.match_id, with_clocks=True)
    assert "flag_fell" not in [each.kind for each in log.records], "somebody lost on time"
    assert all(one.at <= other.at for one, other in pairwise(log.records)), "time ran back"
    assert faults(history, final_of(log)) == []


async def _pressed(url: str, folder: Path, first: Callable[[], None], ms: int) -> int:
    """How long (ms) a player had, by the database's clock and at most, whose clock had `ms`."""
    clock = {"time": {"type": "per_move", "move": ms}, "flag": "forfeit"}
    async with two(url, folder, first, 0, HOUR) as (right, ahead):
        await ahead.start()
        await right.start()
        async with insisting_client(right.url) as http:
            began = await _now(url)
            table = await open_table(http, clock=clock)

            async def fell() -> bool:
                found = await records_of(right, table.match_id)
                return any(each.kind == "flag_fell" for each in found)

            await eventually(fell)
            ended = await _now(url)
    records = await records_of(right, table.match_id)
    (flag,) = (decoded(each.body) for each in records if each.kind == "flag_fell")
    asked = int(flag["decision"].partition(".")[0])
    assert flag["fell"] - records[asked - 1].at == ms
    return ended - began


async def _played_by_two(url: str, folder: Path) -> None:
    """A match moved by machines that are an hour late and an hour early."""
    async with two(url, folder, clocks.wrong_clocks, -HOUR, HOUR) as both:
        await asyncio.gather(*(each.start() for each in both))
        async with balanced(*(each.url for each in both)) as http:
            table = await open_table(http, clock=SLOW)
            history = await play_out(http, table)
        await _assert_kept(both[0], table, history)


async def _now(url: str) -> int:
    query = b"SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint"
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        row = await (await connection.execute(query)).fetchone()
    assert row is not None
    return int(row[0])


@asynccontextmanager
async def two(
    url: str, folder: Path, first: Callable[[], None], *ahead: int
) -> AsyncIterator[tuple[Service, Service]]:
    """Processes on machines whose clocks are so much ahead (ms)."""
    async with service(folder, url) as one, service(folder, url) as other:
        for number, (served, ms) in enumerate(zip((one, other), ahead, strict=True)):
            offset = Offset(folder / f"ahead-{number}")
            offset.set(ms)
            served.build, served.environ = first, {clocks.MACHINE: str(offset.path)}
        yield one, other
