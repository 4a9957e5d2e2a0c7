"""Scalars, and how a field finds its value."""

from collections.abc import Mapping
from keyword import kwlist
from typing import TYPE_CHECKING, Any, Final, NewType, TypeAlias

import strawberry
from graphql import GraphQLError
from strawberry.types.scalar import ScalarDefinition

from service.http import whole_numbers

if TYPE_CHECKING:
    JSON: TypeAlias = Any
    Pick: TypeAlias = Any
    Milliseconds: TypeAlias = int
    WholeNumber: TypeAlias = int
else:
    JSON = NewType("JSON", object)
    Pick = NewType("Pick", object)
    Milliseconds = NewType("Milliseconds", int)
    WholeNumber = NewType("WholeNumber", int)

# A wire name that is a keyword of Python has a field name with an underscore.
_KEYWORDS: Final = {f"{word}_": word for word in kwlist}


class Shown(dict[str, Any]):
    """A value in wire form that knows its GraphQL type."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, value: Mapping[str, Any]) -> None:
        super().__init__(value)
        self.kind = kind


def field_name(wire_name: str) -> str:
    """What a field of a generated type is called in Python."""
    return f"{wire_name}_" if f"{wire_name}_" in _KEYWORDS else wire_name


def wire_name(name: str) -> str:
    """The reverse of `field_name`."""
    return _KEYWORDS.get(name, name)


def value_of(source: Any, name: str) -> Any:
    """The value of a field without a resolver; a member that is left out is null."""
    if isinstance(source, dict):
        return source.get(_KEYWORDS.get(name, name))
    return getattr(source, name)


def _as_it_is(value: Any) -> Any:
    return value


def _pick(value: Any) -> Any:
    if isinstance(value, str | int):  # A boolean is an int.
        return value
    raise GraphQLError("a pick is a string, a whole number or a boolean")


def _whole(value: Any) -> int:
    found = whole_numbers(value)  # 3.0 is one, as in a body of the REST door.
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    raise GraphQLError("a whole number")


SCALARS: Final[Mapping[object, ScalarDefinition]] = {
    JSON: strawberry.scalar(
        name="JSON",
        description="Any JSON value, as the REST door gives and takes it.",
        serialize=_as_it_is,
        parse_value=_as_it_is,
    ),
    Pick: strawberry.scalar(
        name="Pick",
        description="What may be picked: a string, a whole number or a boolean.",
        serialize=_as_it_is,
        parse_value=_pick,
    ),
    Milliseconds: strawberry.scalar(
        name="Milliseconds",
        description="A time in milliseconds since 1970.",
        serialize=_whole,
        parse_value=_whole,
    ),
    WholeNumber: strawberry.scalar(
        name="WholeNumber",
        description="A whole number of up to 53 bits, where an Int holds too little, such as a "
        "position of the feed.",
        serialize=_whole,
        parse_value=_whole,
    ),
}
