"""What is different between two versions, or two viewers: exactly what both views show, no more."""

from typing import Any

from projections.differences import facts
from tests.service.client import Table, play_out
from tests.service.conftest import Door

Json = dict[str, Any]
OWN = {"head", "version", "viewer"}


async def told(door: Door, table: Table, token: str, **params: Any) -> Json:
    got = await door.get(table.path + "/diff", token, params=params)
    assert got.status_code == 200, got.text
    found: Json = got.json()
    return found


async def refused(door: Door, table: Table, token: str, **params: Any) -> str:
    got = await door.get(table.path + "/diff", token, params=params)
    assert got.status_code >= 400
    return str(got.json()["code"])


async def view(door: Door, table: Table, token: str, **params: Any) -> Json:
    shown = (await door.get(table.path + "/view", token, params=params)).json()
    return facts({name: value for name, value in shown.items() if name not in OWN})


async def version_of(door: Door, table: Table) -> int:
    return int((await door.get(table.path)).json()["version"])


def applied(before: Json, changes: list[Json]) -> Json:
    """The leaves of a view after changes."""
    after = dict(before)
    for each in changes:
        if each["kind"] == "gone":
            assert after.pop(each["path"]) == each["before"]
        else:
            assert after.get(each["path"]) == each["before"]
            assert (each["kind"] == "added") is (each["path"] not in before)
            after[each["path"]] = each["after"]
    return after


async def test_two_versions_of_ones_own_view(door: Door, table: Table) -> None:
    await play_out(door.http, table, seed=3)
    newest = await version_of(door, table)
    for token in (table.tokens[0], door.key):
        for since in range(1, newest, 4):
            found = await told(door, table, token, **{"from": since})
            assert (found["before"]["version"], found["after"]["version"]) == (since, newest)
            before = await view(door, table, token, at=since)
            after = await view(door, table, token)
            assert applied(before, found["changes"]) == after
            assert found["changes"], "the version alone does not count"


async def test_two_viewers_of_one_version(door: Door, table: Table) -> None:
    await play_out(door.http, table, seed=3)
    at = await version_of(door, table) - 3
    found = await told(door, table, table.tokens[1], to=at, **{"as": 0, "against": "public"})
    assert found["before"] == {"version": at, "viewer": 0}
    assert found["after"] == {"version": at, "viewer": None}
    before = await view(door, table, table.tokens[1], at=at, **{"as": 0})
    after = await view(door, table, table.tokens[1], at=at, **{"as": "public"})
    assert applied(before, found["changes"]) == after
    assert before != after


async def test_during_play_nobody_reads_more_than_both_views(door: Door, table: Table) -> None:
    at = await version_of(door, table)
    watching = (await door.post(table.path + "/spectators", json={})).json()["token"]
    for token in (table.tokens[0], watching):
        other = {"as": "public", "against": 1, "to": at}
        assert await refused(door, table, token, **other) == "other-seat"
        assert await refused(door, table, token, **{"as": 1, "from": 1}) == "other-seat"
    own = await told(door, table, table.tokens[0], to=at, **{"as": 0, "against": "public"})
    assert own["changes"]
    assert await refused(door, table, watching) == "invalid-parameter"
    assert await refused(door, table, watching, to=at + 1) == "version-not-found"
    assert await refused(door, table, watching, **{"from": at + 1}) == "version-not-found"
    assert (
        await refused(door, table, door.key, to=at, **{"as": 0, "against": 9}) == "seat-not-found"
    )
    assert await version_of(door, table) == at, "what was refused was not looked at"


async def test_an_arbiter_s_looks_are_said_first(door: Door, table: Table) -> None:
    at = await version_of(door, table)
    params = {"from": at - 1, "to": at, "as": 0, "against": 2}
    found = await told(door, table, door.key, **params)
    assert (found["before"]["viewer"], found["after"]["viewer"]) == (0, 2)
    assert await told(door, table, door.key, **params) == found
    events = (await door.get(f"{table.path}/events?after={at}")).json()["events"]
    looks = [(each["seat"], each["data"]["through"]) for each in events]
    assert [each["kind"] for each in events] == ["look_taken"] * 2
    assert looks == [(0, at - 1), (2, at)]
    assert await refused(door, table, door.key, **{"from": at, "as": 0}) == "invalid-parameter"


async def test_a_delayed_spectator_compares_what_it_has_come_to(door: Door, table: Table) -> None:
    body = {"delay_versions": 0, "delay_seconds": 60}
    behind = (await door.post(table.path + "/spectators", json=body)).json()["token"]
    newest = await version_of(door, table)
    assert await refused(door, table, behind, to=newest, **{"from": 1}) == "version-not-found"
    door.clock.now += 61_000
    assert (await told(door, table, behind, to=newest, **{"from": 1}))["changes"]


async def test_strangers_see_no_match(door: Door, table: Table, other_key: str) -> None:
    assert await refused(door, table, other_key, **{"from": 1}) == "match-not-found"
