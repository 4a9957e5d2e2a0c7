"""Series over REST: the next match opens by itself, until it is decided who won."""

import asyncio
from typing import Any

import httpx
import msgspec
import pytest

from service.series import opening
from tests.service.batching import batched
from tests.service.client import Table, bearer
from tests.service.conftest import Door
from tests.service.grouping import key_of
from tests.service.hooking import hooked
from tests.service.receiving import receiver as receiving
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_results import kept

Json = dict[str, Any]

SERIES = "/v1/series"


@pytest.fixture
def settings(settings: Any) -> Any:
    return msgspec.structs.replace(settings, private_webhooks=True)


def wanted(*entrants: str, **more: Any) -> Json:
    names = entrants or ("ada", "bob")
    match = {"game": "high_card", "reveal_after_seconds": 600}
    entries = [{"external_id": each} for each in names]
    return {"entrants": entries, "games": 3, "match": match, **more}


async def made(door: Door, *entrants: str, **more: Any) -> Json:
    got = await door.post(SERIES, json=wanted(*entrants, **more))
    assert got.status_code == 201, got.text
    series: Json = got.json()
    return series


async def shown(door: Door, series: Json) -> Json:
    got = await door.get(f"{SERIES}/{series['id']}")
    assert got.status_code == 200, got.text
    found: Json = got.json()
    return found


async def current(door: Door, series: Json, entrant: int = 0) -> Json:
    token = series["entrants"][entrant]["link"]["token"]
    got = await door.http.get(f"{SERIES}/{series['id']}/current", headers=bearer(token))
    assert got.status_code == 200, got.text
    found: Json = got.json()
    return found


async def seated(door: Door, series: Json) -> Table:
    """The current match, every seat claimed by the links of the entrants."""
    found: dict[int, str] = {}
    for entrant in range(len(series["entrants"])):
        seat = await current(door, series, entrant)
        path = f"/v1/matches/{seat['match_id']}/seats/{seat['seat']}/claim"
        got = await door.http.post(path, headers=bearer(seat["link"]["token"]))
        assert got.status_code == 200, got.text
        found[seat["seat"]] = seat["link"]["token"]
    return Table(seat["match_id"], tuple(found[each] for each in sorted(found)))


async def won(door: Door, series: Json, winner: int | None) -> Table:
    """The current match, ended by the other's resignation, or (None) drawn by a ruling."""
    table = await seated(door, series)
    if winner is None:
        path = await reviewed(door, table, pause=False)
        done = await ruled(door, path, {"type": "set_result", "ranks": [1, 1], "scores": None})
        assert done.status_code == 200, done.text
    else:
        seat = (await current(door, series, 1 - winner))["seat"]
        got = await door.post(f"{table.path}/seats/{seat}/resign", table.tokens[seat])
        assert got.status_code == 200, got.text
    await settled(door)
    return table


async def settled(door: Door) -> None:
    """Whatever follows of results was done."""
    await kept(door)
    await opening.sweep(door.app.parts)


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_best_of_three_ends_when_it_is_decided(door: Door) -> None:
    series = await made(door, external_id="final")
    first = await won(door, series, 0)
    found = await shown(door, series)
    assert (found["state"], found["played"], found["winner"]) == ("running", 1, None)
    assert [each["points"] for each in found["entrants"]] == [2, 0]
    assert [each["seating"] for each in found["matches"]] == [[0, 1], [1, 0]]
    second = await won(door, series, 0)
    found = await shown(door, series)
    assert (found["state"], found["played"], found["winner"]) == ("decided", 2, "ada")
    ids = [each["match_id"] for each in found["matches"]]
    assert ids == [first.match_id, second.match_id]
    names = [(await door.get(f"/v1/matches/{each}")).json()["external_id"] for each in ids]
    assert names == ["final/1", "final/2"]


async def test_all_matches_are_played_of_a_fixed_number(door: Door) -> None:
    series = await made(door, length="fixed", rotation="alternate")
    for winner in (0, 0, 1):
        await won(door, series, winner)
    found = await shown(door, series)
    assert (found["state"], found["played"], found["winner"]) == ("decided", 3, "ada")
    assert [each["seating"] for each in found["matches"]] == [[0, 1], [1, 0], [0, 1]]
    assert [each["points"] for each in found["entrants"]] == [4, 2]


