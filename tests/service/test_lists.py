"""Lists page by page: every item once, and cursors that serve one list of one caller alone."""

from typing import Any

import pytest

from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.signing import signed
from tests.service.test_keys import made, told
from tests.service.test_users import claims, issuer, listed

COUNT = 7
LISTS = ("keys", "orgs", "issuers", "spectators", "arbiters", "matches")


@pytest.fixture
async def paths(door: Door, table: Table) -> dict[str, str]:
    """The address of each list. Much of what is in them was made in the same millisecond."""
    for number in range(COUNT):
        door.clock.now += number // 5
        await made(door, "observe")
        await door.post("/v1/orgs", json={"id": f"club-{number}"})
        await issuer(door, audience=str(number))
        await door.post(table.path + "/spectators", json={})
        await door.post(table.path + "/arbiters", json={"external_id": f"referee {number}"})
        await door.table(seats=2)
    own = {name: f"/v1/{name}" for name in LISTS}
    return {**own, **{name: f"{table.path}/{name}" for name in ("spectators", "arbiters")}}


@pytest.mark.parametrize("name", LISTS)
async def test_every_item_is_on_one_page(door: Door, paths: dict[str, str], name: str) -> None:
    whole = (await door.get(paths[name], params={"limit": 200})).json()
    assert whole["next"] is None
    assert len(whole[name]) >= COUNT
    found: list[Any] = []
    following: str | None = paths[name] + "?limit=3"
    while following is not None:
        got = await door.get(following)
        page = got.json()
        found += page[name]
        following = None
        if page["next"] is None:
            assert "link" not in got.headers
        else:
            assert len(page[name]) == 3
            following, _, relation = got.headers["link"][1:].partition(">")
            assert relation == '; rel="next"'
            assert following == f"{paths[name]}?limit=3&cursor={page['next']}"
    assert found == whole[name]


async def test_a_cursor_serves_one_list_of_one_caller(
    door: Door, paths: dict[str, str], other_key: str
) -> None:
    cursors = {}
    for name, path in paths.items():
        cursors[name] = (await door.get(path, params={"limit": 1})).json()["next"]
    for name, path in paths.items():
        strangers = [cursor for other, cursor in cursors.items() if other != name]
        for cursor in (*strangers, "", "x", cursors[name] + "AA"):
            refused = await door.get(path, params={"cursor": cursor})
            assert told(refused) == (400, "invalid-parameter")
        if name not in ("orgs", "spectators", "arbiters"):  # which another organisation has none of
            theirs = await door.get(path, other_key, params={"cursor": cursors[name]})
            assert told(theirs) == (400, "invalid-parameter")
    for limit in ("0", "201", "-1", "x", "1.5"):
        refused = await door.get(paths["keys"], params={"limit": limit})
        assert told(refused) == (400, "invalid-parameter")


async def test_a_spectator_is_found_however_many_there_are(
    door: Door, table: Table, paths: dict[str, str]
) -> None:
    listed = (await door.get(paths["spectators"])).json()["spectators"]
    for each in listed:
        path = f"{paths['spectators']}/{each['id']}"
        assert (await door.get(path)).json() == each
        assert told(await door.get(path[:-2])) == (404, "spectator-not-found")
        assert told(await door.get(path + "00")) == (404, "spectator-not-found")
    gone = f"{paths['spectators']}/{listed[-1]['id']}"
    assert (await door.delete(gone)).status_code == 204
    assert told(await door.delete(gone)) == (404, "spectator-not-found")
    assert told(await door.get(gone)) == (404, "spectator-not-found")
    assert len((await door.get(paths["spectators"])).json()["spectators"]) == len(listed)


@pytest.mark.parametrize("name", ["external_id", "game"])
async def test_u0000_is_in_no_parameter(door: Door, name: str) -> None:
    for path in ("/v1/matches", "/v1/deal-groups"):
        refused = await door.get(f"{path}?{name}=a%00b")
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid-parameter")
        assert refused.json()["errors"][0]["code"] == "nul-character"
    missing = await door.get("/v1/orgs/%00")
    assert (missing.status_code, missing.json()["code"]) == (404, "org-not-found")


async def test_u0000_is_in_no_account(door: Door) -> None:
    await issuer(door)
    path = await listed(door, "ada", "bob")
    refused = await door.get(path, signed(claims(door, sub="ada\0"), "EdDSA"))
    assert (refused.status_code, refused.json()["code"]) == (401, "unauthorized")
