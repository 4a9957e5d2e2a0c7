"""The feed of an organisation at the door: its own entries, each once, in one order."""

import asyncio
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from events.database import Database
from events.feed import state_of
from service.app import build
from service.settings import Settings
from tests.service.client import bearer, create, play_out
from tests.service.conftest import GAME, Door
from tests.service.grouping import key_of, opened, played
from tests.waiting import PATIENCE

Json = dict[str, Any]


async def fed(door: Door) -> None:
    await door.app.parts.feeding.catch_up()


async def page_of(door: Door, token: str | None = None, **params: Any) -> Json:
    got = await door.get("/v1/feed", token or door.key, params=params)
    assert got.status_code == 200, got.text
    page: Json = got.json()
    return page


async def entries_of(door: Door, token: str | None = None) -> list[Json]:
    """All there is, page by page: how many rows commits become depends on how fast they come."""
    after, found = 0, []
    while (page := await page_of(door, token, after=after))["after"] > after:
        found += page["entries"]
        after = page["after"]
    return found


async def test_a_finished_match_is_in_the_feed_from_its_first_to_its_last_event(
    door: Door,
) -> None:
    table = await door.table(external_id="table 7")
    await play_out(door.http, table, seed=1)
    await fed(door)
    own = [each for each in await entries_of(door) if each["match_id"] == table.match_id]
    detail = (await door.get(table.path)).json()
    assert own[0]["first"] == 1
    assert all(b["first"] == a["last"] + 1 for a, b in pairwise(own))
    assert all(b["before"] == a["head"] for a, b in pairwise(own))
    assert (own[-1]["last"], own[-1]["head"]) == (detail["version"], detail["head"])
    assert own[-1]["status"] == detail["status"] == "over"
    assert {each["external_id"] for each in own} == {"table 7"}


async def test_whoever_stops_right_away_leaves_the_feed_to_others(settings: Settings) -> None:
    for late in range(12):
        async with build(settings).running():
            await asyncio.sleep(late / 2000)
        database = await Database.open(settings.database_url, read_only=True)
        assert (await database.read(state_of)).holder is None
        await database.close()


async def test_pages_go_on_from_after_and_miss_nothing(door: Door) -> None:
    for _ in range(3):
        await door.table()
        await fed(door)
    whole = await entries_of(door)
    after, told = 0, []
    while True:
        page = await page_of(door, after=after, limit=2)
        if not page["entries"]:
            break
        told += page["entries"]
        after = page["after"]
    assert told == whole
    assert after == told[-1]["position"] == page["after"]


async def test_an_organisation_is_told_of_its_own_matches_alone(door: Door, other_key: str) -> None:
    theirs = await create(door.http, other_key, GAME, 3)
    mine = await create(door.http, door.key, GAME, 3)
    await fed(door)
    assert {each["match_id"] for each in await entries_of(door)} >= {mine}
    told = await entries_of(door, other_key)
    assert {each["match_id"] for each in told} == {theirs}


async def test_a_long_poll_answers_as_soon_as_something_comes(door: Door) -> None:
    await fed(door)
    size = (await page_of(door, limit=1))["size"]
    waiting = asyncio.create_task(page_of(door, after=size, wait=60))
    await asyncio.sleep(0.05)
    match_id = await create(door.http, door.key, GAME, 3)
    page = await waiting
    assert [each["match_id"] for each in page["entries"]] == [match_id]


async def test_a_long_poll_ends_empty(door: Door) -> None:
    await fed(door)
    size = (await page_of(door, limit=1))["size"]
    page = await page_of(door, after=size, wait=1)
    assert (page["entries"], page["after"]) == ([], size)


async def lines_of(door: Door, media: str, count: int, **headers: str) -> list[Json]:
    """The first `count` entries of a stream."""
    found: list[Json] = []
    own = {**bearer(door.key), "Accept": media, **headers}
    async with asyncio.timeout(PATIENCE):
        got = await read_stream(door, own, count)
    for line in got.splitlines():
        if media.endswith("ndjson") and line:
            found.append(msgspec.json.decode(line))
        elif line.startswith("data: "):
            found.append(msgspec.json.decode(line.removeprefix("data: ")))
    return found[:count]


