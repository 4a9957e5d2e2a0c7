"""Connections at the door: made, changed, linked, removed, each by who may."""

from typing import Any

import httpx
import msgspec
import pytest

from service.settings import Settings
from tests.service.client import create
from tests.service.conftest import Door
from tests.service.grouping import key_of, opened, played, revealed
from tests.service.platforms.serving import CONNECTIONS, connected, link_path, linked, put

Json = dict[str, Any]
STARTGG: Json = {"platform": "startgg", "credentials": {"access_token": "token-1"}}
NOWHERE = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """As it stands on a machine that serves strangers."""
    return msgspec.structs.replace(settings, private_webhooks=False)


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_connection_has_what_was_set_and_no_credentials(door: Door) -> None:
    headers = {"Idempotency-Key": "one"}
    body = {**STARTGG, "name": "cup", "participants": {"ada": "7"}}
    first = await door.post(CONNECTIONS, json=body, headers=headers)
    again = await door.post(CONNECTIONS, json=body, headers=headers)
    made = first.json()
    assert (first.status_code, again.json()) == (201, made)
    assert made == {
        "id": made["id"],
        "name": "cup",
        "platform": "startgg",
        "address": "https://api.start.gg/gql/alpha",
        "tournament": "",
        "provisional": False,
        "participants": {"ada": "7"},
        "enabled": True,
        "disabled": None,
        "disabled_at": None,
        "created_at": door.clock.now,
        "revision": 1,
    }
    assert (await door.get(first.headers["location"])).json() == made
    assert (await door.get(CONNECTIONS)).json() == {"connections": [made], "next": None}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"platform": "battlefy"},
        {"platform": "startgg"},
        {"platform": "startgg", "credentials": {"api_key": "x"}},
        {"platform": "startgg", "credentials": {"access_token": "x", "api_key": "x"}},
        {"platform": "startgg", "credentials": {"access_token": "two words"}},
        {"platform": "challonge", "credentials": {"api_key": "x"}},
        {"platform": "challonge", "credentials": {}, "tournament": "cup"},
        {"platform": "toornament", "credentials": {"api_key": "x", "client_id": "x"}},
        {"platform": "pods"},
        {"platform": "pods", "address": "http://play.example.org/"},
        {"platform": "pods", "address": "https://127.0.0.1/"},
        {**STARTGG, "address": "https://10.0.0.1/gql"},
        {**STARTGG, "address": "https://me:secret@play.example.org/"},
        {**STARTGG, "address": "https://play.example.org/gql?key=1"},
        {**STARTGG, "address": "https://play.example.org/gql?"},
        {**STARTGG, "address": "https://play.example.org/gql#here"},
        {**STARTGG, "credentials": {"access_token": "token-1\n"}},
        {"platform": "challonge", "credentials": {"api_key": "x"}, "tournament": ".."},
        {**STARTGG, "tournament": "."},
        {**STARTGG, "participants": {"ada": ""}},
        {**STARTGG, "name": ""},
        {**STARTGG, "secret": "x"},
    ],
)
async def test_what_can_not_be_told_to_is_refused(door: Door, body: Json) -> None:
    assert told(await door.post(CONNECTIONS, json=body)) == (422, "invalid-request")
    assert (await door.get(CONNECTIONS)).json()["connections"] == []


def requests(own: str, match_id: str) -> list[tuple[str, str, Json | None]]:
    link = f"{own}/links/{match_id}"
    return [
        ("GET", own, None),
        ("PATCH", own, {"name": "x"}),
        ("DELETE", own, None),
        ("GET", own + "/links", None),
        ("GET", link, None),
        ("PUT", link, {"target": "1"}),
        ("DELETE", link, None),
        ("POST", link + "/report", None),
    ]