async def test_draws_count_and_may_leave_nobody_the_winner(door: Door) -> None:
    series = await made(door, games=2, scoring={"by": "outcome", "win": 2, "draw": 1, "loss": 0})
    for _ in range(2):
        await won(door, series, None)
    found = await shown(door, series)
    assert (found["state"], found["winner"]) == ("decided", None)
    assert [each["points"] for each in found["entrants"]] == [2, 2]


async def test_seatings_can_be_given(door: Door) -> None:
    given = [[1, 0], [1, 0], [0, 1]]
    series = await made(door, rotation="given", seatings=given)
    assert (await current(door, series, 1))["seat"] == 0
    await won(door, series, 1)
    assert [each["seating"] for each in (await shown(door, series))["matches"]] == given[:2]


async def test_a_link_is_good_for_the_whole_series_and_for_nothing_else(door: Door) -> None:
    series = await made(door)
    token = series["entrants"][0]["link"]["token"]
    first = await current(door, series)
    await won(door, series, 1)
    second = await current(door, series)
    assert (first["number"], second["number"]) == (0, 1)
    assert (first["seat"], second["seat"]) == (0, 1)
    assert first["match_id"] != second["match_id"]
    match = f"/v1/matches/{second['match_id']}"
    assert (await door.get(match, token)).status_code == 401
    other = await made(door, "cyd", "dan")
    path = f"{SERIES}/{other['id']}/current"
    assert told(await door.get(path, token)) == (404, "series-not-found")
    assert told(await door.get(path, "sl_" + "a" * 48)) == (401, "unauthorized")
    assert told(await door.get(path)) == (401, "unauthorized")


async def test_the_next_match_waits_for_a_final_result_if_that_is_wanted(door: Door) -> None:
    series = await made(door, opens_on="final")
    table = await won(door, series, 0)
    assert [e["match_id"] for e in (await shown(door, series))["matches"]] == [table.match_id]
    door.clock.now += 601_000
    await door.get(table.path)  # Whoever looks after the window finds it revealed.
    await settled(door)
    assert len((await shown(door, series))["matches"]) == 2


async def test_a_match_without_a_result_is_played_again_three_times_at_most(door: Door) -> None:
    series = await made(door)
    for attempt in range(3):
        match_id = (await current(door, series))["match_id"]
        found = (await shown(door, series))["matches"][-1]
        assert (found["number"], found["attempt"]) == (0, attempt)
        assert (await door.post(f"/v1/matches/{match_id}/cancel")).status_code == 200
        await settled(door)
    found = await shown(door, series)
    assert (found["state"], len(found["matches"])) == ("stalled", 3)


async def test_a_replay_is_of_the_series_and_the_links_lead_to_it(door: Door) -> None:
    series = await made(door)
    table = await won(door, series, 0)
    path = await reviewed(door, table, pause=False)
    new = (await ruled(door, path, {"type": "replay"})).json()["replacement"]
    await settled(door)
    found = await shown(door, series)
    assert [(e["number"], e["attempt"]) for e in found["matches"]] == [(0, 0), (0, 1), (1, 0)]
    assert found["matches"][1]["match_id"] == new
    assert (found["played"], found["revision"]) == (0, 2)


async def test_a_correction_is_counted_anew_and_says_so(door: Door) -> None:
    async with receiving() as receiver:
        types = ["series.match_opened", "series.decided", "series.revised"]
        await hooked(door, receiver.url, types=types)
        series = await made(door, external_id="revised")
        tables = [await won(door, series, 0) for _ in range(2)]
        before = await shown(door, series)
        assert (before["state"], before["revision"]) == ("decided", 2)
        path = await reviewed(door, tables[0], pause=False)
        # Seat 0 was ada's in the first match.
        await ruled(door, path, {"type": "set_result", "ranks": [2, 1], "scores": None})
        await settled(door)
        found = await shown(door, series)
        assert (found["state"], found["revision"], found["winner"]) == ("running", 3, None)
        assert [each["points"] for each in found["entrants"]] == [2, 2]
        assert len(found["matches"]) == 3
        await won(door, series, 1)
        found = await shown(door, series)
        assert (found["state"], found["winner"]) == ("decided", "bob")
        got = await receiver.until(6)
        opened = [e.event["data"]["match_id"] for e in got if e.type == "series.match_opened"]
        assert sorted(opened) == sorted(each["match_id"] for each in found["matches"])
        decided = [e.event["data"] for e in got if e.type == "series.decided"]
        assert {(each["revision"], each["winner"]) for each in decided} == {(2, 0), (4, 1)}
        (revised,) = (e.event["data"] for e in got if e.type == "series.revised")
        assert (revised["revision"], revised["state"], revised["winner"]) == (3, "running", None)
        assert len({each.id for each in got}) == 6


