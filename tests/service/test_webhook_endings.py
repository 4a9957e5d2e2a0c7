"""However a match ends, webhooks are told once that it did, and how it was left."""

import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest

from service.flags import grace_of, settling_of, sweep
from service.settings import Settings
from tests.service.client import create, open_table
from tests.service.clocking import passed, served_anew
from tests.service.conftest import Door
from tests.service.grouping import sandbox_key
from tests.service.hooking import hooked
from tests.service.receiving import Receiver, receiver
from tests.waiting import PATIENCE

ENDS = ["match.ended", "match.cancelled"]
TYPES = [*ENDS, "result.final", "result.void"]
A_WHILE = 5_000  # ms


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True)


@pytest.fixture
async def there() -> AsyncIterator[Receiver]:
    async with receiver() as opened:
        yield opened


async def told(there: Receiver) -> tuple[str, str]:
    """What is told of the end, once it and the result have come."""
    async with asyncio.timeout(PATIENCE):
        while len({each.type for each in there.got} - {"match.revealed"}) < 2:
            there.news.clear()
            await there.news.wait()
    (end,) = [each.event for each in there.got if each.type in ENDS]
    return end["type"], end["data"]["status"]


@pytest.mark.parametrize(
    ("terminal", "type_", "status"),
    [
        ("resigned", "match.ended", "over"),
        ("forfeited", "match.ended", "over"),
        ("adjudicated", "match.ended", "over"),
        ("cancelled", "match.cancelled", "cancelled"),
        ("void", "match.cancelled", "void"),
        ("replayed", "match.cancelled", "void"),
    ],
)
async def test_every_forced_end_is_told(
    door: Door, there: Receiver, terminal: str, type_: str, status: str
) -> None:
    key = await sandbox_key(door)
    await hooked(door, there.url, key, types=TYPES)
    table = await open_table(door.http, key, "high_card", 3)
    done = await door.post(table.path + "/end", key, json={"terminal": terminal})
    assert done.status_code == 200, done.text
    assert await told(there) == (type_, status)


@pytest.mark.parametrize(
    ("no_show", "type_", "status"),
    [("forfeit", "match.ended", "over"), ("void", "match.cancelled", "void")],
)
async def test_an_end_because_a_seat_did_not_come_is_told(
    door: Door, there: Receiver, no_show: str, type_: str, status: str
) -> None:
    await served_anew(door)
    await hooked(door, there.url, types=TYPES)
    when = {"join_by": door.clock.now + A_WHILE, "no_show": no_show}
    match_id = await create(door.http, door.key, "high_card", 2, schedule=when)
    for seat in (0, 1):
        await door.post(f"/v1/matches/{match_id}/seats/{seat}/claim")
    await passed(door, A_WHILE + grace_of(door.app.parts) + settling_of(door.app.parts))
    await sweep(door.app.parts)
    assert (await door.get(f"/v1/matches/{match_id}")).json()["status"] == status
    assert await told(there) == (type_, status)


@pytest.mark.parametrize("runs", [True, False])
async def test_a_pause_because_a_seat_did_not_come_is_told(
    door: Door, there: Receiver, runs: bool
) -> None:
    """Of a match that does not run yet there is none: it goes on waiting for its seats."""
    await served_anew(door)
    await hooked(door, there.url, types=["match.paused", "match.resumed", "match.cancelled"])
    when = {"join_by": door.clock.now + A_WHILE, "no_show": "wait"}
    match_id = await create(door.http, door.key, "high_card", 2, schedule=when)
    for seat in (0, 1) if runs else (0,):
        await door.post(f"/v1/matches/{match_id}/seats/{seat}/claim")
    await passed(door, A_WHILE + grace_of(door.app.parts) + settling_of(door.app.parts))
    await sweep(door.app.parts)
    found = (await door.get(f"/v1/matches/{match_id}")).json()
    assert found["status"] == ("paused" if runs else "seating")
    if runs:
        assert (await door.post(f"/v1/matches/{match_id}/resume")).status_code == 200
    assert (await door.post(f"/v1/matches/{match_id}/cancel")).status_code == 200
    paused = [("match.paused", "paused"), ("match.resumed", "running")] if runs else []
    for kind in (*(kind for kind, _ in paused), "match.cancelled"):  # in whatever order they come
        await there.until(1, kind)
    told = [(each.event["type"], each.event["data"]["status"]) for each in there.got]
    assert sorted(told) == sorted([*paused, ("match.cancelled", "cancelled")])
    versions = [e.event["data"]["version"] for e in there.got if e.type == "match.paused"]
    assert versions == ([found["version"]] if runs else [])


async def test_a_correction_of_an_end_is_no_second_end(door: Door, there: Receiver) -> None:
    key = await sandbox_key(door)
    await hooked(door, there.url, key, types=[*TYPES, "result.revised"])
    table = await open_table(door.http, key, "high_card", 3, reveal_after_seconds=3600)
    for seat in (0, 1):
        await door.post(f"{table.path}/seats/{seat}/resign", table.tokens[seat])
    done = await door.post(table.path + "/end", key, json={"terminal": "adjudicated"})
    assert done.status_code == 200, done.text
    await there.until(1, "result.revised")
    assert [each.type for each in there.got if each.type in ENDS] == ["match.ended"]
