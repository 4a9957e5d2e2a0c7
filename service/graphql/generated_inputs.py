"""GraphQL input types of each game: its options and its moves, made from its structs."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, Final, Optional

import msgspec.inspect as shapes
import strawberry

from games.core.game import AnyGame
from service.graphql.generated import (
    LISTS,
    alternatives,
    described,
    enumeration,
    is_pick,
    scalar_of,
    structs_in,
)
from service.graphql.naming import Names, camel
from service.graphql.scalars import JSON, Pick, field_name, wire_name

TAGS: Final = "__wire_tags__"


@strawberry.input(description="Nothing has to be filled in.")
class NothingInput:
    nothing: bool | None = strawberry.UNSET


class Inputs:
    """Makes types for what is given."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._made: dict[tuple[str, type], Any] = {}

    def options(self, games: tuple[AnyGame, ...]) -> Any:
        """One member for each game: its options."""
        members = {
            each.slug: self._struct(camel(each.slug), shapes.type_info(each.options), "Options")
            for each in games
        }
        return one_of("GameOptionsInput", members, "The options of one game.", {})

    def moves(self, games: tuple[AnyGame, ...]) -> Any:
        """One member for each game: a move of it."""
        members = {each.slug: self._moves_of(each) for each in games}
        return one_of("MoveInput", members, "A move of one game.", {})

    def _moves_of(self, game: AnyGame) -> Any:
        prefix, structs = camel(game.slug), structs_in(game.move)
        members = {
            str(each.tag): self._struct(prefix, each, f"{each.cls.__name__}Move")
            for each in structs
        }
        tags = {tag: ("type", tag) for tag in members}
        name = self._names.give(f"{prefix}MoveInput", game)
        return one_of(name, members, f"A move of {game.name}.", tags)

    def _struct(self, prefix: str, shape: shapes.Type, wanted: str | None = None) -> Any:
        assert isinstance(shape, shapes.StructType)
        if not shape.fields:
            return NothingInput
        place = (prefix, shape.cls)
        if place not in self._made:
            wanted = f"{prefix}{wanted or shape.cls.__name__}Input"
            name = self._names.give(wanted, (shape.cls, "input"))
            namespace: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
            for each in shape.fields:
                self._add(namespace, prefix, each, name)
            self._made[place] = _input(name, namespace, described(shape.cls))
        return self._made[place]

    def _add(self, namespace: dict[str, Any], prefix: str, each: shapes.Field, name: str) -> None:
        own, wire = field_name(each.encode_name), each.encode_name
        place = name.removesuffix("Input") + camel(wire)
        kind, may_be_null = self._kind(prefix, place, each.type)
        more: dict[str, Any] = {}
        if not each.required:
            more["default"] = strawberry.UNSET
        elif may_be_null:
            more["default"] = None
        namespace["__annotations__"][own] = Optional[kind] if more else kind  # noqa: UP045
        if own != wire:
            more["name"] = wire
        if more:
            namespace[own] = strawberry.field(**more)

    def _kind(self, prefix: str, place: str, shape: shapes.Type) -> tuple[Any, bool]:
        options, may_be_null = alternatives(shape)
        if len(options) == 1:
            return self._single(prefix, place, options[0]), may_be_null
        if options and all(isinstance(each, shapes.StructType) and each.tag for each in options):
            return self._tagged(prefix, place, options), may_be_null
        return (Pick if all(map(is_pick, options)) else JSON), may_be_null

    def _tagged(self, prefix: str, place: str, options: list[shapes.Type]) -> Any:
        structs = [each for each in options if isinstance(each, shapes.StructType)]
        members = {str(each.tag): self._struct(prefix, each) for each in structs}
        tags = {str(each.tag): (str(each.tag_field), each.tag) for each in structs}
        name = self._names.give(f"{place}Input", tuple(members))
        return one_of(name, members, None, tags)

    def _single(self, prefix: str, place: str, shape: shapes.Type) -> Any:
        if (scalar := scalar_of(shape)) is not None:
            return scalar
        if isinstance(shape, shapes.StructType):
            return self._struct(prefix, shape)
        if isinstance(shape, LISTS):
            kind, may_be_null = self._kind(prefix, place, shape.item_type)
            return list[Optional[kind] if may_be_null else kind]  # type: ignore[misc]  # noqa: UP045
        return enumeration(self._names, prefix, place, shape) or JSON


def one_of(
    name: str, members: Mapping[str, Any], description: str | None, tags: Mapping[str, Any]
) -> Any:
    """An input of which exactly one member is given. `tags` are what the wire form adds to it."""
    namespace: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for wire, kind in members.items():
        own = field_name(wire)
        namespace["__annotations__"][own] = Optional[kind]  # noqa: UP045
        name_of_it = wire if own != wire else None
        namespace[own] = strawberry.field(default=strawberry.UNSET, name=name_of_it)
    made = _input(name, namespace, description, is_one_of=True)
    setattr(made, TAGS, dict(tags))
    return made


def chosen(value: Any) -> tuple[str, Any]:
    """The member of a one-of input that is given, by its wire name, in wire form."""
    for own, given in vars(value).items():
        if given is not strawberry.UNSET:
            return wire_name(own), wire(given)
    raise AssertionError("one member is always given")


def wire(value: Any) -> Any:
    """What was given, as JSON values."""
    if isinstance(value, list):
        return [wire(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if not hasattr(type(value), "__strawberry_definition__"):
        return value
    tags = getattr(type(value), TAGS, None)
    if tags is not None:
        member, inner = chosen(value)
        field, tag = tags[member]
        return {field: tag, **inner}
    if isinstance(value, NothingInput):
        return {}
    given = ((own, each) for own, each in vars(value).items() if each is not strawberry.UNSET)
    return {wire_name(own): wire(each) for own, each in given}


def _input(
    name: str, namespace: dict[str, Any], description: str | None, *, is_one_of: bool = False
) -> Any:
    made = type(name, (), namespace)
    if is_one_of:
        return strawberry.input(made, name=name, description=description, one_of=True)
    return strawberry.input(made, name=name, description=description)
