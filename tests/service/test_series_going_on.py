"""Series that can't go on hold up no others, and links lead to nobody else's seat."""

import asyncio
from typing import Any

import pytest

from service import pauses as pausing
from service.series import opening, rows
from service.series.terms import Open
from service.signals import Work
from tests.service.batching import BATCHES, batched
from tests.service.batching import wanted as batch_of
from tests.service.client import bearer
from tests.service.conftest import Door
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_series import (
    SERIES,
    current,
    made,
    seated,
    settled,
    shown,
    told,
    wanted,
    won,
)

Json = dict[str, Any]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Series whose next match can't be made, by id."""
    found: set[str] = set()
    plain = opening._ready

    def failing(parts: Any, row: Any, names: Any, place: Open, name: Any) -> Any:
        if row.id in found:
            raise RuntimeError
        return plain(parts, row, names, place, name)

    monkeypatch.setattr(opening, "_ready", failing)
    return found


async def test_a_series_that_fails_holds_up_no_other(
    door: Door, broken: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "DUE_AT_ONCE", 2)
    several = [await made(door, "ada", f"bob {number}") for number in range(4)]
    broken.update(each["id"] for each in several[:3])
    for each in several:
        await won(door, each, 0)
    assert [len((await shown(door, each))["matches"]) for each in several] == [1, 1, 1, 2]
    # What is known is told all the same.
    assert [(await shown(door, each))["played"] for each in several] == [1] * 4
    broken.clear()
    await settled(door)
    assert len((await shown(door, several[0]))["matches"]) == 1, "it rests"
    door.clock.now += pausing.LONGEST_MS
    await settled(door)
    assert [len((await shown(door, each))["matches"]) for each in several] == [2] * 4


def test_a_pause_grows_and_ends_with_success() -> None:
    pauses = pausing.Pauses(Work.SERIES)
    pauses.failed("a", 0)
    assert (pauses.rests("a", 999), pauses.rests("a", 1000), pauses.rests("b", 0)) == (
        True,
        False,
        False,
    )
    pauses.failed("a", 1000)
    assert (pauses.rests("a", 2999), pauses.rests("a", 3000)) == (True, False)
    for _ in range(20):
        pauses.failed("a", 0)
    assert not pauses.rests("a", pausing.LONGEST_MS)
    pauses.went_on("a")
    pauses.failed("a", 0)
    assert not pauses.rests("a", pausing.FIRST_MS)


async def test_a_moment_is_not_said_of_matches_that_follow_one_another(door: Door) -> None:
    body = wanted()
    body["match"] = {"game": "high_card", "reveal_by": door.clock.now + 60_000}
    refused = await door.post(SERIES, json=body)
    assert told(refused) == (422, "invalid-request")
    assert [each["pointer"] for each in refused.json()["errors"]] == ["/match/reveal_by"]


async def test_a_stalled_series_goes_on_when_a_ruling_gives_a_match_a_result(door: Door) -> None:
    series = await made(door)
    for number in range(3):
        table = await seated(door, series)
        path = await reviewed(door, table, pause=False)
        await ruled(door, path, {"type": "void"})
        if number == 1:
            second = table
        await settled(door)
    assert (await shown(door, series))["state"] == "stalled"
    path = await reviewed(door, second, pause=False)
    done = await ruled(door, path, {"type": "set_result", "ranks": [1, 2], "scores": None})
    assert done.status_code == 200, done.text
    await settled(door)
    found = await shown(door, series)
    assert (found["state"], found["played"], len(found["matches"])) == ("running", 1, 4)
    assert [e["counted"] for e in found["matches"]] == [False, True, False, False]


