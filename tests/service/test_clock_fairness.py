"""No time is had for free, nobody is let off, and no time that nobody served is charged."""

import asyncio
from typing import Any

import pytest
from sqlalchemy import Connection, select, update

from events.tables import MATCH, OUTAGE
from service.app import build
from service.rest.inputs import caller_of
from service.settings import Settings
from tests.service.client import Json, Table, bearer
from tests.service.clocking import (
    FISCHER,
    PER_MOVE,
    answer,
    clocked,
    clocks,
    kinds,
    move_of,
    moved,
    passed,
    served_anew,
    sound,
    thought_over,
)
from tests.service.conftest import Door

DAY = 86_400_000


@pytest.fixture(autouse=True)
async def _nothing_was_before(door: Door) -> None:
    await served_anew(door)


async def ringing(door: Door, *times: Json, **more: Any) -> Table:
    """All seats are asked at once, and the first answer goes for all."""
    table = await clocked(door, {"times": times, **more}, seats=len(times))
    assert (await answer(door, table, 0)).status_code == 200
    for seat in range(len(times)):
        assert (await answer(door, table, seat)).status_code == 200
    return table


@pytest.mark.parametrize("path", ["/moves", "/moves/validate"])
async def test_who_sends_a_request_slowly_thinks_meanwhile(door: Door, path: str) -> None:
    table = await clocked(door)
    body = await move_of(door, table, 0)
    await passed(door, 4_000)
    headers = {"content-type": "application/json", **bearer(table.tokens[0])}
    slow = thought_over(door, body, 6_001)
    late = await door.http.post(table.path + path, headers=headers, content=slow)
    assert (late.status_code, late.json()["code"]) == (409, "flag-fell")


async def test_an_answer_is_charged_until_all_of_it_was_there(door: Door) -> None:
    table = await clocked(door, FISCHER)
    body = await move_of(door, table, 0)
    headers = {"content-type": "application/json", **bearer(table.tokens[0])}
    slow = thought_over(door, body, 7_000)
    done = await door.http.post(table.path + "/moves", headers=headers, content=slow)
    assert done.status_code == 200
    assert (await moved(door, table))["arrived"] == door.clock.now
    assert (await clocks(door, table))[0]["remaining"] == 55_000
    await sound(door, table)


