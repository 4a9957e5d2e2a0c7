"""The sandbox: test keys, and a world of their own whose matches are marked."""

from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import select

from events.tables import EVENT
from service.settings import Settings
from tests.service.batching import wanted as batch
from tests.service.client import Table, bearer, open_table
from tests.service.conftest import Door
from tests.service.grouping import GROUPS, sandbox_key
from tests.service.grouping import wanted as group
from tests.service.hooking import hooked
from tests.service.receiving import receiver as receiving
from tests.service.refusable import NOWHERE
from tests.service.test_results import kept
from tests.service.test_series import wanted as series

Json = dict[str, Any]

LISTS = ("matches", "batches", "series", "deal-groups", "webhooks", "issuers", "results", "feed")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What keeps worlds apart is what keeps organisations apart, on every database."""
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_webhooks=True)


@pytest.fixture
async def rehearsing(door: Door) -> str:
    """A key of the sandbox."""
    return await sandbox_key(door)


async def match_of(door: Door, key: str, **more: Any) -> Table:
    return await open_table(door.http, key, "high_card", 2, **more)


async def got(door: Door, path: str, key: str) -> Json:
    answer = await door.get(path, key)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


async def made(door: Door, path: str, key: str, body: Json) -> Json:
    answer = await door.post(path, key, json=body)
    assert answer.status_code == 201, answer.text
    found: Json = answer.json()
    return found


def refused(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def created_in(door: Door, table: Table) -> Json:
    """Event 1 as it is stored."""
    query = select(EVENT.c.body).where(EVENT.c.match_id == table.match_id, EVENT.c.version == 1)
    body = await door.app.parts.database.read(lambda c: c.execute(query).scalar_one())
    found: Json = msgspec.json.decode(body)
    return found


async def test_a_test_key_looks_different_and_says_what_it_is(door: Door, rehearsing: str) -> None:
    assert rehearsing.startswith("pt_")
    me = await got(door, "/v1/me", rehearsing)
    assert (me["org"], me["test"], me["prefix"]) == ("main", True, rehearsing[:11])
    assert "orgs:manage" not in me["scopes"]
    assert (await got(door, "/v1/me", door.key))["test"] is False


async def test_a_live_key_looks_after_test_keys_and_not_the_other_way_round(
    door: Door, rehearsing: str
) -> None:
    own = await made(door, "/v1/keys", rehearsing, {"name": "own", "scopes": ["observe"]})
    assert (own["org"], own["test"]) == ("main", True)
    live = await made(door, "/v1/keys", door.key, {"name": "live", "scopes": ["observe"]})
    assert (live["org"], live["test"]) == ("main", False)
    seen = {each["id"] for each in (await got(door, "/v1/keys", rehearsing))["keys"]}
    assert own["id"] in seen
    assert live["id"] not in seen
    assert {*seen, live["id"]} <= {e["id"] for e in (await got(door, "/v1/keys", door.key))["keys"]}
    path = f"/v1/keys/{live['id']}"
    assert refused(await door.get(path, rehearsing)) == (404, "key-not-found")
    assert refused(await door.delete(path, rehearsing)) == (404, "key-not-found")
    path = f"/v1/keys/{own['id']}"
    turned = await made(door, f"{path}/rotate", door.key, {"overlap_seconds": 60})
    assert (turned["test"], turned["secret"][:3]) == (True, "pt_")
    assert (await got(door, "/v1/me", turned["secret"]))["test"] is True
    assert (await door.delete(path, door.key)).status_code == 204
    assert refused(await door.get("/v1/me", own["secret"])) == (401, "unauthorized")


async def test_a_test_key_can_do_no_more_than_who_makes_it(door: Door) -> None:
    body = {"name": "small", "scopes": ["keys:manage", "observe"], "test": True}
    small = (await made(door, "/v1/keys", door.key, body))["secret"]
    body = {"name": "large", "scopes": ["arbitrate"], "test": True}
    assert refused(await door.post("/v1/keys", small, json=body)) == (403, "scope-missing")


async def test_a_test_match_is_marked_wherever_it_is_told(door: Door, rehearsing: str) -> None:
    async with receiving() as receiver:
        await hooked(door, receiver.url, rehearsing, types=["match.created", "result.void"])
        table = await match_of(door, rehearsing, external_id="t-1")
        ended = await door.post(table.path + "/end", rehearsing, json={"terminal": "void"})
        assert ended.status_code == 200, ended.text
        told = await receiver.until(2)
    assert [each.event["data"]["test"] for each in told] == [True, True]
    assert {each.event["source"].partition("/orgs/")[2] for each in told} == {"main/test"}
    await kept(door)
    assert (await got(door, table.path, rehearsing))["test"] is True
    assert (await got(door, table.path, table.tokens[0]))["test"] is True
    assert (await got(door, table.path + "/result", rehearsing))["test"] is True
    for name, path in (("matches", "matches"), ("results", "results"), ("entries", "feed")):
        lines = (await got(door, f"/v1/{path}", rehearsing))[name]
        assert lines
        assert all(each["test"] is True for each in lines)
    assert (await created_in(door, table))["test"] is True


async def test_batches_series_and_deal_groups_are_marked(door: Door, rehearsing: str) -> None:
    found = [
        await made(door, "/v1/batches", rehearsing, batch(["ada", "bob"])),
        await made(door, "/v1/series", rehearsing, series()),
        await made(door, GROUPS, rehearsing, group(door, ["ada"], ["bob"])),
    ]
    for path, each in zip(("batches", "series", "deal-groups"), found, strict=True):
        assert (await got(door, f"/v1/{path}/{each['id']}", rehearsing))["test"] is True
        assert refused(await door.get(f"/v1/{path}/{each['id']}"))[0] == 404
    table = found[2]["tables"][0]
    assert (await created_in(door, Table(table["match_id"], ())))["test"] is True


async def test_a_live_match_says_that_it_is_none_and_its_log_says_nothing(door: Door) -> None:
    table = await match_of(door, door.key)
    assert (await got(door, table.path, door.key))["test"] is False
    assert "test" not in await created_in(door, table)


async def test_neither_key_sees_or_changes_anything_of_the_other_world(
    door: Door, rehearsing: str
) -> None:
    """What is in the other world is answered for as what is nowhere, byte for byte."""
    for own, other in ((door.key, rehearsing), (rehearsing, door.key)):
        table = await match_of(door, own)
        for method, path, body in (
            ("GET", "", None),
            ("GET", "/view", None),
            ("GET", "/events", None),
            ("GET", "/result", None),
            ("GET", "/bundle", None),
            ("POST", "/cancel", None),
            ("POST", "/pause", {}),
            ("POST", "/seats/0/claim", {}),
            ("POST", "/seats/0/tokens", None),
            ("POST", "/spectators", {}),
            ("POST", "/disputes", {"about": 1, "claim": "x"}),
            ("POST", "/end", {"terminal": "void"}),
        ):
            answers = []
            for match_id in (table.match_id, NOWHERE):
                answer = await door.http.request(
                    method, f"/v1/matches/{match_id}{path}", headers=bearer(other), json=body
                )
                answers.append((answer.status_code, answer.content))
            assert answers[0] == answers[1], path
            assert answers[0][0] in (403, 404), path
        assert (await got(door, table.path, own))["status"] == "running"


async def test_lists_of_a_live_key_are_the_same_bytes_whatever_is_rehearsed(
    door: Door, rehearsing: str
) -> None:
    await match_of(door, door.key, external_id="same")
    await kept(door)

    async def lists(key: str) -> dict[str, Json]:
        return {name: await got(door, f"/v1/{name}", key) for name in LISTS}

    before = await lists(door.key)
    table = await match_of(door, rehearsing, external_id="same")
    await door.post(table.path + "/end", rehearsing, json={"terminal": "adjudicated"})
    await made(door, "/v1/batches", rehearsing, batch(["ada", "bob"]))
    await made(door, "/v1/series", rehearsing, series())
    await made(door, GROUPS, rehearsing, group(door, ["ada"], ["bob"]))
    await hooked(door, "https://play.example.org/", rehearsing)
    await kept(door)
    after = await lists(door.key)
    # The feed numbers the positions of everybody, and says how many there are.
    assert after["feed"].pop("size") > before["feed"].pop("size")
    assert after == before
    assert len((await lists(rehearsing))["results"]["results"]) == 1


async def test_names_are_taken_in_one_world_alone(door: Door, rehearsing: str) -> None:
    body = {**batch(["ada", "bob"]), "external_id": "round-1"}
    for key in (door.key, rehearsing):
        await made(door, "/v1/batches", key, body)
        assert refused(await door.post("/v1/batches", key, json=body)) == (409, "external-id-taken")


async def test_test_matches_reach_no_platform(door: Door, rehearsing: str) -> None:
    body = {"platform": "startgg", "credentials": {"access_token": "x"}}
    assert refused(await door.post("/v1/connections", rehearsing, json=body)) == (
        403,
        "not-in-sandbox",
    )
    live = await made(door, "/v1/connections", door.key, body)
    table, headers = await match_of(door, rehearsing), bearer(door.key)
    path = f"/v1/connections/{live['id']}/links/{table.match_id}"
    answer = await door.http.put(path, headers=headers, json={"target": "1"})
    assert refused(answer) == (404, "match-not-found")
    answer = await door.http.put(path, headers=bearer(rehearsing), json={"target": "1"})
    assert refused(answer) == (404, "connection-not-found")


async def test_clocks_of_test_matches_run_faster(door: Door, rehearsing: str) -> None:
    time = {"type": "fischer", "bank": 300_000, "increment": 3_001, "most": 600_000}
    for given, pinned in (
        (time, {**time, "bank": 5_000, "increment": 51, "most": 10_000}),
        ({"type": "correspondence", "days": 3}, {"type": "per_move", "move": 4_320_000}),
        ({"type": "per_move", "move": 1}, {"type": "per_move", "move": 1}),
        ({"type": "delay", "bank": 0, "delay": 60}, {"type": "delay", "bank": 0, "delay": 1}),
        (
            {"type": "bronstein", "bank": 120, "delay": 61},
            {"type": "bronstein", "bank": 2, "delay": 2},
        ),
    ):
        table = await match_of(door, rehearsing, clock={"time": given, "speed": 60})
        assert (await got(door, table.path, rehearsing))["clock"]["times"] == [pinned, pinned]


async def test_windows_for_disputes_are_shorter_and_moments_are_what_they_are(
    door: Door, rehearsing: str
) -> None:
    clock: Json = {"time": {"type": "per_move", "move": 60_000}, "speed": 60}
    when = {"join_by": door.clock.now + 600_000, "no_show": "forfeit"}
    for given, left in ((86_400, 1_440), (61, 2), (1, 1)):
        more: Json = {"reveal_after_seconds": given, "schedule": when}
        body = {"game": "high_card", "seats": 2, "clock": clock, **more}
        shown = await made(door, "/v1/matches", rehearsing, body)
        assert shown["reveal_after_seconds"] == left
        assert shown["schedule"]["join_by"] == when["join_by"]
    # What is played in place of another has what that one had.
    table = await match_of(door, rehearsing, clock=clock, reveal_after_seconds=61)
    ended = await door.post(table.path + "/end", rehearsing, json={"terminal": "replayed"})
    assert ended.status_code == 200, ended.text
    found = await got(door, f"/v1/matches/{ended.json()['replacement']}", rehearsing)
    assert found["reveal_after_seconds"] == 2


async def test_faster_clocks_are_for_test_keys_alone_and_for_no_window(
    door: Door, rehearsing: str
) -> None:
    clock: Json = {"time": {"type": "per_move", "move": 60_000}, "speed": 60}
    window = {"zone": "Europe/Berlin", "opens": "08:00", "closes": "20:00"}
    for key, given, code in (
        (door.key, clock, "sandbox-only"),
        (rehearsing, {**clock, "window": window}, "impossible"),
    ):
        body = {"game": "high_card", "seats": 2, "clock": given}
        answer = await door.post("/v1/matches", key, json=body)
        assert refused(answer) == (422, "invalid-request"), answer.text
        (fault,) = answer.json()["errors"]
        assert (fault["pointer"], fault["code"]) == ("/clock/speed", code)
    body = {**group(door, ["ada"], ["bob"]), "clock": clock}
    assert (await door.post(GROUPS, door.key, json=body)).status_code == 422
    shown = await made(door, GROUPS, rehearsing, body)
    assert shown["clock"]["times"] == [{"type": "per_move", "move": 1_000}]
