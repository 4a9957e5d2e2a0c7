"""GraphQL over HTTP: methods, media types, status codes, limits, kept operations."""

import hashlib
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from service.app import build
from service.settings import SettingRefused, Settings
from tests.service.client import Table, bearer
from tests.service.conftest import Clock, Door
from tests.service.graphql.asking import ACCEPT, codes, post, ref

PAGES = "{ edges { node { events(first: 100) { edges { node { kind } } } } } }"
TYPENAME = {"query": "{ __typename }"}


async def status(door: Door, body: Any, **headers: str) -> int:
    got = await door.http.post("/graphql", json=body, headers={"accept": ACCEPT, **headers})
    return got.status_code


async def test_media_types_follow_what_is_accepted(door: Door) -> None:
    for accept, media in (
        (ACCEPT, ACCEPT + "; charset=utf-8"),
        (f"{ACCEPT}, application/json;q=0.9", ACCEPT + "; charset=utf-8"),
        ("application/json", "application/json"),
        ("*/*", "application/json"),
    ):
        got = await door.http.post("/graphql", json=TYPENAME, headers={"accept": accept})
        assert (got.status_code, got.headers["content-type"]) == (200, media)
        assert got.json() == {"data": {"__typename": "Query"}}
    refused = await door.http.post("/graphql", json=TYPENAME, headers={"accept": "image/png"})
    assert refused.status_code == 406


async def test_only_queries_are_asked_by_get(door: Door) -> None:
    got = await door.http.get("/graphql", params=TYPENAME)
    assert got.json() == {"data": {"__typename": "Query"}}
    change = 'mutation { createMatch(input: {game: "high_card", seats: 2}) { __typename } }'
    refused = await door.http.get("/graphql", params={"query": change}, headers=bearer(door.key))
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert (await door.http.put("/graphql", json=TYPENAME)).status_code == 405


async def test_only_json_is_taken_by_post(door: Door) -> None:
    form = await door.http.post("/graphql", data=TYPENAME)
    assert (form.status_code, form.headers["accept"]) == (415, "application/json")
    assert await status(door, [TYPENAME]) == 400
    assert await status(door, {}) == 400
    assert await status(door, {"query": 1}) == 400
    torn = await door.http.post(
        "/graphql", content=b"{", headers={"content-type": "application/json", "accept": ACCEPT}
    )
    assert (torn.status_code, torn.json()["errors"][0]["extensions"]["code"]) == (
        400,
        "MALFORMED_JSON",
    )
    large = {"query": "{ __typename }" + " " * door.app.settings.body_limit}
    assert await status(door, large) == 413


async def test_credentials_are_looked_at_first_but_the_schema_is_open(door: Door) -> None:
    assert await status(door, TYPENAME) == 200
    assert await status(door, TYPENAME, authorization="Bearer pk_nobody") == 401
    schema = {
        "query": "{ __schema { types { name fields { name type { ofType { ofType { ofType "
        "{ name } } } } } } } }"
    }
    assert await status(door, schema) == 200
    assert await codes(door, "{ games { slug } }", token="") == ["UNAUTHORIZED"]


async def test_partial_data_has_a_status_of_its_own(door: Door, table: Table) -> None:
    query = "query($match: MatchRef!) { me { kind } decision(match: $match) { seat } }"
    got = await post(door, query, match=ref(table.match_id))
    assert got.status_code == 294
    assert got.json()["data"] == {"me": {"kind": "API_KEY"}, "decision": None}
    (error,) = got.json()["errors"]
    assert error["path"] == ["decision"]
    assert error["extensions"] == {
        "code": "SEAT_TOKEN_REQUIRED",
        "type": "/problems/seat-token-required",
        "status": 403,
    }


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("{", "GRAPHQL_SYNTAX"),
        ("{ nothing }", "GRAPHQL_INVALID"),
        ("query A { __typename } query B { __typename }", "GRAPHQL_INVALID"),
        ("{ " + " ".join(f"a{n}: __typename" for n in range(21)) + " }", "GRAPHQL_TOO_LARGE"),
        ("{ " + "__typename " * 2000 + "}", "GRAPHQL_TOO_LARGE"),
        ("{ a " * 3000, "GRAPHQL_TOO_LARGE"),
        (f"{{ matches(first: 100) {PAGES} }}", "GRAPHQL_TOO_LARGE"),
        ("{ matches(first: 99999999999) { edges { cursor } } }", "GRAPHQL_INVALID"),
        ("{ games { slug } } fragment F on Query { ...F }", "GRAPHQL_INVALID"),
    ],
    ids=lambda each: str(each)[:30],
)
async def test_an_operation_that_can_t_be_run(door: Door, query: str, code: str) -> None:
    got = await post(door, query)
    assert got.status_code == 400
    assert {each["extensions"]["code"] for each in got.json()["errors"]} == {code}
    assert "data" not in got.json()


