"""Schedules over the doors: set, shown, acted on once; who was there, and what becomes of it."""

import asyncio
from typing import Any

import httpx
import pytest

from events.match import decode
from events.store import Store
from events.types import MatchCreated
from events.verify import verify_log
from service.app import build
from service.flags import grace_of, settling_of, sweep
from service.settings import Settings
from tests.service.batching import BATCHES, batched, wanted
from tests.service.client import Json, Table, bearer, create
from tests.service.clocking import answer, kinds, passed, served_anew
from tests.service.conftest import GAME, Door

A_WHILE = 5_000  # ms


@pytest.fixture(autouse=True)
async def _nothing_was_before(door: Door) -> None:
    await served_anew(door)


def schedule(door: Door, **after: Any) -> Json:
    """Numbers are ms from now on."""
    return {
        name: door.clock.now + value if isinstance(value, int) else value
        for name, value in after.items()
    }


async def scheduled(door: Door, seats: int = 2, **after: Any) -> Table:
    """A match, nobody at it."""
    match_id = await create(door.http, door.key, GAME, seats, schedule=schedule(door, **after))
    return Table(match_id, ())


async def claimed(door: Door, table: Table, *seats: int) -> Table:
    tokens = list(table.tokens)
    for seat in seats:
        got = await door.post(f"{table.path}/seats/{seat}/claim")
        assert got.status_code == 200, got.text
        tokens.append(got.json()["token"])
    return Table(table.match_id, tuple(tokens))


async def due(door: Door) -> None:
    """All that is due by now has happened, at this process."""
    await passed(door, grace_of(door.app.parts) + settling_of(door.app.parts))
    await sweep(door.app.parts)


async def shown(door: Door, table: Table) -> Json:
    got = await door.get(table.path)
    assert got.status_code == 200, got.text
    found: Json = got.json()
    return found


async def sound(door: Door, table: Table) -> None:
    records = await Store(door.app.parts.database).records(table.match_id)
    seed = (await door.app.parts.dealers.of(table.match_id)).seed()
    assert verify_log(records, seed=seed).fault is None


def told(got: httpx.Response) -> tuple[int, str]:
    return got.status_code, got.json()["code"]


async def test_a_match_without_a_schedule_says_so(door: Door, table: Table) -> None:
    assert (await shown(door, table))["schedule"] is None
    (record, *_) = await Store(door.app.parts.database).records(table.match_id)
    for name in (b"schedule", b"closes_at", b"closing"):
        assert name not in record.body


async def test_a_match_opens_starts_and_ends_by_its_schedule(door: Door) -> None:
    when: Json = {"opens_at": A_WHILE, "starts_at": 2 * A_WHILE, "end_by": 9 * A_WHILE}
    table = await scheduled(door, **when, overrun="forfeit")
    began = door.clock.now
    detail = await shown(door, table)
    assert detail["status"] == "scheduled"
    nothing: Json = {"join_by": None, "no_show": None, "checked": False, "missed": [], "vacant": []}
    times = {name: began + value for name, value in when.items()}
    assert detail["schedule"] == {**times, "overrun": "forfeit", **nothing}
    listed = await door.get("/v1/matches?status=scheduled")
    assert [each["match_id"] for each in listed.json()["matches"]] == [table.match_id]
    assert told(await door.post(f"{table.path}/seats/0/claim")) == (409, "seating-not-open")
    assert told(await door.post(f"{table.path}/start")) == (409, "seating-not-open")
    await passed(door, A_WHILE)
    table = await claimed(door, table, 0, 1)
    assert (await shown(door, table))["status"] == "seating"
    assert told(await door.post(f"{table.path}/start")) == (409, "start-not-due")
    await passed(door, A_WHILE)
    await sweep(door.app.parts)
    await due(door)
    assert (await shown(door, table))["status"] == "running"
    await passed(door, 7 * A_WHILE)
    late = await door.post(f"{table.path}/seats/0/resign", table.tokens[0])
    assert told(late) == (409, "match-closed")
    await due(door)
    detail = await shown(door, table)
    assert (detail["status"], detail["result"]["terminal"]) == ("over", "closed")
    await sound(door, table)


async def test_whoever_looks_finds_what_was_due(door: Door) -> None:
    table = await scheduled(door, opens_at=A_WHILE, end_by=3 * A_WHILE, overrun="cancel")
    door.clock.now += A_WHILE
    assert (await shown(door, table))["status"] == "seating"
    door.clock.now += 2 * A_WHILE
    assert (await shown(door, table))["status"] == "cancelled"
    await sound(door, table)


