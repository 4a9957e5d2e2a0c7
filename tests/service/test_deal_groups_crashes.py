"""A process killed while it ends a group: another goes on, and nothing is done twice."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forking import nothing
from tests.service import timed_builds
from tests.service.client import bearer
from tests.service.grouping import GROUPS
from tests.service.process import Server, server
from tests.waiting import PATIENCE, eventually

FAR = 4_000_000_000_000  # milliseconds


async def opened(http: httpx.AsyncClient, key: str) -> dict[str, Any]:
    """A group of three whose seats are claimed."""
    tables = [["ada"], ["bob"], ["cyd"]]
    body = {"game": "ambagibus", "seats": 1, "tables": tables, "closes_at": FAR}
    made = await http.post(GROUPS, json={**body, "closing": "cancel"}, headers=bearer(key))
    assert made.status_code == 201, made.text
    for each in made.json()["tables"]:
        path = f"/v1/matches/{each['match_id']}/seats/0/claim"
        assert (await http.post(path, headers=bearer(key))).status_code == 200
    group: dict[str, Any] = made.json()
    return group


async def ended(
    running: Server, group: dict[str, Any], patience: float = PATIENCE
) -> list[list[str]]:
    """The kinds of each log, once the group is revealed."""
    async with running.client() as http:
        path = f"{GROUPS}/{group['id']}"

        async def state() -> object:
            return (await http.get(path, headers=bearer(running.key))).json()["state"]

        await eventually(state, lambda found: found == "revealed", patience)
        logs = []
        for each in group["tables"]:
            path = f"/v1/matches/{each['match_id']}/events?perspective=full"
            got = await http.get(path, headers=bearer(running.key))
            logs.append([event["kind"] for event in got.json()["events"]])
        return logs


@pytest.mark.parametrize("point", ["after_close:1", "after_close:2", "after_reveal:1"])
async def test_killed_between_two_matches(database_url: str, tmp_path: Path, point: str) -> None:
    await _killed_at(database_url, tmp_path, point)


@pytest.mark.soak
async def test_who_minds_no_groups_of_others_is_found_out(sqlite_url: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="it never came; at last there was 'closing'"):
        await _killed_at(
            sqlite_url, tmp_path, "after_close:1", timed_builds.minding_its_own, patience=5
        )


async def _killed_at(
    database_url: str,
    tmp_path: Path,
    point: str,
    build: Callable[[], None] = nothing,
    patience: float = PATIENCE,
) -> None:
    crash = {"TEST": "1", "TEST_CRASH_AT": point}
    with server(database_url, tmp_path, build, **crash) as first:
        async with first.client() as http:
            group = await opened(http, first.key)
            path = f"{GROUPS}/{group['id']}/close"
            with suppress(httpx.TransportError):  # It may be gone before it answers.
                await http.post(path, headers=bearer(first.key))
        await first.has_died()
    with server(database_url, tmp_path, build) as second:
        for kinds in await ended(second, group, patience):
            assert kinds[-3:] == ["match_closed", "match_cancelled", "match_revealed"]
            assert kinds.count("match_closed") == kinds.count("match_revealed") == 1


async def test_killed_after_the_last_end_before_the_reveal(
    database_url: str, tmp_path: Path
) -> None:
    """Dead with the last of three creations, claims and cancellations to be announced."""
    with server(database_url, tmp_path, TEST="1", TEST_CRASH_AT="after_hint:9") as first:
        async with first.client() as http:
            group = await opened(http, first.key)
            with suppress(httpx.TransportError):
                for each in group["tables"]:
                    path = f"/v1/matches/{each['match_id']}/cancel"
                    await http.post(path, headers=bearer(first.key))
        await first.has_died()
    with server(database_url, tmp_path) as second:
        async with second.client() as http:
            for each in group["tables"]:
                path = f"/v1/matches/{each['match_id']}/cancel"
                await http.post(path, headers=bearer(second.key))
        for kinds in await ended(second, group):
            assert kinds[-2:] == ["match_cancelled", "match_revealed"]
            assert kinds.count("match_revealed") == 1