async def test_depth_is_bounded_through_fragments(door: Door) -> None:
    deep = "{ matches(first: 1) { edges { node { ...F } } } } fragment F on Match { %s }"
    inner = "reached: view { decision { offers { fields { ... on ChoiceField { options } } } } }"
    ten = deep % inner.replace("reached: ", "")
    assert (await post(door, ten)).status_code == 200
    edges = "events(first: 1) { edges { node { reveals { move { moveJson } } } } }"
    assert (await post(door, deep % edges)).status_code == 200
    deeper = "game { id } view { view { ... on AmbitionCharactersView { power { skip } } } }"
    assert (await post(door, deep % deeper)).status_code == 200


async def test_a_page_size_in_a_variable_counts_as_given(door: Door) -> None:
    query = """query($first: Int! = 2) { matches(first: $first) { edges { node {
      events(first: $first) { edges { node { kind } } } } } } }"""
    assert (await post(door, query)).status_code == 200
    assert (await post(door, query, first=20)).status_code == 200
    got = await post(door, query, first=100)
    assert got.json()["errors"][0]["message"].endswith("cost above 2000.")
    assert await codes(door, "{ matches(first: 0) { edges { cursor } } }") == ["INVALID_PARAMETER"]
    assert await codes(door, "{ matches(first: 101) { edges { cursor } } }") == [
        "INVALID_PARAMETER"
    ]


async def test_an_operation_is_kept_under_its_hash(door: Door) -> None:
    identity = "sha256:" + hashlib.sha256(TYPENAME["query"].encode()).hexdigest()
    assert await status(door, {"documentId": identity}) == 400
    assert await status(door, {"documentId": "sha256:00", **TYPENAME}) == 400
    assert await status(door, {"documentId": identity, **TYPENAME}) == 200
    assert await status(door, {"documentId": identity}) == 200
    got = await door.http.get("/graphql", params={"documentId": identity})
    assert got.json() == {"data": {"__typename": "Query"}}


async def test_trusted_operations_come_from_a_file(
    settings: Settings, clock: Clock, tmp_path: Path
) -> None:
    path = tmp_path / "operations.json"
    path.write_text('{"who": "{ __typename }"}')
    trusting = msgspec.structs.replace(settings, graphql_operations=path)
    async with build(trusting, clock=clock).running() as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            got = await http.post("/graphql", json={"documentId": "who"})
            assert got.json() == {"data": {"__typename": "Query"}}
    path.write_text("[]")
    with pytest.raises(SettingRefused):
        async with build(trusting, clock=clock).running():
            pass


async def test_a_subscription_is_not_asked_for_as_json(door: Door) -> None:
    query = "subscription { decisions { version } }"
    assert (await post(door, query)).status_code == 406


async def test_u0000_is_in_no_text(door: Door) -> None:
    asked = "($id: String) { matches(first: 1, externalId: $id) { edges { cursor } } }"
    assert await codes(door, "query" + asked, id="a\0") == ["INVALID_REQUEST"]
    default = 'query($id: String = "\\u0000")' + asked.removeprefix("($id: String)")
    assert await codes(door, default) == ["INVALID_REQUEST"]
    made = 'mutation { createMatch(input: {game: "high_card", seats: 2, externalId: %s}) '
    made += "{ ... on Problem { code } } }"
    for text in ('"\\u0000"', '"\\u{0}"'):
        assert await codes(door, made % text) == ["INVALID_REQUEST"]
    for text in (r'"\\u0000"', r'"""\u0000"""'):
        assert await codes(door, made % text) == []
    options = made.replace("mutation", "mutation($o: JSON)").replace("externalId", "optionsJson")
    assert await codes(door, options % "$o", o={"a": [{"\0": 1}]}) == ["INVALID_REQUEST"]


@pytest.mark.parametrize("depth", [100, 900])
async def test_variables_may_be_deep(door: Door, depth: int) -> None:
    deep: Any = 1
    for _ in range(depth):
        deep = [deep]
    query = (
        'mutation($o: JSON) { createMatch(input: {game: "high_card", seats: 2, optionsJson: $o})'
        " { ... on Problem { code } } }"
    )
    assert (await codes(door, query, o=deep))[0] in ("INVALID_REQUEST", "MALFORMED_JSON")


@pytest.mark.parametrize("value", ["soon", 1e300, 1.5, True, [], {}])
async def test_a_variable_of_a_wrong_shape_is_the_askers_fault(door: Door, value: Any) -> None:
    query = (
        'mutation($at: Milliseconds!) { createDealGroup(input: {game: "high_card", seats: 2,'
        ' tables: [["a", "b"]], closing: CANCEL, closesAt: $at}) { __typename } }'
    )
    assert await codes(door, query, at=value) == ["GRAPHQL_INVALID"]


async def test_a_default_of_any_length_is_read(door: Door) -> None:
    query = (
        'mutation($o: JSON = %s) { createMatch(input: {game: "high_card", seats: 2,'
        " optionsJson: $o}) { ... on Problem { code } } }"
    )
    assert await codes(door, query % ("9" * 5000)) == ["GRAPHQL_INVALID"]
