"""What may be done with a match that is over is done with an archived one: said again, erased,
disputed, archived anew, read by whoever reads the feed from its beginning.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, delete, insert, update

from events.feed import Entry, entries_after
from events.store import Store
from events.tables import ARCHIVE, CONSUMER, EVENT, MARK, MATCH
from events.verify_bundle import verify_bundle
from service import archiving, result_rows
from service.archiving import ARCHIVED, Broken, Left
from service.platforms.tables import LINK
from service.webhooks import messages
from service.webhooks.tables import DELIVERY
from tests.service.archived import archived, done, group_rested, rested, rows, said, settled
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.grouping import opened, played
from tests.service.personal import stored

Json = dict[str, Any]


async def kinds(door: Door, table: Table) -> list[str]:
    return [each["kind"] for each in (await events(door, table))]


async def events(door: Door, table: Table) -> list[Json]:
    found: list[Json] = (await door.get(table.path + "/events?limit=50")).json()["events"]
    return found


async def test_what_was_answered_is_answered_again_and_nothing_twice(door: Door) -> None:
    table = await rested(door)
    body, headers = {"about": 1, "claim": "unfair"}, {"idempotency-key": "claim"}

    async def claim(**more: Any) -> Any:
        own = {**body, **more}
        return await door.post(table.path + "/disputes", table.tokens[0], json=own, headers=headers)

    first = (await done(claim())).json()
    closed = await door.post(f"{table.path}/disputes/{first['id']}/close", table.tokens[0])
    assert closed.status_code == 200, closed.text
    spoken = (await said(door, table, 0, "said-ada")).content
    await settled(door)
    await archived(door, table)
    version = len(await events(door, table))
    again = await done(claim())
    assert (again.json()["id"], again.headers["plyscribe-replayed"]) == (first["id"], "true")
    assert (await claim(claim="other")).json()["code"] == "idempotency-key-reused"
    repeated = await done(said(door, table, 0, "said-ada"))
    assert (repeated.content, repeated.headers["plyscribe-replayed"]) == (spoken, "true")
    assert len(await events(door, table)) == version
    assert await rows(door, table) == (0, 0, 1)


async def test_of_two_that_archive_at_once_one_does(door: Door) -> None:
    table = await rested(door)
    both = await asyncio.gather(*(archived(door, table) for _ in range(2)), return_exceptions=True)
    assert [each[0].rows_before > 1 for each in both if isinstance(each, list)] == [True]
    assert [str(each) for each in both if isinstance(each, Left)] == [ARCHIVED]
    with pytest.raises(Left, match=ARCHIVED):
        await archived(door, table)


async def test_a_dispute_goes_on_after_the_archive_and_into_the_next(door: Door) -> None:
    table = await rested(door)
    (first,) = await archived(door, table)
    body = {"about": 1, "claim": "unfair"}
    await done(door.post(table.path + "/disputes", table.tokens[0], json=body))
    (own,) = (await door.get(table.path + "/disputes")).json()["disputes"]
    assert await rows(door, table) == (1, 1, 1)
    await settled(door)
    with pytest.raises(Left, match="a dispute is open"):
        await archived(door, table)
    path = f"{table.path}/disputes/{own['id']}"
    await done(door.post(path + "/review", json={"pause": False}))
    ruling = {"ruling": {"type": "set_result", "ranks": [2, 1]}, "reason": "Because"}
    await done(door.post(path + "/rulings", json=ruling))
    await settled(door)
    before = [await door.get(table.path + each) for each in ("/events", "/result", "/disputes")]
    (second,) = await archived(door, table)
    after = [await door.get(table.path + each) for each in ("/events", "/result", "/disputes")]
    assert [each.content for each in after] == [each.content for each in before]
    assert first.rows_before > second.rows_before > 3
    full = await door.get(table.path + "/bundle?perspective=full")
    assert verify_bundle(full.content).is_sound


async def test_texts_and_an_account_are_erased_and_no_column_has_them(door: Door) -> None:
    name, other = f"canary-{uuid4().hex}", f"canary-{uuid4().hex}"
    table = await rested(door, name, other)
    await archived(door, table)
    database = door.app.parts.database
    held = await database.read(stored)
    own = {place for place, data in held.items() if name.encode() in data}
    places = {("text", "text"), ("seat", "account"), ("held", "account"), ("refusal", "move")}
    assert own >= places
    event = next(each for each in await events(door, table) if each.get("texts"))
    body: Json = {"event": event["version"], "field": "text"}
    await done(door.post(table.path + "/erasures", json=body))
    done_again = await done(door.post(table.path + "/erasures", json=body))
    assert done_again.headers["plyscribe-replayed"] == "true"
    erased = await done(door.post("/v1/erasures", json={"account": name}))
    assert (erased.json()["matches"], erased.json()["failed"]) == (1, [])
    held = await database.read(stored)
    left = {place for place, data in held.items() if name.encode() in data}
    # The Idempotency-Key was chosen: it is nobody's to erase.
    assert left <= {("archive", "log"), ("request", "key")}
    assert (await kinds(door, table))[-2:] == ["erased", "erased"]
    assert (await rows(door, table))[2] == 1
    await settled(door)
    full = await door.get(table.path + "/bundle?perspective=full")
    assert (verify_bundle(full.content).fault, name.encode() in full.content) == (None, False)
    assert other.encode() in full.content
    await archived(door, table)
    assert (await door.get(table.path + "/bundle?perspective=full")).content == full.content


async def test_who_reads_the_feed_from_its_beginning_finds_the_same(door: Door) -> None:
    table, group = await rested(door), await group_rested(door)
    tables = (table, *group.tables)
    ids = {each.match_id for each in tables}

    def told(connection: Connection) -> Any:
        entries: Sequence[Entry] = [
            each for each in entries_after(connection, 0, 10_000) if each.match_id in ids
        ]
        return messages.messages(connection, entries), list(
            result_rows.changed_by(connection, entries)
        )

    before = await door.app.parts.database.read(told)
    assert {each.news.match_id for each in before[0]} == ids
    assert {each.entry.match_id for each in before[1]} == ids
    await archived(door, *tables)
    assert await door.app.parts.database.read(told) == before


def delivery(match_id: str) -> Json:
    fixed = {"webhook_id": "hook", "org": "main", "message_id": "m", "type": "match.ended"}
    moving = {"state": "pending", "attempts": 0, "due_at": 1 << 50, "log": b"[]"}
    return {
        "id": str(uuid4()),
        "match_id": match_id,
        "body": b"{}",
        "created_at": 1,
        **fixed,
        **moving,
    }


def link(match_id: str) -> Json:
    fixed = {"connection_id": "c", "org": "main", "target": "t", "created_at": 1}
    moving = {"state": "pending", "wanted_version": 1, "attempts": 0, "due_at": 1 << 50, "claim": 0}
    told = {"participants": b"[]", "begun": b"[]", "log": b"[]"}
    return {"match_id": match_id, **fixed, **moving, **told}


WAITING: dict[str, Callable[[str], Any]] = {
    "the log of all matches has not taken it in": lambda of: insert(MARK).values(
        match_id=of, version=1
    ),
    "news of it are to be delivered": lambda of: insert(DELIVERY).values(delivery(of)),
    "a platform is to be told of it": lambda of: insert(LINK).values(link(of)),
    "something of it is due": lambda of: (
        update(MATCH).where(MATCH.c.match_id == of).values(due_at=1 << 50)
    ),
    "results or webhooks have not come as far": lambda _: delete(CONSUMER).where(
        CONSUMER.c.name == "platforms"
    ),
}


async def test_a_match_something_waits_for_stays(door: Door) -> None:
    table = await rested(door)
    database, ids = door.app.parts.database, (table.match_id,)

    def work(connection: Connection) -> dict[str, str]:
        found = {}
        for reason, statement in WAITING.items():
            with connection.begin_nested() as undone:
                connection.execute(statement(table.match_id))
                found[reason] = archiving.waiting(connection, ids).get(table.match_id, "")
                undone.rollback()
        assert archiving.waiting(connection, ids) == {}
        return found

    assert await database.write(work) == {reason: reason for reason in WAITING}
    await database.write(lambda c: c.execute(insert(DELIVERY), [delivery(table.match_id)]))
    with pytest.raises(Left, match="news of it"):
        await archived(door, table)
    assert (await rows(door, table))[2] == 0


async def test_a_match_that_is_not_revealed_or_over_stays(door: Door) -> None:
    running = await door.table(seats=2)
    hidden = await door.table(seats=2, reveal_after_seconds=3600)
    await done(door.post(hidden.path + "/seats/1/resign", hidden.tokens[1]))
    group = await opened(door, ("ada", "bob"), ("cyd", "dan"))
    await played(door, group.tables[0])
    await settled(door)
    for table, reason in (
        (running, "it is not over"),
        (hidden, "it is not revealed"),
        (group.tables[0], "it is not revealed"),
    ):
        with pytest.raises(Left, match=reason):
            await archived(door, table)
        waits = await door.app.parts.database.read(
            lambda c, m=table.match_id: archiving.waiting(c, (m,))  # type: ignore[misc]
        )
        assert bool(waits) is (table is not running)  # A reveal is due, or a group runs.
        assert (await rows(door, table))[2] == 0


async def test_a_log_that_does_not_hold_stays_as_it_is(door: Door) -> None:
    table = await rested(door)
    store = Store(door.app.parts.database)
    own = update(EVENT).where(EVENT.c.match_id == table.match_id, EVENT.c.version == 3)
    await store.database.write(lambda c: c.execute(own.values(salt=b"t" * 32)))
    count = (await rows(door, table))[0]
    with pytest.raises(Broken, match="event 3"):
        await archiving.archive_match(store, table.match_id, at=1)
    assert await rows(door, table) == (count, (await rows(door, table))[1], 0)


async def test_an_account_is_erased_elsewhere_if_one_archive_is_damaged(door: Door) -> None:
    name = f"canary-{uuid4().hex}"
    one, other = await rested(door, name, "bob"), await rested(door, name, "bob")
    await archived(door, one, other)
    own = update(ARCHIVE).where(ARCHIVE.c.match_id == one.match_id).values(log=b"damaged")
    await door.app.parts.database.write(lambda c: c.execute(own))
    told = (await done(door.post("/v1/erasures", json={"account": name}))).json()
    assert (told["matches"], told["failed"]) == (1, [one.match_id])
    assert (await kinds(door, other))[-1] == "erased"


async def test_what_rests_is_found_until_it_is_archived_and_again_after_an_event(
    door: Door,
) -> None:
    table, read = await rested(door), door.app.parts.database.read
    at = door.clock.now

    async def found(before: int) -> set[str]:
        ids = await read(lambda c: archiving.page(c, before, str(UUID(int=0))))
        assert ids == sorted(ids)
        assert await read(lambda c: archiving.count(c, before)) >= len(ids)
        return set(ids) & {table.match_id}

    assert (await found(at - 1), await found(at)) == (set(), {table.match_id})
    await archived(door, table)
    assert await found(at) == set()
    await done(door.post(table.path + "/erasures", json={"seat": 0}))
    assert await found(at) == {table.match_id}
