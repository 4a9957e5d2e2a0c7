"""Where deal groups and disputes meet: nothing opens too early, nobody learns of a dispute."""

from typing import Any

import pytest

from service import ending
from tests.service.client import Table, decision_of
from tests.service.conftest import Door
from tests.service.grouping import GROUPS, HOUR, Group, key_of, opened, played, revealed, wanted
from tests.service.test_disputes import code, reviewed, ruled

Json = dict[str, Any]
SET: Json = {"type": "set_result", "ranks": [1], "scores": [7]}


async def listed(door: Door, token: str, status: str, *tables: Table) -> list[str | None]:
    """By match, the status told in the list of those with that status."""
    query = f"?status={status}" if status else ""
    rows = (await door.get("/v1/matches" + query, token)).json()["matches"]
    found = {each["match_id"]: each["status"] for each in rows}
    return [found.get(table.match_id) for table in tables]


async def standings(door: Door, group: Group) -> dict[tuple[str, int], Json]:
    """The lines by match and seat."""
    got = await door.get(group.path + "/standings")
    assert got.status_code == 200, got.text
    return {(each["match_id"], each["seat"]): each for each in got.json()["standings"]}


async def test_a_match_under_review_keeps_its_group_from_the_reveal(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    path = await reviewed(door, group.tables[1])
    await played(door, group.tables[0])
    await ending.finish(door.app.parts, group.id)
    assert group.id not in await ending.due_groups(door.app.parts)
    shown = (await door.get(group.path)).json()
    assert (shown["state"], shown["seed"]) == ("running", None)
    assert [each["state"] for each in shown["tables"]] == ["over", "started"]
    assert (await ruled(door, path, {"type": "note"})).status_code == 200
    await played(door, group.tables[1])
    await revealed(door, group)


async def test_a_match_under_review_ends_with_its_group(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    await reviewed(door, group.tables[1])
    door.clock.now += HOUR
    await revealed(door, group)
    lines = await standings(door, group)
    assert {each["finish"] for each in lines.values()} == {"closed"}


async def test_standings_tell_what_arbiters_ruled(door: Door) -> None:
    group = await opened(door, ["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"])
    out, placed, void, gone = group.tables
    for table, ruling in (
        (out, {"type": "forfeit", "seat": 0}),
        (placed, {"type": "set_result", "ranks": [1, 2], "scores": [90, 80]}),
        (void, {"type": "void"}),
    ):
        done = await ruled(door, await reviewed(door, table), ruling)
        assert done.status_code == 200, done.text
    await door.post(f"{gone.path}/seats/0/resign", gone.tokens[0])
    await revealed(door, group)
    lines = await standings(door, group)
    found = {table: [lines[table.match_id, s]["finish"] for s in (0, 1)] for table in group.tables}
    assert found[out] == ["resigned", "adjudicated"]
    assert found[placed] == ["adjudicated", "adjudicated"]
    assert found[void] == ["cancelled", "cancelled"]
    assert found[gone] == ["resigned", "resigned"]
    assert [lines[placed.match_id, s]["score"] for s in (0, 1)] == [90, 80]
    assert [lines[void.match_id, s]["rank"] for s in (0, 1)] == [None, None]


async def test_a_result_set_after_a_resignation_counts_as_it_is_set(door: Door) -> None:
    group = await opened(door, ["a", "b"], ["c", "d"])
    one, other = group.tables
    for table in group.tables:
        await door.post(f"{table.path}/seats/0/resign", table.tokens[0])
    path = await reviewed(door, one, pause=False)
    await ruled(door, path, {"type": "set_result", "ranks": [1, 2], "scores": [5, 4]})
    await revealed(door, group)
    lines = await standings(door, group)
    assert (lines[one.match_id, 0]["finish"], lines[one.match_id, 0]["rank"]) == ("adjudicated", 1)
    assert (lines[other.match_id, 0]["finish"], lines[other.match_id, 0]["rank"]) == ("resigned", 2)


async def test_final_standings_change_by_a_ruling_alone(door: Door) -> None:
    group = await opened(door, ["ada"])
    await played(door, group.tables[0])
    await revealed(door, group)
    path = await reviewed(door, group.tables[0], pause=False)
    await ruled(door, path, SET)
    got = (await door.get(group.path + "/standings")).json()
    assert got["final"] is True
    assert [(each["finish"], each["score"]) for each in got["standings"]] == [("adjudicated", 7)]


async def test_a_dispute_does_not_show_to_those_who_stand_apart(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"], ["cyd"])
    alone = await door.table("high_card", 3)
    apart, reviewing, voided = group.organiser, group.tables[0], group.tables[1]
    await reviewed(door, alone)
    path = await reviewed(door, reviewing)
    await ruled(door, await reviewed(door, voided), {"type": "void"})
    assert await told(door, apart, group) == ["running", "over", "running"]
    assert await told(door, door.key, group) == ["under_review", "void", "running"]
    everything = (*group.tables, alone)
    for status, expected in {
        "": ["running", "over", "running", "under_review"],
        "under_review": [None, None, None, "under_review"],
        "running": ["running", None, "running", None],
        "over": [None, "over", None, None],
        "void": [None, None, None, None],
    }.items():
        assert await listed(door, apart, status, *everything) == expected
    for status, expected in {
        "under_review": ["under_review", None, None, "under_review"],
        "void": [None, "void", None, None],
        "over": [None, None, None, None],
    }.items():
        assert await listed(door, door.key, status, *everything) == expected
    states = [each["state"] for each in (await door.get(group.path, apart)).json()["tables"]]
    assert states == ["started", "over", "started"]
    await ruled(door, path, SET)
    assert await told(door, apart, group) == ["over", "over", "running"]


async def told(door: Door, token: str, group: Group) -> list[str]:
    return [(await door.get(table.path, token)).json()["status"] for table in group.tables]


async def test_a_list_narrowed_by_what_is_told_goes_on_page_by_page(door: Door) -> None:
    group = await opened(door, *([f"p{n}"] for n in range(6)))
    for table in group.tables[::2]:
        await ruled(door, await reviewed(door, table), {"type": "void"})
    for status, most in (("over", 3), ("void", 0), ("running", 3)):
        found: list[str] = []
        more: str | None = ""
        while more is not None:
            query = f"?limit=2&status={status}{more and '&cursor=' + more}"
            page = (await door.get("/v1/matches" + query, group.organiser)).json()
            found += [each["match_id"] for each in page["matches"]]
            assert {each["status"] for each in page["matches"]} <= {status}
            more = page["next"]
        found = [each for each in found if each in {table.match_id for table in group.tables}]
        assert len(found) == len(set(found)) == most


async def test_entrants_arbitrate_no_match_of_their_group(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    other = group.tables[1]
    path = await reviewed(door, other)
    body = {"about": 1, "claim": "No"}
    for account in ("ada", "bob"):
        asked = door.post(other.path + "/disputes", json={**body, "account": account})
        assert await code(asked) == (403, "arbiter-is-party")
        ruling = {"ruling": {"type": "note"}, "reason": "So", "account": account}
        asked = door.post(path + "/rulings", json=ruling)
        assert await code(asked) == (403, "arbiter-is-party")
        look = door.get(f"{other.path}/view?as=0&at=4&account={account}")
        assert await code(look) == (403, "arbiter-is-party")
    assert (await door.get(f"{other.path}/view?as=0&at=4&account=dan")).status_code == 200


async def test_who_had_a_seat_in_the_group_comes_to_no_other(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    one, two = group.tables

    async def seated(table: Table, account: str | None) -> tuple[int, Any]:
        made = await door.post(table.path + "/disputes", json={"about": 1, "claim": "No"})
        path = made.headers["location"]
        await door.post(path + "/review", json={"pause": True})
        got = await ruled(door, path, {"type": "replace_seat", "seat": 0, "account": account})
        if got.status_code != 200:
            await ruled(door, path, {"type": "note"})
            return got.status_code, got.json()["errors"][0]
        return 200, None

    duplicate = "/ruling/account", "duplicate"
    status, fault = await seated(two, "ada")
    assert (status, (fault["pointer"], fault["code"])) == (422, duplicate)
    status, fault = await seated(two, None)
    assert (status, fault["pointer"], fault["code"]) == (422, "/ruling/account", "missing")
    assert await seated(one, "dan") == (200, None)
    for table, account in ((two, "dan"), (two, "ada")):
        status, fault = await seated(table, account)
        assert (status, (fault["pointer"], fault["code"])) == (422, duplicate)
    assert await seated(one, "ada") == (200, None)  # Its own entrant again.


async def test_a_replaced_seat_is_answered_again_as_the_first_time(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    path = await reviewed(door, group.tables[0])
    ruling: Json = {"type": "replace_seat", "seat": 0, "account": "dan"}
    headers = {"idempotency-key": "dan"}
    first = await ruled(door, path, ruling, headers=headers)
    again = await ruled(door, path, ruling, headers=headers)
    assert (first.status_code, again.content) == (200, first.content)


async def test_a_match_that_is_over_is_not_rewound_before_the_reveal(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    await played(door, group.tables[0])
    path = await reviewed(door, group.tables[0], pause=False)
    refused = ruled(door, path, {"type": "rewind", "to": 4})
    assert await code(refused) == (409, "deal-group-match-over")
    refused = ruled(door, path, {"type": "redraw", "label": "deck"})
    assert (await code(refused))[0] == 409
    assert (await ruled(door, path, {"type": "note"})).status_code == 200


async def test_nobody_comes_to_a_seat_after_the_closing_time(door: Door) -> None:
    group = await opened(door, ["ada"], ["bob"])
    path = await reviewed(door, group.tables[0])
    door.clock.now += HOUR
    late = ruled(door, path, {"type": "replace_seat", "seat": 0, "account": "dan"})
    assert (await code(late))[0] == 409
    own = await decision_of(door.http, group.tables[0], 0)
    assert own["status"] != "running"


@pytest.mark.parametrize("field", ["reveal_after_seconds", "window"])
async def test_a_group_has_no_window_of_its_own(door: Door, field: str) -> None:
    refused = await door.post(GROUPS, json=wanted(door, ["ada"], **{field: 60}))
    (fault,) = refused.json()["errors"]
    assert (refused.status_code, fault["pointer"]) == (422, f"/{field}")
    assert fault["code"] == "unknown-field"


async def test_a_key_without_the_scope_opens_no_dispute(door: Door) -> None:
    group = await opened(door, ["ada"])
    key = await key_of(door, "observe", "matches:read")
    body = {"about": 1, "claim": "No"}
    refused = door.post(group.tables[0].path + "/disputes", key, json=body)
    assert await code(refused) == (403, "scope-missing")
