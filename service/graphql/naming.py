"""Names of generated types: namespaced by game, each given to one thing alone."""

import re
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Any, Final

import strawberry

_NAME: Final = re.compile(r"[A-Za-z][_A-Za-z0-9]*")
_RESERVED: Final = frozenset({"true", "false", "null"})


class Names:
    """The names that are taken. Another thing of the same name gets a number behind it."""

    def __init__(self) -> None:
        self._taken: dict[str, Any] = {}
        self._enums: dict[Any, Any] = {}

    @property
    def given(self) -> Collection[str]:
        return self._taken.keys()

    def give(self, wanted: str, thing: Any) -> str:
        """The name of `thing`: `wanted` if it is free or was given to it before."""
        name, number = wanted, 1
        while self._taken.setdefault(name, thing) is not thing:
            number += 1
            name = f"{wanted}{number}"
        return name

    def enum(self, wanted: str, thing: Any, values: Mapping[str, Any]) -> Any:
        """The one enumeration of `thing`, or None if its values can't be names of GraphQL."""
        if thing not in self._enums:
            can_be = bool(values) and all(map(_is_name, values))
            made: Any = Enum(self.give(wanted, thing), values) if can_be else None
            # Two names for one value would be one member.
            is_whole = made is not None and len(made) == len(values)
            self._enums[thing] = strawberry.enum(made) if is_whole else None
        return self._enums[thing]


def camel(text: str) -> str:
    """`pass_card` as `PassCard`."""
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", text))


def _is_name(text: str) -> bool:
    is_private = text.startswith("_") or text == "mro"
    return bool(_NAME.fullmatch(text)) and text not in _RESERVED and not is_private
