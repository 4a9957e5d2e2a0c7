"""The steps a turn consists of. The agenda of a state lists those still owed, the first on top.

Any step may wait: for a decision, or for a reshuffle when a card is needed and the deck is empty.
"""

from typing import Literal, TypeAlias

from games.ave_cesar.characters import Character
from games.ave_cesar.effects import BuiltEffect, Step
from games.core.game import Seat


class Theft(Step, frozen=True):
    """The Spy may rob the seat. Rules: AV-81."""

    victim: Seat


class Plot(Step, frozen=True):
    """The Assassin names a victim or plays normally. Rules: AV-70."""


class TurnOf(Step, frozen=True):
    """A turn begins. Rules: AV-44."""

    actor: Seat
    ability: Character | None


class Espionage(Step, frozen=True):
    """The actor may name a target. Rules: AV-80."""


class TokenChoice(Step, frozen=True):
    """The actor may draw a card if it has the token. Rules: AV-101."""


class Harvest(Step, frozen=True):
    """Rules: AV-46."""


class Actions(Step, frozen=True):
    """The actor builds and uses its ability until it has done all or ends. Rules: AV-47, AV-51."""


class Payment(Step, frozen=True):
    """The building in progress is paid and placed. Rules: AV-61."""


class Sowing(Step, frozen=True):
    """`count` more cards go on the building at `place` of the actor's city. Rules: AV-140."""

    place: int
    count: int


class Gift(Step, frozen=True):
    """The giver gives the actor a card. Rules: AV-92."""

    giver: Seat
    kind: Literal["gift", "demand_give"]


class Raid(Step, frozen=True):
    """The actor may take a card of the victim's hand. Rules: AV-121."""

    victim: Seat


AnyStep: TypeAlias = (
    BuiltEffect
    | Theft
    | Plot
    | TurnOf
    | Espionage
    | TokenChoice
    | Harvest
    | Actions
    | Payment
    | Sowing
    | Gift
    | Raid
)
