"""Series whose entrants do not come: every match has a time to join, counted from its opening."""

from typing import Any, Final

import pytest

from tests.service.client import Json, bearer
from tests.service.clocking import passed, served_anew
from tests.service.conftest import Door
from tests.service.test_schedules import due
from tests.service.test_series import SERIES, current, made, settled, shown, told, wanted

WITHIN: Final = 600  # seconds


@pytest.fixture(autouse=True)
async def _nothing_was_before(door: Door) -> None:
    await served_anew(door)


def join(no_show: str, seconds: int = WITHIN) -> Json:
    return {"within_seconds": seconds, "no_show": no_show}


async def schedule(door: Door, series: Json) -> Any:
    """Of the current match."""
    match_id = (await current(door, series))["match_id"]
    return (await door.get(f"/v1/matches/{match_id}")).json()["schedule"]


async def comes(door: Door, series: Json, entrant: int) -> None:
    """The entrant alone claims the seat in the current match."""
    seat = await current(door, series, entrant)
    path = f"/v1/matches/{seat['match_id']}/seats/{seat['seat']}/claim"
    got = await door.http.post(path, headers=bearer(seat["link"]["token"]))
    assert got.status_code == 200, got.text


async def over_time(door: Door) -> None:
    """The time to join is over, and what follows of it was done."""
    await passed(door, WITHIN * 1000)
    await due(door)
    await settled(door)


async def test_each_match_has_its_time_from_when_it_opens(door: Door) -> None:
    series = await made(door, join=join("forfeit"))
    assert (await shown(door, series))["join"] == join("forfeit")
    first = await schedule(door, series)
    assert (first["join_by"], first["no_show"]) == (door.clock.now + WITHIN * 1000, "forfeit")
    await comes(door, series, 0)
    await over_time(door)
    opened = (await shown(door, series))["matches"][1]
    created = (await door.get(f"/v1/matches/{opened['match_id']}")).json()["created_at"]
    second = await schedule(door, series)
    assert second["join_by"] == created + WITHIN * 1000 > first["join_by"]


async def test_a_series_whose_opponent_never_comes_is_won(door: Door) -> None:
    series = await made(door, join=join("forfeit"))
    for _ in range(2):
        await comes(door, series, 0)
        await over_time(door)
    found = await shown(door, series)
    assert (found["state"], found["winner"], found["played"]) == ("decided", "ada", 2)
    assert [each["terminal"] for each in found["matches"]] == ["no_show", "no_show"]


async def test_a_series_nobody_comes_to_ends_by_itself(door: Door) -> None:
    forfeit, void = [await made(door, join=join(each)) for each in ("forfeit", "void")]
    for _ in range(3):
        await over_time(door)
    found = await shown(door, forfeit)
    assert (found["state"], found["winner"], found["played"]) == ("decided", None, 3)
    assert [each["points"] for each in found["entrants"]] == [0, 0]
    found = await shown(door, void)
    assert (found["state"], [each["attempt"] for each in found["matches"]]) == (
        "stalled",
        [0, 1, 2],
    )


async def test_a_series_without_a_time_to_join_says_so(door: Door) -> None:
    series = await made(door)
    assert (await shown(door, series))["join"] is None
    assert await schedule(door, series) is None


@pytest.mark.parametrize(
    ("more", "pointers"),
    [
        ({"join": {"within_seconds": 0, "no_show": "void"}}, ["/join/within_seconds"]),
        ({"join": {"within_seconds": 60}}, ["/join/no_show"]),
        ({"join": join("forfeit"), "match": {"entropy": True}}, ["/join/no_show"]),
        ({"join": join("void"), "match": {"schedule": {}}}, ["/match/schedule"]),
    ],
)
async def test_a_time_to_join_that_can_not_be_is_refused(
    door: Door, more: Json, pointers: list[str]
) -> None:
    body = wanted(join=more["join"])
    body["match"] |= more.get("match", {})
    refused = await door.post(SERIES, json=body)
    assert told(refused) == (422, "invalid-request")
    assert [each["pointer"] for each in refused.json()["errors"]] == pointers
