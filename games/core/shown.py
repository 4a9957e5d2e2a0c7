"""Offers as a client is shown them, and random moves out of them."""

from collections.abc import Mapping, Sequence
from math import prod
from random import Random
from typing import Any, Final

from games.core.moves import Choice, Field, Number, Text, Wire, filling_count, sampled, weighted

WORDS: Final = "well played"


def sample_shown(offers: Sequence[Wire], rng: Random) -> Wire:
    """A uniformly random move in wire form out of what `shown_offer` says.

    An offer with free text counts as one move, and says something harmless.
    Raises: KeyError, TypeError or ValueError for what is no such offer or for no offer at all.
    """
    parsed = [{name: _field(own) for name, own in each["fields"].items()} for each in offers]
    place = weighted([_count(fields) for fields in parsed], rng)
    chosen = {name: _value(*field, rng) for name, field in parsed[place].items()}
    return {"type": offers[place]["type"], **chosen}


def unordered(offers: Sequence[Wire]) -> list[Any]:
    """Offers in wire form as values that are equal where the same moves are offered."""
    return [(each["type"], *map(_unordered, each["fields"].items())) for each in offers]


def _unordered(named: tuple[str, Mapping[str, Any]]) -> Any:
    name, field = named
    if "options" not in field:
        return named
    return name, {**field, "options": sorted(field["options"], key=repr)}


def _field(shown: Mapping[str, Any]) -> tuple[Field, bool]:
    """A field, and whether it takes its picks as a list."""
    if "text" in shown:
        return Text(shown["text"]["most"]), False
    if "low" in shown:
        return Number(shown["low"], shown["high"]), False
    choice = Choice(
        tuple(shown["options"]), shown["least"], shown["most"], shown["ordered"], shown["repeats"]
    )
    return choice, shown["list"]


def _count(fields: Mapping[str, tuple[Field, bool]]) -> int:
    if any(isinstance(field, Text) for field, _ in fields.values()):
        return 1
    return prod(filling_count(field, as_list) for field, as_list in fields.values())


def _value(field: Field, as_list: bool, rng: Random) -> Any:
    if isinstance(field, Text):
        return WORDS[: field.most]
    value = sampled(field, as_list, rng)
    return list(value) if as_list else value
