"""Nobody has two seats of a match, however one comes to a seat."""

import asyncio
from typing import Any

import pytest

from service.flags import grace_of, settling_of, sweep
from tests.service.client import create
from tests.service.clocking import passed, served_anew
from tests.service.conftest import GAME, Door

Json = dict[str, Any]


def refused(got: Any, pointer: str) -> bool:
    assert got.status_code == 422, got.text
    (error,) = got.json()["errors"]
    return (error["pointer"], error["code"]) == (pointer, "duplicate")


async def claimed(door: Door, path: str, seat: int, account: str | None, **more: Any) -> Any:
    body = {} if account is None else {"account": account}
    return await door.post(f"{path}/seats/{seat}/claim", json=body, **more)


async def seated(door: Door, *accounts: str, **more: Any) -> str:
    path = "/v1/matches/" + await create(door.http, door.key, GAME, len(accounts), **more)
    for seat, account in enumerate(accounts):
        assert (await claimed(door, path, seat, account)).status_code == 200
    return path


async def test_a_claim_of_a_second_seat_is_refused(door: Door) -> None:
    path = "/v1/matches/" + await create(door.http, door.key, GAME, 3)
    assert (await claimed(door, path, 0, "ada")).status_code == 200
    assert refused(await claimed(door, path, 1, "ada"), "/account")
    for seat in (1, 2):
        assert (await claimed(door, path, seat, None)).status_code == 200


async def test_of_two_claims_at_once_one_is_refused(door: Door) -> None:
    path = "/v1/matches/" + await create(door.http, door.key, GAME, 3)
    both = await asyncio.gather(*(claimed(door, path, seat, "ada") for seat in range(2)))
    assert sorted(each.status_code for each in both) == [200, 422]


async def test_who_is_entered_at_another_seat_is_refused(door: Door) -> None:
    named = {"accounts": ["ada", "bob", None]}
    path = "/v1/matches/" + await create(door.http, door.key, GAME, 3, **named)
    assert refused(await claimed(door, path, 2, "bob"), "/account")
    assert (await claimed(door, path, 1, "bob")).status_code == 200


async def test_a_seat_that_is_left_leaves_one_free_for_another(door: Door) -> None:
    path = "/v1/matches/" + await create(door.http, door.key, GAME, 3)
    headers = {"Idempotency-Key": "one"}
    first = await claimed(door, path, 0, "ada", headers=headers)
    assert (await door.post(path + "/seats/0/release")).status_code == 200
    assert (await claimed(door, path, 1, "ada")).status_code == 200
    again = await claimed(door, path, 0, "ada", headers=headers)
    assert (first.status_code, again.status_code) == (200, 200)


async def test_a_match_names_nobody_twice(door: Door) -> None:
    wanted = {"game": GAME, "seats": 3, "accounts": ["ada", "ada", None]}
    assert refused(await door.post("/v1/matches", json=wanted), "/accounts/1")


async def test_no_stand_in_has_a_seat_already(door: Door) -> None:
    await served_anew(door)
    when = {"join_by": door.clock.now + 5_000, "no_show": "stand_in"}
    path = await seated(door, "ada", "bob", "cid", schedule=when)
    await passed(door, 5_000 + grace_of(door.app.parts) + settling_of(door.app.parts))
    await sweep(door.app.parts)
    got = await door.post(path + "/seats/1/stand-in", json={"account": "ada"})
    assert refused(got, "/account")
    for account in ("bob", "zoe"):
        seat = {"bob": 1, "zoe": 2}[account]
        got = await door.post(f"{path}/seats/{seat}/stand-in", json={"account": account})
        assert got.status_code == 200, got.text


@pytest.mark.parametrize(("account", "status"), [("bob", 422), ("zoe", 200), ("ada", 200)])
async def test_no_ruling_gives_a_second_seat(door: Door, account: str, status: int) -> None:
    path = await seated(door, "ada", "bob", "cid")
    opened = await door.post(path + "/disputes", json={"about": 1, "claim": "No"})
    dispute = opened.json()["dispute"]["id"] if "dispute" in opened.json() else None
    own = f"{path}/disputes/{dispute or opened.json()['id']}"
    assert (await door.post(own + "/review", json={"pause": True})).status_code == 200
    ruling = {"type": "replace_seat", "seat": 0, "account": account}
    got = await door.post(own + "/rulings", json={"ruling": ruling, "reason": "So"})
    assert got.status_code == status, got.text
    assert status == 200 or refused(got, "/ruling/account")
