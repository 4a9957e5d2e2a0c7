"""Servers killed while they deliver: each message arrives, under one id, and is noted once."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest
from sqlalchemy import update

from events.database import Database
from service.webhooks.tables import DELIVERY
from tests.forking import nothing
from tests.service import builds
from tests.service.client import bearer, create, open_table, play_out
from tests.service.process import Server, server
from tests.service.receiving import receiver
from tests.waiting import eventually, until

HOOKS = "/v1/webhooks"
SETTINGS = {"PRIVATE_WEBHOOKS": "true", "WEBHOOK_SECONDS": "60"}
BRIEF = {**SETTINGS, "WEBHOOK_SECONDS": "1"}
OTHERS = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""


async def hooked(http: httpx.AsyncClient, running: Server, url: str) -> str:
    """The only webhook: a server is to be killed over its messages, not over an earlier test's."""
    earlier = await http.get(f"{HOOKS}?limit=200", headers=bearer(running.key))
    for each in earlier.json()["webhooks"]:
        gone = await http.delete(f"{HOOKS}/{each['id']}", headers=bearer(running.key))
        assert gone.status_code == 204, gone.text
    made = await http.post(HOOKS, json={"url": url}, headers=bearer(running.key))
    assert made.status_code == 201, made.text
    # So that the next thing in the feed is a match, not the keys of a log that is new.
    await eventually(lambda: http.get("/v1/log"), lambda got: got.status_code == 200)
    return str(made.headers["location"])


async def log_of(http: httpx.AsyncClient, running: Server, hook: str) -> list[dict[str, Any]]:
    got = await http.get(f"{hook}/deliveries?limit=200", headers=bearer(running.key))
    found: list[dict[str, Any]] = got.json()["deliveries"]
    return found


async def all_noted(
    http: httpx.AsyncClient, running: Server, hook: str, count: int
) -> list[dict[str, Any]]:
    def are_there(log: list[dict[str, Any]]) -> bool:
        return len(log) >= count and {each["state"] for each in log} == {"delivered"}

    return await eventually(lambda: log_of(http, running, hook), are_there)


async def match_of(http: httpx.AsyncClient, running: Server, name: str) -> str:
    """By its external id."""
    got = await http.get(f"/v1/matches?external_id={name}", headers=bearer(running.key))
    (only,) = got.json()["matches"]
    return str(only["match_id"])


async def all_due(database_url: str) -> None:
    """As it is when the time is over for which whoever was killed had taken them."""
    if database_url.startswith("postgresql"):
        # What a dead process has asked for may still be committed.
        with psycopg.connect(database_url, autocommit=True) as connection:
            until(lambda: connection.execute(OTHERS).fetchone() == (0,))
    database = await Database.open(database_url)
    await database.write(lambda c: c.execute(update(DELIVERY).values(due_at=1)))
    await database.close()


@pytest.mark.parametrize(
    ("point", "times"), [("webhook_claimed", 1), ("webhook_sent", 2), ("before_feed", 1)]
)
async def test_killed_at_a_named_point(
    database_url: str, tmp_path: Path, point: str, times: int
) -> None:
    await _killed_at(database_url, tmp_path, point, times)


@pytest.mark.parametrize(
    ("build", "point", "times", "found"),
    [
        (builds.noting_before_it_sends, "webhook_claimed", 1, "arrived 0 times"),
        pytest.param(
            *(builds.naming_every_attempt, "webhook_sent", 2, "under other ids"),
            marks=pytest.mark.soak,
        ),
    ],
)
async def test_who_delivers_otherwise_is_found_out(
    sqlite_url: str,
    tmp_path: Path,
    build: Callable[[], None],
    point: str,
    times: int,
    found: str,
) -> None:
    with pytest.raises(AssertionError, match=found):
        await _killed_at(sqlite_url, tmp_path, point, times, build)


async def _killed_at(
    database_url: str,
    tmp_path: Path,
    point: str,
    times: int,
    build: Callable[[], None] = nothing,
) -> None:
    name = uuid4().hex
    async with receiver() as there:
        # What is claimed and never sent is free again after two seconds.
        settings = BRIEF if point == "webhook_claimed" else SETTINGS
        crashing = {**settings, "TEST": "1", "TEST_CRASH_AT": point}
        with server(database_url, tmp_path, build, **SETTINGS) as first:
            async with first.client() as http:
                hook = await hooked(http, first, there.url)
            assert first.stop() == 0
        with server(database_url, tmp_path, build, **crashing) as second:
            async with second.client() as http:
                with suppress(httpx.TransportError):  # It may be gone before it answers.
                    await create(http, second.key, "high_card", 2, external_id=name)
            await second.has_died()
        if point == "webhook_sent":
            await all_due(database_url)
        with server(database_url, tmp_path, build, **SETTINGS) as third:
            async with third.client() as http:
                (noted,) = await all_noted(http, third, hook, 1)
                match_id = await match_of(http, third, name)
        assert noted["match_id"] == match_id
        assert len(there.got) == times, f"it arrived {len(there.got)} times"
        assert {each.id for each in there.got} == {noted["message_id"]}, "under other ids"
        assert len({each.body for each in there.got}) == 1


async def test_killed_over_and_over_nothing_is_lost(database_url: str, tmp_path: Path) -> None:
    async with receiver() as there:
        there.first = [500] * 3
        hook, ids = "", []
        for round_ in range(3):
            with server(database_url, tmp_path, **SETTINGS) as running:
                async with running.client() as http:
                    hook = hook or await hooked(http, running, there.url)
                    table = await open_table(http, running.key, "high_card", 2)
                    await play_out(http, table, round_)
                    ids.append(table.match_id)
                running.kill()
        there.first.clear()  # Who fails twice is tried again after minutes.
        await all_due(database_url)
        with server(database_url, tmp_path, **SETTINGS) as last:
            async with last.client() as http:
                log = await all_noted(http, last, hook, 4 * len(ids))
    told = Counter((each["match_id"], each["type"]) for each in log)
    kinds = ("match.created", "match.started", "match.ended", "match.revealed")
    assert told == {(match_id, kind): 1 for match_id in ids for kind in kinds}
    assert {each["message_id"] for each in log} == {each.id for each in there.got}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_two_servers_deliver_each_message_once(database_url: str, tmp_path: Path) -> None:
    patient = {"PRIVATE_WEBHOOKS": "true"}
    async with receiver() as there:
        with (
            server(database_url, tmp_path / "a", **patient) as one,
            server(database_url, tmp_path / "b", **patient) as two,
        ):
            async with one.client() as http, two.client() as other:
                hook = await hooked(http, one, there.url)
                made = [await create(h, one.key, "high_card", 2) for h in (http, other) * 10]
                log = await all_noted(http, two, hook, len(made))
        assert sorted(each["match_id"] for each in log) == sorted(made)
        assert len(there.got) == len({each.id for each in there.got}) == len(made)
