"""Where a match is as one file."""

import pytest

from events.verify_bundle import verify_bundle
from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref

QUERY = """query($match: MatchRef!, $whose: String!) {
    match(match: $match) { bundleAddress(perspective: $whose) } }"""


@pytest.mark.parametrize("perspective", ["public", "seat:1"])
async def test_the_address_gives_the_file(door: Door, table: Table, perspective: str) -> None:
    token = table.tokens[1]
    told = await ask(door, QUERY, token, match=ref(table.match_id), whose=perspective)
    address = told["match"]["bundleAddress"]
    assert verify_bundle((await door.get(address, token)).content).is_sound


async def test_what_is_no_perspective_has_no_address(door: Door, table: Table) -> None:
    found = await codes(door, QUERY, match=ref(table.match_id), whose="seat:x")
    assert found == ["INVALID_PARAMETER"]
