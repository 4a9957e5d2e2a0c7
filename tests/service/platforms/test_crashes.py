"""Servers killed while they tell platforms: each result is there once, and noted."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.forking import nothing
from tests.service import builds
from tests.service.client import bearer, open_table
from tests.service.platforms.fakes import Fake, Pods, Startgg
from tests.service.platforms.serving import Served, served
from tests.service.process import Server, server
from tests.waiting import eventually


@dataclass(frozen=True)
class Kind:
    """A platform; `again` is what comes of telling it the same again, and how often it is told."""

    name: str
    make: Callable[[], Fake]
    path: str
    target: str
    again: tuple[str, int]
    more: Mapping[str, str]


STARTGG = Kind("startgg", Startgg, "/gql/alpha", "65089253", ("already", 1), {})
PODS = Kind("pods", Pods, "/tables", "12", ("reported", 2), {"tournament": "round 1"})
SETTINGS = {"PRIVATE_WEBHOOKS": "true", "WEBHOOK_SECONDS": "1"}


async def linked(
    http: httpx.AsyncClient, running: Server, there: Served, kind: Kind
) -> tuple[str, str]:
    """The path of a link, and that of its match, which runs."""
    own = bearer(running.key)
    table = await open_table(http, running.key, "high_card", 2)
    body = {
        "platform": kind.name,
        "address": f"{there.url}/{kind.name}{kind.path}",
        "credentials": {"access_token": "token-1"},
        **kind.more,
    }
    made = await http.post("/v1/connections", json=body, headers=own)
    path = f"{made.headers['location']}/links/{table.match_id}"
    link = {"target": kind.target, "participants": ["a", "b"]}
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
    ("database_url", "kind", "point"),
    [
        ("postgresql", STARTGG, "result_claimed"),
        ("sqlite", STARTGG, "result_sent"),
        pytest.param("sqlite", PODS, "result_sent", marks=pytest.mark.soak),
    ],
    indirect=["database_url"],
)
async def test_killed_at_a_named_point(
    database_url: str, tmp_path: Path, kind: Kind, point: str
) -> None:
    await _killed_at(database_url, tmp_path, kind, point)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("build", "kind", "point", "found"),
    [
        (builds.noting_before_it_tells, STARTGG, "result_claimed", "was not told"),
        (builds.telling_what_is_there, STARTGG, "result_sent", "was told 2 times"),
        (builds.naming_every_report, PODS, "result_sent", "was told otherwise"),
    ],
)
async def test_who_tells_otherwise_is_found_out(
    sqlite_url: str, tmp_path: Path, build: Callable[[], None], kind: Kind, point: str, found: str
) -> None:
    with pytest.raises(AssertionError, match=found):
        await _killed_at(sqlite_url, tmp_path, kind, point, build)


async def _killed_at(
    database_url: str, tmp_path: Path, kind: Kind, point: str, build: Callable[[], None] = nothing
) -> None:
    async with served() as there:
        fake = there.fakes[f"/{kind.name}"] = kind.make()
        with server(database_url, tmp_path, build, **SETTINGS) as first:
            async with first.client() as http:
                path, token = await linked(http, first, there, kind)
            assert first.stop() == 0
        crashing = {**SETTINGS, "TEST": "1", "TEST_CRASH_AT": point}
        with server(database_url, tmp_path, build, **crashing) as second:
            async with second.client() as http:
                await resigned(http, path, token)
            await second.has_died()
        with server(database_url, tmp_path, build, **SETTINGS) as third:
            async with third.client() as http:
                link = await noted(http, third, path)
    outcome, times = kind.again if point == "result_sent" else ("reported", 1)
    assert fake.first == "a", "the platform was not told"
    assert len(fake.writes) == times, f"the platform was told {len(fake.writes)} times"
    told = {(each.headers.get("idempotency-key"), each.body) for each in fake.writes}
    assert len(told) == 1, "the platform was told otherwise"
    # A machine that is starved may give up on an attempt before it is answered.
    assert link["log"][-1]["outcome"] == outcome
    assert link["attempts"] >= 2
