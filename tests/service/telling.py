"""What REST tells, asked for over GraphQL: every member of an answer has its field there."""

from typing import Any

from graphql import GraphQLEnumType, GraphQLInterfaceType, GraphQLObjectType, get_named_type

from service.graphql.ids import DEAL_GROUP, MATCH, node_id
from service.graphql.schema import graph

Json = dict[str, Any]

# By the type of the graph, where the name is another one than that in camel case.
NAMES = {
    "Decision": {"offers": "offersJson", "asides": "asidesJson"},
    "DealGroup": {
        "id": "groupId",
        "game": "gameSlug",
        "seats": "seatCount",
        "options": "optionsJson",
    },
    "View": {"game": "gameSlug", "view": "viewJson"},
    "Match": {
        "game": "gameSlug",
        "seats": "seatCount",
        "seating": "seats",
        "options": "optionsJson",
    },
}
# Fields of the graph that hold an opaque id, and of what.
OPAQUE = {"Match.dealGroup": DEAL_GROUP, "DealGroupTable.match": MATCH}
OBJECTS = (GraphQLObjectType, GraphQLInterfaceType)


def field_of(kind: str, name: str) -> str:
    """The field of a type for a member of REST's answer."""
    first, *rest = name.split("_")
    return NAMES.get(kind, {}).get(name, first + "".join(word.title() for word in rest))


def selection(kind: str, told: Json) -> str:
    """A selection of all that REST has told.

    Raises: KeyError for what the graph has no field for.
    """
    found = []
    for name, value in told.items():
        field = field_of(kind, name)
        inner = get_named_type(_type(kind).fields[field].type)
        if isinstance(inner, OBJECTS):
            some = value[0] if isinstance(value, list) and value else value
            found.append(f"{field} {{ {selection(inner.name, some) if some else '__typename'} }}")
        else:
            found.append(field)
    return " ".join(found)


def as_graph(kind: str, told: Json) -> Json:
    """The answer to that selection, if the graph tells the same."""
    found = {}
    for name, value in told.items():
        field = field_of(kind, name)
        inner = get_named_type(_type(kind).fields[field].type)
        found[field] = _shown(inner, value, OPAQUE.get(f"{kind}.{field}"))
    return found


def _shown(kind: Any, value: Any, opaque: str | None) -> Any:
    if value is None:
        return None
    if isinstance(kind, OBJECTS):
        return [as_graph(kind.name, e) for e in value] if isinstance(value, list) else as_graph(
            kind.name, value
        )  # fmt: skip
    if isinstance(kind, GraphQLEnumType):
        return value.upper()
    return value if opaque is None else node_id(opaque, value)


def _type(name: str) -> GraphQLObjectType:
    kind = graph().schema.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    return kind
