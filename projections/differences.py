"""What changed between two JSON values, leaf by leaf."""

from enum import StrEnum
from typing import Any, TypeAlias

import msgspec

Facts: TypeAlias = dict[str, Any]  # path into a value: the leaf that stands there


class Changes(msgspec.Struct, frozen=True):
    """The leaves that are new or other than before, and the paths that are gone."""

    leaves: Facts
    gone: tuple[str, ...]


class DiffKind(StrEnum):
    ADDED = "added"
    CHANGED = "changed"
    GONE = "gone"


class DiffChange(msgspec.Struct, frozen=True):
    """A leaf that is not the same; null where nothing stood."""

    path: str
    kind: DiffKind
    before: Any
    after: Any


def compared(old: Any, new: Any) -> tuple[DiffChange, ...]:
    """Every leaf that is not the same in both, as it was and as it is: what is gone comes last."""
    before, after = facts(old), facts(new)
    found = []
    for path, leaf in after.items():
        if path not in before:
            found.append(DiffChange(path, DiffKind.ADDED, None, leaf))
        elif before[path] != leaf:
            found.append(DiffChange(path, DiffKind.CHANGED, before[path], leaf))
    gone = (
        DiffChange(path, DiffKind.GONE, leaf, None)
        for path, leaf in before.items()
        if path not in after
    )
    return (*found, *gone)


def changes(old: Any, new: Any) -> Changes:
    """What is different in `new`; None for either is nothing at all."""
    before = {} if old is None else facts(old)
    after = {} if new is None else facts(new)
    changed = {path: leaf for path, leaf in after.items() if before.get(path, ...) != leaf}
    return Changes(changed, tuple(path for path in before if path not in after))


def facts(value: Any) -> Facts:
    """Every leaf by its path, "players[2].coins"; a list without objects inside is a leaf."""
    found: Facts = {}
    _collect(value, "", found)
    return found


def _collect(value: Any, path: str, found: Facts) -> None:
    match value:
        case dict() if value:
            for name, each in value.items():
                _collect(each, f"{path}.{name}" if path else str(name), found)
        case list() | tuple() if any(isinstance(each, dict) for each in value):
            for place, each in enumerate(value):
                _collect(each, f"{path}[{place}]", found)
        case _:
            found[path] = value
