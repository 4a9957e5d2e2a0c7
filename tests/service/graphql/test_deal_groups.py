"""Deal groups over GraphQL: the same groups, lines, and refusals as over REST."""

from typing import Any

import pytest

from service.graphql.ids import DEAL_GROUP, node_id
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes
from tests.service.grouping import GROUPS, HOUR, Group, key_of, opened, played, revealed

CREATE = """
mutation($input: CreateDealGroupInput!) {
  createDealGroup(input: $input) {
    __typename
    ... on CreateDealGroupPayload { group { id groupId optionsJson closing tables { match
      matchId entrants state } } }
    ... on Problem { code errors { pointer code } }
  }
}
"""
CLOSE = """
mutation($group: DealGroupRef!) {
  closeDealGroup(input: {group: $group}) {
    __typename
    ... on CloseDealGroupPayload { group { state endedBy } }
    ... on Problem { code }
  }
}
"""
SHOWN = """
query($group: DealGroupRef!) {
  dealGroup(group: $group) {
    groupId externalId gameSlug rulesVersion seatCount tableCount state createdAt closesAt closing
    endedBy endedAt optionsJson dataDigest seedCommitment start seed
    tables { matchId state entrants }
  }
}
"""
STANDINGS = """
query($group: DealGroupRef!) {
  standings(group: $group) {
    groupId state final
    standings { seat rank matchId entrant finish score matchRank }
  }
}
"""
RESIGN = """
mutation($match: MatchRef!) {
  resign(input: {match: $match, seat: 0}) { ... on Problem { code } }
}
"""
LISTED = """
query($first: Int!, $after: String, $state: GroupState) {
  dealGroups(first: $first, after: $after, state: $state) {
    edges { node { groupId } } pageInfo { hasNextPage endCursor }
  }
}
"""


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def ref(group: Group) -> dict[str, Any]:
    return {"id": node_id(DEAL_GROUP, group.id)}


def given(door: Door, **more: Any) -> dict[str, Any]:
    body = {"game": "ambagibus", "seats": 1, "tables": [["ada"], ["bob"]]}
    return {**body, "closesAt": door.clock.now + HOUR, "closing": "CANCEL", **more}


async def test_a_group_is_created_once(door: Door) -> None:
    body = given(door, options={"ambagibus": {"bombs": 1}}, idempotencyKey="cup", externalId="cup")
    made = (await ask(door, CREATE, input=body))["createDealGroup"]["group"]
    again = (await ask(door, CREATE, input=body))["createDealGroup"]["group"]
    assert made == again
    assert (made["optionsJson"]["bombs"], made["closing"]) == (1, "CANCEL")
    assert [each["entrants"] for each in made["tables"]] == [["ada"], ["bob"]]
    rest = (await door.get(f"{GROUPS}/{made['groupId']}")).json()
    assert rest["external_id"] == "cup"
    query = "query($match: MatchRef!) { match(match: $match) { matchId dealGroup } }"
    shown = await ask(door, query, match={"id": made["tables"][0]["match"]})
    assert shown["match"] == {"matchId": made["tables"][0]["matchId"], "dealGroup": made["id"]}
    query = "query($id: ID!) { node(id: $id) { ... on DealGroup { groupId } } }"
    assert (await ask(door, query, id=made["id"]))["node"]["groupId"] == made["groupId"]


async def test_what_is_wrong_with_a_group_is_data(door: Door) -> None:
    for more, pointer in (
        ({"tables": [["ada"], ["ada"]]}, "/tables/1/0"),
        ({"tables": [["ada", "bob"]]}, "/tables/0"),
        ({"closesAt": 5}, "/closes_at"),
        ({"optionsJson": {"bombs": 9}}, "/options/bombs"),
    ):
        told = (await ask(door, CREATE, input=given(door, **more)))["createDealGroup"]
        assert (told["__typename"], told["errors"][0]["pointer"]) == ("Problem", pointer)


async def test_both_doors_show_the_same(door: Door) -> None:
    group = await opened(door)
    await played(door, group.tables[0])
    for token in (door.key, group.organiser, group.tables[0].tokens[0], group.tables[1].tokens[0]):
        rest = (await door.get(group.path, token)).json()
        shown = (await ask(door, SHOWN, token, group=ref(group)))["dealGroup"]
        assert shown == alike(rest, shown)
        rest = (await door.get(group.path + "/standings", token)).json()
        shown = (await ask(door, STANDINGS, token, group=ref(group)))["standings"]
        assert shown == alike(rest, shown)


def alike(rest: Any, shown: Any) -> Any:
    """What REST tells in the shape of a GraphQL answer."""
    if isinstance(shown, dict):
        names = {"group_id": "id", "game_slug": "game", "seat_count": "seats", "options_json": ""}
        told = {}
        for name in shown:
            snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
            own = snake if snake in rest else names[snake] or "options"
            told[name] = rest[own] if own == "options" else alike(rest[own], shown[name])
        return told
    if isinstance(shown, list):
        return [alike(*both) for both in zip(rest, shown, strict=True)]
    return rest.upper() if isinstance(rest, str) and shown == rest.upper() else rest


async def test_groups_come_in_pages(door: Door) -> None:
    ids = []
    for _ in range(3):
        door.clock.now += 1
        ids.append((await opened(door)).id)
    one = (await ask(door, LISTED, first=2, state="RUNNING"))["dealGroups"]
    assert one["pageInfo"]["hasNextPage"] is True
    after = one["pageInfo"]["endCursor"]
    two = (await ask(door, LISTED, first=2, state="RUNNING", after=after))["dealGroups"]
    found = [each["node"]["groupId"] for page in (one, two) for each in page["edges"]]
    assert found == ids[::-1]
    assert await codes(door, LISTED, first=2, after=after) == ["INVALID_PARAMETER"]


async def test_refusals_are_those_of_rest(door: Door, other_key: str) -> None:
    group = await opened(door)
    for query, path in ((SHOWN, ""), (STANDINGS, "/standings")):
        rest = (await door.get(group.path + path, other_key)).json()["code"]
        assert await codes(door, query, other_key, group=ref(group)) == [
            rest.replace("-", "_").upper()
        ]
    assert await codes(door, CLOSE, group.organiser, group=ref(group)) == ["SCOPE_MISSING"]
    assert await codes(door, CLOSE, group={"id": "nonsense"}) == ["DEAL_GROUP_NOT_FOUND"]
    none = await key_of(door, "keys:manage")
    assert await codes(door, CREATE, none, input=given(door)) == ["SCOPE_MISSING"]


async def test_an_arbiter_closes_a_group(door: Door) -> None:
    group = await opened(door)
    told = (await ask(door, CLOSE, group=ref(group)))["closeDealGroup"]
    assert told["group"]["endedBy"] == "EARLY"
    await revealed(door, group)
    assert (await ask(door, CLOSE, group=ref(group)))["closeDealGroup"]["group"] == {
        "state": "REVEALED",
        "endedBy": "EARLY",
    }
    over = await opened(door)
    door.clock.now += HOUR
    await revealed(door, over)
    assert await codes(door, CLOSE, group=ref(over)) == ["DEAL_GROUP_CLOSED"]
    own, named = over.tables[0].tokens[0], {"id": node_id("Match", over.tables[0].match_id)}
    assert await codes(door, RESIGN, own, match=named) == ["DEAL_GROUP_CLOSED"]
