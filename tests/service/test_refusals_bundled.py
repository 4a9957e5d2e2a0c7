"""Refusals in bundles: an arbiter's full one has them, and nobody else's tells of them."""

from random import Random
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from events.bundle import KEYS, REFUSALS, STATEMENTS
from events.canonical import decoded
from events.notes import verifier_key
from events.signing import Purpose
from events.tables import REFUSAL
from events.trust import trusted_in
from events.verify_bundle import verify_bundle
from service import commands
from service.committing import loaded
from service.signing_keys import OVERLAP_MS
from tests.events.bundled import members
from tests.service.client import Table, answer, decision_of, random_move
from tests.service.conftest import Door
from tests.service.test_bundles import ALL_OF_THREE, got
from tests.service.test_feed import fed

WRONG = {"type": "arrange", "cards": [98, 99]}


async def refused(door: Door, table: Table, seat: int, decision: str = "1.{seat}") -> None:
    told = await answer(door.http, table, seat, decision.format(seat=seat), WRONG)
    assert told.status_code in (409, 422)
    assert "evidence" in told.json()


async def full(door: Door, table: Table, token: str = "", **more: Any) -> httpx.Response:
    answered = await door.get(
        f"{table.path}/bundle", token or door.key, params={"perspective": "full", **more}
    )
    assert answered.status_code == 200, answered.text
    return answered


def lines(data: bytes) -> list[Any]:
    return [decoded(each) for each in members(data)[REFUSALS].splitlines()]


def places(data: bytes) -> list[tuple[int, int]]:
    said = [each["evidence"]["payload"] for each in lines(data)]
    return [(each["seat"], each["number"]) for each in said]


async def test_an_arbiter_s_full_bundle_has_the_refusals_of_all_seats(door: Door) -> None:
    table = await door.table()
    for seat in (2, 0, 0):
        await refused(door, table, seat)
    await door.post(table.path + "/cancel")
    await fed(door)
    data = (await full(door, table)).content
    assert places(data) == [(0, 1), (0, 2), (2, 1)]
    assert {each["move"]["type"] for each in lines(data)} == {"arrange"}
    jwks = (await door.http.get("/.well-known/jwks.json")).content
    found = verify_bundle(data, trusted_in(jwks))
    assert (found.fault, found.unchecked) == (None, ())
    assert "refusals" in found.checked
    assert data == (await full(door, table)).content
    purposes = [each["purpose"] for each in decoded(members(data)[KEYS])["keys"]]
    assert sorted(purposes) == ["checkpoints", "receipts"]


async def test_nobody_else_is_told_how_often_a_seat_was_refused(door: Door) -> None:
    """Every other bundle is the same bytes, under the same tag, as before the refusals."""
    table = await door.table()
    body = {"name": "reads", "scopes": ["matches:read", "audit:read"]}
    reading = (await door.post("/v1/keys", json=body)).json()["secret"]
    watching = (await door.post(table.path + "/spectators", json={})).json()["token"]
    await door.post(table.path + "/cancel")
    await fed(door)

    async def told() -> list[tuple[bytes, str]]:
        found = []
        for perspective in ALL_OF_THREE:
            for token in (reading, watching, *table.tokens):
                each = await got(door, table, perspective, token)
                assert each.status_code == 200
                assert REFUSALS not in members(each.content)
                found.append((each.content, each.headers["etag"]))
        for perspective in ALL_OF_THREE[1:]:
            each = await got(door, table, perspective, door.key)
            found.append((each.content, each.headers["etag"]))
        return found

    before, arbiter_s = await told(), await full(door, table)
    assert REFUSALS not in members(arbiter_s.content)
    await refused(door, table, 1)
    assert await told() == before
    after = await full(door, table)
    assert places(after.content) == [(1, 1)]
    assert after.headers["etag"] != arbiter_s.headers["etag"]
    assert after.headers["cache-control"] == "private, no-cache"
    stale = {"If-None-Match": arbiter_s.headers["etag"]}
    assert (await got(door, table, "full", door.key, headers=stale)).status_code == 200
    fresh = {"If-None-Match": after.headers["etag"]}
    assert (await got(door, table, "full", door.key, headers=fresh)).status_code == 304
    assert (await got(door, table, "full", table.tokens[1], headers=fresh)).status_code == 200


