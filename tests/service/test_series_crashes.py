"""Processes killed while they open the next match of a series: it is opened once."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forking import nothing
from tests.service import builds
from tests.service.client import bearer
from tests.service.followed import count
from tests.service.process import Server, server
from tests.waiting import PATIENCE

BODY = {
    "entrants": [{"external_id": "ada"}, {"external_id": "bob"}],
    "games": 3,
    "match": {"game": "ambition_characters"},
}


async def started(http: httpx.AsyncClient, key: str) -> dict[str, Any]:
    made = await http.post("/v1/series", json=BODY, headers=bearer(key))
    assert made.status_code == 201, made.text
    series: dict[str, Any] = made.json()
    return series


async def given_up(http: httpx.AsyncClient, series: dict[str, Any]) -> None:
    """The first match: both seats claimed by their links, and the second one resigns."""
    for each in series["entrants"]:
        path = f"/v1/series/{series['id']}/current"
        seat = (await http.get(path, headers=bearer(each["link"]["token"]))).json()
        own = f"/v1/matches/{seat['match_id']}/seats/{seat['seat']}"
        token = bearer(seat["link"]["token"])
        assert (await http.post(own + "/claim", headers=token)).status_code == 200
    with suppress(httpx.TransportError):  # A server that is to die may be gone before it answers.
        assert (await http.post(own + "/resign", headers=token)).status_code == 200


async def gone_on(running: Server, series: dict[str, Any]) -> list[dict[str, Any]]:
    """The matches of the series, once there is another."""
    async with running.client() as http, asyncio.timeout(PATIENCE):
        while True:
            path = f"/v1/series/{series['id']}"
            shown = (await http.get(path, headers=bearer(running.key))).json()
            if shown["played"] == 1 and len(shown["matches"]) > 1:
                matches: list[dict[str, Any]] = shown["matches"]
                return matches
            await asyncio.sleep(0.05)


# Before the second: the first match of a series is stored at the same point.
@pytest.mark.parametrize(
    ("backend", "point"),
    [
        ("sqlite_url", "before_series:2"),
        ("postgres_url", "before_series:2"),
        ("postgres_url", "after_series"),
    ],
)
async def test_killed_while_the_next_match_opens(
    request: pytest.FixtureRequest, tmp_path: Path, backend: str, point: str
) -> None:
    await _killed_at(request.getfixturevalue(backend), tmp_path, point)


@pytest.mark.soak
async def test_who_gives_a_place_before_its_match_is_found_out(
    sqlite_url: str, tmp_path: Path
) -> None:
    build = builds.giving_a_place_before_its_match
    with pytest.raises(AssertionError, match="match-not-found"):
        await _killed_at(sqlite_url, tmp_path, "before_series:2", build)


async def test_who_gives_a_place_after_its_match_is_found_out(
    sqlite_url: str, tmp_path: Path
) -> None:
    with pytest.raises(AssertionError, match="a match without a place"):
        await _killed_at(
            sqlite_url, tmp_path, "after_series", builds.giving_a_place_after_its_match
        )


async def _killed_at(
    url: str, tmp_path: Path, point: str, build: Callable[[], None] = nothing
) -> None:
    with server(url, tmp_path, build, TEST="1", TEST_CRASH_AT=point) as first:
        async with first.client() as http:
            before = await count(http, first.key, "matches")
            series = await started(http, first.key)
            await given_up(http, series)
        await first.has_died()
    with server(url, tmp_path) as second:
        matches = await gone_on(second, series)
        assert [(e["number"], e["attempt"]) for e in matches] == [(0, 0), (1, 0)]
        async with second.client() as http:
            path = f"/v1/matches/{matches[1]['match_id']}"
            got = await http.get(path, headers=bearer(second.key))
            assert got.status_code == 200, got.text
            made = await count(http, second.key, "matches") - before
        assert made == len(matches), "a match without a place"


async def test_two_processes_open_one_match(postgres_url: str, tmp_path: Path) -> None:
    with server(postgres_url, tmp_path) as first, server(postgres_url, tmp_path) as second:
        async with first.client() as http:
            several = [await started(http, first.key) for _ in range(4)]
            await asyncio.gather(*(given_up(http, each) for each in several))
        for series in several:
            matches = await gone_on(second, series)
            assert [(e["number"], e["attempt"]) for e in matches] == [(0, 0), (1, 0)]
