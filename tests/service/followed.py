"""What a server tells of matches, as tests that kill it ask: events, logs, how many there are."""

from collections.abc import Callable

import httpx

from events.given_log import GivenLog
from tests.service.client import Json, Table, bearer
from tests.service.process import PATIENCE, Server
from tests.waiting import eventually


async def count(http: httpx.AsyncClient, key: str, what: str, most: int = 200) -> int:
    """How many `batches` or `matches` there are, if that is less than a page of them."""
    got = await http.get(f"/v1/{what}?limit={most}", headers=bearer(key))
    assert got.status_code == 200, got.text
    found = len(got.json()[what])
    assert found < most
    return found


async def events(http: httpx.AsyncClient, table: Table) -> list[Json]:
    """As seat 0 sees them."""
    got = await http.get(table.path + "/events?limit=500", headers=bearer(table.tokens[0]))
    assert got.status_code == 200, got.text
    found: list[Json] = got.json()["events"]
    return found


async def until(
    http: httpx.AsyncClient,
    table: Table,
    holds: Callable[[list[Json]], bool],
    seconds: float = PATIENCE,
) -> list[Json]:
    """The events of a match once they are so. Raises: AssertionError."""
    return await eventually(lambda: events(http, table), holds, seconds)


def of_kind(found: list[Json], kind: str) -> list[Json]:
    return [each for each in found if each["kind"] == kind]


def is_over(found: list[Json]) -> bool:
    return bool(found[-1]["kind"] == "match_revealed")


async def is_sound(running: Server, table: Table, *checked: str) -> bool:
    """The revealed log, by the program's own verifier, which had all of `checked` to look at."""
    path = table.path + "/events?perspective=full&proof=true&limit=500"
    async with running.client() as http:
        got = await http.get(path, headers=bearer(running.key))
    verdict = GivenLog(got.json()["events"]).verdict(None)
    return verdict.is_sound and set(checked) <= set(verdict.checked)
