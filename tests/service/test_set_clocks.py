"""The clock that the service goes by: the database's where many serve, never back in a match."""

import time

import pytest

from events.database import Database
from events.tables import OUTAGE, PULSE
from service.callers import Caller
from service.clock import DatabaseClock, OwnClock, shared_clock, wall_clock
from service.lookups import Lookups
from tests.service.clocking import answer, clocked, fallen, kinds, passed, served_anew, sound
from tests.service.conftest import Door

HOUR, DAY = 3_600_000, 86_400_000


@pytest.fixture
async def fresh(door: Door) -> Door:
    await served_anew(door)
    return door


async def _set(door: Door, ms: int) -> None:
    """The clock, by so much, and the next beat comes."""
    door.clock.now += ms
    await door.app.parts.pulse.beat()


async def _outages(door: Door) -> list[tuple[int, int]]:
    rows = await door.app.parts.database.read(lambda c: c.execute(OUTAGE.select()).fetchall())
    return sorted((since, until) for since, until in rows)


async def test_a_match_of_a_clock_set_back_loses_nothing_when_it_is_set_right(fresh: Door) -> None:
    await _set(fresh, -HOUR)
    table = await clocked(fresh)
    began = fresh.clock.now
    await passed(fresh, 4_000)
    await _set(fresh, HOUR)
    await fallen(fresh)
    assert (await answer(fresh, table, 0)).status_code == 200
    assert "flag_fell" not in await kinds(fresh, table)
    assert await _outages(fresh) == [(began + 4_000, began + 4_000 + HOUR)]
    await sound(fresh, table)


async def test_what_was_said_of_a_time_to_come_is_forgotten(fresh: Door) -> None:
    parts, before = fresh.app.parts, fresh.clock.now
    await _set(fresh, DAY)
    assert await _outages(fresh) == [(before, before + DAY)]
    assert parts.pulse.outages == ((before, before + DAY),)
    await _set(fresh, 10_000 - DAY)
    assert await _outages(fresh) == [(before, before + 10_000)]
    assert parts.pulse.outages == ((before, before + 10_000),)
    assert parts.pulse.beaten == before + 10_000
    # From here on outages are noticed as ever.
    await passed(fresh, 60_000, serving=False)
    assert parts.pulse.outages[-1] == (before + 10_000, before + 70_000)


async def test_little_is_no_setting_back(fresh: Door) -> None:
    before = fresh.clock.now
    await _set(fresh, -4_000)
    stored = await fresh.app.parts.database.read(lambda c: c.scalar(PULSE.select()))
    assert stored is not None
    assert fresh.app.parts.pulse.beaten == before


async def test_no_event_is_dated_before_the_one_it_follows(fresh: Door) -> None:
    table = await clocked(fresh)
    await _set(fresh, -HOUR)
    assert (await answer(fresh, table, 0)).status_code == 200
    got = await fresh.get(table.path + "/events?limit=50", table.tokens[0])
    moments = [each["at"] for each in got.json()["events"]]
    assert moments == sorted(moments)
    await sound(fresh, table)


async def test_where_many_serve_they_go_by_the_databases_clock(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: plain() + DAY * 1_000_000)
    database = await Database.open(postgres_url)
    clock = await shared_clock(database, wall_clock)
    await database.close()
    assert isinstance(clock, DatabaseClock)
    assert abs(clock() - plain() // 1_000_000) < HOUR
    monkeypatch.setattr(time, "time_ns", lambda: plain() - DAY * 1_000_000)
    assert abs(clock() - plain() // 1_000_000) < HOUR


async def test_a_file_has_the_clock_of_its_machine(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    assert isinstance(await shared_clock(database, wall_clock), OwnClock)
    await database.close()


def test_nobody_is_known_from_a_time_to_come() -> None:
    now = [5_000]
    known = Lookups(lambda: now[0], 1_000)
    known.put((b"x", None), Caller(org="main", hash=b"x"))
    assert known.get((b"x", None)) is not None
    now[0] -= HOUR
    assert known.get((b"x", None)) is None
    known.due()
    known.due()
    now[0] += HOUR
    assert known.get((b"x", None)) is None