async def read_stream(door: Door, headers: dict[str, str], count: int) -> str:
    """The ASGI client of the tests gives a stream only when it has ended, so this is a bare one."""
    told = bytearray()
    is_enough = asyncio.Event()
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/v1/feed",
        "query_string": b"",
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        "client": ("127.0.0.1", 1),
    }

    async def receive() -> Any:
        if not told:
            return {"type": "http.request", "body": b""}
        await is_enough.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        told.extend(message.get("body", b"") or (b"\n" if not told else b""))
        if told.count(b'"position"') >= count:
            is_enough.set()

    await door.app(scope, receive, send)
    return told.decode()


@pytest.mark.parametrize("media", ["text/event-stream", "application/x-ndjson"])
async def test_a_stream_tells_what_is_there_and_what_comes(door: Door, media: str) -> None:
    await create(door.http, door.key, GAME, 3)
    await fed(door)
    there = await entries_of(door)
    listening = asyncio.create_task(lines_of(door, media, len(there) + 1))
    await asyncio.sleep(0.05)
    match_id = await create(door.http, door.key, GAME, 3)
    told = await listening
    assert told[:-1] == there
    assert told[-1]["match_id"] == match_id


async def test_a_stream_goes_on_after_the_last_event_id(door: Door) -> None:
    for _ in range(3):
        await create(door.http, door.key, GAME, 3)
        await fed(door)
    there = await entries_of(door)
    resumed = {"Last-Event-ID": str(there[-2]["position"])}
    assert await lines_of(door, "text/event-stream", 1, **resumed) == there[-1:]


async def test_who_may_not_read_it_is_refused(door: Door) -> None:
    table = await door.table()
    seat = await door.get("/v1/feed", table.tokens[0])
    assert (seat.status_code, seat.json()["code"]) == (403, "api-key-required")
    made = await door.post("/v1/keys", json={"name": "narrow", "scopes": ["matches:create"]})
    narrow = await door.get("/v1/feed", made.json()["secret"])
    assert (narrow.status_code, narrow.json()["code"]) == (403, "scope-missing")
    made = await door.post("/v1/keys", json={"name": "auditor", "scopes": ["audit:read"]})
    assert (await door.get("/v1/feed", made.json()["secret"])).status_code == 200
    assert (await door.http.get("/v1/feed")).status_code == 401


async def test_a_cursor_beyond_the_last_position_is_refused(door: Door) -> None:
    await fed(door)
    for media in ("application/json", "text/event-stream"):
        got = await door.get("/v1/feed", params={"after": 10**6}, headers={"Accept": media})
        assert (got.status_code, got.json()["code"]) == (404, "position-not-found")


async def test_a_revoked_key_is_told_no_more(door: Door) -> None:
    made = (await door.post("/v1/keys", json={"name": "brief", "scopes": ["audit:read"]})).json()
    await fed(door)
    size = (await page_of(door, limit=1))["size"]
    waiting = asyncio.create_task(
        door.get("/v1/feed", made["secret"], params={"after": size, "wait": 60})
    )
    await asyncio.sleep(0.05)
    await door.delete(f"/v1/keys/{made['id']}")
    assert (await waiting).status_code == 401


async def test_a_running_deal_group_is_told_to_arbiters_alone(door: Door) -> None:
    group = await opened(door, ("ada",), ("bob",))
    named = {each.match_id for each in group.tables}
    await played(door, group.tables[0])
    await fed(door)

    async def told(key: str | None = None) -> set[str]:
        return named & {entry["match_id"] for entry in await entries_of(door, key)}

    arbiter = await key_of(door, "matches:read", "arbitrate")
    assert await told(group.organiser) == set()
    assert await told(arbiter) == named
    await played(door, group.tables[1])
    await fed(door)
    assert await told(group.organiser) == named


async def test_a_match_that_is_revealed_is_told_before_its_group_is_marked(
    door: Door,
) -> None:
    group = await opened(door, ("ada",), ("bob",))
    for each in group.tables:
        await played(door, each)
    await fed(door)
    # As it is between the last reveal and the mark.
    marking = "UPDATE deal_group SET state = 'closing' WHERE id = :id"
    parts = door.app.parts
    await parts.database.write(lambda c: c.execute(text(marking), {"id": group.id}))
    entries = await entries_of(door, group.organiser)
    assert {each.match_id for each in group.tables} <= {each["match_id"] for each in entries}