async def test_of_two_the_one_that_is_there_wins(door: Door) -> None:
    table = await scheduled(door, join_by=2 * A_WHILE, no_show="forfeit")
    table = await claimed(door, table, 0, 1)
    await passed(door, A_WHILE)
    await door.get(table.path + "/view", table.tokens[1])
    seen = door.clock.now
    await passed(door, A_WHILE)
    await due(door)
    detail = await shown(door, table)
    assert (detail["status"], detail["result"]["terminal"]) == ("over", "no_show")
    assert detail["result"]["ranks"] == [2, 1]
    assert detail["schedule"]["missed"] == [0]
    events = (await door.get(table.path + "/events?limit=50")).json()["events"]
    (check,) = (each for each in events if each["kind"] == "presence_checked")
    assert check["data"] == {"seen": [None, seen]}
    result = (await door.get(table.path + "/result")).json()
    assert result["terminal"] == "no_show"
    assert [each["forfeit"] for each in result["seats"]] == [True, False]
    await sound(door, table)


async def test_whoever_has_a_feed_open_or_moves_is_there(door: Door) -> None:
    table = await scheduled(door, join_by=2 * A_WHILE, no_show="forfeit")
    table = await claimed(door, table, 0, 1)
    await answer(door, table, 0)
    path = table.path + "/events?after=99&wait=1"
    await door.get(path, table.tokens[1])
    await passed(door, 2 * A_WHILE)
    await due(door)
    detail = await shown(door, table)
    assert (detail["status"], detail["schedule"]["checked"]) == ("running", True)
    await sound(door, table)


async def test_a_seat_that_is_left_says_nothing_of_who_takes_it(door: Door) -> None:
    table = await scheduled(door, 3, join_by=2 * A_WHILE, no_show="void")
    table = await claimed(door, table, 0, 1)
    for token in table.tokens:
        await door.get(table.path + "/view", token)
    await door.app.parts.presence.flush()
    await door.post(f"{table.path}/seats/1/release")
    table = await claimed(door, table, 1)
    await passed(door, 2 * A_WHILE)
    await due(door)
    detail = await shown(door, table)
    assert detail["status"] == "void"
    assert (await door.get(table.path + "/result")).json()["terminal"] == "void"
    events = (await door.get(table.path + "/events?limit=50")).json()["events"]
    (check,) = (each for each in events if each["kind"] == "presence_checked")
    assert [seen is None for seen in check["data"]["seen"]] == [False, True, True]


async def test_an_arbiter_is_waited_for(door: Door) -> None:
    table = await claimed(door, await scheduled(door, join_by=A_WHILE, no_show="wait"), 0, 1)
    await passed(door, A_WHILE)
    await due(door)
    assert (await shown(door, table))["status"] == "paused"
    assert told(await answer(door, table, 0)) == (409, "match-paused")
    assert (await door.post(f"{table.path}/resume")).status_code == 200
    assert (await answer(door, table, 0)).status_code == 200
    await sound(door, table)


async def test_a_stand_in_takes_the_seat_and_the_old_token_is_dead(door: Door) -> None:
    table = await claimed(door, await scheduled(door, join_by=A_WHILE, no_show="stand_in"), 0, 1)
    path = f"{table.path}/seats/1/stand-in"
    assert told(await door.post(path)) == (409, "no-stand-in-due")
    await door.get(table.path + "/view", table.tokens[0])
    await passed(door, A_WHILE)
    await due(door)
    assert (await shown(door, table))["schedule"]["vacant"] == [1]
    assert told(await door.post(path, table.tokens[0])) == (403, "api-key-required")
    named = {"Idempotency-Key": "one"}
    seated = await door.post(path, json={"account": "bot-3"}, headers=named)
    assert seated.status_code == 200, seated.text
    again = await door.post(path, json={"account": "bot-3"}, headers=named)
    assert (again.json(), again.headers["plyscribe-replayed"]) == (seated.json(), "true")
    assert told(await door.post(path)) == (409, "no-stand-in-due")
    token = seated.json()["token"]
    assert (await door.get(table.path + "/view", table.tokens[1])).status_code == 401
    assert (await door.get(table.path + "/view", token)).status_code == 200
    await door.post(f"{table.path}/seats/0/resign", table.tokens[0])
    result = (await door.get(table.path + "/result")).json()
    assert result["seats"][1]["external_id"] == "bot-3"
    assert told(await door.post(path.replace("/1/", "/9/"))) == (404, "seat-not-found")
    await sound(door, table)


async def test_an_outage_puts_the_check_off(door: Door) -> None:
    table = await scheduled(door, join_by=5 * A_WHILE, no_show="forfeit")
    await passed(door, 2 * A_WHILE)
    await passed(door, 4 * A_WHILE, serving=False)
    await due(door)
    assert (await shown(door, table))["schedule"]["checked"] is False
    await passed(door, 3 * A_WHILE)
    await due(door)
    assert (await shown(door, table))["status"] == "over"
    await sound(door, table)


