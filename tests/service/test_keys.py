"""API keys and organisations: what a key may do, how it changes, when it ends."""

import asyncio
from contextlib import suppress
from typing import Any

import httpx
import pytest
from sqlalchemy import text

from service import identities
from service.auth import Caller
from service.errors import NoCredentials
from tests.service.client import Table, bearer
from tests.service.conftest import GAME, Door
from tests.service.test_users import issuer

KEYS = "/v1/keys"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


async def made(door: Door, *scopes: str, token: str = "", **more: Any) -> dict[str, Any]:
    body = {"name": "own", "scopes": scopes, **more}
    answer = await door.post(KEYS, token or door.key, json=body)
    assert answer.status_code == 201, answer.text
    key: dict[str, Any] = answer.json()
    return key


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_key_does_what_its_scopes_say(door: Door, table: Table) -> None:
    own = (await made(door, "matches:create"))["secret"]
    created = await door.post("/v1/matches", own, json={"game": GAME, "seats": 2})
    assert created.status_code == 201
    for method, path, scope in (
        ("GET", "/v1/matches", "matches:read"),
        ("GET", table.path, "matches:read"),
        ("GET", table.path + "/view", "observe"),
        ("GET", table.path + "/events", "observe"),
        ("POST", table.path + "/cancel", "matches:manage"),
        ("POST", table.path + "/seats/0/claim", "seats:issue"),
        ("POST", table.path + "/seats/0/tokens", "seats:issue"),
        ("GET", KEYS, "keys:manage"),
        ("GET", "/v1/issuers", "issuers:manage"),
        ("GET", "/v1/orgs", "orgs:manage"),
    ):
        refused = await door.http.request(method, path, headers={"Authorization": f"Bearer {own}"})
        assert told(refused) == (403, "scope-missing")
        assert scope in refused.json()["errors"][0]["detail"]


async def test_an_arbiter_sees_what_a_spectator_sees(door: Door, table: Table) -> None:
    arbiter = (await made(door, "arbitrate"))["secret"]
    own = await door.get(table.path + "/view", arbiter)
    assert own.content == (await door.get(table.path + "/view")).content


async def test_a_key_gives_no_more_than_it_has(door: Door) -> None:
    door.clock.now += 1  # so that the first key is the last of the list
    narrow = await made(door, "keys:manage", "observe")
    body = {"name": "wide", "scopes": ["observe", "matches:manage"]}
    refused = await door.post(KEYS, narrow["secret"], json=body)
    assert told(refused) == (403, "scope-missing")
    first = (await door.get(KEYS)).json()["keys"][-1]["id"]
    headers = {"If-Match": "*"}
    for change in ({"scopes": ["observe"]}, {"name": "mine"}):
        path = f"{KEYS}/{first}"
        refused = await door.http.patch(
            path, json=change, headers={**headers, "Authorization": f"Bearer {narrow['secret']}"}
        )
        assert told(refused) == (403, "scope-missing")
    assert told(await door.post(f"{KEYS}/{first}/rotate", narrow["secret"], json={})) == (
        403,
        "scope-missing",
    )
    refused = await door.http.delete(f"{KEYS}/{first}", headers=bearer(narrow["secret"]))
    assert told(refused) == (403, "scope-missing")
    own = await door.http.delete(f"{KEYS}/{narrow['id']}", headers=bearer(narrow["secret"]))
    assert own.status_code == 204


async def test_what_would_have_expired_is_not_made(door: Door, table: Table) -> None:
    body = {"name": "late", "scopes": ["observe"], "expires_at": door.clock.now}
    for path, asked in ((KEYS, body), (table.path + "/spectators", {"expires_at": 1})):
        refused = await door.post(path, json=asked)
        assert told(refused) == (422, "invalid-request")
        (fault,) = refused.json()["errors"]
        assert (fault["pointer"], fault["code"]) == ("/expires_at", "in-the-past")


async def test_a_secret_is_told_once_and_never_stored(door: Door) -> None:
    headers = {"Idempotency-Key": "one"}
    body = {"name": "own", "scopes": ["observe"]}
    first = await door.post(KEYS, json=body, headers=headers)
    again = await door.post(KEYS, json=body, headers=headers)
    assert again.headers["plyscribe-replayed"] == "true"
    assert again.json() == {**first.json(), "secret": None}
    shown = (await door.get(first.headers["location"])).json()
    assert "secret" not in shown
    secret = first.json()["secret"]
    for table in ("api_key", "request"):
        rows = await rows_of(door, table)
        assert secret not in rows
        assert secret.rpartition("_")[2] not in rows


