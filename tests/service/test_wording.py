"""Every field, argument and value of the API's own is described in every document, by one table."""

import re
from collections.abc import Iterator
from typing import Any

from graphql import GraphQLEnumType

from games import registry
from service import contract, wording
from service.errors import CODES
from service.graphql import schema as graphs
from service.graphql.naming import camel

GAMES = tuple(package.GAME for package in registry.HOUSE)
GRAPH = graphs.graph_of(GAMES).schema
PREFIXES = tuple(camel(game.slug) for game in GAMES)


def own_types() -> Iterator[tuple[str, Any]]:
    """Those that are not made from the states, moves and options of games."""
    for name, kind in GRAPH.type_map.items():
        if not name.startswith(("__", *PREFIXES)):
            yield name, kind


def in_graphql() -> Iterator[tuple[str, str | None]]:
    """Every place of the API's own in GraphQL, with what is said of it."""
    for name, kind in own_types():
        yield name, kind.description
        for field, part in getattr(kind, "fields", {}).items():
            yield f"{name}.{field}", part.description
            for argument, given in getattr(part, "args", {}).items():
                yield f"{name}.{field}({argument})", given.description
        if isinstance(kind, GraphQLEnumType):
            for value, told in kind.values.items():
                yield f"{name}.{value}", told.description


def in_openapi() -> Iterator[tuple[str, str | None]]:
    for name, schema in contract.document()["components"]["schemas"].items():
        yield name, schema.get("description")
        for field, part in wording.properties(schema):
            yield f"{name}.{field}", part.get("description")
        told = schema.get(wording.VALUES, ())
        for value, text in zip(schema.get("enum", ()), told, strict=True):
            yield f"{name}.{value}", text


PLACES = [*in_graphql(), *in_openapi()]


def test_everything_of_the_api_itself_is_described() -> None:
    assert len(PLACES) > 3000
    assert [place for place, text in PLACES if not (text or "").strip()] == []


def test_asyncapi_has_the_same_words() -> None:
    schemas = contract.async_document()["components"]["schemas"]
    lacking = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, part in wording.properties(schema)
        if not part.get("description")
    ]
    assert schemas
    assert lacking == []


def test_a_description_says_more_than_the_name() -> None:
    repeated = [place for place, text in PLACES if plain(place.split(".")[-1]) == plain(text or "")]
    assert repeated == []


def plain(text: str) -> str:
    """Letters alone, without articles: `createdAt` and `The created at.` are the same."""
    words = re.findall(r"[a-z]+", wording.snake(text))
    return "".join(word for word in words if word not in ("a", "an", "the", "of"))


def test_a_description_is_a_sentence() -> None:
    odd = [
        entry.name
        for section in wording.table().values()
        for entry in section.values()
        if not entry.text.endswith(".") or "None" in entry.text or len(entry.text) > 240
    ]
    assert odd == []


def test_every_entry_of_the_table_is_used() -> None:
    written = contract.read("openapi.yaml")["components"]["schemas"]
    used = wording.describe_schemas(contract.joined_schemas(written))
    used |= graphs.graph_of(GAMES).words
    there = {entry.name for section in wording.table().values() for entry in section.values()}
    assert sorted(there - used) == []


def test_types_made_from_games_point_to_their_rules() -> None:
    lacking = [name for name, kind in GRAPH.type_map.items() if not kind.description]
    assert lacking == []
    assert "Ambagibus" in str(GRAPH.type_map["AmbagibusMode"].description)


def test_problem_codes_are_described_by_their_details() -> None:
    codes = GRAPH.type_map["ProblemCode"]
    assert isinstance(codes, GraphQLEnumType)
    told = {name: value.description for name, value in codes.values.items()}
    assert told == {row.graphql: row.detail for row in CODES.values()}


def test_fields_are_named_as_the_door_writes_them() -> None:
    assert "`options_json`" in wording.table()["fields"]["CreateMatchInput.options"].text
    created: Any = GRAPH.type_map["CreateMatchInput"]
    assert "`optionsJson`" in created.fields["options"].description


def test_the_exported_schema_has_the_descriptions() -> None:
    text = graphs.exported().decode()
    for part in ('"""Create a match, with a key', '"""Nobody can claim a seat yet."""'):
        assert part in text


def test_the_form_of_a_text_stands_behind_what_it_means() -> None:
    schemas: Any = {"OrgBody": {"properties": {"id": {"description": "letters, 63 at most"}}}}
    wording.describe_schemas(schemas)
    told = schemas["OrgBody"]["properties"]["id"]["description"]
    assert told == wording.table()["fields"]["OrgBody.id"].text + " Letters, 63 at most."
    schemas = {"OrgBody": {"properties": {"id": {"description": "Its own."}}}}
    assert wording.describe_schemas(schemas) == set()
    assert schemas["OrgBody"]["properties"]["id"]["description"] == "Its own."
