"""What fields, arguments and values mean: said once in `openapi/words`, for every document.

A name that means the same everywhere has one entry; `Type.name` says it where the meaning differs,
and may name several such places. Names are those of the wire form (`created_at`), whose GraphQL
names are the same in camel case. What has a description of its own keeps it; one that is no
sentence tells the form of a text, and stands behind what the text means.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal, TypeAlias

import msgspec
import yaml
from graphql import (
    GraphQLEnumType,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLSchema,
)

Json = dict[str, Any]
Section: TypeAlias = Literal["types", "fields", "arguments", "values"]

SECTIONS: Final[tuple[Section, ...]] = ("types", "fields", "arguments", "values")
VALUES: Final = "x-enum-descriptions"  # beside `enum`, one for each value
_HUMP: Final = re.compile(r"(?<=[a-z0-9])([A-Z])")
_SNAKE: Final = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")


class Entry(msgspec.Struct, frozen=True):
    """`name` is that, or the place, under which the table has it."""

    name: tuple[Section, str]
    text: str


@cache
def table() -> Mapping[Section, Mapping[str, Entry]]:
    """The entries of all subjects by section, then by name or place."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: dict[Section, dict[str, Entry]] = {each: {} for each in SECTIONS}
    for path in sorted(files("openapi").joinpath("words").iterdir(), key=lambda each: each.name):
        for section, entries in yaml.load(path.read_bytes(), loader).items():  # noqa: S506
            for names, text in entries.items():
                for name in names.split():
                    assert name not in found[section], f"{name} is said twice, in {path.name} too"
                    found[section][name] = Entry((section, name), " ".join(text.split()))
    return found


def describe_schemas(schemas: Json) -> set[tuple[Section, str]]:
    """Fill in what the component schemas lack. Gives the names of entries that were of use."""
    used: set[tuple[Section, str]] = set()
    unions = _unions(schemas)
    for name, schema in schemas.items():
        for field, inner in properties(schema):
            entry = _entry("fields", (name, *unions.get(name, ())), field)
            form = inner.get("description", "").strip()
            if entry is not None and not form.endswith("."):
                inner["description"] = f"{entry.text} {_sentence(form)}".rstrip()
                used.add(entry.name)
        said = [_entry("values", (name,), _value(each)) for each in schema.get("enum", ())]
        if said:
            schema[VALUES] = ["" if each is None else each.text for each in said]
            used |= {each.name for each in said if each is not None}
    return used


def describe_graph(
    schema: GraphQLSchema,
    generated: Mapping[str, str],
    values: Mapping[str, Mapping[str, str]],
) -> set[tuple[Section, str]]:
    """The same for GraphQL. `generated` are the names of games by the types made from theirs,
    `values` what is known elsewhere about values by their enumeration.
    """
    used: set[tuple[Section, str]] = set()
    for name, kind in schema.type_map.items():
        if name.startswith("__"):
            continue
        if name in generated:
            about = f"Of {generated[name]}; the rules of the game say what it means."
            kind.description = kind.description or about
            found = [*_inherited(kind)]
        else:
            found = [(kind, _type_entry(name)), *_parts(kind, values.get(name, {}))]
        for part, entry in found:
            if entry is not None and not part.description:
                part.description = _in_graphql(entry.text)
                used.add(entry.name)
    return used


def snake(name: str) -> str:
    """The wire form of a GraphQL name: `createdAt` is `created_at`."""
    return _HUMP.sub(r"_\1", name).lower()


def _value(given: object) -> str:
    """As the table has it: `matches:read` and `MATCHES_READ` are `matches_read`."""
    return re.sub("[^a-z0-9]+", "_", str(given).lower())


def _entry(section: Section, owners: Iterable[str], name: str) -> Entry | None:
    """That of the first owner which has one of its own (or one for all), else that of the name."""
    entries = table()[section]
    places = (f"{owner}.{each}" for owner in owners for each in (name, "*"))
    return next((entries[each] for each in places if each in entries), entries.get(name))


def _type_entry(name: str) -> Entry | None:
    entries = table()["types"]
    fitting = (entries[each] for each in entries if fnmatchcase(name, each))
    return entries.get(name) or next(fitting, None)


def _parts(kind: GraphQLNamedType, known: Mapping[str, str]) -> Iterator[tuple[Any, Entry | None]]:
    """The fields, arguments and values of a type, with what the table has of each."""
    owners = [kind.name, *_interfaces(kind)]
    for field, part in getattr(kind, "fields", {}).items():
        yield part, _entry("fields", owners, snake(field))
        for argument, given in getattr(part, "args", {}).items():
            yield given, _entry("arguments", [f"{kind.name}.{field}"], argument)
    if isinstance(kind, GraphQLEnumType):
        for value, told in kind.values.items():
            told.description = told.description or known.get(value)
            yield told, _entry("values", owners, _value(value))


def _inherited(kind: GraphQLNamedType) -> Iterator[tuple[Any, Entry | None]]:
    """The fields that a type has of an interface."""
    for owner, interface in _interfaces(kind).items():
        for field in interface.fields:
            yield getattr(kind, "fields", {})[field], _entry("fields", [owner], snake(field))


def _interfaces(kind: GraphQLNamedType) -> dict[str, GraphQLInterfaceType]:
    return {each.name: each for each in getattr(kind, "interfaces", ())}


def _unions(schemas: Json) -> dict[str, list[str]]:
    """By the name of a schema those of which it is one: what they say holds for its fields."""
    found: dict[str, list[str]] = {}
    for name, schema in schemas.items():
        for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            found.setdefault(each.get("$ref", "").rpartition("/")[2], []).append(name)
    return found


def properties(schema: Any) -> Iterator[tuple[str, Json]]:
    """Every property in a schema, by its name, however deep."""
    if isinstance(schema, list):
        for each in schema:
            yield from properties(each)
    elif isinstance(schema, dict):
        yield from schema.get("properties", {}).items()
        for name, each in schema.items():
            if name == "properties":
                for inner in each.values():
                    yield from properties(inner)
            elif name not in ("const", "default", "enum", "example", "examples"):
                yield from properties(each)


def _in_graphql(text: str) -> str:
    """With the fields that are named in it as GraphQL writes them."""
    fields = table()["fields"]

    def written(found: re.Match[str]) -> str:
        name = found[1]
        return f"`{_camel(name)}`" if name in fields else found[0]

    return _SNAKE.sub(written, text)


def _sentence(form: str) -> str:
    return f"{form[0].upper()}{form[1:]}." if form else ""


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(each.capitalize() for each in others)
