"""Clocks over the doors: set, shown, charged, stopped, added to; flags that fall; outages."""

import asyncio
from typing import Any

import pytest

from events.store import Store
from events.verify import verify_log
from service import signals
from service.app import build
from service.flags import sweep
from service.settings import Settings
from tests.service.client import Table, decision_of
from tests.service.clocking import (
    FISCHER,
    PER_MOVE,
    answer,
    clocked,
    clocks,
    fallen,
    kinds,
    passed,
    served_anew,
    sound,
)
from tests.service.conftest import Door
from tests.service.grouping import GROUPS, opened


@pytest.fixture(autouse=True)
async def _nothing_was_before(door: Door) -> None:
    await served_anew(door)


async def test_a_match_says_what_its_clocks_are(door: Door) -> None:
    window = {"zone": "Europe/Berlin", "opens": "08:00", "closes": "20:00"}
    times = [{"type": "correspondence", "days": 3}, {"type": "delay", "bank": 5, "delay": 7}]
    given = {"times": times, "flag": "remove", "abandon_after": 2, "window": window}
    table = await clocked(door, given)
    shown = (await door.get(table.path)).json()
    clock = shown["clock"]
    assert clock["times"] == times
    assert (clock["flag"], clock["abandon_after"]) == ("remove", 2)
    # Two changes of the clocks a year from November 2023 on.
    offsets = clock["window"].pop("offsets")
    assert [ahead for _, ahead in offsets[:3]] == [3600, 7200, 3600]
    assert offsets[1][0] == 1_711_846_800_000
    assert clock["window"] == {"zone": "Europe/Berlin", "opens": 480, "closes": 1200}
    assert [line["remaining"] for line in shown["clocks"]] == [3 * 12 * 3_600_000, 5]


async def test_views_say_when_a_clock_began_to_run_and_not_what_time_it_is(door: Door) -> None:
    table = await clocked(door, FISCHER)
    since = door.clock.now
    before = await door.get(table.path + "/view", table.tokens[0])
    await passed(door, 7_000)
    after = await door.get(table.path + "/view", table.tokens[0])
    assert after.content == before.content
    line = {"seat": 0, "remaining": 60_000, "delay": 0}
    assert after.json()["clocks"][0] == {**line, "since": since, "deadline": since + 60_000}
    assert (await decision_of(door.http, table, 1))["clocks"] == after.json()["clocks"]
    assert (await answer(door, table, 0)).status_code == 200
    assert [line["remaining"] for line in await clocks(door, table)] == [55_000, 60_000]
    await sound(door, table)


async def test_without_clocks_there_are_none(door: Door, table: Table) -> None:
    assert (await door.get(table.path + "/view", table.tokens[0])).json()["clocks"] is None
    shown = (await door.get(table.path)).json()
    assert (shown["clock"], shown["clocks"]) == (None, None)


async def test_a_flag_falls_and_the_late_answer_is_told_so(door: Door) -> None:
    table = await clocked(door)
    shown = await decision_of(door.http, table, 0)
    await passed(door, 10_001)
    body = {"decision": shown["decision"]["id"], "move": {"type": "arrange", "cards": [1, 2]}}
    late = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert (late.status_code, late.json()["code"]) == (409, "flag-fell")
    validated = await door.post(table.path + "/moves/validate", table.tokens[0], json=body)
    assert (validated.status_code, validated.json()["code"]) == (409, "flag-fell")
    await fallen(door)
    assert (await kinds(door, table))[-2:] == ["flag_fell", "move_played"]
    late = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert (late.status_code, late.json()["code"]) == (409, "flag-fell")
    assert "evidence" in late.json()
    assert (await answer(door, table, 0)).status_code == 200
    await sound(door, table)


async def test_nothing_falls_before_the_grace_is_over(door: Door) -> None:
    table = await clocked(door)
    await passed(door, 10_100)
    await sweep(door.app.parts)
    assert "flag_fell" not in await kinds(door, table)