async def test_who_sent_it_is_looked_for_in_nobody_s_time(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await clocked(door, FISCHER)
    really = door.app.parts.doorkeeper.caller_of

    async def slowly(*given: Any, **more: Any) -> Any:
        door.clock.now += 400
        return await really(*given, **more)

    body = await move_of(door, table, 0)
    monkeypatch.setattr(door.app.parts.doorkeeper, "caller_of", slowly)
    arrived = door.clock.now
    done = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert done.status_code == 200
    monkeypatch.undo()
    assert (await moved(door, table))["arrived"] == arrived


@pytest.mark.parametrize("path", ["/pause", "/extend", "/cancel"])
async def test_what_an_arbiter_does_saves_nobody_who_was_late(door: Door, path: str) -> None:
    table = await clocked(door)
    await passed(door, 10_001)
    body = {"ms": 60_000} if path == "/extend" else None
    done = await door.post(table.path + path, json=body)
    assert done.status_code == 200, done.text
    found = await kinds(door, table)
    place = found.index("flag_fell")
    assert found[place : place + 2] == ["flag_fell", "move_played"]
    assert found[place + 2] in ("match_paused", "time_added", "match_cancelled")
    await sound(door, table)


async def test_another_s_answer_lets_nobody_off_who_was_late(door: Door) -> None:
    bank = {"type": "fischer", "bank": 600_000, "increment": 0}
    table = await ringing(door, PER_MOVE["time"], bank, bank)
    late = await move_of(door, table, 2)
    await passed(door, 10_001)
    done = await door.post(table.path + "/moves", table.tokens[2], json=late)
    assert (done.status_code, done.json()["code"]) == (409, "decision-closed")
    assert "flag_fell" in await kinds(door, table)
    await sound(door, table)


async def test_an_answer_that_was_there_in_time_goes_before_what_waits_for_the_flag(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await clocked(door)
    body = await move_of(door, table, 0)
    await passed(door, 10_000)
    there, heard, pulse = asyncio.Event(), asyncio.Event(), door.app.parts.pulse
    knows = pulse.knows

    async def slowly(*given: Any) -> Any:
        there.set()
        await heard.wait()
        return await caller_of(*given)

    async def once_it_is_played(moment: int) -> None:
        if moment == door.clock.now - 1:
            heard.set()
            assert (await playing).status_code == 200
        await knows(moment)

    monkeypatch.setattr("service.rest.play.caller_of", slowly)
    monkeypatch.setattr(pulse, "knows", once_it_is_played)
    playing = asyncio.create_task(
        door.post(table.path + "/moves", table.tokens[0], json=body), name="playing"
    )
    await there.wait()
    door.clock.now += 1
    assert (await door.post(table.path + "/pause")).status_code == 200
    assert (await kinds(door, table))[-2:] == ["move_played", "match_paused"]
    await sound(door, table)


async def test_who_was_late_before_an_outage_loses(door: Door) -> None:
    table = await clocked(door, {**PER_MOVE, "flag": "forfeit"})
    await passed(door, 10_001)
    await passed(door, 3_600_000, serving=False)
    await clocks(door, table)
    assert (await kinds(door, table))[-3:] == ["flag_fell", "match_ended", "match_revealed"]
    await sound(door, table)


async def test_nobody_pays_for_a_process_that_stood_still(door: Door) -> None:
    table = await clocked(door, FISCHER)
    body = await move_of(door, table, 0)
    await passed(door, 5_000)
    door.clock.now += 30_000  # Not even its own process has noticed.
    done = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert done.status_code == 200
    assert (await clocks(door, table))[0]["remaining"] == 57_000
    await sound(door, table)


async def test_a_process_that_stood_still_charges_for_what_another_served(
    database_url: str, settings: Settings, door: Door
) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("one process writes")
    async with build(settings, clock=door.clock).running() as two:
        table = await clocked(door, FISCHER)
        body = await move_of(door, table, 0)
        for _ in range(20):
            door.clock.now += 1_000
            await two.parts.pulse.beat()
        done = await door.post(table.path + "/moves", table.tokens[0], json=body)
        assert done.status_code == 200
        assert (await clocks(door, table))[0]["remaining"] == 42_000


async def test_many_who_come_at_once_ask_once_what_was_missed(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [await clocked(door) for _ in range(4)]
    really, beats = door.app.parts.pulse.beat, []

    async def beat() -> None:
        beats.append(1)
        await really()

    monkeypatch.setattr(door.app.parts.pulse, "beat", beat)
    door.clock.now += 9_000
    await asyncio.gather(*(clocks(door, table) for table in tables))
    assert len(beats) == 1


async def known_outages(door: Door) -> list[tuple[int, int]]:
    def work(connection: Connection) -> list[tuple[int, int]]:
        rows = connection.execute(select(OUTAGE.c.since, OUTAGE.c.until).order_by(OUTAGE.c.since))
        return [(since, until) for since, until in rows]

    return await door.app.parts.database.read(work)


async def test_outages_are_forgotten_once_no_clock_can_be_owed_them(door: Door) -> None:
    def stop(connection: Connection) -> None:
        """The clocks of whatever else is in the database."""
        connection.execute(update(MATCH).values(due_at=None))

    pulse = door.app.parts.pulse
    await door.app.parts.database.write(stop)
    await passed(door, DAY, serving=False)
    await passed(door, 1)
    table = await clocked(door, {"time": {"type": "correspondence", "days": 30}})
    for _ in range(3):
        await passed(door, DAY, serving=False)
    known = await known_outages(door)
    assert len(known) == 4
    await pulse.prune()
    assert await known_outages(door) == known[1:]
    assert (await door.post(table.path + "/cancel")).status_code == 200
    await passed(door, 1)
    await pulse.prune()
    # Of the last day nothing is forgotten.
    assert await known_outages(door) == known[-1:]
