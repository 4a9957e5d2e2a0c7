"""A receiver that says it is busy is left alone as a whole, for longer and longer."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from service.settings import Settings
from service.webhooks import rows
from tests.service.conftest import Door
from tests.service.hooking import (
    HOOKS,
    changed,
    hooked,
    log_of,
    pass_time,
    sent_test,
    settled,
    shown,
)
from tests.service.receiving import Receiver, receiver
from tests.waiting import eventually

Json = dict[str, Any]
DAY_MS = 86_400_000
LONGEST_MS = 600_000


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True, webhook_seconds=60)


@pytest.fixture
async def there() -> AsyncIterator[Receiver]:
    async with receiver() as opened_one:
        yield opened_one


ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    url: str = request.getfixturevalue(name)
    return url


async def paused(door: Door, hook: Json) -> int:
    """Until when the webhook is paused, once it is so."""
    found = await eventually(lambda: shown(door, hook), lambda found: found["paused_until"])
    until: int = found["paused_until"]
    return until


async def is_over(door: Door, hook: Json) -> None:
    await eventually(lambda: shown(door, hook), lambda found: found["paused_until"] is None)


async def attempts_made(door: Door, hook: Json, count: int) -> list[Json]:
    """All deliveries, once so many attempts at them are noted."""

    def are_noted(log: list[Json]) -> bool:
        return sum(len(each["log"]) for each in log) == count

    return await eventually(lambda: log_of(door, hook), are_noted)


@pytest.mark.parametrize("status", [429, 503])
async def test_one_that_is_busy_is_left_alone_and_no_other(
    door: Door, there: Receiver, status: int
) -> None:
    async with receiver() as elsewhere:
        there.first = [status]
        hook, other = await hooked(door, there.url), await hooked(door, elsewhere.url)
        await sent_test(door, hook)
        until = await paused(door, hook)
        for _ in range(6):
            await sent_test(door, hook)
        await sent_test(door, other)
        await elsewhere.until(1)
        pass_time(door, until - door.clock.now - 1)
        await sent_test(door, other)
        await elsewhere.until(2)
        assert (len(there.got), (await shown(door, other))["paused_until"]) == (1, None)
        pass_time(door, 1001)  # By then what was refused is due again, too.
        await there.until(8)
    log = await attempts_made(door, hook, 8)
    assert sorted(each["attempts"] for each in log) == [1] * 6 + [2]
    assert {each["state"] for each in log} == {"delivered"}
    busy = [each for each in log if each["attempts"] == 2]
    assert [each["outcome"] for each in busy[0]["log"]] == ["busy", "delivered"]
    await is_over(door, hook)


async def test_pauses_grow_to_an_end_and_the_first_success_ends_them(
    door: Door, there: Receiver
) -> None:
    there.status = 503
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    until, wanted = await paused(door, hook), 5_000
    # More than are tried at once: of a busy webhook one is.
    for _ in range(8):
        await sent_test(door, hook)
    for count in range(2, 11):
        pause = until - door.clock.now
        assert 0.9 * wanted <= pause <= 1.1 * wanted
        wanted = min(2 * wanted, LONGEST_MS)
        pass_time(door, pause)
        await attempts_made(door, hook, count)
        until = (await shown(door, hook))["paused_until"]
    assert wanted == LONGEST_MS
    there.first = [204, 204]
    pass_time(door, LONGEST_MS + LONGEST_MS // 10)
    now = door.clock.now
    await eventually(
        lambda: shown(door, hook),
        lambda found: 4_500 <= (found["paused_until"] or 0) - now <= 5_500,
    )


@ONE
@pytest.mark.parametrize(
    ("named", "least"),
    [("90", 90_000), ("Thu, 01 Jan 2026 00:02:00 GMT", 120_000), ("9999999", DAY_MS)],
)
async def test_it_is_left_alone_for_as_long_as_it_asks(
    door: Door, there: Receiver, named: str, least: int
) -> None:
    """A moment is told from by the receiver's own clock."""
    there.status, there.more = 429, {"retry-after": named, "date": "Thu, 01 Jan 2026 00:00:00 GMT"}
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    assert await paused(door, hook) == door.clock.now + least


@ONE
@pytest.mark.parametrize("named", ["soon", "-5", "Thu, 32 Jan 2026 00:02:00 GMT", "0"])
async def test_what_asks_for_nothing_is_left_alone_as_usual(
    door: Door, there: Receiver, named: str
) -> None:
    there.status, there.more = 503, {"retry-after": named}
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    assert 4_500 <= await paused(door, hook) - door.clock.now <= 5_500


@ONE
async def test_what_was_begun_before_a_pause_does_not_end_it(door: Door, there: Receiver) -> None:
    there.gate, there.first = asyncio.Event(), [204, 503, 204]
    hook = await hooked(door, there.url)
    for _ in range(3):
        await sent_test(door, hook)
    await there.until(3)
    there.gate.set()
    await attempts_made(door, hook, 3)
    assert (await shown(door, hook))["paused_until"] is not None


@ONE
async def test_several_that_are_refused_at_once_are_one_step(door: Door, there: Receiver) -> None:
    there.gate, there.status = asyncio.Event(), 503
    hook = await hooked(door, there.url)
    for _ in range(4):
        await sent_test(door, hook)
    await there.until(4)
    there.gate.set()
    await attempts_made(door, hook, 4)
    assert await paused(door, hook) - door.clock.now <= 5_500


@ONE
async def test_a_change_ends_the_pause(door: Door, there: Receiver) -> None:
    there.first, there.more = [429], {"retry-after": "3600"}
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    until = await paused(door, hook)
    own = f"{HOOKS}/{hook['id']}"
    tag = (await door.get(own)).headers["etag"]
    assert (await door.get(own, headers={"If-None-Match": tag})).status_code == 304
    auth = {"Authorization": f"Bearer {door.key}", "If-Match": tag}
    done = await door.http.patch(own, json={"enabled": True}, headers=auth)
    assert (done.status_code, done.json()["paused_until"]) == (200, None)
    door.clock.now += 1  # Those of one moment are in no order.
    await sent_test(door, hook)
    await settled(door, hook, "delivered")
    assert door.clock.now < until


@ONE
async def test_a_pause_is_seen_by_who_knows_the_webhook(door: Door, there: Receiver) -> None:
    there.status = 503
    hook = await hooked(door, there.url)
    own = f"{HOOKS}/{hook['id']}"
    tag = (await door.get(own)).headers["etag"]
    await sent_test(door, hook)
    until = await paused(door, hook)
    known = await door.get(own, headers={"If-None-Match": tag})
    assert (known.status_code, known.json()["paused_until"]) == (200, until)
    there.status = 204
    pass_time(door, until + 1 - door.clock.now)
    await is_over(door, hook)
    assert (await changed(door, hook, name="x")).status_code == 200


@ONE
async def test_one_process_of_several_finds_out_whether_it_is_over(
    door: Door, there: Receiver
) -> None:
    there.status = 503
    made = await hooked(door, there.url)
    await sent_test(door, made)
    until, database = await paused(door, made), door.app.parts.database
    hook = await database.read(lambda c: rows.find(c, made["id"]))
    assert hook is not None
    won = [await database.write(lambda c: rows.tries(c, hook, until + 1)) for _ in range(2)]
    assert won == [True, False]