async def test_before_the_reveal_a_look_shows_the_refusals_so_far(door: Door) -> None:
    table = await door.table()
    await refused(door, table, 1)
    at = (await door.get(table.path)).json()["version"]
    data = (await full(door, table, at=at)).content
    assert places(data) == [(1, 1)]
    assert verify_bundle(data).fault is None
    await refused(door, table, 1)  # The look was an event: this one is of a later version.
    again = (await full(door, table, at=at)).content
    assert again == data
    for token in table.tokens:
        denied = await got(door, table, "full", token)
        assert denied.json()["code"] == "not-revealed"


@pytest.mark.parametrize("attempt", ["the first", "a later one"])
async def test_what_was_answered_elsewhere_is_said_of_the_answer(
    door: Door, monkeypatch: pytest.MonkeyPatch, attempt: str
) -> None:
    """A process that has not seen the answer yet refuses another one; a bundle that ends before
    the answer has no such refusal in it."""
    table = await door.table()
    cache = door.app.parts.cache
    stale = await cache.load(table.match_id)
    assert stale is not None
    decision = (await decision_of(door.http, table, 0))["decision"]
    one, other = (random_move(decision["offers"], Random(n)) for n in (1, 2))
    assert one != other
    answered = (await answer(door.http, table, 0, decision["id"], one)).json()
    with monkeypatch.context() as patch:
        if attempt == "the first":
            patch.setattr(cache, "peek", lambda _: stale)
        else:
            loads = [stale]

            async def stale_once(*about: Any) -> Any:
                return loads.pop() if loads else await loaded(*about)

            patch.setattr(cache, "peek", lambda _: None)
            patch.setattr(commands, "loaded", stale_once)
        told = await answer(door.http, table, 0, decision["id"], other)
    assert (told.status_code, told.json()["code"]) == (409, "decision-answered")
    said = told.json()["evidence"]["document"]["payload"]
    assert said["version"] >= answered["first"]
    for at in range(stale.version, answered["last"] + 1):
        assert verify_bundle((await full(door, table, at=at)).content).fault is None


async def test_what_is_erased_is_null_and_the_bundle_still_sound(door: Door) -> None:
    table = await door.table()
    await refused(door, table, 0)
    await door.post(table.path + "/cancel")
    before = await full(door, table)
    values = {"move": None, "salt": None}
    await door.app.parts.database.write(lambda c: c.execute(update(REFUSAL).values(values)))
    after = await full(door, table)
    assert [(each["move"], each["salt"]) for each in lines(after.content)] == [(None, None)]
    assert verify_bundle(after.content).fault is None
    assert after.headers["etag"] != before.headers["etag"]


@pytest.mark.parametrize("purpose", [Purpose.CHECKPOINTS, Purpose.RECEIPTS])
async def test_who_trusts_an_older_key_follows_a_rotation(door: Door, purpose: Purpose) -> None:
    """With nothing but the verifier key of before, and the bundle."""
    parts = door.app.parts
    await fed(door)
    old, *_ = parts.keys.active(Purpose.CHECKPOINTS)
    trusted = trusted_in(verifier_key(parts.keys.origin, old.public.public).encode())
    await parts.keys.rotate(purpose)
    await fed(door)
    door.clock.now += OVERLAP_MS
    table = await door.table()
    await refused(door, table, 0)
    await door.post(table.path + "/cancel")
    await fed(door)
    data = (await full(door, table)).content
    found = verify_bundle(data, trusted)
    assert (found.fault, found.unchecked) == (None, ())
    kids = [each["kid"] for each in decoded(members(data)[KEYS])["keys"]]
    assert (old.public.kid in kids) is (purpose is Purpose.RECEIPTS)
    told = [decoded(each) for each in members(data)[STATEMENTS].splitlines()]
    assert [each["position"] for each in told] == sorted(each["position"] for each in told)
    public = (await got(door, table, "public", table.tokens[0])).content
    assert verify_bundle(public, trusted).fault is None