async def test_an_answer_that_waited_counts_from_when_it_came(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await clocked(door)
    await passed(door, 9_000)
    really = door.app.parts.dealers.of

    async def slowly(match_id: str) -> Any:
        door.clock.now += 2_500
        return await really(match_id)

    monkeypatch.setattr(door.app.parts.dealers, "of", slowly)
    assert (await answer(door, table, 0)).status_code == 200
    monkeypatch.undo()
    events = (await door.get(table.path + "/events", table.tokens[0])).json()["events"]
    moved = next(each for each in events if each["kind"] == "move_played")
    assert moved["at"] - moved["arrived"] == 2_500
    await sound(door, table)


async def test_an_arbiter_pauses_resumes_and_adds_time(door: Door) -> None:
    table = await clocked(door, FISCHER)
    await passed(door, 5_000)
    paused = await door.post(table.path + "/pause", json={"account": "referee"})
    assert paused.status_code == 200, paused.text
    assert (await door.get(table.path)).json()["status"] == "paused"
    refused = await answer(door, table, 0)
    assert refused.json()["code"] == "match-paused"
    assert (await door.post(table.path + "/pause")).json()["code"] == "match-paused"
    await passed(door, 500_000)
    assert (await door.post(table.path + "/resume")).status_code == 200
    assert (await door.post(table.path + "/resume")).json()["code"] == "match-not-paused"
    added = await door.post(table.path + "/extend", json={"ms": 1_000, "seat": 1})
    assert added.status_code == 200
    assert [line["remaining"] for line in await clocks(door, table)] == [55_000, 61_000]
    too_far = await door.post(table.path + "/extend", json={"ms": 1_000, "seat": 2})
    assert too_far.json()["code"] == "seat-not-found"
    await sound(door, table)


async def test_who_plays_stops_no_clock(door: Door) -> None:
    table = await clocked(door)
    for path in ("/pause", "/resume"):
        refused = await door.post(table.path + path, table.tokens[0])
        assert refused.json()["code"] == "arbiter-is-party"
    refused = await door.post(table.path + "/extend", table.tokens[0], json={"ms": 1})
    assert refused.json()["code"] == "arbiter-is-party"


async def test_a_repeated_extension_adds_once(door: Door) -> None:
    table = await clocked(door, FISCHER)
    more = {"json": {"ms": 1_000}, "idempotency_key": "again"}
    for _ in range(2):
        headers = {"Idempotency-Key": "again", "Authorization": f"Bearer {door.key}"}
        done = await door.http.post(table.path + "/extend", json=more["json"], headers=headers)
        assert done.status_code == 200
    assert [line["remaining"] for line in await clocks(door, table)] == [61_000, 61_000]


async def test_a_match_without_clocks_is_paused_too_and_nothing_is_added(
    door: Door, table: Table
) -> None:
    assert (await door.post(table.path + "/pause")).status_code == 200
    refused = await door.post(table.path + "/extend", json={"ms": 1})
    assert refused.json()["code"] == "no-clock"
    assert (await door.post(table.path + "/resume")).status_code == 200
    assert (await answer(door, table, 0)).status_code == 200


async def test_a_ruling_adjusts_a_clock(door: Door) -> None:
    table = await clocked(door, FISCHER)
    claim = {"about": 5, "claim": "It was not my move"}
    made = await door.post(table.path + "/disputes", table.tokens[0], json=claim)
    path = f"{table.path}/disputes/{made.json()['id']}"
    await door.post(path + "/review", json={"pause": True})
    ruling = {"type": "adjust_clock", "seat": 0, "ms": -20_000}
    ruled = await door.post(path + "/rulings", json={"ruling": ruling, "reason": "so"})
    assert ruled.status_code == 200, ruled.text
    assert (await clocks(door, table))[0]["remaining"] == 40_000
    await sound(door, table)


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({}, "/clock"),
        ({**PER_MOVE, "times": [{"type": "per_move", "move": 1}]}, "/clock"),
        ({"times": [{"type": "per_move", "move": 1}]}, "/clock/times"),
        ({"time": {"type": "per_move", "move": 0}}, "/clock/time/move"),
        ({"time": {"type": "hourglass", "move": 5}}, "/clock/time/type"),
        ({**PER_MOVE, "flag": "shrug"}, "/clock/flag"),
        (
            {**PER_MOVE, "window": {"zone": "Mars/North", "opens": "08:00", "closes": "20:00"}},
            "/clock/window/zone",
        ),
        (
            {**PER_MOVE, "window": {"zone": "../passwd", "opens": "08:00", "closes": "20:00"}},
            "/clock/window/zone",
        ),
        (
            {**PER_MOVE, "window": {"zone": "UTC", "opens": "08:00", "closes": "08:30"}},
            "/clock/window",
        ),
    ],
)
async def test_clocks_that_cannot_be_are_refused(door: Door, given: Any, pointer: str) -> None:
    body = {"game": "high_card", "seats": 2, "clock": given}
    refused = await door.post("/v1/matches", json=body)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"].startswith(pointer)


