"""One match whose log can't be read holds up no other, and gets all it is owed once it can."""

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from sqlalchemy import insert, update

from events.tables import CONSUMER
from service import archiving, revealing, signals
from service.flag_watch import LONGEST_PAUSE_MS
from service.pauses import LONGEST_MS
from service.settings import Settings
from service.webhooks import signing
from service.webhooks.tables import DELIVERY, WEBHOOK
from tests.service.archived import rested
from tests.service.batching import BATCHES, seated
from tests.service.batching import wanted as batch_of
from tests.service.client import Table, play_out
from tests.service.clocking import clocked, fallen, kinds, passed, served_anew
from tests.service.conftest import Door
from tests.service.grouping import HOUR, log_of, opened
from tests.service.hooking import hooked, pass_time, sent_test, settled
from tests.service.receiving import Receiver, receiver
from tests.service.spoiling import _nothing_is_put_aside, forgotten, spoiled, whole_again
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_erasing import claimed, forget
from tests.service.test_results import listed, since
from tests.waiting import eventually

__all__ = ["_nothing_is_put_aside", "since"]

TYPES = ["match.started", "match.ended", "match.revealed", "result.final"]
ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def database_url(request: pytest.FixtureRequest) -> str:
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True, webhook_seconds=60)


@pytest.fixture
async def there() -> AsyncIterator[Receiver]:
    async with receiver() as opened_one:
        yield opened_one


def told(there: Receiver, table: Table) -> list[str]:
    return [each.type for each in there.got if each.event["subject"] == table.match_id]


def counted(work: signals.Work) -> float:
    name = "plyscribe_set_aside_total"
    return signals.REGISTRY.get_sample_value(name, {"work": work}) or 0.0


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_webhooks_and_results_of_others_go_on(
    door: Door, there: Receiver, since: int
) -> None:
    await hooked(door, there.url, types=TYPES)
    bad, *others = [await door.table(seats=2) for _ in range(3)]
    await there.until(3)
    body = await spoiled(door, bad)
    before = counted(signals.Work.WEBHOOKS), counted(signals.Work.RESULTS)
    for number, each in enumerate((bad, *others)):
        await play_out(door.http, each, number)
    await there.until(9)
    assert [told(there, each) for each in (bad, *others)] == [TYPES[:1], TYPES, TYPES]
    found = await listed(door, since)
    assert {each["match_id"] for each in found} == {each.match_id for each in others}
    counts = counted(signals.Work.WEBHOOKS), counted(signals.Work.RESULTS)
    assert counts == (before[0] + 1, before[1] + 1), "it is left alone as long as its pause lasts"

    await whole_again(door, bad, body)
    door.clock.now += LONGEST_MS
    (late,) = await eventually(lambda: listed(door, found[-1]["position"]))
    assert (late["match_id"], late["status"]) == (bad.match_id, "final")
    await there.until(12)
    assert told(there, bad) == TYPES
    # At positions that follow each other, whatever became of them in the meantime.
    await play_out(door.http, await door.table(seats=2), 1)
    (newest,) = await listed(door, late["position"])
    assert newest["position"] > late["position"] > found[-1]["position"]


@ONE
async def test_its_deal_group_is_revealed_but_for_it(door: Door) -> None:
    group = await opened(door)
    bad, *others = group.tables
    await play_out(door.http, bad, 1)
    body = await spoiled(door, bad)
    forgotten(door, bad)
    door.clock.now += HOUR

    async def are_revealed() -> bool:
        return all([(await door.get(each.path)).json()["revealed"] for each in others])

    await eventually(are_revealed)
    assert (await door.get(group.path)).json()["state"] == "closing"
    await whole_again(door, bad, body)

    async def state() -> str:
        door.app.parts.closer.stir(group.id)
        return str((await door.get(group.path)).json()["state"])

    await eventually(state, lambda found: found == "revealed")
    assert (await log_of(door, bad))[-1]["kind"] == "match_revealed"


@ONE
async def test_flags_of_others_fall_and_its_own_once_it_can(door: Door) -> None:
    await served_anew(door)
    bad, other = await clocked(door), await clocked(door)
    body = await spoiled(door, bad)
    forgotten(door, bad)
    await passed(door, 10_000)
    await fallen(door)
    assert "flag_fell" in await kinds(door, other)
    await whole_again(door, bad, body)
    await passed(door, LONGEST_PAUSE_MS)
    await fallen(door)
    assert "flag_fell" in await kinds(door, bad)


@ONE
async def test_reveals_of_others_are_looked_at(door: Door) -> None:
    bad, other = [await door.table(seats=2, reveal_after_seconds=60) for _ in range(2)]
    for each in (bad, other):
        await door.post(each.path + "/cancel")
    await spoiled(door, bad)
    forgotten(door, bad)
    door.clock.now += 60_000
    assert await revealing.sweep(door.app.parts) == 2
    assert (await door.get(other.path)).json()["revealed"]
    door.clock.now += 1000
    assert await revealing.sweep(door.app.parts) == 0, "it is looked at later"
    door.clock.now += revealing.LATER_MS
    assert await revealing.sweep(door.app.parts) == 1