async def rows_of(door: Door, table: str) -> str:
    query = text(f"SELECT * FROM {table}")
    return await door.app.parts.database.read(lambda c: repr(c.execute(query).all()))


async def test_changes_need_what_was_seen(door: Door) -> None:
    key = await made(door, "observe")
    path = f"{KEYS}/{key['id']}"
    seen = (await door.get(path)).headers["etag"]
    auth = {"Authorization": f"Bearer {door.key}"}
    blind = await door.http.patch(path, json={"name": "x"}, headers=auth)
    assert told(blind) == (428, "precondition-required")
    done = await door.http.patch(path, json={"name": "x"}, headers={**auth, "If-Match": seen})
    assert (done.status_code, done.json()["name"]) == (200, "x")
    stale = await door.http.patch(path, json={"name": "y"}, headers={**auth, "If-Match": seen})
    assert told(stale) == (412, "precondition-failed")
    assert (await door.get(path, headers={"If-None-Match": seen})).status_code == 200
    fresh = {"If-None-Match": done.headers["etag"]}
    assert (await door.get(path, headers=fresh)).status_code == 304


@pytest.mark.parametrize("kind", ["key", "issuer"])
async def test_what_is_removed_may_be_named_as_it_was_seen(door: Door, kind: str) -> None:
    if kind == "key":
        path = f"{KEYS}/{(await made(door, 'observe'))['id']}"
    else:
        path = await issuer(door)
    change = {"name": "x"} if kind == "key" else {"audience": "x"}
    seen = (await door.get(path)).headers["etag"]
    auth = {"Authorization": f"Bearer {door.key}"}
    changed = await door.http.patch(path, json=change, headers={**auth, "If-Match": seen})
    for stale in (seen, "x", f"W/{changed.headers['etag']}"):
        refused = await door.delete(path, headers={"If-Match": stale})
        assert told(refused) == (412, "precondition-failed")
    done = await door.delete(path, headers={"If-Match": changed.headers["etag"]})
    assert done.status_code == 204
    assert (await door.get(path)).status_code == 404


async def test_a_change_counts_at_once(door: Door, table: Table) -> None:
    key = await made(door, "observe", "matches:read")
    assert (await door.get("/v1/matches", key["secret"])).status_code == 200
    headers = {"Authorization": f"Bearer {door.key}", "If-Match": "*"}
    body = {"scopes": ["observe"]}
    await door.http.patch(f"{KEYS}/{key['id']}", json=body, headers=headers)
    assert told(await door.get("/v1/matches", key["secret"])) == (403, "scope-missing")


async def test_expiry_rotation_and_revocation(door: Door) -> None:
    key = await made(door, "observe", expires_at=door.clock.now + 10_000)
    body = {"overlap_seconds": 5}
    rotated = await door.post(f"{KEYS}/{key['id']}/rotate", json=body)
    new = rotated.json()
    assert (new["scopes"], new["expires_at"]) == (key["scopes"], key["expires_at"])
    assert new["prefix"] != key["prefix"]
    for secret in (key["secret"], new["secret"]):
        assert (await door.get("/v1/me", secret)).status_code == 200
    door.clock.now += 5_000
    assert (await door.get("/v1/me", key["secret"])).status_code == 401
    assert (await door.get("/v1/me", new["secret"])).status_code == 200
    late = (await door.post(f"{KEYS}/{key['id']}/rotate", json={})).json()
    assert late["expires_at"] <= door.clock.now
    assert (await door.get("/v1/me", late["secret"])).status_code == 401
    assert (await door.delete(f"{KEYS}/{new['id']}")).status_code == 204
    assert (await door.get("/v1/me", new["secret"])).status_code == 401
    listed = {each["id"]: each for each in (await door.get(KEYS)).json()["keys"]}
    assert listed[new["id"]]["revoked_at"] == door.clock.now


