"""The schema for the games there are, and its text for `openapi/schema.graphql`."""

from collections.abc import Callable, Mapping, Set
from functools import cache
from typing import Any

import msgspec
import strawberry
from graphql import (
    GraphQLInputObjectType,
    GraphQLObjectType,
    GraphQLSchema,
    is_abstract_type,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.schema_converter import GraphQLCoreConverter

from games import registry
from games.core.game import AnyGame
from service.errors import CODES
from service.graphql.changing import mutation_of
from service.graphql.decisions import ChoiceField, NumberField, TextField
from service.graphql.following import Subscription
from service.graphql.generated import GameTypes, Outputs, Rules
from service.graphql.generated_inputs import Inputs
from service.graphql.naming import Names, camel
from service.graphql.reading import Query
from service.graphql.scalars import SCALARS, Shown, value_of
from service.wording import Section, describe_graph


class Graph(msgspec.Struct, frozen=True):
    """`types` are those generated, by the rules of a game; `text` is the schema in its language;
    `words` are the entries of the table that describe it.
    """

    schema: GraphQLSchema
    text: Callable[[], str]
    types: Mapping[Rules, GameTypes]
    words: Set[tuple[Section, str]]


@cache
def graph_of(games: tuple[AnyGame, ...]) -> Graph:
    """The one graph for these games, in the order of slugs."""
    names = Names()
    outputs, inputs = Outputs(names), Inputs(names)
    types = {(each.slug, each.rules_version): outputs.of(each) for each in games}
    generated = [kind for each in types.values() for kind in _kinds(each)]
    made = strawberry.Schema(
        query=Query,
        mutation=mutation_of(inputs.moves(games), inputs.options(games)),
        subscription=Subscription,
        types=[ChoiceField, TextField, NumberField, *generated],
        config=StrawberryConfig(default_resolver=value_of, scalar_map=SCALARS),
    )
    schema = made._schema
    _resolved_by_kind(schema, outputs.tags)
    _one_of_when_validated(schema)
    problems = {row.graphql: row.detail for row in CODES.values()}
    words = describe_graph(schema, _games_of(names, games), {"ProblemCode": problems})
    return Graph(schema, made.as_str, types, words)


def graph() -> Graph:
    """Of every game that is installed."""
    return graph_of(registry.games())


def exported() -> bytes:
    """The text of the schema with the games of the house."""
    house = {package.GAME.slug: package.GAME for package in registry.HOUSE}
    games = tuple(house[slug] for slug in sorted(house))
    return graph_of(games).text().rstrip().encode() + b"\n"


def _kinds(types: GameTypes) -> list[Any]:
    return [types.view, types.options, *types.moves.values()]


def _games_of(names: Names, games: tuple[AnyGame, ...]) -> dict[str, str]:
    """The name of the game that each generated type is of."""
    prefixes = sorted(((camel(each.slug), each.name) for each in games), key=lambda p: len(p[0]))
    return {
        name: title for prefix, title in prefixes for name in names.given if name.startswith(prefix)
    }


def _resolved_by_kind(schema: GraphQLSchema, tags: Mapping[str, Mapping[str, str]]) -> None:
    """Abstract types are told apart by what a value says of itself, not by trying all types."""

    def kind_of(value: Any, info: Any, abstract: Any) -> str:
        if isinstance(value, Shown):
            return value.kind
        if isinstance(value, dict):
            return tags[abstract.name][value["type"]]
        return str(type(value).__strawberry_definition__.name)

    for kind in schema.type_map.values():
        if is_abstract_type(kind):
            kind.resolve_type = kind_of
        elif isinstance(kind, GraphQLObjectType):
            kind.is_type_of = None


def _one_of_when_validated(schema: GraphQLSchema) -> None:
    """`@oneOf` is a rule of validation: strawberry alone would look at it only while it executes,
    and its refusal would be a failure.
    """
    for kind in schema.type_map.values():
        if isinstance(kind, GraphQLInputObjectType):
            made = kind.extensions.get(GraphQLCoreConverter.DEFINITION_BACKREF)
            kind.is_one_of = made is not None and made.is_one_of
