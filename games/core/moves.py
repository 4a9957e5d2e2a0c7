"""Moves, the offers that say which are open, and `take`, the only legality check there is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, permutations, product
from math import comb, perm, prod
from random import Random
from typing import Any, ClassVar, TypeAlias, get_origin, get_type_hints

import msgspec

from games.core.text import is_blank

Pick: TypeAlias = str | int | bool | Enum
Wire: TypeAlias = dict[str, Any]


class IllegalMove(Exception):
    """No current offer takes the move. Carries the move's type and nothing else."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"move not offered: {kind}")
        self.kind = kind


def snake(name: str) -> str:
    """`PassCard` as `pass_card`: the wire name of a class."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


class Move(msgspec.Struct, frozen=True, tag=snake, tag_field="type", forbid_unknown_fields=True):
    """Base of every move; its fields are the choices of an offer.

    A scalar field takes one pick, a tuple field any number of picks.
    `shows = False` declares that nobody, the mover included, learns anything by the move.
    `discloses = True` declares that the state may answer the move with something hidden that is no
    part of the step, as a card drawn from the top of a deck is: it is found in the view after it.
    """

    shows: ClassVar[bool] = True
    discloses: ClassVar[bool] = False


class Choice(msgspec.Struct, frozen=True):
    """`least` to `most` picks out of `options`.

    The picks are a set unless `ordered`, and each is taken at most once unless `repeats`.
    Options are enum members, strings, integers or booleans. Their order may carry nothing hidden.
    """

    options: tuple[Pick, ...]
    least: int = 1
    most: int = 1
    ordered: bool = False
    repeats: bool = False


class Text(msgspec.Struct, frozen=True):
    """Free text of 1 to `most` code points that is not blank. Never affects a state."""

    most: int = 500


class Number(msgspec.Struct, frozen=True):
    """A whole number from `low` to `high`, both included."""

    low: int
    high: int


Field: TypeAlias = Choice | Text | Number


class Offer(msgspec.Struct, frozen=True):
    """A kind of move that is open now: a Move class and what may fill each of its fields."""

    move: type[Move]
    fields: Mapping[str, Field] = {}


Offers: TypeAlias = Sequence[Offer]


def offer(move: type[Move], **fields: Field) -> Offer:
    """`offer(Block, who=one_of(unblocked))`."""
    return Offer(move, fields)


def one_of(options: Sequence[Pick]) -> Choice:
    return Choice(tuple(options))


def move_type(move: Move | type[Move]) -> str:
    """The wire name: the value of `type`."""
    return str(move.__struct_config__.tag)


def take(offers: Offers, wire: object) -> Move:
    """The move that `wire` (decoded JSON) fills out of one of `offers`.

    Unordered picks are accepted in any order and stored in the order of the options.
    Raises: IllegalMove.
    """
    if not isinstance(wire, dict):
        raise IllegalMove("?")
    kind = wire.get("type")
    for each in offers:
        if each.move.__struct_config__.tag == kind:
            filled = _filled(each, wire)
            if filled is not None:
                return filled
    raise IllegalMove(kind if isinstance(kind, str) else "?")


def moves(offers: Offers) -> Iterator[Move | Offer]:
    """Every move the offers allow, lazily, in a fixed order.

    An offer with a Text is yielded itself, once.
    """
    for each in offers:
        if _has_text(each):
            yield each
        else:
            for picks in _fillings(each, tuple(each.fields)):
                yield each.move(**picks)


def count(offers: Offers) -> int | None:
    """How many moves the offers allow; None if one of them has a Text."""
    total = 0
    for each in offers:
        if _has_text(each):
            return None
        total += _count(each)
    return total


def sample(offers: Offers, rng: Random) -> Move:
    """A uniformly random move (an offer with a Text counts as one move, with a random text)."""
    weights = [1 if _has_text(each) else _count(each) for each in offers]
    chosen = offers[weighted(weights, rng)]
    lists = tuple_fields(chosen.move)
    return chosen.move(
        **{name: sampled(field, name in lists, rng) for name, field in chosen.fields.items()}
    )


def wire_pick(pick: Pick) -> str | int | bool:
    """A pick as JSON."""
    value = pick.value if isinstance(pick, Enum) else pick
    assert isinstance(value, str | int | bool)
    return value


def wire_offer(each: Offer) -> Wire:
    """An offer as JSON: `{"type", "fields"}`."""
    return {
        "type": move_type(each.move),
        "fields": {name: _wire_field(field) for name, field in each.fields.items()},
    }


def shown_offer(each: Offer) -> Wire:
    """`wire_offer` for a client that does not know the move class: choices also say `list`.

    A field that is a list takes its picks as a list even if one is the most; another takes one
    pick bare, or null for none.
    """
    shown = wire_offer(each)
    for name, field in shown["fields"].items():
        if "options" in field:
            field["list"] = name in tuple_fields(each.move)
    return shown


def wire_move(move: Move) -> Wire:
    """A move as JSON values: `{"type", ...fields}`, tuples as lists."""
    wire: Wire = msgspec.to_builtins(move)
    for name, value in wire.items():
        if type(value) is tuple:
            wire[name] = list(value)
    return wire


def text_fields(offer: Offer) -> tuple[str, ...]:
    return tuple(name for name, field in offer.fields.items() if isinstance(field, Text))


@cache
def tuple_fields(move: type[Move]) -> frozenset[str]:
    """The fields whose wire form is always a list."""
    hints = get_type_hints(move)
    return frozenset(n for n in move.__struct_fields__ if get_origin(hints[n]) is tuple)


def _has_text(each: Offer) -> bool:
    return any(isinstance(field, Text) for field in each.fields.values())


def _filled(each: Offer, wire: Wire) -> Move | None:
    if len(wire) != len(each.fields) + 1:
        return None
    picks: dict[str, Any] = {}
    for name, field in each.fields.items():
        if name not in wire:
            return None
        found, value = _taken(field, wire[name], name in tuple_fields(each.move))
        if not found:
            return None
        picks[name] = value
    return each.move(**picks)


_REFUSED = (False, None)


def _taken(field: Field, value: object, as_tuple: bool) -> tuple[bool, Any]:
    match field:
        case Text(most=most):
            fits = isinstance(value, str) and len(value) <= most and not is_blank(value)
            return (fits and _is_storable(value), value)
        case Number(low=low, high=high):
            return (type(value) is int and low <= value <= high, value)
        case Choice():
            return _taken_picks(field, value, as_tuple)


def _is_storable(text: object) -> bool:
    """Lone surrogates have no UTF-8 form, so no canonical one; PostgreSQL stores no U+0000."""
    return isinstance(text, str) and not any("\ud800" <= c <= "\udfff" or c == "\0" for c in text)


def _taken_picks(choice: Choice, value: object, as_tuple: bool) -> tuple[bool, Any]:
    if not as_tuple:
        if value is None:
            return (choice.least == 0, None)
        index = _index(choice.options, value)
        return _REFUSED if index < 0 or choice.most < 1 else (True, choice.options[index])
    if not isinstance(value, list) or not choice.least <= len(value) <= choice.most:
        return _REFUSED
    indices = [_index(choice.options, each) for each in value]
    if any(i < 0 for i in indices) or (not choice.repeats and len(set(indices)) < len(indices)):
        return _REFUSED
    if not choice.ordered:
        indices.sort()
    return (True, tuple(choice.options[i] for i in indices))


def _index(options: tuple[Pick, ...], value: object) -> int:
    """The place of a wire value among the options, or -1. True is not 1."""
    kind = type(value)
    for place, each in enumerate(options):
        own = each.value if isinstance(each, Enum) else each
        if type(own) is kind and own == value:
            return place
    return -1


def _fillings(each: Offer, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Like `itertools.product`, which would first list all values of every field."""
    if not names:
        yield {}
        return
    for value in _values(each, names[0]):
        for rest in _fillings(each, names[1:]):
            yield {names[0]: value, **rest}


