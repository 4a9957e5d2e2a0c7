"""Spectators, live and behind: one past version on every channel."""

import asyncio
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import httpx
import msgspec
import pytest

from service.app import build
from service.settings import Settings
from tests.service.client import Table, answer, bearer, decision_of, random_move
from tests.service.conftest import Clock, Door
from tests.service.driving import reading
from tests.waiting import PATIENCE

SSE, NDJSON = "text/event-stream", "application/x-ndjson"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def spectator(door: Door, table: Table, **delay: Any) -> str:
    made = await door.post(table.path + "/spectators", json=delay)
    assert made.status_code == 201, made.text
    token: str = made.json()["token"]
    return token


async def moved(door: Door, table: Table) -> int:
    """Somebody moves; the version afterwards."""
    for seat in range(len(table.tokens)):
        own = (await decision_of(door.http, table, seat))["decision"]
        if own["id"] is not None:
            move = random_move(own["offers"], Random(1))
            done = await answer(door.http, table, seat, own["id"], move)
            return int(done.json()["last"])
    raise AssertionError


async def versions(door: Door, table: Table, token: str) -> AsyncIterator[int]:
    """The version each channel is at."""
    yield (await door.get(table.path, token)).json()["version"]
    yield (await door.get(table.path + "/view", token)).json()["version"]
    page = (await door.get(table.path + "/events", token)).json()
    yield page["version"]
    yield page["events"][-1]["version"]
    for path in ("", "/view", "/seats"):
        tag = (await door.get(table.path + path, token)).headers["etag"]
        yield int(tag.strip('"').split(".")[1])


async def test_an_undelayed_spectator_sees_what_a_key_sees(door: Door, table: Table) -> None:
    token = await spectator(door, table)
    for path in ("", "/view", "/events", "/seats", "/seats/1"):
        own = await door.get(table.path + path, token)
        theirs = await door.get(table.path + path)
        assert (own.status_code, own.content) == (200, theirs.content)
    for path in ("/decision", "/decision/moves"):
        refused = await door.get(table.path + path, token)
        assert (refused.status_code, refused.json()["code"]) == (403, "seat-token-required")
    refused = await door.get("/v1/matches", token)
    assert (refused.status_code, refused.json()["code"]) == (403, "api-key-required")
    other = await door.table()
    assert (await door.get(other.path, token)).status_code == 404


async def test_a_delay_in_seconds_holds_everywhere(door: Door, table: Table) -> None:
    token = await spectator(door, table, delay_seconds=60)
    assert {v async for v in versions(door, table, token)} == {1}
    before = (await door.get(table.path)).json()["version"]
    door.clock.now += 60_000
    await moved(door, table)
    assert {v async for v in versions(door, table, token)} == {before}
    past = (await door.get(table.path, token)).json()
    assert (past["status"], past["result"]) == ("running", None)
    now = (await door.get(table.path)).json()
    assert past["head"] != now["head"]
    beyond = await door.get(f"{table.path}/view?at={before + 1}", token)
    never = await door.get(f"{table.path}/view?at={before + 1000}", token)
    assert (beyond.status_code, beyond.content) == (404, never.content)
    at = await door.get(f"{table.path}/view?at={before}", token)
    assert at.content == (await door.get(table.path + "/view", token)).content


async def test_what_happens_now_does_not_show(door: Door, table: Table) -> None:
    """Byte by byte, headers included: only the asking itself is counted."""
    token = await spectator(door, table, delay_seconds=60)
    door.clock.now += 30_000
    paths = ["", "/view", "/seats", "/seats/0", "/events", "/events?proof=true", "/view?at=2"]
    paths += ["/events?after=5&limit=2", "/events?perspective=full", "/decision", "/spectators"]

    async def received() -> list[object]:
        got: list[object] = []
        for path in paths:
            answered = await door.get(table.path + path, token, headers={"X-Request-Id": "x"})
            headers = {n: v for n, v in answered.headers.items() if n != "ratelimit"}
            got.append((answered.status_code, headers, answered.content))
        return got

    before = await received()
    await moved(door, table)
    assert await received() == before
    await door.post(table.path + "/cancel")
    assert await received() == before


async def test_the_longer_delay_counts(door: Door, table: Table) -> None:
    token = await spectator(door, table, delay_seconds=60, delay_versions=2)
    before = (await door.get(table.path)).json()["version"]
    door.clock.now += 60_000
    assert {v async for v in versions(door, table, token)} == {before - 2}


async def test_a_delayed_end_is_seen_late_and_whole(door: Door, table: Table) -> None:
    token = await spectator(door, table, delay_seconds=60, delay_versions=1)
    door.clock.now += 1_000
    await door.post(table.path + "/cancel")
    door.clock.now += 59_999
    late = (await door.get(table.path, token)).json()
    assert (late["status"], late["revealed"]) == ("running", False)
    full = table.path + "/events?perspective=full"
    refused = await door.get(full, token)
    assert (refused.status_code, refused.json()["code"]) == (409, "not-revealed")
    door.clock.now += 1
    assert (await door.get(table.path, token)).content == (await door.get(table.path)).content
    assert (await door.get(full, token)).content == (await door.get(full)).content


@pytest.mark.parametrize("accept", [SSE, NDJSON])
async def test_a_delayed_stream_waits(door: Door, table: Table, accept: str) -> None:
    token = await spectator(door, table, delay_seconds=60)
    door.clock.now += 60_000
    async with reading(door.app, table.path + "/events", token, accept) as stream:
        before = (await door.get(table.path)).json()["version"]
        await stream.until(b'"version":%d' % before)
        after = await moved(door, table)
        assert b'"version":%d' % after not in (await stream.part() or b"")
        door.clock.now += 60_000
        await stream.until(b'"version":%d' % after)


