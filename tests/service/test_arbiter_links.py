"""Links of arbiters: for one match, for nobody who plays in it, and for nothing but arbitrating."""

from io import BytesIO
from typing import Any
from uuid import uuid4
from zipfile import ZipFile

import httpx
import msgspec
import pytest
from sqlalchemy import select

from events.tables import TOKEN
from service import tickets
from tests.service.batching import BATCHES, batched, finished, seated, wanted
from tests.service.client import Table, bearer, create
from tests.service.conftest import GAME, Door
from tests.service.grouping import key_of, opened
from tests.service.test_disputes import kinds
from tests.service.test_erasing import forget
from tests.service.test_results import kept

Json = dict[str, Any]

PAGE = "https://play.example.org/table"
REFEREE: Json = {"external_id": "referee"}


@pytest.fixture
def settings(settings: Any) -> Any:
    return msgspec.structs.replace(settings, player_page=PAGE)


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def linked(door: Door, **more: Any) -> tuple[Table, str]:
    """A running match of a batch, and the token of its arbiter."""
    body = wanted(["ada", "bob"], **more)
    body["matches"][0]["arbiters"] = [REFEREE]
    batch = (await door.post(BATCHES, json=body)).json()
    (match,) = batch["matches"]
    return await seated(door, match), match["arbiters"][0]["link"]["token"]


async def issued(door: Door, table: Table, name: str = "referee") -> str:
    got = await door.post(table.path + "/arbiters", json={"external_id": name})
    assert got.status_code == 201, got.text
    token: str = got.json()["token"]
    return token


async def test_a_batch_has_a_link_for_each_arbiter(door: Door) -> None:
    body = wanted(["ada", "bob"], ["cyd", "dan"])
    body["defaults"]["arbiters"] = [REFEREE]
    body["matches"][1]["arbiters"] = [{"external_id": "ada"}, REFEREE]
    headers = {"idempotency-key": "a1"}
    made = await door.post(BATCHES, json=body, headers=headers)
    assert made.status_code == 201, made.text
    first, second = made.json()["matches"]
    assert [each["external_id"] for each in first["arbiters"]] == ["referee"]
    assert [each["external_id"] for each in second["arbiters"]] == ["ada", "referee"]
    link = first["arbiters"][0]["link"]
    assert link["url"] == f"{PAGE}#match={first['match_id']}&arbiter=1&token={link['token']}"
    me = (await door.get("/v1/me", link["token"])).json()
    assert (me["kind"], me["match_id"]) == ("arbiter_token", first["match_id"])
    again = await door.post(BATCHES, json=body, headers=headers)
    assert again.content == made.content
    rows = await door.app.parts.database.read(lambda c: c.execute(select(TOKEN)).all())
    assert "referee" not in repr(rows)
    assert link["token"] not in repr(rows)


async def test_nobody_arbitrates_what_they_play_in(door: Door) -> None:
    body = wanted(["ada", "bob"], ["cyd", "dan"])
    body["defaults"]["arbiters"] = [{"external_id": "dan"}]
    body["matches"][0]["arbiters"] = [REFEREE, REFEREE, {"external_id": "bob"}]
    for dry in (True, False):
        refused = await door.post(BATCHES, json={**body, "dry_run": dry})
        assert told(refused) == (422, "invalid-request")
        found = {(each["pointer"], each["code"]) for each in refused.json()["errors"]}
        assert found == {
            ("/matches/0/arbiters/1/external_id", "duplicate"),
            ("/matches/0/arbiters/2/external_id", "arbiter-is-party"),
            ("/defaults/arbiters/0/external_id", "arbiter-is-party"),
        }


@pytest.mark.parametrize("dry", [True, False])
async def test_who_may_not_arbitrate_makes_no_arbiter(door: Door, dry: bool) -> None:
    key = await key_of(door, "matches:create", "seats:issue")
    body = wanted(["ada", "bob"], dry_run=dry)
    assert (await door.post(BATCHES, key, json=body)).status_code in (200, 201)
    body["matches"][0]["arbiters"] = [REFEREE]
    refused = await door.post(BATCHES, key, json=body)
    assert told(refused) == (403, "scope-missing")
    assert "arbitrate" in refused.json()["errors"][0]["detail"]


async def test_an_arbiter_rules_in_its_match_by_the_name_a_key_would_have(door: Door) -> None:
    table, token = await linked(door, external_id="named")
    assert (await door.post(table.path + "/pause", token)).status_code == 200
    assert (await door.post(table.path + "/resume", token)).status_code == 200
    assert (await door.post(table.path + "/pause", json={"account": "referee"})).status_code == 200
    events = (await door.get(table.path + "/events?limit=50")).json()["events"]
    names = {e["data"]["arbiter"] for e in events if e["kind"] in ("paused", "match_paused")}
    assert len(names) == 1
    assert (await door.get("/v1/me", token)).json()["arbiter"] in names
    await door.post(table.path + "/resume", token)
    made = await door.post(table.path + "/disputes", token, json={"about": 1, "claim": "So"})
    path = made.headers["location"]
    assert (await door.post(path + "/review", token, json={"pause": True})).status_code == 200
    ruling = {"ruling": {"type": "set_result", "ranks": [1, 2], "scores": None}, "reason": "So"}
    assert (await door.post(path + "/rulings", token, json=ruling)).status_code == 200
    assert (await door.post(path + "/close", token, json={})).status_code == 200