def _values(each: Offer, name: str) -> Iterator[Any]:
    field = each.fields[name]
    if isinstance(field, Number):
        return iter(range(field.low, field.high + 1))
    assert isinstance(field, Choice)
    if name not in tuple_fields(each.move):
        none: tuple[Any, ...] = (None,) if field.least == 0 else ()
        return chain(none, field.options if field.most else ())
    return chain.from_iterable(_picks(field, k) for k in range(field.least, field.most + 1))


def _picks(choice: Choice, k: int) -> Iterator[tuple[Pick, ...]]:
    if choice.ordered:
        if choice.repeats:
            return product(choice.options, repeat=k)
        return permutations(choice.options, k)
    if choice.repeats:
        return combinations_with_replacement(choice.options, k)
    return combinations(choice.options, k)


def _count(each: Offer) -> int:
    lists = tuple_fields(each.move)
    return prod(filling_count(field, name in lists) for name, field in each.fields.items())


def filling_count(field: Field, as_list: bool) -> int:
    """How many values a field can take; a text counts as one."""
    if isinstance(field, Number):
        return max(0, field.high - field.low + 1)
    if isinstance(field, Text):
        return 1
    if not as_list:
        return (len(field.options) if field.most else 0) + (field.least == 0)
    return sum(_picks_count(field, k) for k in range(field.least, field.most + 1))