async def test_who_manages_connections_has_to_read_matches_too(door: Door) -> None:
    connection = await connected(door, **STARTGG)
    match_id = await create(door.http, door.key, "high_card", 2)
    own = f"{CONNECTIONS}/{connection['id']}"
    for scope, missing in (
        ("matches:read", "connections:manage"),
        ("connections:manage", "matches:read"),
    ):
        key = await key_of(door, scope)
        auth = {"Authorization": f"Bearer {key}", "If-Match": "*"}
        both = [("GET", CONNECTIONS, None), ("POST", CONNECTIONS, STARTGG)]
        for method, path, body in (*both, *requests(own, match_id)):
            refused = await door.http.request(method, path, json=body, headers=auth)
            assert told(refused) == (403, "scope-missing"), (method, path)
            assert missing in refused.json()["errors"][0]["detail"]


async def test_another_organisation_has_no_part_in_it(door: Door, other_key: str) -> None:
    connection = await connected(door, **STARTGG)
    match_id = await create(door.http, door.key, "high_card", 2)
    await linked(door, connection, match_id, "1", "a", "b")
    auth = {"Authorization": f"Bearer {other_key}", "If-Match": "*"}
    for method, path, body in requests(f"{CONNECTIONS}/{connection['id']}", match_id):
        refused = await door.http.request(method, path, json=body, headers=auth)
        assert told(refused) == (404, "connection-not-found"), (method, path)
    theirs = await connected(door, other_key, **STARTGG)
    stranger = await put(door, link_path(theirs, match_id), {"target": "1"}, other_key)
    nobody = await put(door, link_path(theirs, NOWHERE), {"target": "1"}, other_key)
    assert told(stranger) == (404, "match-not-found")
    assert stranger.content == nobody.content


async def test_it_is_changed_and_removed_as_it_was_seen(door: Door) -> None:
    connection = await connected(door, **STARTGG)
    path = f"{CONNECTIONS}/{connection['id']}"
    auth = {"Authorization": f"Bearer {door.key}"}
    blind = await door.http.patch(path, json={"name": "x"}, headers=auth)
    assert told(blind) == (428, "precondition-required")
    own = {**auth, "If-Match": (await door.get(path)).headers["etag"]}
    done = await door.http.patch(path, json={"participants": {"bob": "8"}}, headers=own)
    assert (done.json()["participants"], done.json()["revision"]) == ({"bob": "8"}, 2)
    stale = await door.http.patch(path, json={"name": "y"}, headers=own)
    assert told(stale) == (412, "precondition-failed")
    own = {**auth, "If-Match": "*"}
    for body in ({"address": "https://10.0.0.1/"}, {"credentials": {"api_key": "x"}}):
        assert told(await door.http.patch(path, json=body, headers=own)) == (
            422,
            "invalid-request",
        )
    usual = await door.http.patch(path, json={"address": ""}, headers=own)
    assert usual.json()["address"] == "https://api.start.gg/gql/alpha"
    off = await door.http.patch(path, json={"enabled": False}, headers=own)
    assert (off.json()["enabled"], off.json()["disabled"]) == (False, "by_hand")
    assert (await door.delete(path)).status_code == 204
    assert told(await door.get(path)) == (404, "connection-not-found")


async def test_another_address_needs_its_credentials(door: Door) -> None:
    """Those that are known were given for the address before."""
    connection = await connected(door, **STARTGG)
    path = f"{CONNECTIONS}/{connection['id']}"
    own = {"Authorization": f"Bearer {door.key}", "If-Match": "*"}
    elsewhere = {"address": "https://elsewhere.example.org/gql"}
    refused = await door.http.patch(path, json=elsewhere, headers=own)
    assert told(refused) == (422, "invalid-request")
    assert [each["pointer"] for each in refused.json()["errors"]] == ["/credentials"]
    assert (await door.get(path)).json() == connection
    same = {"address": connection["address"], "name": "same"}
    assert (await door.http.patch(path, json=same, headers=own)).status_code == 200
    both = {**elsewhere, "credentials": {"access_token": "token-2"}}
    moved = await door.http.patch(path, json=both, headers=own)
    assert moved.json()["address"] == elsewhere["address"]
    back = await door.http.patch(path, json={"address": ""}, headers=own)
    assert told(back) == (422, "invalid-request")