async def test_what_an_arbiter_looks_at_is_in_the_log(door: Door) -> None:
    table, token = await linked(door)
    version = (await door.get(table.path, token)).json()["version"]
    watcher = (await door.post(table.path + "/spectators", json={})).json()["token"]
    for path in ("/view", "/events", "/seats", ""):
        own, watched = [await door.get(table.path + path, each) for each in (token, watcher)]
        assert own.content == watched.content, path
    refused = await door.get(table.path + "/view?as=0", token)
    assert told(refused) == (400, "invalid-parameter")
    got = await door.get(f"{table.path}/view?as=0&at={version}", token)
    assert got.status_code == 200, got.text
    own = await door.get(f"{table.path}/view?at={version}", table.tokens[0])
    assert got.json()["view"] == own.json()["view"]
    assert (await kinds(door, table))[-1].startswith("look")


async def test_the_token_arbitrates_and_does_nothing_else(door: Door) -> None:
    table, token = await linked(door)
    for method, path in (
        ("POST", "/start"),
        ("POST", "/cancel"),
        ("POST", "/seats/0/tokens"),
        ("POST", "/spectators"),
        ("POST", "/arbiters"),
        ("GET", "/arbiters"),
        ("GET", "/spectators"),
    ):
        body = {"/arbiters": REFEREE, "/spectators": {}}.get(path) if method == "POST" else None
        headers = bearer(token)
        got = await door.http.request(method, table.path + path, headers=headers, json=body)
        assert told(got) == (403, "api-key-required"), path
    assert told(await door.get("/v1/matches", token)) == (403, "api-key-required")
    assert told(await door.get("/v1/results", token)) == (403, "api-key-required")
    assert told(await door.get(BATCHES, token)) == (403, "api-key-required")
    for path in ("/seats/0/claim", "/seats/0/release"):
        assert told(await door.post(table.path + path, token)) == (403, "other-seat")
    for path in ("/decision", "/decision/moves"):
        assert told(await door.get(table.path + path, token)) == (403, "seat-token-required")
    resigned = await door.post(table.path + "/seats/0/resign", token)
    assert told(resigned) == (403, "seat-token-required")
    erased = await door.post(table.path + "/erasures", token, json={"event": 1, "field": "claim"})
    assert told(erased) == (403, "api-key-required")
    result = (await door.get(table.path + "/result", token)).json()
    assert [each["external_id"] for each in result["seats"]] == [None, None]


async def test_it_is_for_one_match(door: Door, other_key: str) -> None:
    _, token = await linked(door)
    batch = await batched(door, ["cyd", "dan"])
    other = Table(batch["matches"][0]["match_id"], ())
    for path in ("", "/view", "/result"):
        assert told(await door.get(other.path + path, token)) == (404, "match-not-found")
    assert told(await door.post(other.path + "/pause", token)) == (404, "match-not-found")
    refused = await door.post(other.path + "/arbiters", other_key, json=REFEREE)
    assert told(refused) == (404, "match-not-found")


async def test_who_comes_to_a_seat_arbitrates_no_more(door: Door) -> None:
    body = wanted(["ada", None])
    body["matches"][0]["arbiters"] = [REFEREE]
    (match,) = (await door.post(BATCHES, json=body)).json()["matches"]
    token = match["arbiters"][0]["link"]["token"]
    path = f"/v1/matches/{match['match_id']}"
    await door.post(f"{path}/seats/0/claim", match["seats"][0]["link"]["token"])
    got = await door.post(f"{path}/seats/1/claim", json={"account": "referee"})
    assert got.status_code == 200
    assert told(await door.post(path + "/pause", token)) == (403, "arbiter-is-party")
    assert told(await door.get(path + "/view?as=0&at=1", token)) == (403, "arbiter-is-party")
    disputed = await door.post(path + "/disputes", token, json={"about": 1, "claim": "So"})
    assert told(disputed) == (403, "arbiter-is-party")


async def test_a_token_can_be_issued_for_any_match_and_taken_back(door: Door) -> None:
    table = await door.table(seats=2, accounts=["ada", None])
    refused = await door.post(table.path + "/arbiters", json={"external_id": "ada"})
    assert told(refused) == (403, "arbiter-is-party")
    key = await key_of(door, "seats:issue")
    refused = await door.post(table.path + "/arbiters", key, json=REFEREE)
    assert told(refused) == (403, "scope-missing")
    headers = {"idempotency-key": "t1"}
    made = await door.post(table.path + "/arbiters", json=REFEREE, headers=headers)
    again = await door.post(table.path + "/arbiters", json=REFEREE, headers=headers)
    assert again.json() == {**made.json(), "token": None, "link": None}
    token, identity = made.json()["token"], made.json()["id"]
    assert (await door.get(made.headers["location"])).json()["id"] == identity
    (line,) = (await door.get(table.path + "/arbiters")).json()["arbiters"]
    assert line["arbiter"] == made.json()["arbiter"]
    assert (await door.get(table.path + "/spectators")).json()["spectators"] == []
    gone = await door.delete(f"{table.path}/spectators/{identity}")
    assert told(gone) == (404, "spectator-not-found")
    assert (await door.post(table.path + "/pause", token)).status_code == 200
    assert (await door.delete(f"{table.path}/arbiters/{identity}")).status_code == 204
    assert told(await door.post(table.path + "/resume", token)) == (401, "unauthorized")
    assert told(await door.delete(f"{table.path}/arbiters/{identity}")) == (
        404,
        "arbiter-not-found",
    )


