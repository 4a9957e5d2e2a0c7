"""Whatever is exported line by line ends when the key may not read it any more."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from service.callers import Caller
from service.errors import NoCredentials
from service.parts import Parts
from service.rest import batches, results
from tests.service.batching import batched, finished
from tests.service.client import bearer
from tests.service.conftest import Door
from tests.service.test_results import kept

Lines = Callable[[Parts, Caller, str], AsyncIterator[bytes]]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def all_results(parts: Parts, caller: Caller, batch: str) -> AsyncIterator[bytes]:
    return results.lines(parts, caller, 0)


def results_of_it(parts: Parts, caller: Caller, batch: str) -> AsyncIterator[bytes]:
    return results.lines(parts, caller, 0, batch)


def matches_of_it(parts: Parts, caller: Caller, batch: str) -> AsyncIterator[bytes]:
    return batches._match_lines(parts, caller, batch)


@pytest.mark.parametrize("change", ["revoked", "without the scope"])
@pytest.mark.parametrize("lines", [all_results, results_of_it, matches_of_it])
async def test_it_ends_when_the_key_may_no_more(
    door: Door, monkeypatch: pytest.MonkeyPatch, lines: Lines, change: str
) -> None:
    monkeypatch.setattr("service.results.AT_ONCE", 1)
    monkeypatch.setattr("service.rest.batches._AT_ONCE", 1)
    batch = await batched(door, ["a", "b"], ["c", "d"])
    for match in batch["matches"]:
        await finished(door, match)
    await kept(door)
    body = {"name": "brief", "scopes": ["matches:read"]}
    made: dict[str, Any] = (await door.post("/v1/keys", json=body)).json()
    parts = door.app.parts
    caller = await parts.doorkeeper.caller_of(f"Bearer {made['secret']}")
    told = lines(parts, caller, batch["id"])
    assert (await anext(told)).count(b"\n") == 1
    if change == "revoked":
        done = await door.delete(f"/v1/keys/{made['id']}")
    else:
        own = {**bearer(door.key), "If-Match": "*"}
        less = {"scopes": ["observe"]}
        done = await door.http.patch(f"/v1/keys/{made['id']}", json=less, headers=own)
    assert done.is_success, done.text
    with pytest.raises(NoCredentials):
        await anext(told)
