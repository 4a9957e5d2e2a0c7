"""A process killed while it makes or directs a batch: all of it is there, or nothing."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.batches.links import seat_token
from service.vault import Vault
from tests.forking import nothing
from tests.service import builds
from tests.service.batching import BATCHES
from tests.service.client import Table, bearer
from tests.service.conftest import KEY, SECRET
from tests.service.followed import count, events, of_kind
from tests.service.process import server

TABLES = 40


def body(name: str) -> dict[str, Any]:
    matches = [
        {"external_id": f"{name}-{number}", "seats": [{"external_id": "ada"}]}
        for number in range(TABLES)
    ]
    return {"external_id": name, "defaults": {"game": "ambagibus"}, "matches": matches}


async def listed(http: httpx.AsyncClient, key: str) -> tuple[int, int]:
    """How many batches there are, and how many matches."""
    return await count(http, key, "batches", 50), await count(http, key, "matches")


async def claimed(http: httpx.AsyncClient, key: str) -> None:
    """The newest match, by its link: who had no answer is told it under the key of its request."""
    newest = await http.get("/v1/matches?limit=1", headers=bearer(key))
    (match_id,) = (each["match_id"] for each in newest.json()["matches"])
    link = bearer(seat_token(Vault(bytes.fromhex(SECRET)), match_id, 0))
    got = await http.post(f"/v1/matches/{match_id}/seats/0/claim", headers=link)
    assert got.status_code == 200, got.text


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


async def test_who_stores_its_links_later_is_found_out(sqlite_url: str, tmp_path: Path) -> None:
    build = builds.storing_links_after_their_batch
    with pytest.raises(AssertionError, match="unauthorized"):
        await _killed_at(sqlite_url, tmp_path, "after_batch", is_stored=True, build=build)


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
            await claimed(http, second.key)


async def test_killed_in_the_middle_of_an_action(sqlite_url: str, tmp_path: Path) -> None:
    await _killed_in_the_middle(sqlite_url, tmp_path)


async def test_who_acts_again_on_what_is_done_is_found_out(sqlite_url: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="not once for each"):
        await _killed_in_the_middle(sqlite_url, tmp_path, builds.acting_under_no_key)


async def _killed_in_the_middle(
    database_url: str, tmp_path: Path, build: Callable[[], None] = nothing
) -> None:
    """Time is added to each match: nothing but the key says that it was."""
    wanted = body("action")
    wanted["defaults"]["clock"] = {"time": {"type": "per_move", "move": 60_000}}
    headers = {**bearer(KEY), "idempotency-key": "go"}
    with server(database_url, tmp_path, build, TEST="1", TEST_CRASH_AT="batch_action") as first:
        async with first.client() as http:
            made = await http.post(BATCHES, json=wanted, headers=bearer(first.key))
            assert made.status_code == 201, made.text
            tables = [Table(each["match_id"], (KEY,)) for each in made.json()["matches"]]
            path = f"{BATCHES}/{made.json()['id']}/extend"
            with suppress(httpx.TransportError):
                await http.post(path, json={"ms": 1_000}, headers=headers)
        await first.has_died()
    with server(database_url, tmp_path, build) as second:
        async with second.client() as http:
            added = [of_kind(await events(http, each), "time_added") for each in tables]
            assert 0 < sum(map(len, added)) < TABLES
            done = (await http.post(path, json={"ms": 1_000}, headers=headers)).json()
            assert (done["done"], done["refused"]) == (TABLES, 0)
            added = [of_kind(await events(http, each), "time_added") for each in tables]
            assert {len(each) for each in added} == {1}, "not once for each"