async def test_a_series_can_be_of_a_batch(door: Door, other_key: str) -> None:
    batch = await batched(door, ["cyd", "dan"])
    series = await made(door, batch_id=batch["id"])
    for _ in range(2):
        await won(door, series, 1)
    path = f"/v1/batches/{batch['id']}"
    matches = (await door.get(path + "/matches")).json()["matches"]
    own = [each["match_id"] for each in (await shown(door, series))["matches"]]
    assert [each["match_id"] for each in matches if each["number"] == 1] == own
    standings = (await door.get(path + "/standings")).json()["standings"]
    assert standings[0]["external_id"] == "bob"
    assert (standings[0]["points"], standings[0]["wins"]) == (4, 2)
    refused = await door.post(SERIES, other_key, json=wanted(batch_id=batch["id"]))
    assert told(refused) == (422, "invalid-request")
    refused = await door.post(SERIES, json=wanted(batch_id="nonsense"))
    assert [each["pointer"] for each in refused.json()["errors"]] == ["/batch_id"]


async def test_many_at_once_open_one_match(door: Door) -> None:
    series = await made(door)
    table = await seated(door, series)
    await door.post(f"{table.path}/seats/0/resign", table.tokens[0])
    parts = door.app.parts
    await asyncio.gather(*(opening.advance(parts, series["id"]) for _ in range(6)))
    await settled(door)
    assert len((await shown(door, series))["matches"]) == 2


async def test_every_fault_is_told(door: Door) -> None:
    body = wanted("ada", "ada", rotation="given", seatings=[[0, 0]])
    body["match"]["options"] = {"cards": 1}
    refused = await door.post(SERIES, json=body)
    assert told(refused) == (422, "invalid-request")
    found = {(each["pointer"], each["code"]) for each in refused.json()["errors"]}
    assert found >= {
        ("/entrants/1/external_id", "duplicate"),
        ("/seatings", "wrong-length"),
        ("/seatings/0", "wrong-shape"),
    }
    refused = await door.post(SERIES, json=wanted("ada"))
    assert [e["pointer"] for e in refused.json()["errors"]] == ["/entrants"]


async def test_a_repeated_request_is_told_the_same_links(door: Door) -> None:
    headers = {"idempotency-key": "s1"}
    first = await door.post(SERIES, json=wanted(external_id="once"), headers=headers)
    again = await door.post(SERIES, json=wanted(external_id="once"), headers=headers)
    assert (again.status_code, again.content) == (201, first.content)
    assert again.headers["plyscribe-replayed"] == "true"
    refused = await door.post(SERIES, json=wanted(external_id="once"))
    assert told(refused) == (409, "external-id-taken")


async def test_it_can_be_called_off(door: Door, other_key: str) -> None:
    series = await made(door, external_id="off")
    path = f"{SERIES}/{series['id']}"
    for address in (path, path + "/cancel"):
        call = door.get if address == path else door.post
        assert told(await call(address, other_key)) == (404, "series-not-found")
    blind = await key_of(door, "observe")
    assert told(await door.get(path, blind)) == (403, "scope-missing")
    done = (await door.post(path + "/cancel")).json()
    assert done["state"] == "cancelled"
    assert (await door.post(path + "/cancel")).json() == done
    await won(door, series, 0)
    assert len((await shown(door, series))["matches"]) == 1
    (listed,) = (await door.get(f"{SERIES}?state=cancelled&external_id=off")).json()["series"]
    assert listed["id"] == series["id"]
    refused = await door.get(f"{SERIES}?state=lost")
    assert told(refused) == (400, "invalid-parameter")
    other = await made(door)
    for _ in range(2):
        await won(door, other, 0)
    assert told(await door.post(f"{SERIES}/{other['id']}/cancel")) == (409, "series-over")


async def test_an_erased_entrant_is_nobody_in_what_follows(door: Door) -> None:
    series = await made(door, "eva", "bob")
    await won(door, series, 1)
    got = await door.post("/v1/erasures", json={"account": "eva"})
    assert got.status_code == 200, got.text
    found = await shown(door, series)
    assert [each["external_id"] for each in found["entrants"]] == ["", "bob"]
    await won(door, series, 0)
    assert len((await shown(door, series))["matches"]) == 3
