"""What may have a few values alone is an enumeration, wherever it stands."""

from collections.abc import Iterator
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLString,
    get_named_type,
)

from games import registry
from service import contract
from service.graphql.naming import camel
from service.graphql.schema import graph

SCHEMA = graph().schema
GENERATED = tuple(camel(game.slug) for game in registry.games())
# Named as something that has a few values elsewhere, but not limited to some.
OPEN = {
    "Asked.kind": "a word of the game",
    "Decision.kind": "a word of the game",
    "Move.type": "a word of the game",
    "Offer.type": "a word of the game",
    "Event.kind": "as in its json; later releases have more",
    "Fault.code": "as over REST, which has no list of them",
    "Problem.type": "an address",
    "Match.bundleAddress.perspective": "public, full, or the number of a seat",
}


def fields() -> Iterator[tuple[str, str, Any]]:
    """Type, field and type of the value of whatever is not generated for a game, arguments and
    inputs included.
    """
    objects = (GraphQLObjectType, GraphQLInterfaceType, GraphQLInputObjectType)
    for name, kind in SCHEMA.type_map.items():
        if isinstance(kind, objects) and not name.startswith(("__", *GENERATED)):
            for field, told in kind.fields.items():
                yield name, field, get_named_type(told.type)
                for argument, given in getattr(told, "args", {}).items():
                    yield f"{name}.{field}", argument, get_named_type(given.type)


def limited(schema: Any, known: dict[str, Any]) -> bool:
    """Whether a schema of the OpenAPI document, or what a list has of it, is one of a few words."""
    if "$ref" in schema:
        return limited(known[schema["$ref"].rpartition("/")[2]], known)
    words = schema.get("enum", [schema["const"]] if "const" in schema else [])
    inner = [*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())]
    return any(isinstance(each, str) for each in words) or any(limited(e, known) for e in inner)


def in_rest() -> set[str]:
    """Fields by their names in GraphQL."""
    known = contract.document()["components"]["schemas"]
    found = set()
    for schema in known.values():
        for name, each in schema.get("properties", {}).items():
            if limited(each, known):
                first, *rest = name.split("_")
                found.add(first + "".join(word.title() for word in rest))
    return found


def test_a_string_is_no_enumeration_anywhere_else() -> None:
    """Neither over REST, nor in another type of the graph."""
    here = {field for _, field, kind in fields() if isinstance(kind, GraphQLEnumType)}
    rest = in_rest()
    assert {"status", "state", "code", "kind", "by"} <= here
    assert {"status", "state", "scopes", "stage", "kind", "by"} <= rest
    strings = {f"{owner}.{field}" for owner, field, kind in fields() if kind is GraphQLString
               and field in here | rest}  # fmt: skip
    assert strings == set(OPEN)


def test_values_are_capitals() -> None:
    for name, kind in SCHEMA.type_map.items():
        if isinstance(kind, GraphQLEnumType) and not name.startswith(("__", *GENERATED)):
            assert all(value.isupper() for value in kind.values), name


def test_what_rest_limits_has_the_same_words() -> None:
    """In capitals, and with an underscore where REST has a hyphen or a colon."""
    known = contract.document()["components"]["schemas"]
    shared = {
        name: schema["enum"]
        for name, schema in known.items()
        if "enum" in schema and isinstance(SCHEMA.type_map.get(name), GraphQLEnumType)
    }
    assert {"Status", "SeriesState", "GroupState", "By", "Scope", "DiffKind"} <= set(shared)
    for name, words in shared.items():
        kind = SCHEMA.type_map[name]
        assert isinstance(kind, GraphQLEnumType)
        told = {word.upper().translate(str.maketrans("-:", "__")) for word in words}
        assert set(kind.values) == told, name
