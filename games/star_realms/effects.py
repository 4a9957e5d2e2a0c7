"""What abilities do, as data: the vocabulary of the card file, and the steps of the rules.

An effect is a row of the file; what it does is found by its type in `resolving`. The steps at the
end have no place in the file: they are what an effect or the course of play still has to do.
"""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from games.core.moves import snake

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


class Faction(StrEnum):
    BLOB = "blob"
    MACHINE_CULT = "machine_cult"
    STAR_EMPIRE = "star_empire"
    TRADE_FEDERATION = "trade_federation"
    UNALIGNED = "unaligned"  # no faction


class Zone(StrEnum):
    HAND = "hand"
    DISCARD = "discard"
    TRADE_ROW = "trade_row"


class Measure(StrEnum):
    """What a boss multiplies."""

    CARD_COST = "card_cost"
    HIGHEST_COST_IN_ROW = "highest_cost_in_row"


class Effect(msgspec.Struct, frozen=True, tag=snake, tag_field="op", forbid_unknown_fields=True):
    """Base of all effects and steps; `op` says which."""


class Trade(Effect, frozen=True):
    n: Count


class Combat(Effect, frozen=True):
    n: Count


class Authority(Effect, frozen=True):
    n: Count


class Draw(Effect, frozen=True):
    n: Count


class OpponentDiscard(Effect, frozen=True):
    n: Count


class Scrap(Effect, frozen=True):
    min: Literal[0, 1]
    max: Count
    zones: tuple[Zone, ...] = msgspec.field(name="from")


class DestroyBase(Effect, frozen=True):
    optional: bool


class AcquireFree(Effect, frozen=True):
    what: Literal["ship", "any"]
    max_cost: int | None
    to: Literal["deck_top", "discard"]


class NextShipToDeckTop(Effect, frozen=True):
    optional: bool


class ChooseOne(Effect, frozen=True):
    options: tuple[tuple["CardEffect", ...], ...]


class Condition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    bases_in_play_at_least: Count


class If(Effect, frozen=True):
    cond: Condition
    then: tuple["CardEffect", ...]


class DrawPerCardPlayed(Effect, frozen=True):
    faction: Faction


class DiscardThenDraw(Effect, frozen=True):
    max: Count


class ScrapThenDraw(Effect, frozen=True):
    max: Count
    zones: tuple[Zone, ...] = msgspec.field(name="from")


class CopyShip(Effect, frozen=True):
    pass


class ChooseFaction(Effect, frozen=True):
    pass


class DiscardToDeckTop(Effect, frozen=True):
    n: Count


class PayXPickGambit(Effect, frozen=True, tag="pay_x_pick_gambit"):
    pass


class EachPlayerDiscards(Effect, frozen=True):
    n: Count


class PerPlayerDestroyBaseOrBossCombat(Effect, frozen=True):
    combat: Count


class EachPlayerRandomHandCardToDeckTop(Effect, frozen=True):
    n: Literal[1]  # the label of the draw names the turn and the seat


class BossAuthorityPerPlayer(Effect, frozen=True):
    n: Count


class BossAuthority(Effect, frozen=True):
    times: Count
    of: Measure


class AttackTarget(Effect, frozen=True):
    times: Count
    of: Measure


class TargetDiscards(Effect, frozen=True):
    n: Count


CardEffect: TypeAlias = (
    Trade
    | Combat
    | Authority
    | Draw
    | OpponentDiscard
    | Scrap
    | DestroyBase
    | AcquireFree
    | NextShipToDeckTop
    | ChooseOne
    | If
    | DrawPerCardPlayed
    | DiscardThenDraw
    | ScrapThenDraw
    | CopyShip
    | ChooseFaction
    | DiscardToDeckTop
    | PayXPickGambit
)

BossEffect: TypeAlias = (
    EachPlayerDiscards
    | PerPlayerDestroyBaseOrBossCombat
    | EachPlayerRandomHandCardToDeckTop
    | BossAuthorityPerPlayer
    | BossAuthority
    | AttackTarget
    | TargetDiscards
)


class Static(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ALLY_FOR_ALL: ClassVar[str] = "ally_for_all_factions"
    ATTACK_MINUS: ClassVar[str] = "attack_on_you_minus"
    op: Literal["ally_for_all_factions", "attack_on_you_minus"]
    n: int = 0


class Trigger(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    PLAY_SHIP: ClassVar[str] = "you_play_ship"
    OWN_TURN: ClassVar[str] = "each_own_turn_once"
    on: Literal["you_play_ship", "each_own_turn_once"]
    do: tuple[CardEffect, ...]


# The steps of setting up.


class ShuffleTrade(Effect, frozen=True):
    pass


class FindFirstPlayer(Effect, frozen=True):
    pass


class ShuffleAllGambits(Effect, frozen=True):
    pass


class ShuffleStart(Effect, frozen=True):
    """The ten cards of the seat."""


class DrawStartingHands(Effect, frozen=True):
    pass


class OpeningReveal(Effect, frozen=True):
    pass


# The steps of effects under way.


class Reshuffle(Effect, frozen=True):
    """The discard pile of the seat becomes its deck."""


class ChooseVictim(Effect, frozen=True):
    """The opponent who discards `n` cards."""

    n: int


class MustDiscard(Effect, frozen=True):
    n: int


class TargetBase(Effect, frozen=True):
    """A base of an opponent is destroyed."""

    optional: bool


class OfferDeckTop(Effect, frozen=True):
    """Whether the ship just acquired to the discard pile goes on top of the deck."""


class ShuffleUnclaimed(Effect, frozen=True):
    x: int


class PickGambit(Effect, frozen=True):
    x: int


# The steps of turns.


class NextTurn(Effect, frozen=True):
    pass


class BossTurn(Effect, frozen=True):
    pass


class Omen(Effect, frozen=True):
    """The line of the boss table for the card; a card without faction gets one first."""


class OmenFaction(Effect, frozen=True):
    """The players choose the faction of a revealed card; `target` is the seat it is for."""

    target: int


class AllDiscard(Effect, frozen=True):
    """All living players with more than `n` cards choose which to discard, at the same time."""

    n: int


class BaseOrBossCombat(Effect, frozen=True):
    combat: int


class TopRandomCard(Effect, frozen=True):
    """A random card of the seat's hand goes on top of its deck."""


class BossAttack(Effect, frozen=True):
    pass


class LoseBase(Effect, frozen=True):
    """The best targetable base with a defense of `most` at most is destroyed.

    `pays`: out of the boss's combat.
    """

    most: int | None
    pays: bool


StepEffect: TypeAlias = (
    ShuffleTrade
    | FindFirstPlayer
    | ShuffleAllGambits
    | ShuffleStart
    | DrawStartingHands
    | OpeningReveal
    | Reshuffle
    | ChooseVictim
    | MustDiscard
    | TargetBase
    | OfferDeckTop
    | ShuffleUnclaimed
    | PickGambit
    | NextTurn
    | BossTurn
    | Omen
    | OmenFaction
    | AllDiscard
    | BaseOrBossCombat
    | TopRandomCard
    | BossAttack
    | LoseBase
)

AnyEffect: TypeAlias = CardEffect | BossEffect | StepEffect
