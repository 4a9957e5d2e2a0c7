"""Servers killed while they tell platforms: each result is there once, and noted."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forking import nothing
from tests.service import builds
from tests.service.client import bearer, open_table
from tests.service.platforms.fakes import Startgg
from tests.service.platforms.serving import Served, served
from tests.service.process import Server, server
from tests.waiting import eventually

SETTINGS = {"PRIVATE_WEBHOOKS": "true", "WEBHOOK_SECONDS": "1"}


async def linked(http: httpx.AsyncClient, running: Server, there: Served) -> tuple[str, str]:
    """The path of a link, and that of its match, which runs."""
    own = bearer(running.key)
    table = await open_table(http, running.key, "high_card", 2)
    body = {
        "platform": "startgg",
        "address": f"{there.url}/startgg/gql/alpha",
        "credentials": {"access_token": "token-1"},
    }
    made = await http.post("/v1/connections", json=body, headers=own)
    path = f"{made.headers['location']}/links/{table.match_id}"
    link = {"target": "65089253", "participants": ["a", "b"]}
    done = await http.put(path, json=link, headers=own)
    assert done.status_code == 200, done.text
    return path, table.tokens[1]


async def resigned(http: httpx.AsyncClient, path: str, token: str) -> None:
    match_id = path.rpartition("/")[2]
    with suppress(httpx.TransportError):  # It may be killed before it answers.
        await http.post(f"/v1/matches/{match_id}/seats/1/resign", json={}, headers=bearer(token))


async def noted(http: httpx.AsyncClient, running: Server, path: str) -> dict[str, Any]:
    async def shown() -> dict[str, Any]:
        link: dict[str, Any] = (await http.get(path, headers=bearer(running.key))).json()
        return link

    return await eventually(shown, lambda link: link["state"] == "reported")


@pytest.mark.parametrize(
    ("database_url", "point", "outcome"),
    [("postgresql", "result_claimed", "reported"), ("sqlite", "result_sent", "already")],
    indirect=["database_url"],
)
async def test_killed_at_a_named_point(
    database_url: str, tmp_path: Path, point: str, outcome: str
) -> None:
    await _killed_at(database_url, tmp_path, point, outcome)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("build", "point", "outcome", "found"),
    [
        (builds.noting_before_it_tells, "result_claimed", "reported", "was not told"),
        (builds.telling_what_is_there, "result_sent", "already", "was told again"),
    ],
)
async def test_who_tells_otherwise_is_found_out(
    sqlite_url: str,
    tmp_path: Path,
    build: Callable[[], None],
    point: str,
    outcome: str,
    found: str,
) -> None:
    with pytest.raises(AssertionError, match=found):
        await _killed_at(sqlite_url, tmp_path, point, outcome, build)


async def _killed_at(
    database_url: str,
    tmp_path: Path,
    point: str,
    outcome: str,
    build: Callable[[], None] = nothing,
) -> None:
    async with served() as there:
        fake = there.fakes["/startgg"] = Startgg()
        with server(database_url, tmp_path, build, **SETTINGS) as first:
            async with first.client() as http:
                path, token = await linked(http, first, there)
            assert first.stop() == 0
        crashing = {**SETTINGS, "TEST": "1", "TEST_CRASH_AT": point}
        with server(database_url, tmp_path, build, **crashing) as second:
            async with second.client() as http:
                await resigned(http, path, token)
            await second.has_died()
        with server(database_url, tmp_path, build, **SETTINGS) as third:
            async with third.client() as http:
                link = await noted(http, third, path)
        assert (fake.state, fake.winner) == (3, "a"), "the platform was not told"
        assert len(fake.writes) == 1, "the platform was told again"
        # A machine that is starved may give up on an attempt before it is answered.
        assert link["log"][-1]["outcome"] == outcome
        assert link["attempts"] >= 2
