"""Bundles at the door: who may have which, equal bytes each time, and that they verify."""

from typing import Any

import httpx

from events.bundle import EVENTS, KEYS, PROOF, SALTS, SEED
from events.forks import forks
from events.trust import Trusted, trusted_in
from events.verify_bundle import Checked, verify_bundle
from tests.events.bundled import members
from tests.service.client import Table, play_out
from tests.service.conftest import Door
from tests.service.test_feed import fed

ALL_OF_THREE = ("full", "public", "seat:0", "seat:1", "seat:2")


async def got(
    door: Door, table: Table, perspective: str, token: str, **more: Any
) -> httpx.Response:
    params = {"perspective": perspective}
    return await door.get(f"{table.path}/bundle", token, params=params, **more)


async def keys_of(door: Door) -> Trusted:
    """As somebody takes them who trusts the service today."""
    log = (await door.http.get("/v1/log")).json()
    by_line = trusted_in("\n".join(log["verifier_keys"]).encode())
    by_set = trusted_in((await door.http.get("/.well-known/jwks.json")).content)
    assert {key for _, key in by_line.keys} <= {key for _, key in by_set.keys}
    return by_line


async def checked(door: Door, table: Table, perspective: str, token: str) -> Checked:
    answer = await got(door, table, perspective, token)
    assert answer.status_code == 200, answer.text
    return verify_bundle(answer.content, await keys_of(door))


async def test_every_bundle_of_a_finished_match_verifies_and_they_are_one_log(door: Door) -> None:
    table = await door.table()
    await play_out(door.http, table, seed=5)
    await fed(door)
    found = {each: await checked(door, table, each, table.tokens[1]) for each in ALL_OF_THREE}
    assert [each.fault for each in found.values()] == [None] * 5
    assert found["full"].unchecked == ()
    assert forks({name: each.bundle for name, each in found.items() if each.bundle}) == ()


async def test_it_is_a_file_with_a_name_and_the_same_bytes_each_time(door: Door) -> None:
    table = await door.table()
    await play_out(door.http, table, seed=5)
    await fed(door)
    first = await got(door, table, "full", table.tokens[0])
    assert first.headers["content-type"] == "application/zip"
    assert f'filename="{table.match_id}.full.zip"' in first.headers["content-disposition"]
    await play_out(door.http, await door.table(), seed=6)
    await fed(door)
    again = await got(door, table, "full", table.tokens[1])
    assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
    known = await got(
        door, table, "full", table.tokens[1], headers={"If-None-Match": first.headers["etag"]}
    )
    assert (known.status_code, known.content) == (304, b"")


async def test_before_the_reveal_each_has_its_own_and_the_public_one(door: Door) -> None:
    table = await door.table()
    for seat, token in enumerate(table.tokens):
        for perspective in ALL_OF_THREE:
            answer = await got(door, table, perspective, token)
            if perspective in ("public", f"seat:{seat}"):
                found = verify_bundle(answer.content)
                assert found.fault is None
                assert {SEED, PROOF, KEYS}.isdisjoint(members(answer.content))
            else:
                assert (answer.status_code, answer.json()["code"]) == (409, "not-revealed")
    assert verify_bundle((await door.get(f"{table.path}/bundle", table.tokens[0])).content).is_sound


async def test_an_arbiter_has_them_all_and_the_log_says_so(door: Door) -> None:
    table = await door.table()
    body = {"name": "reads", "scopes": ["matches:read"]}
    reading = (await door.post("/v1/keys", json=body)).json()["secret"]
    at = (await door.get(table.path)).json()["version"]
    for number, perspective in enumerate(("full", "seat:0", "seat:2"), 1):
        assert (await got(door, table, perspective, reading)).json()["code"] == "not-revealed"
        unnamed = await got(door, table, perspective, door.key)
        assert (unnamed.status_code, unnamed.json()["code"]) == (400, "invalid-parameter")
        for _ in range(2):  # Said once.
            params = {"perspective": perspective, "at": at}
            answer = await door.get(f"{table.path}/bundle", params=params)
            assert verify_bundle(answer.content).is_sound
            assert members(answer.content)[EVENTS].count(b"\n") == at
            now = (await door.get(table.path)).json()["version"]
            assert now == at + number
    for token in (reading, table.tokens[0]):
        assert (await got(door, table, "public", token)).status_code == 200


async def test_an_arbiter_who_has_a_seat_has_no_bundle_of_others(door: Door) -> None:
    table = await door.table(accounts=["player-1", None, None])
    params = {"perspective": "full", "at": 2, "account": "player-1"}
    answer = await door.get(f"{table.path}/bundle", params=params)
    assert answer.json()["code"] == "arbiter-is-party"


async def test_a_bundle_ends_where_it_is_asked_to(door: Door) -> None:
    table = await door.table()
    await play_out(door.http, table, seed=5)
    await fed(door)
    version = (await door.get(table.path)).json()["version"]
    for at in (1, 5, version):
        params = {"perspective": "full", "at": at}
        data = (await door.get(f"{table.path}/bundle", params=params)).content
        assert members(data)[EVENTS].count(b"\n") == at
        assert (PROOF in members(data), SEED in members(data)) == (at == version,) * 2
    for at in (version + 1, 9**15):
        params = {"perspective": "public", "at": at}
        answer = await door.get(f"{table.path}/bundle", params=params)
        assert answer.json()["code"] == "version-not-found"


async def test_what_is_no_perspective_or_no_match_of_ones_own(door: Door, other_key: str) -> None:
    table, other = await door.table(), await door.table()
    for perspective in ("all", "seat:", "seat:x", "seat:-1", "seat:01", "own"):
        answer = await got(door, table, perspective, door.key)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid-parameter")
    answer = await got(door, table, "seat:3", door.key)
    assert (answer.status_code, answer.json()["code"]) == (404, "seat-not-found")
    for token in (other_key, other.tokens[0]):
        for perspective in ALL_OF_THREE:
            answer = await got(door, table, perspective, token)
            assert (answer.status_code, answer.json()["code"]) == (404, "match-not-found")
    assert (await door.http.get(f"{table.path}/bundle")).status_code == 401


async def test_a_delayed_spectator_has_it_up_to_its_own_moment(door: Door) -> None:
    table = await door.table()
    body = {"delay_versions": 0, "delay_seconds": 60}
    behind = (await door.post(table.path + "/spectators", json=body)).json()["token"]
    await play_out(door.http, table, seed=5)
    await fed(door)
    early = await got(door, table, "public", behind)
    assert members(early.content)[EVENTS].count(b"\n") == 1
    assert PROOF not in members(early.content)
    assert (await got(door, table, "full", behind)).json()["code"] == "not-revealed"
    door.clock.now += 61_000
    assert (await checked(door, table, "full", behind)).unchecked == ()


async def test_one_seat_s_salts_open_no_other_s(door: Door) -> None:
    table = await door.table()
    given = [
        members((await got(door, table, f"seat:{s}", t)).content)[SALTS]
        for s, t in enumerate(table.tokens)
    ]
    own = [{salts[at + 32 : at + 64] for at in range(0, len(salts), 64)} for salts in given]
    assert not own[0] & own[1]
    assert not own[1] & own[2]
