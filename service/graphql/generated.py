"""GraphQL types of each game, made from its structs: views, options, moves, and what they hold.

Nothing here knows a game. A value is resolved from its wire form, so what is typed and what is JSON
are the same value.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Optional, TypeAlias

import msgspec
import msgspec.inspect as shapes
import strawberry
from msgspec import structs

from games.core.game import AnyGame
from service.graphql.naming import Names, camel
from service.graphql.scalars import JSON, Pick, Shown, WholeNumber, field_name

_PLAIN: Final[Mapping[type, Any]] = {
    shapes.BoolType: bool,
    shapes.FloatType: float,
    shapes.StrType: str,
}
_WIDEST_INT: Final = 2**31 - 1  # of GraphQL
Rules: TypeAlias = tuple[str, int]  # slug and rules version
LISTS: Final = (shapes.ListType, shapes.VarTupleType, shapes.SetType, shapes.FrozenSetType)


@strawberry.interface(description="A move of any game. A place that is hidden from you is null.")
class Move:
    type: str
    move_json: JSON = strawberry.field(resolver=lambda root: dict(root))


@strawberry.interface(description="What you may know of the present of a match of one game.")
class GameView:
    view_json: JSON = strawberry.field(resolver=lambda root: dict(root))


@strawberry.interface(description="What a match was set up with; whole, with all defaults.")
class GameOptions:
    options_json: JSON = strawberry.field(resolver=lambda root: dict(root))


class GameTypes(msgspec.Struct, frozen=True):
    """The types of one game. `moves` are by the move's wire type."""

    game: AnyGame
    view: Any
    options: Any
    moves: Mapping[str, Any]

    def shown_view(self, wire: Mapping[str, Any]) -> Shown:
        return Shown(_name(self.view), wire)

    def shown_options(self, wire: Mapping[str, Any]) -> Shown:
        return Shown(_name(self.options), wire)

    def shown_move(self, wire: Mapping[str, Any]) -> Shown | None:
        kind = self.moves.get(wire["type"])
        return None if kind is None else Shown(_name(kind), wire)


class Outputs:
    """Makes types for what is shown. `tags` are the type names of a generated union by tag."""

    def __init__(self, names: Names) -> None:
        self.tags: dict[str, dict[str, str]] = {}
        self._names = names
        self._made: dict[tuple[str, type], Any] = {}
        self._unions: dict[tuple[str, ...], Any] = {}

    def of(self, game: AnyGame) -> GameTypes:
        prefix = camel(game.slug)
        # A view may hold the options, which then are of the same type.
        options = self._root(prefix, game.options, "Options", GameOptions)
        return GameTypes(
            game=game,
            view=self._root(prefix, game.views, "View", GameView),
            options=options,
            moves={str(each.tag): self._move(prefix, each) for each in structs_in(game.move)},
        )

    def _root(self, prefix: str, kind: type, wanted: str, parent: type) -> Any:
        shape = shapes.type_info(kind)
        assert isinstance(shape, shapes.StructType)
        name = self._names.give(prefix + wanted, kind)
        fields = self._fields(prefix, name, shape)
        made = self._made[(prefix, kind)] = made_type(name, fields, described(kind), (parent,))
        return made

    def _move(self, prefix: str, shape: shapes.StructType) -> Any:
        name = self._names.give(f"{prefix}{shape.cls.__name__}Move", shape.cls)
        fields: dict[str, Any] = {
            each.encode_name: Optional[self._seen(prefix, name, each)]  # noqa: UP045
            for each in shape.fields
        }
        return made_type(name, fields, described(shape.cls), (Move,))

    def _seen(self, prefix: str, owner: str, each: shapes.Field) -> Any:
        """A place of a seen move may be hidden, inside lists too."""
        inner = plain(each.type)
        if isinstance(inner, LISTS):
            item, _ = self._kind(prefix, owner + camel(each.encode_name), inner.item_type)
            return list[Optional[item]]  # type: ignore[valid-type]  # noqa: UP045
        kind, _ = self._kind(prefix, owner + camel(each.encode_name), each.type)
        return kind

    def _object(self, prefix: str, shape: shapes.Type) -> Any:
        assert isinstance(shape, shapes.StructType)
        place = (prefix, shape.cls)
        if place not in self._made:
            name = self._names.give(prefix + shape.cls.__name__, shape.cls)
            fields = self._fields(prefix, name, shape)
            self._made[place] = made_type(name, fields or {"empty": bool}, described(shape.cls))
        return self._made[place]

    def _fields(self, prefix: str, name: str, shape: shapes.StructType) -> dict[str, Any]:
        # A struct that holds itself, further down, would not end; no view is like that.
        fields = {
            each.encode_name: self._annotation(prefix, name + camel(each.encode_name), each.type)
            for each in shape.fields
        }
        return fields if shape.tag_field is None else {shape.tag_field: str, **fields}

    def _annotation(self, prefix: str, place: str, shape: shapes.Type) -> Any:
        kind, may_be_null = self._kind(prefix, place, shape)
        return Optional[kind] if may_be_null else kind  # noqa: UP045

    def _kind(self, prefix: str, place: str, shape: shapes.Type) -> tuple[Any, bool]:
        """The annotation without null, and whether null is allowed."""
        options, may_be_null = alternatives(shape)
        return self._one_of(prefix, place, options), may_be_null

    def _one_of(self, prefix: str, place: str, options: list[shapes.Type]) -> Any:
        if len(options) == 1:
            return self._single(prefix, place, options[0])
        if options and all(isinstance(each, shapes.StructType) and each.tag for each in options):
            return self._union(prefix, place, options)
        return Pick if all(map(is_pick, options)) else JSON

    def _single(self, prefix: str, place: str, shape: shapes.Type) -> Any:
        if (scalar := scalar_of(shape)) is not None:
            return scalar
        if isinstance(shape, shapes.StructType):
            return self._object(prefix, shape)
        if isinstance(shape, LISTS):
            return list[self._annotation(prefix, place, shape.item_type)]  # type: ignore[misc]
        if isinstance(shape, shapes.TupleType):
            items = [self._annotation(prefix, place, each) for each in shape.item_types]
            return list[items[0]] if len(set(items)) == 1 else JSON  # type: ignore[valid-type]
        return enumeration(self._names, prefix, place, shape) or JSON

    def _union(self, prefix: str, place: str, options: list[shapes.Type]) -> Any:
        members = [self._object(prefix, each) for each in options]
        key = tuple(sorted(map(_name, members)))
        if key not in self._unions:
            name = self._names.give(place, key)
            tags = [str(each.tag) for each in options if isinstance(each, shapes.StructType)]
            self.tags[name] = dict(zip(tags, map(_name, members), strict=True))
            self._unions[key] = Annotated[_either(members), strawberry.union(name)]
        return self._unions[key]


