"""A process killed while it makes or directs a batch: all of it is there, or nothing."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forking import nothing
from tests.service import builds
from tests.service.batching import BATCHES
from tests.service.client import bearer
from tests.service.process import server

TABLES = 40
GO = {"idempotency-key": "go"}


def body(name: str) -> dict[str, Any]:
    matches = [
        {"external_id": f"{name}-{number}", "seats": [{"external_id": "ada"}]}
        for number in range(TABLES)
    ]
    return {"external_id": name, "defaults": {"game": "ambagibus"}, "matches": matches}


async def listed(http: httpx.AsyncClient, key: str) -> tuple[int, int]:
    """How many batches there are, and how many matches."""
    batches = (await http.get(BATCHES, headers=bearer(key))).json()["batches"]
    matches = (await http.get("/v1/matches?limit=200", headers=bearer(key))).json()["matches"]
    return len(batches), len(matches)


@pytest.mark.parametrize(
    ("backend", "point", "is_stored"),
    [
        ("sqlite_url", "before_batch", False),
        ("postgres_url", "before_batch", False),
        ("postgres_url", "after_batch", True),
    ],
)
async def test_killed_while_it_is_made(
    request: pytest.FixtureRequest, tmp_path: Path, backend: str, point: str, is_stored: bool
) -> None:
    await _killed_at(request.getfixturevalue(backend), tmp_path, point, is_stored)


@pytest.mark.soak
async def test_who_makes_half_of_it_is_found_out(sqlite_url: str, tmp_path: Path) -> None:
    build = builds.storing_matches_before_their_batch
    with pytest.raises(AssertionError, match="half of it is there"):
        await _killed_at(sqlite_url, tmp_path, "before_batch", is_stored=False, build=build)


async def _killed_at(
    database_url: str,
    tmp_path: Path,
    point: str,
    is_stored: bool,
    build: Callable[[], None] = nothing,
) -> None:
    name, crash = f"cup {point}", {"TEST": "1", "TEST_CRASH_AT": point}
    with server(database_url, tmp_path, build, **crash) as first:
        async with first.client() as http:
            before = await listed(http, first.key)
            with pytest.raises(httpx.TransportError):
                await http.post(BATCHES, json=body(name), headers=bearer(first.key))
        await first.has_died()
    with server(database_url, tmp_path) as second:
        async with second.client() as http:
            found = await listed(http, second.key)
            stored = (1, TABLES) if is_stored else (0, 0)
            made = (found[0] - before[0], found[1] - before[1])
            assert made == stored, "half of it is there"
            again = await http.post(BATCHES, json=body(name), headers=bearer(second.key))
            assert again.status_code == (409 if is_stored else 201), again.text
            found = await listed(http, second.key)
            assert (found[0] - before[0], found[1] - before[1]) == (1, TABLES)


async def test_killed_in_the_middle_of_an_action(sqlite_url: str, tmp_path: Path) -> None:
    database_url = sqlite_url
    with server(database_url, tmp_path, TEST="1", TEST_CRASH_AT="batch_action") as first:
        async with first.client() as http:
            headers = bearer(first.key)
            made = await http.post(BATCHES, json=body("action"), headers=headers)
            path = f"{BATCHES}/{made.json()['id']}"
            with suppress(httpx.TransportError):
                await http.post(path + "/cancel", headers={**headers, **GO})
        await first.has_died()
    with server(database_url, tmp_path) as second:
        async with second.client() as http:
            headers = bearer(second.key)
            counts = (await http.get(path, headers=headers)).json()["counts"]
            assert 0 < counts["cancelled"] < TABLES
            done = (await http.post(path + "/cancel", headers={**headers, **GO})).json()
            assert (done["done"], done["refused"]) == (TABLES, 0)
            match_id = done["matches"][0]["match_id"]
            got = await http.get(f"/v1/matches/{match_id}/events", headers=headers)
            kinds = [each["kind"] for each in got.json()["events"]]
            assert kinds.count("match_cancelled") == 1