async def test_a_target_that_leads_elsewhere_is_refused(door: Door) -> None:
    connection = await connected(door, **STARTGG)
    match_id = await create(door.http, door.key, "high_card", 2)
    for target in (".", ".."):
        refused = await put(door, link_path(connection, match_id), {"target": target})
        assert refused.json()["errors"][0]["pointer"] == "/target"


@pytest.mark.parametrize(
    ("participants", "code"), [(["a"], "wrong-length"), (["a", "a"], "repeated")]
)
async def test_participants_are_one_for_each_seat(
    door: Door, participants: list[str], code: str
) -> None:
    connection = await connected(door, **STARTGG)
    match_id = await create(door.http, door.key, "high_card", 2)
    body = {"target": "1", "participants": participants}
    refused = await put(door, link_path(connection, match_id), body)
    assert refused.json()["errors"][0]["code"] == code
    assert (await door.get(f"{CONNECTIONS}/{connection['id']}/links")).json()["links"] == []


async def test_links_come_page_by_page_and_by_state(door: Door) -> None:
    connection = await connected(door, **STARTGG, enabled=False)
    ids = sorted([await create(door.http, door.key, "high_card", 2) for _ in range(5)])
    for match_id in ids:
        await linked(door, connection, match_id, "1", "a", "b")
    path = f"{CONNECTIONS}/{connection['id']}/links"
    first = (await door.get(path, params={"limit": 3})).json()
    rest = (await door.get(path, params={"limit": 3, "cursor": first["next"]})).json()
    assert [each["match_id"] for each in first["links"] + rest["links"]] == ids
    assert len((await door.get(path, params={"state": "waiting"})).json()["links"]) == 5
    assert (await door.get(path, params={"state": "reported"})).json()["links"] == []
    assert told(await door.get(path, params={"state": "lost"})) == (400, "invalid-parameter")


async def test_what_is_not_linked_is_not_found_and_nothing_is_told_again(door: Door) -> None:
    connection = await connected(door, **STARTGG)
    match_id = await create(door.http, door.key, "high_card", 2)
    path = link_path(connection, match_id)
    for wrong in (path, link_path(connection, "x"), link_path(connection, NOWHERE)):
        assert told(await door.get(wrong)) == (404, "link-not-found")
    await linked(door, connection, match_id, "1", "a", "b")
    assert told(await door.post(path + "/report")) == (409, "nothing-to-report")
    assert (await door.delete(path)).status_code == 204
    assert told(await door.delete(path)) == (404, "link-not-found")


async def test_an_organisation_has_a_bounded_number(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.platforms.managing.MOST", 2)
    monkeypatch.setattr("service.platforms.managing.MOST_LINKS", 1)
    one, _ = [await connected(door, **STARTGG) for _ in range(2)]
    assert told(await door.post(CONNECTIONS, json=STARTGG)) == (409, "too-many-connections")
    first, second = [await create(door.http, door.key, "high_card", 2) for _ in range(2)]
    await linked(door, one, first, "1", "a", "b")
    await linked(door, one, first, "2", "a", "b")
    refused = await put(door, link_path(one, second), {"target": "1"})
    assert told(refused) == (409, "too-many-links")


async def test_a_running_deal_group_is_told_with_its_reveal(door: Door) -> None:
    group = await opened(door, ("ada", "bob"), ("cyd", "dan"))
    connection = await connected(door, **STARTGG, enabled=False, provisional=True)
    first, second = group.tables
    await linked(door, connection, first.match_id, "1", "a", "b")

    async def state() -> str:
        await door.app.parts.feeding.catch_up()
        await door.app.parts.reporting._once()
        found: str = (await door.get(link_path(connection, first.match_id))).json()["state"]
        return found

    await played(door, first)
    assert await state() == "waiting"
    await linked(door, connection, first.match_id, "2", "a", "b")
    assert await state() == "waiting"
    await played(door, second)
    await revealed(door, group)
    assert await state() == "pending"
