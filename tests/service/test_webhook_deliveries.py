"""What reaches a webhook: each message effectively once, signed, again until it arrives."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from typing import Any, cast

import msgspec
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service import signals
from service.rounds import STEPS
from service.settings import Settings
from service.vault import Vault
from service.webhooks import deliveries, signing
from service.webhooks.rows import Hook, Scheme
from tests.service.client import create, play_out, seat_all
from tests.service.conftest import GAME, Door
from tests.service.grouping import opened, played, revealed
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
HOUR_MS = 3_600_000
VECTOR_ID = "msg_loFOjxBNrRLzqYUf"


@pytest.fixture(params=["sqlite", "postgresql"])
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


async def heard(there: Receiver, **data: Any) -> bool:
    """Whether a message with such data came."""
    told = [each.event["data"] or {} for each in there.got]
    return any({**each, **data} == each for each in told)


async def is_logged(door: Door, hook: Json, state: str, count: int) -> bool:
    return len(await log_of(door, hook, state=state)) == count


async def _delivered() -> float:
    name = "plyscribe_webhook_deliveries_total"
    return signals.REGISTRY.get_sample_value(name, {"outcome": "delivered"}) or 0.0


ONE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


async def test_a_match_is_told_from_its_creation_to_its_reveal(door: Door, there: Receiver) -> None:
    before = await _delivered()
    hook = await hooked(door, there.url)
    table = await door.table(external_id="league 7")
    await play_out(door.http, table, seed=1)
    got = await there.until(4)
    await eventually(_delivered, lambda counted: counted >= before + 4)
    told = {each.type: each.event for each in got}
    assert set(told) == {"match.created", "match.started", "match.ended", "match.revealed"}
    detail = (await door.get(table.path)).json()
    news = told["match.ended"]["data"]
    assert news == {
        "match_id": table.match_id,
        "external_id": "league 7",
        "game": GAME,
        "deal_group": None,
        "test": False,
        "version": detail["version"] - 1,
        "status": "over",
    }
    assert (told["match.created"]["data"]["version"], told["match.started"]["data"]["version"]) == (
        1,
        5,
    )
    for each in got:
        assert each.is_signed_by(hook["secret"])
        assert (each.event["id"], each.event["subject"]) == (each.id, table.match_id)
        assert each.headers["content-type"] == "application/json"
        assert each.event["source"].endswith("/orgs/main")
    await settled(door, hook, "delivered")
    assert {each["state"] for each in await log_of(door, hook)} == {"delivered"}


async def test_what_it_asks_for_is_all_it_gets(door: Door, there: Receiver) -> None:
    await hooked(door, there.url, types=["match.created"], external_id_prefix="a")
    await hooked(door, there.url, types=["match.created"], games=["star_realms"])
    await hooked(door, there.url, types=["match.cancelled"])
    wanted = await create(door.http, door.key, GAME, 2, external_id="abc")
    other = await create(door.http, door.key, GAME, 2, external_id="bc")
    await door.post(f"/v1/matches/{other}/cancel")
    await there.until(2)
    assert {(each.type, each.event["subject"]) for each in there.got} == {
        ("match.created", wanted),
        ("match.cancelled", other),
    }


async def test_every_advance_is_told_to_who_asks_for_it(door: Door, there: Receiver) -> None:
    await hooked(door, there.url, types=["match.advanced"])
    table = await door.table()
    await play_out(door.http, table, seed=1)
    version = (await door.get(table.path)).json()["version"]
    await eventually(lambda: heard(there, version=version))
    assert {each.type for each in there.got} == {"match.advanced"}
    assert len({each.id for each in there.got}) == len(there.got)


async def test_openings_and_pauses_are_told_to_who_asks_for_them(
    door: Door, there: Receiver
) -> None:
    types = ["match.created", "match.opened", "match.paused", "match.resumed"]
    await hooked(door, there.url, types=types)
    when = {"opens_at": door.clock.now + 1_000}
    match_id = await create(door.http, door.key, GAME, 2, schedule=when)
    door.clock.now += 1_000
    await seat_all(door.http, door.key, match_id, 2)
    for word in ("pause", "resume"):
        assert (await door.post(f"/v1/matches/{match_id}/{word}")).status_code == 200
    await there.until(4)
    told = {each.type: each.event["data"]["status"] for each in there.got}
    assert told == dict(zip(types, ("scheduled", "seating", "paused", "running"), strict=True))


async def test_another_organisation_is_told_nothing(
    door: Door, there: Receiver, other_key: str
) -> None:
    theirs = await hooked(door, there.url, token=other_key)
    await create(door.http, door.key, GAME, 2)
    await create(door.http, other_key, GAME, 2)
    await there.until(1)
    await door.app.parts.feeding.catch_up()
    await asyncio.sleep(0.1)
    assert len(there.got) == 1
    assert there.got[0].event["source"].endswith("/orgs/others")
    assert there.got[0].is_signed_by(theirs["secret"])


async def test_a_running_deal_group_is_told_with_its_reveal(door: Door, there: Receiver) -> None:
    group = await opened(door, ("ada",), ("bob",))
    await door.app.parts.feeding.catch_up()
    everything = [*(f"match.{each}" for each in ("created", "started", "ended", "revealed"))]
    await hooked(door, there.url, types=[*everything, "match.advanced"])
    await played(door, group.tables[0])
    await door.app.parts.feeding.catch_up()
    marker = await create(door.http, door.key, GAME, 2)
    await eventually(lambda: heard(there, match_id=marker))
    named = {each.match_id for each in group.tables}
    of_group = [each for each in there.got if each.event["subject"] in named]
    assert {each.type for each in of_group} <= {"match.created", "match.started"}
    await played(door, group.tables[1])
    await revealed(door, group)
    await there.until(2, "match.revealed")
    ended = await there.until(2, "match.ended")
    assert {each.event["subject"] for each in ended} == named
    assert all(each.event["data"]["deal_group"] == group.id for each in ended)


@ONE
async def test_ten_attempts_in_three_days_then_it_has_failed(door: Door, there: Receiver) -> None:
    there.status = 500
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    last = await settled(door, hook, "pending", 1)
    for number, step in enumerate(STEPS, 2):
        pause = last["next_at"] - door.clock.now
        assert 900 * step <= pause <= 1100 * step
        pass_time(door, pause - 1)
        assert len(there.got) == number - 1
        pass_time(door, 1)
        state = "pending" if number <= len(STEPS) else "failed"
        last = await settled(door, hook, state, number)
    assert (last["attempts"], len(last["log"]), last["next_at"]) == (10, 10, None)
    assert {each["status"] for each in last["log"]} == {500}
    assert len({each.id for each in there.got}) == 1
    assert len({each.headers["webhook-timestamp"] for each in there.got}) == 10
    assert all(each.is_signed_by(hook["secret"]) for each in there.got)
    # Nothing came through for days.
    assert (await shown(door, hook))["disabled"] == "failing"


@ONE
async def test_one_message_nobody_takes_does_not_disable(door: Door, there: Receiver) -> None:
    there.first = [500] * 9
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    for number in range(1, 10):
        last = await settled(door, hook, "pending", number)
        pass_time(door, last["next_at"] - door.clock.now - 1)
        if number < 9:
            pass_time(door, 1)
    await sent_test(door, hook)
    await settled(door, hook, "delivered")
    there.first = [500]
    pass_time(door, 1)
    await settled(door, hook, "delivered")
    await eventually(lambda: is_logged(door, hook, "failed", 1))
    assert (await shown(door, hook))["disabled"] is None


async def test_410_disables(door: Door, there: Receiver) -> None:
    there.status = 410
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    last = await settled(door, hook, "failed", 1)
    assert [each["outcome"] for each in last["log"]] == ["gone"]
    assert (await shown(door, hook))["disabled"] == "gone"
    await create(door.http, door.key, GAME, 2)
    await door.app.parts.feeding.catch_up()
    there.status = 204
    assert (await changed(door, hook, enabled=True)).status_code == 200
    path = f"{HOOKS}/{hook['id']}/deliveries/{last['id']}/redeliver"
    assert (await door.post(path)).status_code == 202
    await settled(door, hook, "delivered")
    assert len({each.id for each in there.got}) == 1
    assert {each.type for each in there.got} == {"webhook.test"}


async def test_what_arrived_can_be_sent_again_under_the_same_id(
    door: Door, there: Receiver
) -> None:
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    first = await settled(door, hook, "delivered")
    again = await door.post(f"{HOOKS}/{hook['id']}/deliveries/{first['id']}/redeliver")
    assert (again.status_code, again.json()["state"]) == (202, "pending")
    one, two = await there.until(2)
    assert (one.id, one.body) == (two.id, two.body)
    last = await settled(door, hook, "delivered", 2)
    assert (last["id"], len(last["log"])) == (first["id"], 2)


@ONE
async def test_both_secrets_sign_while_they_overlap(door: Door, there: Receiver) -> None:
    hook = await hooked(door, there.url)
    path = f"{HOOKS}/{hook['id']}/rotate"
    rotated = (await door.post(path, json={"overlap_seconds": 60})).json()
    assert rotated["overlap_until"] == door.clock.now + 60_000
    await sent_test(door, hook)
    (both,) = await there.until(1)
    assert both.is_signed_by(hook["secret"])
    assert both.is_signed_by(rotated["secret"])
    pass_time(door, 60_000)
    assert (await shown(door, hook))["overlap_until"] is None
    await sent_test(door, hook)
    new = (await there.until(2))[1]
    assert not new.is_signed_by(hook["secret"])
    assert new.is_signed_by(rotated["secret"])
    at_once = (await door.post(path, json={})).json()
    await sent_test(door, hook)
    newest = (await there.until(3))[2]
    assert newest.is_signed_by(at_once["secret"])
    assert not newest.is_signed_by(rotated["secret"])


@ONE
async def test_ed25519_is_by_the_keys_of_the_service(door: Door, there: Receiver) -> None:
    hook = await hooked(door, there.url, signatures=["v1a", "v1"])
    await sent_test(door, hook)
    (got,) = await there.until(1)
    assert got.is_signed_by(hook["secret"])
    jwks = (await door.http.get("/.well-known/jwks.json")).json()["keys"]
    (x,) = [each["x"] for each in jwks if each["purpose"] == "webhooks"]
    key = Ed25519PublicKey.from_public_bytes(b64decode(x.translate({45: 43, 95: 47}) + "="))
    content = f"{got.id}.{got.headers['webhook-timestamp']}.".encode() + got.body
    signed = [s for s in got.headers["webhook-signature"].split(" ") if s.startswith("v1a,")]
    key.verify(b64decode(signed[0][4:]), content)


def test_the_signature_is_that_of_the_specification() -> None:
    """The published test vector of Standard Webhooks."""
    vault = Vault(bytes(32))
    secret = signing.secret_in("whsec_plJ3nmyCDGBKInavdOK15jsl")
    hook = Hook(
        id="one",
        org="main",
        name="one",
        url="https://play.example.org/",
        types=(),
        games=(),
        external_id_prefix="",
        signatures=(Scheme.HMAC,),
        secret=vault.seal_webhook("one", secret),
        created_at=1,
    )
    body = b'{"event_type":"ping","data":{"success":true}}'
    made = signing.headers(vault, cast(Any, None), hook, VECTOR_ID, body, 1_731_705_121_999)
    assert made["webhook-signature"] == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="
    assert made["webhook-timestamp"] == "1731705121"


@ONE
async def test_one_that_is_slow_holds_no_other(door: Door, there: Receiver) -> None:
    async with receiver() as slow:
        slow.gate = asyncio.Event()
        stuck, fine = await hooked(door, slow.url), await hooked(door, there.url)
        for _ in range(10):
            await sent_test(door, stuck)
        for _ in range(10):
            await sent_test(door, fine)
        await there.until(10)
        assert slow.most_at_once <= 4
        slow.gate.set()
        await slow.until(10)


@ONE
async def test_no_more_waits_than_is_kept(
    door: Door, there: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.webhooks.messages.MOST_WAITING", 3)
    there.status = 500
    hook = await hooked(door, there.url, types=["match.created"])
    for _ in range(5):
        await create(door.http, door.key, GAME, 2)
        await door.app.parts.feeding.catch_up()
        await asyncio.sleep(0.05)

    async def is_full() -> bool:
        return bool((await shown(door, hook))["disabled"] == "queue_full")

    await eventually(is_full)
    assert {each["state"] for each in await log_of(door, hook)} == {"failed"}


@ONE
async def test_what_came_to_an_end_is_forgotten_but_for_the_newest(
    door: Door, there: Receiver
) -> None:
    hook = await hooked(door, there.url)
    for _ in range(5):
        door.clock.now += 1
        await sent_test(door, hook)
    await eventually(lambda: is_logged(door, hook, "delivered", 5))
    before = [each["id"] for each in await log_of(door, hook)]
    await door.app.parts.database.write(lambda c: deliveries.forget(c, hook["id"], 2))
    assert [each["id"] for each in await log_of(door, hook)] == before[:2]


async def test_a_removed_webhook_gets_nothing(door: Door, there: Receiver) -> None:
    there.status = 500
    gone, kept = await hooked(door, there.url), await hooked(door, there.url)
    await sent_test(door, gone)
    await settled(door, gone, "pending", 1)
    await door.delete(f"{HOOKS}/{gone['id']}")
    pass_time(door, HOUR_MS)
    there.status = 204
    await sent_test(door, kept)
    await settled(door, kept, "delivered")
    assert len(there.got) == 2


async def test_an_attempt_nobody_heard_of_again_is_made_again(door: Door, there: Receiver) -> None:
    """As if the process that began it had died: its time runs out."""
    there.gate = asyncio.Event()
    hook = await hooked(door, there.url)
    await sent_test(door, hook)
    await there.until(1)
    for task in tuple(door.app.parts.webhooks._rounds._going):
        task.cancel()
    there.gate.set()
    there.gate = None
    assert (await log_of(door, hook))[0]["state"] == "pending"
    pass_time(door, 120_000)
    one, two = await there.until(2)
    assert (one.id, one.body) == (two.id, two.body)
    assert (await settled(door, hook, "delivered"))["attempts"] == 2