def made_type(
    name: str, fields: Mapping[str, Any], description: str | None, parents: tuple[type, ...] = ()
) -> Any:
    """A strawberry type whose fields are wire names with their annotations."""
    namespace: dict[str, Any] = {"__annotations__": {}, "__module__": __name__}
    for wire, annotation in fields.items():
        own = field_name(wire)
        namespace["__annotations__"][own] = annotation
        if own != wire:
            namespace[own] = strawberry.field(name=wire)
    return strawberry.type(type(name, parents, namespace), name=name, description=description)


def enumeration(names: Names, prefix: str, place: str, shape: shapes.Type) -> Any:
    """The enumeration of an Enum or of literal strings; a plain scalar if that is not possible."""
    if isinstance(shape, shapes.EnumType):
        values = {each.name: each.value for each in shape.cls}
        return names.enum(prefix + shape.cls.__name__, shape.cls, values) or Pick
    if isinstance(shape, shapes.LiteralType):
        if all(isinstance(each, str) for each in shape.values):
            return names.enum(place, shape.values, {str(v): v for v in shape.values}) or str
        return Pick
    return None


def alternatives(shape: shapes.Type) -> tuple[list[shapes.Type], bool]:
    """What a value can be besides null, and whether it can be null."""
    found = shape.types if isinstance(shape, shapes.UnionType) else (shape,)
    options = [plain(each) for each in found]
    kept = [each for each in options if not isinstance(each, shapes.NoneType)]
    return kept, len(kept) < len(options)


def plain(shape: shapes.Type) -> shapes.Type:
    """Without what only describes it; bounds that are told there stay those of a whole number."""
    while isinstance(shape, shapes.Metadata):
        told, shape = shape.extra_json_schema or {}, shape.type
        if isinstance(shape, shapes.IntType):
            bounds = {"ge": told.get("minimum", shape.ge), "le": told.get("maximum", shape.le)}
            shape = structs.replace(shape, **bounds)
    return shape


def scalar_of(shape: shapes.Type) -> Any:
    """The scalar of a single value, None if it has none.

    A whole number is an Int unless its bounds, which it has to tell then, lie beyond 32 bits.
    """
    if not isinstance(shape, shapes.IntType):
        return _PLAIN.get(type(shape))
    bounds = (shape.ge, shape.gt, shape.le, shape.lt)
    is_wide = any(abs(each) > _WIDEST_INT for each in bounds if each is not None)
    return WholeNumber if is_wide else int


def is_pick(shape: shapes.Type) -> bool:
    kinds = (shapes.BoolType, shapes.IntType, shapes.StrType, shapes.LiteralType, shapes.EnumType)
    return isinstance(shape, kinds)


def structs_in(union: Any) -> list[shapes.StructType]:
    """The members of a union of structs."""
    options, _ = alternatives(shapes.type_info(union))
    return [each for each in options if isinstance(each, shapes.StructType)]


def described(kind: type) -> str | None:
    """The docstring of a struct that has one of its own."""
    text: str | None = vars(kind).get("__doc__")
    return None if text is None else " ".join(text.split())


def _name(kind: Any) -> str:
    return str(kind.__strawberry_definition__.name)


def _either(members: list[Any]) -> Any:
    joined = members[0]
    for each in members[1:]:
        joined = joined | each
    return joined
