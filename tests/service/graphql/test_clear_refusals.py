"""Refusals at the GraphQL door say what is wrong in words that help."""

import gzip
from itertools import pairwise

import pytest

from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.graphql.asking import ref

JSON = {"Content-Type": "application/json"}


async def test_a_compressed_body_is_refused_as_such(door: Door) -> None:
    body, headers = gzip.compress(b"{}"), {**JSON, "Content-Encoding": "gzip"}
    answer = await door.post("/graphql", content=body, headers=headers)
    assert answer.status_code == 415
    assert "Content-Encoding" in answer.text


async def test_how_a_subscription_is_given_is_named(door: Door, table: Table) -> None:
    query = "subscription($match: MatchRef!) { matchEvents(match: $match) { __typename } }"
    asked = {"query": query, "variables": {"match": ref(table.match_id)}}
    assert "text/event-stream" in (await door.post("/graphql", json=asked)).text


@pytest.mark.parametrize("size", ["9" * 30, "9" * 5000, "-1", "101"])
async def test_a_page_of_a_wrong_size_is_told_in_short(door: Door, size: str) -> None:
    query = f"{{ matches(first: {size}) {{ edges {{ cursor }} }} }}"
    told = (await door.post("/graphql", json={"query": query})).json()["errors"][0]["message"]
    assert "set_int_max_str_digits" not in told
    assert len(told) < 300, told


async def test_no_limit_of_an_operation_is_named_twice(door: Door) -> None:
    aliases = " ".join(f"a{number}: __typename" for number in range(30))
    for query in ("{" + "__typename " * 3000 + "}", "{" + aliases + "}"):
        words = (await door.post("/graphql", json={"query": query})).text.split()
        assert not any(one == following for one, following in pairwise(words))


async def test_a_body_with_a_member_twice_is_refused(door: Door) -> None:
    body = b'{"query":"{ __typename }","query":"{ games { slug } }"}'
    refused = (await door.post("/graphql", content=body, headers=JSON)).json()
    assert refused["errors"][0]["extensions"]["code"] == "MALFORMED_JSON"