async def test_the_link_of_who_was_replaced_opens_no_seat_in_the_replay(door: Door) -> None:
    series = await made(door)
    table = await seated(door, series)
    path = await reviewed(door, table, pause=False)
    replaced = await ruled(door, path, {"type": "replace_seat", "seat": 0, "account": "zoe"})
    assert replaced.status_code == 200, replaced.text
    assert (await current(door, series, 0))["link"] is None
    path = await reviewed(door, table, seat=1, pause=False)
    new = (await ruled(door, path, {"type": "replay"})).json()["replacement"]
    await settled(door)
    ousted, other = await current(door, series, 0), await current(door, series, 1)
    assert [each["match_id"] for each in (ousted, other)] == [new, new]
    assert ousted["link"] is None
    claim = f"/v1/matches/{new}/seats/{other['seat']}/claim"
    got = await door.http.post(claim, headers=bearer(other["link"]["token"]))
    assert got.status_code == 200, got.text
    zoe = await door.post(f"/v1/matches/{new}/seats/0/tokens")
    got = await door.post(f"/v1/matches/{new}/seats/0/claim", zoe.json()["token"])
    assert got.status_code == 200, got.text
    result = (await door.get(f"/v1/matches/{new}/result")).json()
    assert [each["external_id"] for each in result["seats"]] == ["zoe", "bob"]


async def test_who_is_replaced_without_a_name_is_out_as_well(door: Door) -> None:
    series = await made(door)
    table = await seated(door, series)
    path = await reviewed(door, table, pause=False)
    await ruled(door, path, {"type": "replace_seat", "seat": 0})
    path = await reviewed(door, table, seat=1, pause=False)
    await ruled(door, path, {"type": "replay"})
    await settled(door)
    assert (await current(door, series, 0))["link"] is None
    assert (await current(door, series, 1))["link"] is not None


async def test_series_made_at_once_have_places_of_their_own(door: Door) -> None:
    batch = await batched(door, ["cyd", "dan"])
    several = await asyncio.gather(
        *(made(door, "ada", f"bob {number}", batch_id=batch["id"]) for number in range(6))
    )
    got = await door.get(f"{BATCHES}/{batch['id']}/matches?limit=50")
    found = [(each["number"], each["match_id"]) for each in got.json()["matches"]]
    assert [number for number, _ in found] == list(range(7))
    assert {match_id for _, match_id in found} >= {each["match_id"] for each in several}


async def test_the_names_of_its_matches_are_taken_with_the_series(door: Door) -> None:
    body = batch_of(["a", "b"])
    body["matches"][0]["external_id"] = "cup/2"
    taken = (await door.post(BATCHES, json=body)).json()["matches"][0]["match_id"]
    refused = await door.post(SERIES, json=wanted(external_id="cup"))
    assert told(refused) == (409, "external-id-taken")
    (fault,) = refused.json()["errors"]
    assert (fault["pointer"], taken in fault["detail"]) == ("/external_id", True)
    series = await made(door, external_id="bowl")
    body["matches"][0]["external_id"] = "bowl/3"
    for dry in (True, False):
        refused = await door.post(BATCHES, json={**body, "dry_run": dry})
        assert told(refused) == (409, "external-id-taken")
        (fault,) = refused.json()["errors"]
        assert (fault["pointer"], series["id"] in fault["detail"]) == (
            "/matches/0/external_id",
            True,
        )
    for free in ("bowl/4", "bowl/03", "bowl/x", "/1"):
        body["matches"][0]["external_id"] = free
        assert (await door.post(BATCHES, json=body)).status_code == 201, free
    refused = await door.post(SERIES, json=wanted(external_id="n" * 199))
    assert [each["pointer"] for each in refused.json()["errors"]] == ["/external_id"]


async def test_a_name_that_is_taken_by_then_is_not_given_twice(door: Door) -> None:
    series = await made(door, external_id="vase")
    single = {"game": "high_card", "seats": 2, "external_id": "vase/2"}
    own = (await door.post("/v1/matches", json=single)).json()["match_id"]
    await won(door, series, 0)
    found = await door.get("/v1/matches?external_id=vase/2")
    assert [each["match_id"] for each in found.json()["matches"]] == [own]
    assert len((await shown(door, series))["matches"]) == 2


async def test_of_a_series_and_a_batch_at_once_one_has_the_name(door: Door) -> None:
    for number in range(3):
        body = batch_of(["a", "b"])
        body["matches"][0]["external_id"] = f"race {number}/2"
        both = await asyncio.gather(
            door.post(SERIES, json=wanted(external_id=f"race {number}")),
            door.post(BATCHES, json=body),
        )
        assert sorted(each.status_code for each in both) == [201, 409]
