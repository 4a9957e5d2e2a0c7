"""Queries: what they show, to whom, and that typed and JSON are the same."""

from typing import Any

import msgspec
from graphql import (
    GraphQLEnumType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLUnionType,
    get_named_type,
    get_nullable_type,
    is_leaf_type,
    is_list_type,
)

from games import registry
from games.core.game import AnyGame
from service.graphql.generated import GameTypes
from service.graphql.ids import node_id
from service.graphql.schema import graph
from tests.service.client import Table, decision_of
from tests.service.conftest import Door
from tests.service.graphql.asking import ask, codes, post, ref

WHOLE = """
query($match: MatchRef!) {
  match(match: $match) {
    id matchId externalId gameSlug rulesVersion seatCount status version head createdAt
    result { ranks } seats { seat holder resigned asked } asked { kind mode seats }
    optionsJson options { __typename ... on HighCardOptions { rounds talk } }
    start dataDigest reconstructed seedCommitment revealed game { id slug }
  }
}
"""


async def test_a_match_is_what_rest_says(door: Door, table: Table) -> None:
    rest = (await door.get(table.path)).json()
    shown = (await ask(door, WHOLE, match=ref(table.match_id)))["match"]
    assert shown["matchId"] == rest["match_id"]
    assert shown["status"] == rest["status"].upper()
    assert (shown["version"], shown["head"]) == (rest["version"], rest["head"])
    assert shown["createdAt"] == rest["created_at"]
    assert shown["seats"] == rest["seating"]
    assert shown["optionsJson"] == rest["options"]
    assert shown["options"] == {"__typename": "HighCardOptions", **rest["options"]}
    assert shown["asked"]["seats"] == rest["asked"]["seats"]
    assert (shown["dataDigest"], shown["reconstructed"]) == (rest["data_digest"], False)


async def test_whether_faces_are_reconstructed_is_told_with_every_match(door: Door) -> None:
    told = {}
    for mode, seats in (("duel", 2), ("beast_solo", 1)):
        table = await door.table("star_realms", seats, options={"mode": mode})
        rest = (await door.get(table.path)).json()["reconstructed"]
        shown = (await ask(door, WHOLE, match=ref(table.match_id)))["match"]
        assert shown["reconstructed"] == rest
        told[mode] = rest
    assert told == {"duel": False, "beast_solo": True}


async def test_a_view_as_json_is_the_bytes_of_rest(door: Door, table: Table) -> None:
    query = "query($match: MatchRef!) { view(match: $match) { json viewJson version viewer } }"
    for seat, token in enumerate(table.tokens):
        rest = (await door.get(table.path + "/view", token)).json()
        shown = (await ask(door, query, token, match=ref(table.match_id)))["view"]
        assert shown["json"] == rest
        assert shown["viewJson"] == rest["view"]
        assert (shown["version"], shown["viewer"]) == (rest["version"], seat)


async def test_a_view_of_the_past_is_the_one_of_rest(door: Door, table: Table) -> None:
    query = """query($match: MatchRef!, $at: Int) { view(match: $match, at: $at) { version json }
      match(match: $match) { version view(at: $at) { version json } now: view { version } } }"""
    now, match = (await door.get(table.path)).json()["version"], ref(table.match_id)
    for token in (door.key, *table.tokens):
        for at in range(1, now + 1):
            rest = (await door.get(f"{table.path}/view?at={at}", token)).json()
            shown = await ask(door, query, token, match=match, at=at)
            assert shown["view"] == shown["match"]["view"] == {"version": at, "json": rest}
            assert shown["match"]["now"] == {"version": shown["match"]["version"]}
        assert (await ask(door, query, token, match=match, at=now))["view"]["version"] == now
        newest = await ask(door, query, token, match=match, at=None)
        assert newest["view"]["version"] == now
    short = "query($match: MatchRef!, $at: Int!) { view(match: $match, at: $at) { version } }"
    for at, code in ((0, "INVALID_PARAMETER"), (-1, "INVALID_PARAMETER")):
        assert await codes(door, short, match=match, at=at) == [code]
        assert await codes(door, short, "st_nobody", match=match, at=at) == ["UNAUTHORIZED"]
    assert await codes(door, short, match=match, at=now + 1) == ["VERSION_NOT_FOUND"]