async def test_a_delayed_long_poll_waits(door: Door, table: Table) -> None:
    token = await spectator(door, table, delay_seconds=60)
    door.clock.now += 60_000
    before = (await door.get(table.path)).json()["version"]
    path = f"{table.path}/events?after={before}&wait=60"
    polling = asyncio.create_task(door.get(path, token))
    await asyncio.sleep(0.05)
    await moved(door, table)
    assert not (await asyncio.wait((polling,), timeout=0.5))[0]
    door.clock.now += 60_000
    assert (await polling).json()["events"]


async def test_spectators_are_listed_and_revoked(door: Door, table: Table) -> None:
    token = await spectator(door, table, delay_seconds=5)
    listed = (await door.get(table.path + "/spectators")).json()["spectators"]
    assert [each["delay_seconds"] for each in listed] == [5]
    assert token not in str(listed)
    path = f"{table.path}/spectators/{listed[0]['id']}"
    assert (await door.get(path)).json() == listed[0]
    assert (await door.delete(path)).status_code == 204
    assert (await door.get(table.path, token)).status_code == 401
    assert (await door.get(path)).status_code == (await door.delete(path)).status_code == 404
    me = await door.get("/v1/me", await spectator(door, table, delay_versions=3))
    assert (me.json()["kind"], me.json()["delay_versions"]) == ("spectator_token", 3)


async def test_a_token_to_watch_expires(door: Door, table: Table) -> None:
    token = await spectator(door, table, expires_at=door.clock.now + 1000)
    assert (await door.get(table.path, token)).status_code == 200
    door.clock.now += 1000
    assert (await door.get(table.path, token)).status_code == 401


async def test_a_seat_looks_back_at_its_own_views(door: Door, table: Table) -> None:
    token = table.tokens[0]
    seen = await door.get(table.path + "/view", token)
    version = seen.json()["version"]
    await moved(door, table)
    past = await door.get(f"{table.path}/view?at={version}", token)
    assert (past.content, past.headers["etag"]) == (seen.content, seen.headers["etag"])
    assert (await door.get(f"{table.path}/view?at=1", token)).json()["view"] is None
    other = await door.get(f"{table.path}/view?at={version}", table.tokens[1])
    assert other.content != seen.content


async def test_open_feeds_of_a_revoked_token_close_at_once(
    settings: Settings, clock: Clock
) -> None:
    never = msgspec.structs.replace(settings, tick_seconds=3600, keep_alive_seconds=3600)
    async with build(never, clock=clock).running() as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            door = Door(http, app, clock)
            await assert_closed_at_once(door, await door.table())


async def assert_closed_at_once(door: Door, table: Table) -> None:
    async with reading(door.app, table.path + "/events", table.tokens[1], SSE) as stream:
        version = (await door.get(table.path)).json()["version"]
        await stream.until(b'"version":%d' % version)
        polling = asyncio.create_task(
            door.get(f"{table.path}/events?after={version}&wait=60", table.tokens[1])
        )
        await asyncio.sleep(0.05)
        await door.delete(table.path + "/seats/1/tokens")
        async with asyncio.timeout(PATIENCE):  # and no tick comes meanwhile
            await stream.rest()
            assert (await polling).status_code == 401


async def test_tickets_open_one_stream(door: Door, table: Table) -> None:
    path = table.path + "/events"
    made = await door.post("/v1/tickets", table.tokens[0], json={"path": path})
    assert made.status_code == 201
    query = f"ticket={made.json()['ticket']}"
    page = await door.http.get(f"{path}?{query}")
    assert page.status_code == 401
    other = await door.table()
    async with reading(door.app, other.path + "/events", "", SSE, query) as wrong:
        await wrong.rest()
        assert wrong.status == 401
    async with without_token(door, path, query) as stream:
        assert b'"version":1' in await stream.until(b'"version":5')
        async with without_token(door, path, query) as again:
            await again.rest()
            assert again.status == 401
        await door.delete(table.path + "/seats/0/tokens")
        await stream.rest(2)


def without_token(door: Door, path: str, query: str) -> Any:
    return reading(door.app, path, None, SSE, query)


async def test_a_ticket_lives_for_a_minute_and_with_its_token(door: Door, table: Table) -> None:
    path = table.path + "/events"

    async def ticket() -> str:
        made = await door.post("/v1/tickets", table.tokens[0], json={"path": path})
        return f"ticket={made.json()['ticket']}"

    query = await ticket()
    door.clock.now += 60_000
    async with without_token(door, path, query) as stream:
        await stream.rest()
        assert stream.status == 401
    query = await ticket()
    await door.delete(table.path + "/seats/0/tokens")
    async with without_token(door, path, query) as stream:
        await stream.rest()
        assert stream.status == 401


async def test_a_ticket_is_stored_as_a_hash(door: Door, table: Table) -> None:
    path = table.path + "/events"
    made = await door.post("/v1/tickets", table.tokens[0], json={"path": path})
    from sqlalchemy import text

    query = text("SELECT * FROM ticket")
    rows = await door.app.parts.database.read(lambda c: repr(c.execute(query).all()))
    assert made.json()["ticket"] not in rows
    assert bearer(table.tokens[0])["Authorization"][7:] not in rows
