"""Two views held against each other, as the REST door does it."""

from tests.service.client import Table
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, ref

QUERY = """query($match: MatchRef!, $from: Int, $look: Look, $against: Look) {
  match(match: $match) { diff(from: $from, look: $look, against: $against) {
    before { version viewer } after { version viewer } changes { path kind before after } } } }"""


async def test_graphql_tells_the_same_as_rest(door: Door, table: Table) -> None:
    asked = {"from": 1, "against": {"sight": "PUBLIC"}}
    shown = await ask(door, QUERY, table.tokens[0], match=ref(table.match_id), **asked)
    params = {"from": 1, "against": "public"}
    rest = (await door.get(f"{table.path}/diff", table.tokens[0], params=params)).json()
    del rest["match_id"]
    for each in rest["changes"]:
        each["kind"] = each["kind"].upper()
    assert shown["match"]["diff"] == rest
    assert rest["changes"]


async def test_another_seat_is_nobody_s_to_compare_with(door: Door, table: Table) -> None:
    asked = {"from": 1, "against": {"seat": 1}}
    found = await codes(door, QUERY, table.tokens[0], match=ref(table.match_id), **asked)
    assert found == ["OTHER_SEAT"]
    found = await codes(door, QUERY, table.tokens[0], match=ref(table.match_id))
    assert found == ["INVALID_PARAMETER"]