async def test_an_arbiter_gives_out_no_seat(door: Door) -> None:
    table, token = await linked(door)
    made = await door.post(table.path + "/disputes", token, json={"about": 1, "claim": "So"})
    path = made.headers["location"]
    await door.post(path + "/review", token, json={"pause": False})
    for account in ("bob", "zoe"):  # who has the other seat, and who has none
        taken = {"type": "replace_seat", "seat": 0, "account": account}
        body = {"ruling": taken, "reason": "So"}
        named = await door.post(path + "/rulings", token, json=body)
        assert told(named) == (403, "scope-missing")
    ruling: Json = {"ruling": {"type": "replace_seat", "seat": 0}, "reason": "So"}
    done = await door.post(path + "/rulings", token, json=ruling)
    assert (done.status_code, done.json()["token"]) == (200, None)
    assert (await door.get(table.path, table.tokens[0])).status_code == 401
    issued = await door.post(table.path + "/seats/0/tokens")
    assert (await door.get(table.path + "/decision", issued.json()["token"])).status_code == 200
    ruling["ruling"] = {"type": "replace_seat", "seat": 1, "account": "referee"}
    made = await door.post(table.path + "/disputes", token, json={"about": 1, "claim": "So"})
    path = made.headers["location"]
    await door.post(path + "/review", token, json={"pause": False})
    itself = await door.post(path + "/rulings", token, json=ruling)
    assert told(itself) == (403, "arbiter-is-party")


async def test_refusals_and_bundles_are_told_to_an_arbiter_as_to_a_key(door: Door) -> None:
    table, token = await linked(door)
    assert told(await door.get(table.path + "/refusals", token)) == (409, "not-revealed")
    batch = await batched(door, ["cyd", "dan"])
    over = await finished(door, batch["matches"][0])
    token = await issued(door, over)
    own = await door.get(over.path + "/refusals", token)
    assert own.json() == (await door.get(over.path + "/refusals")).json()
    await kept(door)  # With the proof of what is in the feed.
    path = over.path + "/bundle?perspective=full"
    files = [
        ZipFile(BytesIO((await door.get(path, by)).content)).namelist() for by in (token, door.key)
    ]
    assert files[0] == files[1]


async def test_a_stream_of_an_arbiter_can_be_opened_with_a_ticket(door: Door) -> None:
    table, token = await linked(door)
    made = await door.post("/v1/tickets", token, json={"path": table.path + "/events"})
    assert made.status_code == 201, made.text
    caller = await tickets.redeemed(door.app.parts, made.json()["ticket"], table.path + "/events")
    assert caller.arbiter == (await door.get("/v1/me", token)).json()["arbiter"]


async def test_matches_of_deal_groups_have_no_such_tokens(door: Door) -> None:
    group = await opened(door)
    path = f"{group.tables[0].path}/arbiters"
    assert told(await door.post(path, json=REFEREE)) == (422, "invalid-request")


async def test_a_link_goes_with_the_account_it_was_made_for(door: Door, other_key: str) -> None:
    name = f"referee-{uuid4().hex}"  # Of the test's own, as databases are shared.
    body = wanted(["ada", "bob"])
    body["matches"][0]["arbiters"] = [{"external_id": name}]
    (match,) = (await door.post(BATCHES, json=body)).json()["matches"]
    table, token = await seated(door, match), match["arbiters"][0]["link"]["token"]
    later, other = await issued(door, table, name), await issued(door, table)
    theirs = await create(door.http, other_key, GAME, 2)
    own = f"/v1/matches/{theirs}/arbiters"
    made = await door.post(own, other_key, json={"external_id": name})
    assert made.status_code == 201, made.text
    for each in (token, later, other):  # So that they are known here.
        assert (await door.get(table.path, each)).status_code == 200
    assert (await forget(door, name))["matches"] == 0
    for each in (token, later):
        assert told(await door.get(table.path, each)) == (401, "unauthorized")
        paused = await door.post(table.path + "/pause", each)
        assert told(paused) == (401, "unauthorized")
    assert (await door.get(table.path, other)).status_code == 200
    assert (await door.get(f"/v1/matches/{theirs}", made.json()["token"])).status_code == 200
    listed = (await door.get(table.path + "/arbiters")).json()["arbiters"]
    assert [each["revoked_at"] is None for each in listed].count(True) == 1
