"""What a building may do: the vocabulary of deck files. `performing.py` is its one interpreter.

Effects "when built" are steps of the agenda as they stand; `Discount` is looked up instead.
"""

from enum import StrEnum
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from games.core.moves import snake

Count: TypeAlias = Annotated[int, Meta(ge=1, le=20)]


class Symbol(StrEnum):
    MIGHT = "might"
    INFLUENCE = "influence"
    SOWING = "sowing"
    BUILDINGS = "buildings"  # their number


class Step(msgspec.Struct, frozen=True, tag=snake, tag_field="type", forbid_unknown_fields=True):
    """Something that happens of itself, or is asked, before the turn goes on."""


class Discount(Step, frozen=True):
    """While the building stands, each target costs its owner `amount` less. Rules: AV-66."""

    targets: tuple[str, ...]
    amount: Count


class Draw(Step, frozen=True):
    """The actor draws `count` cards."""

    count: Count


class Points(Step, frozen=True):
    """The actor earns `count` points."""

    count: Count


class PointsPer(Step, frozen=True):
    """The actor earns `amount` for every `per` symbols of its city, at most `max`."""

    symbol: Symbol
    per: Count
    amount: Count
    max: Count


class Peek(Step, frozen=True):
    """The actor looks at the top `look` cards, keeps `keep` of them and discards the rest."""

    look: Count
    keep: Count


class Demand(Step, frozen=True):
    """`count` times a neighbour of the actor's choice gives it a card of the neighbour's choice."""

    count: Count


class TakeToken(Step, frozen=True):
    """The actor takes the Procurator token."""


class SowSelf(Step, frozen=True):
    """The building just built is sown."""


BuiltEffect: TypeAlias = Draw | Points | PointsPer | Peek | Demand | TakeToken | SowSelf
Effect: TypeAlias = Discount | BuiltEffect
