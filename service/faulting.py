"""What is wrong with a value of the wrong shape: where, and what would be taken there.

msgspec names places and types. What it leaves out is looked up in the type that was asked for, so
that whoever is told of a fault need not look for it elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import msgspec
from msgspec import inspect

from service.refusal import Fault

_ANY_KEY: Final = "*"  # msgspec names no key of an object that takes all of them


def fault_in(error: msgspec.ValidationError, kind: Any, prefix: str = "") -> Fault:
    """Where a value that should be of the type `kind` has the wrong shape, told without the value.

    `prefix` is where the value itself stands.
    """
    reason, _, place = str(error).partition(" - at `$")
    names = _names_in(place.rstrip("`"))
    pointer = prefix + "".join(f"/{name}" for name in names if name != _ANY_KEY)
    if own := _named(reason, "unknown field `"):
        return Fault(f"{pointer}/{own[:64]}", "unknown-field", "is not known here")
    if own := _named(reason, "missing required field `"):
        return Fault(f"{pointer}/{own}", "missing", "has to be there")
    return Fault(pointer, "wrong-shape", _said(reason, kind, names))


def _names_in(place: str) -> list[str]:
    """`.types[0]` is `types` and `0`."""
    place = place.replace("[...]", f".{_ANY_KEY}").replace("[", ".").replace("]", "")
    return place.split(".")[1:]


def _named(reason: str, before: str) -> str:
    _, _, name = reason.partition(before)
    return name[:-1]


def _said(reason: str, kind: Any, names: Sequence[str]) -> str:
    if reason.startswith(("Invalid enum value", "Invalid value")):
        allowed = dict.fromkeys(v for each in _types_at(kind, names) for v in _values(each))
        return f"has to be one of {', '.join(map(str, allowed))}" if allowed else "is not known"
    if "matching regex" in reason:
        words = [each for each in map(_words, _types_at(kind, names)) if each]
        return f"has to be {words[0]}" if words else "has another form than is taken here"
    return reason


def _types_at(kind: Any, names: Sequence[str]) -> list[inspect.Type]:
    """Every type that a value at that place may have."""
    found = list(_each(inspect.type_info(kind)))
    for name in names:
        found = [inner for each in found for inner in _inside(each, name)]
    return found


def _inside(info: inspect.Type, name: str) -> Iterator[inspect.Type]:
    match _bare(info):
        case inspect.StructType(tag_field=field, tag=tag) if field == name:
            assert tag is not None
            yield inspect.LiteralType((tag,))
        case inspect.StructType(fields=fields):
            for each in fields:
                if each.encode_name == name:
                    yield from _each(each.type)
        case inspect.TupleType(item_types=types):
            yield from _each(types[int(name)])
        case inspect.DictType(value_type=value):
            yield from _each(value)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            yield from _each(item)


def _each(info: inspect.Type) -> Iterator[inspect.Type]:
    """The alternatives of a union, and what is none as it is."""
    bare = _bare(info)
    if isinstance(bare, inspect.UnionType):
        for each in bare.types:
            yield from _each(each)
    else:
        yield info


def _bare(info: inspect.Type) -> inspect.Type:
    return _bare(info.type) if isinstance(info, inspect.Metadata) else info


def _values(info: inspect.Type) -> Iterable[Any]:
    match _bare(info):
        case inspect.EnumType(cls=cls):
            return [each.value for each in cls]
        case inspect.LiteralType(values=values):
            return values
        case _:
            return ()


def _words(info: inspect.Type) -> str:
    """How the form of a text is described, where it has one."""
    bare = _bare(info)
    if not isinstance(info, inspect.Metadata) or not isinstance(bare, inspect.StrType):
        return ""
    return str((info.extra_json_schema or {}).get("description", ""))
