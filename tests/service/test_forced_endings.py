"""Test matches that are made to end: each way, in one append that any auditor accepts."""

from typing import Any

import pytest

from tests.service.client import Table, open_table, play_out
from tests.service.clocking import fallen, served_anew, sound
from tests.service.conftest import Door
from tests.service.grouping import key_of, sandbox_key
from tests.service.refusable import NOWHERE

Json = dict[str, Any]

WAYS = ("resigned", "forfeited", "adjudicated", "cancelled", "void", "replayed")
WON = WAYS[:3]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is appended is an ordinary append, tried on every database elsewhere."""
    return sqlite_url


@pytest.fixture
async def rehearsing(door: Door) -> str:
    """A key of the sandbox."""
    return await sandbox_key(door)


async def begun(door: Door, key: str, seats: int = 3, **more: Any) -> Table:
    return await open_table(door.http, key, "high_card", seats, **more)


async def ended(
    door: Door, key: str, table: Table, terminal: str, name: str = "", **more: Any
) -> Any:
    headers = {"Idempotency-Key": name} if name else {}
    body = {"terminal": terminal, **more}
    return await door.post(table.path + "/end", key, json=body, headers=headers)


async def result(door: Door, key: str, table: Table) -> Json:
    got = await door.get(table.path + "/result", key)
    assert got.status_code == 200, got.text
    found: Json = got.json()
    return found


@pytest.mark.parametrize("terminal", WAYS)
async def test_a_test_match_ends_as_it_is_asked_to(
    door: Door, rehearsing: str, terminal: str
) -> None:
    table = await begun(door, rehearsing)
    more: Json = {"winner": 1} if terminal in WON else {}
    done = await ended(door, rehearsing, table, terminal, **more)
    assert done.status_code == 200, done.text
    found = await result(door, rehearsing, table)
    assert (found["terminal"], found["status"], found["test"]) == (terminal, "final", True)
    ranks = [each["rank"] for each in found["seats"]]
    assert (ranks[1] == 1 and 1 not in (ranks[0], ranks[2])) == (terminal in WON)
    assert found["replaced_by"] == done.json()["replacement"]
    assert (found["replaced_by"] is not None) == (terminal == "replayed")
    await sound(door, table)


async def test_seat_0_wins_where_nobody_is_named(door: Door, rehearsing: str) -> None:
    for terminal in WON:
        table = await begun(door, rehearsing, 2)
        await ended(door, rehearsing, table, terminal)
        found = await result(door, rehearsing, table)
        assert [each["rank"] for each in found["seats"]] == [1, 2]


async def test_what_ended_can_be_corrected(door: Door, rehearsing: str) -> None:
    table = await begun(door, rehearsing, 2)
    await play_out(door.http, table, 1)
    assert (await ended(door, rehearsing, table, "adjudicated", winner=1)).status_code == 200
    found = await result(door, rehearsing, table)
    assert (found["terminal"], found["revision"]) == ("adjudicated", 2)
    assert (await ended(door, rehearsing, table, "void")).status_code == 200
    assert (await result(door, rehearsing, table))["revision"] == 3
    await sound(door, table)


@pytest.mark.parametrize("terminal", WAYS)
async def test_asked_again_it_is_done_once(door: Door, rehearsing: str, terminal: str) -> None:
    table = await begun(door, rehearsing)
    first = await ended(door, rehearsing, table, terminal, "one")
    again = await ended(door, rehearsing, table, terminal, "one")
    assert (first.status_code, again.content) == (200, first.content)
    assert again.headers["Plyscribe-Replayed"] == "true"
    other = await ended(
        door, rehearsing, table, "void" if terminal != "void" else "replayed", "one"
    )
    assert (other.status_code, other.json()["code"]) == (422, "idempotency-key-reused")


async def test_the_match_in_place_is_a_test_match_of_the_same_kind(
    door: Door, rehearsing: str
) -> None:
    table = await begun(door, rehearsing, 2, accounts=["ada", "bob"], options={"rounds": 1})
    done = (await ended(door, rehearsing, table, "replayed")).json()
    got = (await door.get(f"/v1/matches/{done['replacement']}", rehearsing)).json()
    assert (got["test"], got["seats"], got["status"]) == (True, 2, "seating")
    assert got["options"]["rounds"] == 1


async def test_another_key_is_told_the_same_of_every_match(door: Door, rehearsing: str) -> None:
    test, live = await begun(door, rehearsing), await begun(door, door.key)
    nowhere = Table(NOWHERE, ())
    for key in (door.key, await key_of(door, "arbitrate")):
        answers = [await ended(door, key, each, "void") for each in (test, live, nowhere)]
        assert {each.content for each in answers} == {answers[0].content}
        assert {each.status_code for each in answers} == {403}
        assert answers[0].json()["code"] == "sandbox-only"
    answers = [await ended(door, rehearsing, each, "void") for each in (live, nowhere)]
    assert {(each.status_code, each.content) for each in answers} == {(404, answers[0].content)}
    for table in (test, live):
        refused = await ended(door, table.tokens[0], table, "void")
        assert refused.json()["code"] == "api-key-required"
    small = await sandbox_key(door, "matches:manage")
    assert (await ended(door, small, test, "void")).json()["code"] == "scope-missing"
    for key, table in ((rehearsing, test), (door.key, live)):
        assert (await door.get(table.path, key)).json()["status"] == "running"


async def test_what_can_not_be_is_refused_and_nothing_of_it_is_done(
    door: Door, rehearsing: str
) -> None:
    table = await begun(door, rehearsing)
    await door.post(table.path + "/seats/1/resign", table.tokens[1])
    before = (await door.get(table.path, rehearsing)).json()
    wrong: tuple[tuple[str, Json, str], ...] = (
        ("forfeited", {"winner": 1}, "ruling-impossible"),
        ("resigned", {"winner": 1}, "ruling-impossible"),
        ("resigned", {"winner": 3}, "seat-not-found"),
        ("void", {"winner": 0}, "invalid-request"),
        ("normal", {}, "invalid-request"),
    )
    for terminal, more, code in wrong:
        refused = await ended(door, rehearsing, table, terminal, **more)
        assert refused.json()["code"] == code, (terminal, more)
    assert (await door.get(table.path, rehearsing)).json() == before
    await ended(door, rehearsing, table, "cancelled")
    for terminal, code in (
        ("cancelled", "match-over"),
        ("resigned", "match-over"),
        ("forfeited", "match-over"),
        ("adjudicated", "match-not-running"),
    ):
        assert (await ended(door, rehearsing, table, terminal)).json()["code"] == code
    seating = await door.post("/v1/matches", rehearsing, json={"game": "high_card", "seats": 2})
    waiting = Table(seating.json()["match_id"], ())
    assert (await ended(door, rehearsing, waiting, "void")).json()["code"] == "match-not-running"
    assert (await ended(door, rehearsing, waiting, "cancelled")).status_code == 200


async def test_a_solitaire_match_ends_too(door: Door, rehearsing: str) -> None:
    for terminal in WON:
        table = await open_table(door.http, rehearsing, "ambagibus", 1)
        done = await ended(door, rehearsing, table, terminal)
        assert done.status_code == 200, done.text
        assert (await result(door, rehearsing, table))["terminal"] == terminal


@pytest.mark.parametrize(
    ("given", "terminal"),
    [
        ({"time": {"type": "per_move", "move": 1}, "flag": "forfeit"}, "timed_out"),
        ({"time": {"type": "per_move", "move": 1}, "abandon_after": 1}, "abandoned"),
    ],
)
async def test_shortest_clocks_end_the_rest_of_the_ways(
    door: Door, rehearsing: str, given: Json, terminal: str
) -> None:
    await served_anew(door)
    table = await begun(door, rehearsing, 2, clock=given)
    for _ in range(20):
        await fallen(door)
    assert (await result(door, rehearsing, table))["terminal"] == terminal