async def test_typed_and_json_views_agree_for_every_game(door: Door) -> None:
    made = graph()
    for game in registry.games():
        options, seats = game.trials[0]
        plain = msgspec.to_builtins(options)
        table = await door.table(game.slug, seats, options=plain)
        types = made.types[game.slug, game.rules_version]
        query = _typed_view(made.schema, types, game)
        for token in table.tokens:
            shown = (await ask(door, query, token, match=ref(table.match_id)))["view"]
            typed = made.schema.type_map[_name(types.view)]
            assert _untyped(typed, shown["view"]) == shown["viewJson"]


async def test_decisions_and_moves_are_those_of_rest(door: Door, table: Table) -> None:
    query = """query($match: MatchRef!, $after: String) {
      decision(match: $match) { version seat decision { id kind mode offersJson offers { type
        fields { name ... on ChoiceField { options least most ordered repeats list } } } } }
      moves(match: $match, first: 1, after: $after) { count exact decision
        pageInfo { hasNextPage endCursor } edges { node { moveJson move { type
          ... on HighCardArrangeMove { cards } } } } }
    }"""
    token = table.tokens[0]
    rest = await decision_of(door.http, table, 0)
    listed = (await door.get(table.path + "/decision/moves", token)).json()
    first = await ask(door, query, token, match=ref(table.match_id))
    own = first["decision"]["decision"]
    assert own["id"] == rest["decision"]["id"]
    assert own["mode"] == "SEALED"
    assert own["offersJson"] == rest["decision"]["offers"]
    (field,) = own["offers"][0]["fields"]
    assert {field.pop("name"): field} == rest["decision"]["offers"][0]["fields"]
    after = first["moves"]["pageInfo"]["endCursor"]
    second = await ask(door, query, token, match=ref(table.match_id), after=after)
    found = [each["moves"]["edges"][0]["node"] for each in (first, second)]
    assert [each["moveJson"] for each in found] == [e["move"] for e in listed["moves"][:2]]
    assert found[0]["move"]["cards"] == found[0]["moveJson"]["cards"]
    assert first["moves"]["count"] == listed["count"] == 2
    assert not second["moves"]["pageInfo"]["hasNextPage"]


async def test_events_are_paged_and_as_rest_shows_them(door: Door, table: Table) -> None:
    query = """query($match: MatchRef!, $after: String) {
      events(match: $match, first: 2, after: $after) { version head
        pageInfo { hasNextPage endCursor } edges { cursor node { version kind at asks json
          move { type } } } } }"""
    rest = (await door.get(table.path + "/events", table.tokens[1])).json()
    found: list[Any] = []
    after = None
    while True:
        page = await ask(door, query, table.tokens[1], match=ref(table.match_id), after=after)
        found += [each["node"] for each in page["events"]["edges"]]
        after = page["events"]["pageInfo"]["endCursor"]
        if not page["events"]["pageInfo"]["hasNextPage"]:
            break
    assert [each["json"] for each in found] == rest["events"]
    assert [each["version"] for each in found] == list(range(1, rest["version"] + 1))
    assert {"type": "deal"} in [each["move"] for each in found]


async def test_matches_are_listed_page_by_page_for_their_owner_alone(
    door: Door, table: Table, other_key: str
) -> None:
    query = """query($after: String) { matches(first: 1, after: $after) {
      pageInfo { hasNextPage endCursor } edges { node { matchId status } } } }"""
    door.clock.now += 1
    newer = await door.table()
    first = (await ask(door, query))["matches"]
    assert first["edges"][0]["node"] == {"matchId": newer.match_id, "status": "RUNNING"}
    after = first["pageInfo"]["endCursor"]
    second = (await ask(door, query, after=after))["matches"]
    assert [each["node"]["matchId"] for each in second["edges"]] == [table.match_id]
    assert (await ask(door, query, other_key))["matches"]["edges"] == []
    assert await codes(door, query, other_key, after=after) == ["INVALID_PARAMETER"]
    assert await codes(door, query, table.tokens[0]) == ["API_KEY_REQUIRED"]


