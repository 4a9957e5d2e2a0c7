"""Draws by agreement over the doors."""

import httpx

from tests.service.client import Table, bearer
from tests.service.clocking import answer
from tests.service.conftest import GAME, Door
from tests.service.test_schedules import kinds_of, told


async def drawable(door: Door, seats: int = 2) -> Table:
    return await door.table(seats=seats, agreed_draw=True)


async def offered(door: Door, table: Table, seat: int = 0) -> int:
    got = await door.post(table.path + "/draws", table.tokens[seat])
    assert got.status_code == 201, got.text
    offer: int = got.json()["id"]
    return offer


async def answered(
    door: Door, table: Table, offer: int, seat: int, word: str = "accept"
) -> httpx.Response:
    return await door.post(f"{table.path}/draws/{offer}/{word}", table.tokens[seat])


async def test_a_draw_is_offered_shown_and_accepted(door: Door) -> None:
    table = await drawable(door)
    assert (await door.get(table.path)).json()["agreed_draw"] is True
    assert (await door.get(table.path + "/draws")).json()["draw"] is None
    offer = await offered(door, table)
    line = {"id": offer, "seat": 0, "open": True, "refused": False, "owed": [1]}
    assert (await door.get(table.path + "/draws", table.tokens[1])).json()["draw"] == line
    assert (await answered(door, table, offer, 1)).status_code == 200
    result = (await door.get(table.path + "/result")).json()
    assert (result["terminal"], result["status"]) == ("agreed", "final")
    assert [each["outcome"] for each in result["seats"]] == ["draw", "draw"]
    found = await kinds_of(door, table)
    assert found[-4:] == ["draw_offered", "draw_answered", "match_ended", "match_revealed"]
    again = await door.post(f"{table.path}/draws/{offer}/accept", table.tokens[1])
    assert told(again) == (409, "match-not-running")


async def test_an_offer_is_refused_or_overtaken(door: Door) -> None:
    table = await drawable(door, 3)
    offer = await offered(door, table)
    assert told(await answered(door, table, offer, 0)) == (409, "draw-closed")
    assert told(await answered(door, table, 1, 1)) == (409, "draw-closed")
    assert (await answered(door, table, offer, 1, "refuse")).status_code == 200
    assert told(await answered(door, table, offer, 2)) == (409, "draw-closed")
    assert told(await door.post(table.path + "/draws", table.tokens[0])) == (409, "draw-closed")
    offer = await offered(door, table, 1)
    assert (await answer(door, table, 0)).status_code == 200
    assert told(await answered(door, table, offer, 2)) == (409, "draw-closed")
    line = (await door.get(table.path + "/draws")).json()["draw"]
    assert (line["open"], line["owed"]) == (False, [])


async def test_a_repeated_offer_is_the_same(door: Door) -> None:
    table = await drawable(door)
    named = {"Idempotency-Key": "one"}
    one = await door.post(table.path + "/draws", table.tokens[0], headers=named)
    two = await door.post(table.path + "/draws", table.tokens[0], headers=named)
    assert one.json() == two.json()
    assert two.headers["plyscribe-replayed"] == "true"


async def test_only_matches_made_for_it_know_draws(door: Door, table: Table) -> None:
    got = await door.post(table.path + "/draws", table.tokens[0])
    assert told(got) == (409, "no-agreed-draw")
    body = {"game": "ambagibus", "seats": 1, "agreed_draw": True}
    refused = await door.post("/v1/matches", json=body)
    assert [each["pointer"] for each in refused.json()["errors"]] == ["/agreed_draw"]
    body = {"game": GAME, "seats": 9, "agreed_draw": True}
    assert told(await door.post("/v1/matches", json=body)) == (422, "options-refused")
    watcher = await door.http.post(table.path + "/draws", headers=bearer(door.key))
    assert told(watcher) == (403, "seat-token-required")