async def test_an_outage_is_given_back_to_whoever_looks_first(door: Door) -> None:
    table = await clocked(door)
    await passed(door, 4_000)
    before = signals.REGISTRY.get_sample_value("plyscribe_clock_credit_seconds_total") or 0.0
    await passed(door, 3_600_000, serving=False)
    line = (await clocks(door, table))[0]
    assert line["deadline"] == door.clock.now + 6_000
    assert (await kinds(door, table))[-1] == "time_credited"
    await passed(door, 3_000)
    assert (await answer(door, table, 0)).status_code == 200
    assert (await kinds(door, table)).count("time_credited") == 1
    given = signals.REGISTRY.get_sample_value("plyscribe_clock_credit_seconds_total") or 0.0
    assert given - before == pytest.approx(3_600, abs=5)
    await sound(door, table)


async def test_an_outage_that_nobody_knows_of_yet_refuses_no_answer(door: Door) -> None:
    table = await clocked(door)
    shown = await decision_of(door.http, table, 0)
    door.clock.now += 3_600_000  # Not even its own process has noticed.
    move = {"type": "arrange", "cards": shown["decision"]["offers"][0]["fields"]["cards"]}
    move["cards"] = move["cards"]["options"][:2]
    body = {"decision": shown["decision"]["id"], "move": move}
    played = await door.post(table.path + "/moves", table.tokens[0], json=body)
    assert played.status_code == 200, played.text
    await sound(door, table)


async def test_nobody_loses_by_an_outage_before_a_flag_falls(door: Door) -> None:
    table = await clocked(door)
    door.clock.now += 3_600_000
    await sweep(door.app.parts)
    found = await kinds(door, table)
    assert "flag_fell" not in found
    await passed(door, 11_000)
    await fallen(door)
    assert (await kinds(door, table))[-3:] == ["time_credited", "flag_fell", "move_played"]
    await sound(door, table)


async def test_several_processes_let_each_flag_fall_once(
    database_url: str, settings: Settings, door: Door
) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("one process writes")
    one = door.app
    async with build(settings, clock=door.clock).running() as two:
        tables = [await clocked(door, seats=4) for _ in range(10)]
        for _ in range(4):
            await passed(door, 10_500)
            await two.parts.pulse.beat()
            await asyncio.gather(sweep(one.parts), sweep(two.parts))
        for table in tables:
            records = await Store(two.parts.database).records(table.match_id)
            verdict = verify_log(records, seed=(await two.parts.dealers.of(table.match_id)).seed())
            assert verdict.fault is None
            assert [each.kind for each in records].count("flag_fell") == 1 + 3 * 4


async def test_a_match_that_fails_keeps_no_other_from_its_flags(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = await clocked(door), await clocked(door)
    really = door.app.parts.dealers.of

    async def of(match_id: str) -> Any:
        if match_id == broken.match_id:
            raise RuntimeError("the seed is lost")
        return await really(match_id)

    monkeypatch.setattr(door.app.parts.dealers, "of", of)
    await passed(door, 10_000)
    await fallen(door)
    monkeypatch.undo()
    assert "flag_fell" in await kinds(door, whole)
    assert "flag_fell" not in await kinds(door, broken)


async def test_matches_of_a_deal_group_have_its_clocks(door: Door) -> None:
    group = await opened(door, ["a", "b", "c"], ["d", "e", "f"], clock=PER_MOVE)
    shown = (await door.get(f"{GROUPS}/{group.id}")).json()
    assert shown["clock"]["times"] == [PER_MOVE["time"]] * 3
    await passed(door, 10_000)
    await fallen(door)
    for table in group.tables:
        assert "flag_fell" in await kinds(door, table)


@pytest.mark.parametrize(
    ("flag", "finishes"),
    [("forfeit", ["timed_out"] * 3), ("fallback", ["abandoned"] * 3)],
)
async def test_standings_say_who_was_late(door: Door, flag: str, finishes: list[str]) -> None:
    clock = {**PER_MOVE, "flag": flag, "abandon_after": 1}
    group = await opened(door, ["a", "b", "c"], clock=clock)
    for _ in range(4):
        await passed(door, 10_000)
        await fallen(door)
    got = await door.get(f"{GROUPS}/{group.id}/standings")
    assert [each["finish"] for each in got.json()["standings"]] == finishes


async def test_a_delayed_spectator_sees_delayed_clocks(door: Door) -> None:
    table = await clocked(door, FISCHER)
    made = await door.post(table.path + "/spectators", json={"delay_versions": 1})
    token = made.json()["token"]
    before = await clocks(door, table, token)
    assert (await answer(door, table, 0)).status_code == 200
    assert before[0]["since"] is None
    assert (await clocks(door, table, token))[0]["remaining"] == 60_000