async def test_nodes_are_found_by_their_ids(door: Door, table: Table, other_key: str) -> None:
    query = "query($id: ID!) { node(id: $id) { id __typename ... on Game { slug } } }"
    identity = node_id("Match", table.match_id)
    assert (await ask(door, query, id=identity))["node"]["__typename"] == "Match"
    game = node_id("Game", "high_card/1")
    assert (await ask(door, query, id=game))["node"]["slug"] == "high_card"
    assert (await ask(door, query, id="nothing"))["node"] is None
    assert await codes(door, query, other_key, id=identity) == ["MATCH_NOT_FOUND"]
    assert await codes(door, query, id=node_id("Game", "whist/1")) == ["GAME_NOT_FOUND"]
    assert await codes(door, query, id=node_id("Game", "high_card/x")) == []


async def test_a_match_is_found_by_its_external_id(door: Door) -> None:
    made = await door.table(external_id="final-7")
    query = "query($match: MatchRef!) { match(match: $match) { matchId } }"
    shown = await ask(door, query, match={"externalId": "final-7"})
    assert shown["match"]["matchId"] == made.match_id
    assert await codes(door, query, match={"externalId": "final-8"}) == ["MATCH_NOT_FOUND"]
    for wrong in ({}, {"id": "a", "externalId": "b"}, {"id": None}):
        assert await codes(door, query, match=wrong) == ["GRAPHQL_INVALID"]
    for literal in (
        "{}",
        '{id: "a", externalId: "b"}',
        "{id: null}",
        "{id: null, externalId: null}",
    ):
        got = await post(door, f"{{ match(match: {literal}) {{ matchId }} }}")
        assert (got.status_code, "data" in got.json()) == (400, False), literal
    may_be_null = "query($id: ID) { match(match: {id: $id}) { matchId } }"
    assert await codes(door, may_be_null, id=None) == ["GRAPHQL_INVALID"]
    assert await codes(door, may_be_null) == ["GRAPHQL_INVALID"]


async def test_callers_are_told_who_they_are(door: Door, table: Table) -> None:
    query = "{ me { kind org prefix seat match { matchId } limits { bodyBytes } } }"
    key = (await ask(door, query))["me"]
    assert (key["kind"], key["org"], key["prefix"]) == ("api_key", "main", "pk_tests")
    seat = (await ask(door, query, table.tokens[1]))["me"]
    assert (seat["kind"], seat["seat"]) == ("seat_token", 1)
    assert seat["match"]["matchId"] == table.match_id


def _name(kind: Any) -> str:
    return str(kind.__strawberry_definition__.name)


def _typed_view(schema: GraphQLSchema, types: GameTypes, game: AnyGame) -> str:
    name = _name(types.view)
    fields = _selection(schema.type_map[name])
    return (
        "query($match: MatchRef!) { view(match: $match) { viewJson view { ... on "
        f"{name} {fields} }} }} }}"
    )


def _selection(kind: Any) -> str:
    """Every field but those of the interfaces, to the leaves; of a union those of every member."""
    if isinstance(kind, GraphQLUnionType):
        parts = [f"... on {each.name} {_selection(each)}" for each in kind.types]
        return "{ __typename " + " ".join(parts) + " }"
    assert isinstance(kind, GraphQLObjectType)
    parts = []
    for name in kind.fields:
        if name not in ("viewJson", "optionsJson"):
            inner = get_named_type(kind.fields[name].type)
            is_leaf = is_leaf_type(inner)
            parts.append(name if is_leaf else f"{name} {_selection(inner)}")
    return "{ " + " ".join(parts) + " }"


def _untyped(kind: Any, value: Any) -> Any:
    """A typed value in the words of the wire."""
    kind = get_nullable_type(kind)
    if value is None:
        return None
    if is_list_type(kind):
        return [_untyped(kind.of_type, each) for each in value]
    if isinstance(kind, GraphQLEnumType):
        return kind.values[value].value
    if isinstance(kind, GraphQLUnionType):
        name = value.pop("__typename")
        (kind,) = (each for each in kind.types if each.name == name)
    if isinstance(kind, GraphQLObjectType):
        return {_snake(n): _untyped(kind.fields[n].type, each) for n, each in value.items()}
    return value


def _snake(name: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name)