@ONE
async def test_what_is_done_to_a_batch_is_done_to_the_others(door: Door) -> None:
    body = batch_of(["a", "b"], ["c", "d"])
    body["defaults"]["start"] = "manual"
    batch = (await door.post(BATCHES, json=body)).json()
    bad, other = [await seated(door, each) for each in batch["matches"]]
    await spoiled(door, bad)
    forgotten(door, bad)
    done = await door.post(f"{BATCHES}/{batch['id']}/start")
    assert [each["code"] for each in done.json()["matches"]] == ["internal", None]
    assert (await door.get(other.path)).json()["status"] == "running"


@ONE
async def test_a_ruling_that_can_not_be_read_keeps_no_batch_from_its_turn(door: Door) -> None:
    batch = (await door.post(BATCHES, json=batch_of(["a", "b"], ["c", "d"]))).json()
    bad, _ = [await seated(door, each) for each in batch["matches"]]
    assert (await ruled(door, await reviewed(door, bad), {"type": "note"})).status_code == 200
    version = (await door.get(bad.path)).json()["version"]
    await spoiled(door, bad, version)
    forgotten(door, bad)
    done = await door.post(f"{BATCHES}/{batch['id']}/cancel")
    assert [each["code"] for each in done.json()["matches"]] == [
        "internal",
        "match-already-started",
    ]


@ONE
async def test_an_account_is_erased_in_the_others_and_it_is_named(door: Door) -> None:
    bad, other = await claimed(door, "ann", "bob"), await claimed(door, "ann", "cyd")
    body = await spoiled(door, bad)
    forgotten(door, bad)
    failed = {"failed": [bad.match_id], "more": False}
    assert await forget(door, "ann") == {"matches": 1, **failed}
    assert await forget(door, "ann") == {"matches": 0, **failed}
    await whole_again(door, bad, body)
    assert await forget(door, "ann") == {"matches": 1, "failed": [], "more": False}
    assert other.match_id != bad.match_id


@ONE
async def test_it_can_not_be_archived_nor_can_one_that_is_put_aside(door: Door) -> None:
    table, parts = await rested(door), door.app.parts
    body = await spoiled(door, table)
    with pytest.raises(archiving.Broken, match="DecodeError"):
        await archiving.archive_match(parts.store, table.match_id, at=1)
    await whole_again(door, table, body)
    aside = {"name": f"webhooks/{table.match_id}", "position": 0}

    def put_aside(connection: Any) -> dict[str, str]:
        connection.execute(insert(CONSUMER), [aside])
        return archiving.waiting(connection, [table.match_id])

    reason = "results or webhooks have not come as far"
    assert await parts.database.write(put_aside) == {table.match_id: reason}


@ONE
async def test_a_webhook_of_another_release_keeps_no_other_waiting(
    door: Door, there: Receiver
) -> None:
    newer = await hooked(door, there.url, types=["match.started"])
    await hooked(door, there.url, types=["match.started"])
    words = {"types": "match.dreamt match.started", "signatures": "v9"}
    own = update(WEBHOOK).where(WEBHOOK.c.id == newer["id"])
    await door.app.parts.database.write(lambda c: c.execute(own.values(words)))
    await door.table(seats=2)
    await there.until(1)
    table = await door.table(seats=2)
    (_, second) = await there.until(2)
    assert second.event["subject"] == table.match_id
    assert second.headers["webhook-signature"]


@ONE
async def test_a_delivery_whose_log_is_damaged_is_sent(door: Door, there: Receiver) -> None:
    there.first = [500]
    hook = await hooked(door, there.url)
    delivery = await sent_test(door, hook)
    await settled(door, hook, "pending", attempts=1)
    own = update(DELIVERY).where(DELIVERY.c.id == delivery["id"])
    await door.app.parts.database.write(lambda c: c.execute(own.values(log=b"{")))
    pass_time(door, 10_000)
    await settled(door, hook, "delivered", attempts=1)


@ONE
async def test_what_fails_here_is_an_attempt_like_any_other(
    door: Door, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook, other = await hooked(door, there.url), await hooked(door, there.url)
    signed = signing.headers

    def headers(vault: Any, keys: Any, own: Any, *more: Any) -> dict[str, str]:
        if own.id == hook["id"]:
            raise RuntimeError
        return signed(vault, keys, own, *more)

    monkeypatch.setattr(signing, "headers", headers)
    await sent_test(door, hook)
    (attempt,) = (await settled(door, hook, "pending", attempts=1))["log"]
    assert (attempt["outcome"], attempt["status"]) == ("unsendable", None)
    await sent_test(door, other)
    await settled(door, other, "delivered")