async def test_organisations_are_apart(door: Door, table: Table) -> None:
    made_org = await door.post("/v1/orgs", json={"id": "club", "name": "Club"})
    assert made_org.status_code == 201
    theirs = made_org.json()["secret"]
    again = await door.post("/v1/orgs", json={"id": "club"})
    assert told(again) == (409, "org-exists")
    assert {each["id"] for each in (await door.get("/v1/orgs")).json()["orgs"]} == {"main", "club"}
    assert (await door.get("/v1/orgs/club")).json()["name"] == "Club"
    assert told(await door.get("/v1/orgs", theirs)) == (403, "scope-missing")
    assert [each["org"] for each in (await door.get(KEYS, theirs)).json()["keys"]] == ["club"]
    key = (await door.get(KEYS)).json()["keys"][0]["id"]
    assert told(await door.get(f"{KEYS}/{key}", theirs)) == (404, "key-not-found")
    assert told(await door.delete(f"{KEYS}/{key}", theirs)) == (404, "key-not-found")
    assert told(await door.get(table.path, theirs)) == (404, "match-not-found")
    assert (await door.get("/v1/matches", theirs)).json()["matches"] == []
    operator = {"name": "x", "scopes": ["orgs:manage"]}
    assert told(await door.post(KEYS, theirs, json=operator)) == (403, "scope-missing")


async def test_answers_are_forgotten_after_two_days(door: Door) -> None:
    body, headers = {"game": GAME, "seats": 2}, {"Idempotency-Key": "old"}
    first = await door.post("/v1/matches", json=body, headers=headers)
    door.clock.now += 48 * 3_600_000
    again = await door.post("/v1/matches", json=body, headers=headers)
    assert again.json()["match_id"] == first.json()["match_id"]
    door.clock.now += 60_001
    fresh = await door.post("/v1/matches", json=body, headers=headers)
    assert fresh.json()["match_id"] != first.json()["match_id"]


async def test_many_who_come_at_once_with_a_token_cause_one_read(door: Door, table: Table) -> None:
    keeper, reads = door.app.parts.doorkeeper, 0
    read = keeper._read

    async def counting(stored: bytes) -> Caller | None:
        nonlocal reads
        reads += 1
        return await read(stored)

    keeper._read = counting  # type: ignore[method-assign]
    authorization = bearer(table.tokens[0])["Authorization"]
    door.clock.now += 10_000
    callers = await asyncio.gather(*(keeper.caller_of(authorization) for _ in range(50)))
    assert (reads, len(set(callers))) == (1, 1)


async def test_a_look_up_that_began_before_a_revocation_is_not_kept(
    door: Door, table: Table
) -> None:
    keeper, going_on = door.app.parts.doorkeeper, asyncio.Event()
    read = keeper._read

    async def slowly(stored: bytes) -> Caller | None:
        found = await read(stored)
        await going_on.wait()
        return found

    keeper._read = slowly  # type: ignore[method-assign]
    authorization = bearer(table.tokens[0])["Authorization"]
    door.clock.now += 10_000
    before = asyncio.create_task(keeper.caller_of(authorization))
    await asyncio.sleep(0.1)
    keeper._read = read  # type: ignore[method-assign]
    assert (await door.delete(table.path + "/seats/0/tokens")).status_code == 204
    going_on.set()
    await before
    with pytest.raises(NoCredentials):
        await keeper.caller_of(authorization)


async def test_callers_that_keep_coming_are_looked_up_together(door: Door, table: Table) -> None:
    keeper, reads = door.app.parts.doorkeeper, 0
    both = [bearer(token)["Authorization"] for token in table.tokens]
    read = keeper._read

    async def counting(stored: bytes) -> Caller | None:
        nonlocal reads
        reads += 1
        return await read(stored)

    door.clock.now += 10_000
    for _ in range(2):
        for each in both:
            await keeper.caller_of(each)
    keeper._read = counting  # type: ignore[method-assign]
    for _ in range(10):
        door.clock.now += 1000
        for each in both:
            await keeper.caller_of(each)
    assert reads == 10


async def test_who_keeps_coming_is_refused_a_second_after_another_process_revoked(
    door: Door, table: Table
) -> None:
    parts, match_id = door.app.parts, table.path.rpartition("/")[2]
    keeper, clock = parts.doorkeeper, door.clock
    revoked, other = (bearer(token)["Authorization"] for token in table.tokens[:2])
    for _ in range(13):
        clock.now += 100
        await keeper.caller_of(revoked)
        await keeper.caller_of(other)
    await parts.database.write(lambda c: identities.revoke_tokens(c, match_id, 0, clock.now))
    for _ in range(9):
        clock.now += 100
        await keeper.caller_of(other)
        with suppress(NoCredentials):
            await keeper.caller_of(revoked)
    clock.now += 100
    with pytest.raises(NoCredentials):
        await keeper.caller_of(revoked)
    await keeper.caller_of(other)
