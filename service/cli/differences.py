"""What changed between two JSON values, leaf by leaf."""

from typing import Any, TypeAlias

Facts: TypeAlias = dict[str, Any]  # path into a value: the leaf that stands there


def changes(old: Any, new: Any) -> Facts:
    """The leaves of `new` that `old` lacks or has otherwise; a path that is gone maps to None."""
    before, after = facts(old), facts(new)
    changed = {path: leaf for path, leaf in after.items() if before.get(path, ...) != leaf}
    return changed | {path: None for path in before if path not in after}


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
