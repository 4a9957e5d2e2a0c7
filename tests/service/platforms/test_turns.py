"""Over a connection one result is told at a time, by whichever process, and not under strain."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.util import await_only

from events.database import Database
from service.platforms import connections, links, managing, wanting
from service.platforms.connections import Account
from service.platforms.links import Link, Try
from service.platforms.reporting import Reporting
from service.rounds import STEPS
from tests.service.conftest import Door
from tests.service.platforms.fakes import said
from tests.service.platforms.serving import (
    CONNECTIONS,
    Served,
    link_path,
    linked,
    pass_time,
    settled,
)
from tests.service.platforms.test_reporting import challonge, over, played

Json = dict[str, Any]


ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def another(door: Door) -> Reporting:
    """As in another process, on the same database."""
    parts = door.app.parts
    return Reporting(
        parts.database,
        parts.vault,
        door.app.settings,
        door.clock,
        lambda _: None,
        parts.log,
        asyncio.Event,
    )


async def waiting(door: Door, there: Served, count: int) -> tuple[Json, list[str]]:
    """A connection that is off, and so many matches whose results wait for it."""
    connection, _ = await challonge(door, there, enabled=False)
    ids = []
    for number in range(count):
        table = await played(door)
        ids.append(table.match_id)
        await linked(door, connection, table.match_id, str(77 + number), "a", "b")
        await settled(door, connection, table.match_id, "pending")
    return connection, ids


async def noted(door: Door, connection: Json, ids: list[str], count: int) -> list[Json]:
    """The links, once so many attempts are noted."""

    async def shown() -> list[Json]:
        return [(await door.get(link_path(connection, each))).json() for each in ids]

    async with asyncio.timeout(15):
        while True:
            if sum(len(each["log"]) for each in await shown()) >= count:
                return await shown()
            await asyncio.sleep(0.02)


async def enabled(door: Door, connection: Json) -> None:
    await patched(door, connection, {"enabled": True})


async def patched(door: Door, connection: Json, change: Json) -> None:
    headers = {"Authorization": f"Bearer {door.key}", "If-Match": "*"}
    path = f"{CONNECTIONS}/{connection['id']}"
    done = await door.http.patch(path, json=change, headers=headers)
    assert done.status_code == 200, done.text


async def test_two_processes_tell_one_at_a_time_over_a_connection(
    door: Door, there: Served
) -> None:
    connection, ids = await waiting(door, there, 4)
    async with AsyncExitStack() as processes:
        for process in [another(door) for _ in range(2)]:
            await processes.enter_async_context(process.running())
        there.gate = asyncio.Event()
        await enabled(door, connection)
        await there.until(1)
        await asyncio.sleep(0.6)  # Each has looked a few times.
        assert len(there.calls) == 1
        there.gate.set()
        await settled(door, connection, ids[0], "reported")
        for match_id in ids[1:]:
            await settled(door, connection, match_id, "refused")
    assert there.most_at_once == 1


@ONE
@pytest.mark.parametrize("answer", [said(429), said(503), said(200, {"data": 5})])
async def test_a_strained_platform_is_asked_for_one_result_alone(
    door: Door, there: Served, answer: Any
) -> None:
    connection, ids = await waiting(door, there, 3)
    there.ahead = [answer] * 2
    await enabled(door, connection)
    shown = await noted(door, connection, ids, 1)
    # All of them wait, and only one has used up an attempt.
    assert sorted(each["attempts"] for each in shown) == [0, 0, 1]
    pauses = {each["next_at"] - door.clock.now for each in shown}
    assert all(900 * STEPS[0] <= each <= 1100 * STEPS[0] for each in pauses)
    asked = await door.post(link_path(connection, ids[2]) + "/report")
    assert asked.json()["next_at"] - door.clock.now == min(pauses)
    pass_time(door, min(pauses) - 1)
    await asyncio.sleep(0.3)
    assert len(there.calls) == 1
    pass_time(door, 1)
    # The second in a row: the pause is longer, and over when credentials are others.
    await noted(door, connection, ids, 2)
    pass_time(door, 2 * 1000 * STEPS[0])
    await asyncio.sleep(0.3)
    assert len(there.calls) == 2
    await patched(door, connection, {"credentials": {"api_key": "key-1"}})
    await settled(door, connection, ids[0], "reported")


@ONE
async def test_a_strained_platform_is_asked_every_half_hour_at_least(
    door: Door, there: Served
) -> None:
    connection, ids = await waiting(door, there, 7)
    there.ahead = [said(503)] * 6
    await enabled(door, connection)
    for number in range(1, 7):
        await noted(door, connection, ids, number)
        pass_time(door, 2_000_000)
    await settled(door, connection, ids[0], "reported")


@ONE
async def test_of_what_is_due_one_is_read(
    door: Door, there: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that waits becomes due at the same moment as a connection is enabled again."""
    connection, ids = await waiting(door, there, 5)
    await door.app.parts.database.write(lambda c: links.hurry(c, connection["id"], 5))
    await door.app.parts.feeding.catch_up()
    await door.app.parts.reporting._follower.catch_up()  # It reads links as well.
    read: list[str] = []
    decode = links._link

    def counted(row: Any) -> Link:
        read.append(row.match_id)
        return decode(row)

    def unread(_match_id: str, error: Exception) -> None:
        raise error

    monkeypatch.setattr(links, "_link", counted)
    first = await door.app.parts.database.read(
        lambda c: links.next_due(c, connection["id"], 5, unread)
    )
    assert first is not None
    assert read == [first.match_id] == [min(ids)]