async def test_of_several_processes_one_looks(
    database_url: str, door: Door, settings: Settings
) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("one process writes")
    table = await claimed(door, await scheduled(door, join_by=A_WHILE, no_show="forfeit"), 0, 1)
    await passed(door, A_WHILE + grace_of(door.app.parts) + settling_of(door.app.parts))
    async with build(settings, clock=door.clock).running() as other:
        await asyncio.gather(sweep(door.app.parts), sweep(other.parts), sweep(other.parts))
    found = await kinds_of(door, table)
    assert found.count("presence_checked") == 1
    assert found[-2:] == ["match_ended", "match_revealed"]


async def test_what_another_process_saw_counts(
    database_url: str, door: Door, settings: Settings
) -> None:
    if database_url.startswith("sqlite"):
        pytest.skip("one process writes")
    table = await claimed(door, await scheduled(door, join_by=A_WHILE, no_show="forfeit"), 0, 1)
    async with build(settings, clock=door.clock).running() as other:
        transport = httpx.ASGITransport(app=other)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            for token in table.tokens:
                got = await http.get(table.path + "/view", headers=bearer(token))
                assert got.status_code == 200
    await passed(door, A_WHILE)
    await due(door)
    assert (await shown(door, table))["status"] == "running"


async def kinds_of(door: Door, table: Table) -> list[str]:
    got = await door.get(table.path + "/events?limit=50")
    return [each["kind"] for each in got.json()["events"]]


async def test_links_of_a_batch_say_who_is_there(door: Door) -> None:
    when = schedule(door, starts_at=3 * A_WHILE, join_by=2 * A_WHILE, no_show="forfeit")
    defaults = {"game": GAME, "schedule": when}
    batch = await batched(door, ("ada", "bob", "cyd"), defaults=defaults)
    (match,) = batch["matches"]
    tokens = [each["link"]["token"] for each in match["seats"]]
    table = Table(match["match_id"], tuple(tokens))
    for seat in (0, 1):
        got = await door.post(f"{table.path}/seats/{seat}/claim", tokens[seat])
        assert got.status_code == 200
    await door.get(table.path, tokens[2])  # Looks, and does not claim.
    await passed(door, 2 * A_WHILE)
    await due(door)
    detail = await shown(door, table)
    assert (detail["status"], detail["schedule"]["missed"]) == ("seating", [2])
    late = await door.post(f"{table.path}/seats/2/claim", tokens[2])
    assert told(late) == (409, "already-resigned")
    await passed(door, A_WHILE)
    await due(door)
    assert "match_started" in await kinds(door, table)
    await sound(door, table)


@pytest.mark.parametrize(
    ("given", "pointer", "code"),
    [
        ({"opens_at": 0}, "/schedule/opens_at", "in-the-past"),
        ({"end_by": A_WHILE}, "/schedule/overrun", "impossible"),
        ({"join_by": A_WHILE}, "/schedule/no_show", "impossible"),
        ({"opens_at": 2 * A_WHILE, "starts_at": A_WHILE}, "/schedule/starts_at", "impossible"),
        ({}, "/schedule", "impossible"),
        ({"join_by": A_WHILE, "no_show": "stay"}, "/schedule/no_show", "wrong-shape"),
    ],
    ids=str,
)
async def test_what_can_not_be_is_refused_where_it_is(
    door: Door, given: Json, pointer: str, code: str
) -> None:
    body = {"game": GAME, "seats": 2, "schedule": schedule(door, **given)}
    got = await door.post("/v1/matches", json=body)
    assert got.status_code == 422, got.text
    assert [(each["pointer"], each["code"]) for each in got.json()["errors"]] == [(pointer, code)]
    (fault,) = (
        await door.post(
            BATCHES,
            json=wanted(("a", "b"), defaults={"game": GAME, "schedule": schedule(door, **given)}),
        )
    ).json()["errors"]
    assert fault["pointer"].endswith(pointer)


async def test_seats_of_the_seed_have_to_come(door: Door) -> None:
    when = schedule(door, join_by=A_WHILE, no_show="forfeit")
    body = {"game": GAME, "seats": 2, "entropy": True, "schedule": when}
    got = await door.post("/v1/matches", json=body)
    assert [each["pointer"] for each in got.json()["errors"]] == ["/schedule/no_show"]


async def test_a_series_has_no_schedule(door: Door) -> None:
    body = {
        "games": 3,
        "length": "best_of",
        "entrants": [{"external_id": "a"}, {"external_id": "b"}],
        "match": {"game": GAME, "schedule": schedule(door, starts_at=A_WHILE)},
    }
    got = await door.post("/v1/series", json=body)
    assert got.status_code == 422, got.text
    assert [each["pointer"] for each in got.json()["errors"]] == ["/match/schedule"]


async def test_event_1_holds_what_was_asked_for(door: Door) -> None:
    table = await scheduled(door, end_by=A_WHILE, overrun="fallback")
    (record,) = await Store(door.app.parts.database).records(table.match_id)
    event = decode(record)
    assert isinstance(event, MatchCreated)
    assert (event.schedule, event.closes_at, event.closing) == (
        None,
        door.clock.now + A_WHILE,
        "fallback",
    )