def _picks_count(choice: Choice, k: int) -> int:
    n = len(choice.options)
    if choice.ordered:
        return n**k if choice.repeats else perm(n, k)
    if choice.repeats:
        return comb(n + k - 1, k) if n else int(k == 0)
    return comb(n, k)


def sampled(field: Field, as_list: bool, rng: Random) -> Any:
    """A uniformly random value of a field."""
    match field:
        case Text(most=most):
            return "".join(rng.choices("abcdefghij", k=rng.randint(1, min(most, 12))))
        case Number(low=low, high=high):
            return rng.randint(low, high)
    if not as_list:
        options = (*((None,) if field.least == 0 else ()), *(field.options if field.most else ()))
        return rng.choice(options)
    sizes = range(field.least, field.most + 1)
    k = sizes[weighted([_picks_count(field, k) for k in sizes], rng)]
    return _sampled_picks(field, k, rng)


def weighted(weights: Sequence[int], rng: Random) -> int:
    """A place by weight, in whole numbers: 200! moves do not fit into a float."""
    if len(weights) == 1 and weights[0]:
        return 0
    left = rng.randrange(sum(weights))
    for place, weight in enumerate(weights):
        left -= weight
        if left < 0:
            return place
    raise AssertionError(weights)


def _sampled_picks(choice: Choice, k: int, rng: Random) -> tuple[Pick, ...]:
    n = len(choice.options)
    if choice.repeats and choice.ordered:
        places = rng.choices(range(n), k=k)
    elif choice.repeats:
        # Stars and bars: a k-subset of n+k-1 places is a multiset of n kinds.
        places = [place - i for i, place in enumerate(sorted(rng.sample(range(n + k - 1), k)))]
    else:
        places = rng.sample(range(n), k)
    return tuple(choice.options[i] for i in (places if choice.ordered else sorted(places)))


def _wire_field(field: Field) -> Wire:
    match field:
        case Text(most=most):
            return {"text": {"most": most}}
        case Number(low=low, high=high):
            return {"low": low, "high": high}
        case Choice():
            return {
                "options": [wire_pick(pick) for pick in field.options],
                "least": field.least,
                "most": field.most,
                "ordered": field.ordered,
                "repeats": field.repeats,
            }