async def claimed(door: Door, connection: Json, link: Link) -> Link | None:
    """Somebody takes it, whose time is over at once."""
    database, now = door.app.parts.database, door.clock.now
    account = await database.read(lambda c: connections.find(c, connection["id"], "main"))
    assert account is not None

    def work(session: Any) -> Link | None:
        claim = connections.claimed(session, account, now, now)
        assert claim is not None
        return links.claimed(session, link, None, claim.claims)

    return await database.write(work)


async def found(door: Door, connection: Json, match_id: str) -> Link:
    database = door.app.parts.database
    link = await database.read(lambda c: links.find(c, connection["id"], match_id))
    assert link is not None
    return link


async def test_of_two_who_take_a_connection_one_gets_it(door: Door, there: Served) -> None:
    connection, _ = await waiting(door, there, 1)
    database, now = door.app.parts.database, door.clock.now
    account = await database.read(lambda c: connections.find(c, connection["id"], "main"))
    assert account is not None
    won = [
        await database.write(lambda c: connections.claimed(c, account, now, now)) for _ in range(2)
    ]
    assert [each is not None for each in won] == [True, False]


async def test_a_pause_is_of_the_credentials_it_came_of(door: Door, there: Served) -> None:
    connection, _ = await waiting(door, there, 1)
    database, now = door.app.parts.database, door.clock.now

    async def account() -> Account:
        known = await database.read(lambda c: connections.find(c, connection["id"], "main"))
        assert known is not None
        return known

    before = await account()
    claim = await database.write(lambda c: connections.claimed(c, before, now, now + 1000))
    assert claim is not None
    await patched(door, connection, {"credentials": {"api_key": "key-2"}})
    await database.write(lambda c: connections.told(c, claim, now, 60))
    after = await account()
    assert (after.claimed_until, after.strain, after.paused_until) == (now, 0, 0)


async def test_what_an_attempt_came_to_whose_time_ran_out_changes_nothing(
    door: Door, there: Served
) -> None:
    connection, (match_id,) = await waiting(door, there, 1)
    database, now = door.app.parts.database, door.clock.now
    first = await claimed(door, connection, await found(door, connection, match_id))
    assert first is not None
    second = await claimed(door, connection, first)
    tried = Try(now, 1, 1, 200, "reported", "")
    await database.write(lambda c: links.ended(c, first, tried, "reported", now, 5))
    assert await found(door, connection, match_id) == second


async def test_a_link_that_is_made_again_takes_no_older_verdict(door: Door, there: Served) -> None:
    connection, (match_id,) = await waiting(door, there, 1)
    database, now = door.app.parts.database, door.clock.now
    old = await claimed(door, connection, await found(door, connection, match_id))
    assert old is not None
    assert (await door.delete(link_path(connection, match_id))).status_code == 204
    await linked(door, connection, match_id, "78", "a", "b")
    new = await claimed(door, connection, await found(door, connection, match_id))
    tried = Try(now, 1, 1, 200, "reported", "")
    await database.write(lambda c: links.ended(c, old, tried, "reported", now, 5))
    assert await found(door, connection, match_id) == new


async def test_a_link_that_was_changed_is_not_taken_as_it_was(door: Door, there: Served) -> None:
    connection, (match_id,) = await waiting(door, there, 1)
    before = await found(door, connection, match_id)
    await linked(door, connection, match_id, "99", "a", "b")
    assert await claimed(door, connection, before) is None


@ONE
async def test_a_fault_of_ours_counts_as_an_attempt(
    door: Door, there: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, (match_id,) = await waiting(door, there, 1)

    def broken(*_: Any) -> Any:
        raise TypeError("by mistake")

    monkeypatch.setattr("service.platforms.attempting.Attempt.made", broken)
    await enabled(door, connection)
    waits = await settled(door, connection, match_id, "pending", 1)
    assert waits["log"][0]["outcome"] == "unavailable"
    assert waits["next_at"] > door.clock.now


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)  # SQLite: one at a time
async def test_a_match_that_ends_while_it_is_linked_is_told(
    door: Door, there: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link is written, and not there for others yet as the end of its match passes by."""
    connection, fake = await challonge(door, there)
    table = await door.table(seats=2)
    caller = await door.app.parts.doorkeeper.caller_of(f"Bearer {door.key}")
    written, may_go_on = asyncio.Event(), asyncio.Event()
    want = wanting.want

    def slow(session: Any, found: Any, now: int) -> None:
        want(session, found, now)
        if not written.is_set():
            written.set()
            await_only(may_go_on.wait())

    monkeypatch.setattr(wanting, "want", slow)
    # By another process: here it would keep others from the few connections that write.
    database = await Database.open(door.app.settings.database_url)
    try:
        parts = replace(door.app.parts, database=database)
        ids = (connection["id"], table.match_id, "77", ("a", "b"))
        linking = asyncio.create_task(managing.put_link(parts, caller, *ids))
        await written.wait()
        await over(door, table)
        await passed_by(door)
        may_go_on.set()
        await linking
    finally:
        may_go_on.set()
        await database.close()
    await settled(door, connection, table.match_id, "reported")
    assert fake.winner == "a"


async def passed_by(door: Door) -> None:
    """Until all of the feed was taken, or whoever takes it waits for somebody else."""
    parts = door.app.parts
    await parts.feeding.catch_up()
    blocked = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
    async with asyncio.timeout(15):
        while await parts.reporting._follower.position() < await parts.feeding.size():
            if await parts.database.read(lambda c: c.execute(blocked).scalar()):
                return
            await asyncio.sleep(0.02)
