"""The moves: draws, what is done in a main phase, and the answers to questions."""

from typing import Literal, TypeAlias

from games.core import moves
from games.star_realms.effects import Faction

BOSS: Literal["boss"] = "boss"
EXPLORER: Literal["explorer"] = "explorer"


class ShuffleTradeDeck(moves.Move, frozen=True):
    discloses = True  # The row is turned up.
    order: tuple[str, ...]


class FirstPlayer(moves.Move, frozen=True):
    seat: int


class ShuffleGambits(moves.Move, frozen=True):
    discloses = True  # They are dealt.
    order: tuple[str, ...]


class ShuffleDeck(moves.Move, frozen=True):
    discloses = True  # With the last one the starting hands are drawn.
    order: tuple[str, ...]


class ShuffleDiscard(moves.Move, frozen=True):
    discloses = True  # Somebody is drawing.
    order: tuple[str, ...]


class ShuffleUnclaimed(moves.Move, frozen=True):
    discloses = True  # Its seat looks at the first ones.
    order: tuple[str, ...]


class RandomHandCard(moves.Move, frozen=True):
    discloses = True  # The boss attacks, and the next turn begins.
    card: str


class RevealOpening(moves.Move, frozen=True):
    gambits: tuple[str, ...]


class PlayCard(moves.Move, frozen=True):
    discloses = True
    card: str


class UseAbility(moves.Move, frozen=True):
    """`card/primary`, `card/ally` or `card/scrap`."""

    discloses = True
    ability: str


class Acquire(moves.Move, frozen=True):
    """A card of the row, or `explorer`."""

    discloses = True  # The next card is turned up.
    card: str


class Attack(moves.Move, frozen=True):
    """An opponent by seat, or `boss`."""

    target: int | Literal["boss"]
    amount: int


class AttackBase(moves.Move, frozen=True):
    base: str


class RevealGambit(moves.Move, frozen=True):
    discloses = True
    gambit: str


class UseGambit(moves.Move, frozen=True):
    discloses = True
    gambit: str


class PayForGambit(moves.Move, frozen=True):
    gambit: str
    x: int


class EndTurn(moves.Move, frozen=True):
    discloses = True


class ChooseOption(moves.Move, frozen=True):
    """The op of the first effect of an option."""

    discloses = True
    option: str


class ChooseOpponent(moves.Move, frozen=True):
    discloses = True  # A hand that is small enough goes whole.
    seat: int


class Discard(moves.Move, frozen=True):
    discloses = True
    cards: tuple[str, ...]


class Scrap(moves.Move, frozen=True):
    discloses = True
    cards: tuple[str, ...]


class DestroyBase(moves.Move, frozen=True):
    """None: no base."""

    discloses = True
    base: str | None


class AcquireFree(moves.Move, frozen=True):
    """A card of the row, or `explorer`."""

    discloses = True
    card: str


class ToDeckTop(moves.Move, frozen=True):
    accept: Literal["no", "yes"]


class CopyShip(moves.Move, frozen=True):
    discloses = True
    card: str


class ChooseFaction(moves.Move, frozen=True):
    discloses = True  # A boss goes on.
    faction: Faction


class PutOnTop(moves.Move, frozen=True):
    discloses = True
    card: str


class KeepGambit(moves.Move, frozen=True):
    gambit: str


class LoseBase(moves.Move, frozen=True):
    discloses = True  # A boss goes on.
    base: str


Move: TypeAlias = (
    ShuffleTradeDeck
    | FirstPlayer
    | ShuffleGambits
    | ShuffleDeck
    | ShuffleDiscard
    | ShuffleUnclaimed
    | RandomHandCard
    | RevealOpening
    | PlayCard
    | UseAbility
    | Acquire
    | Attack
    | AttackBase
    | RevealGambit
    | UseGambit
    | PayForGambit
    | EndTurn
    | ChooseOption
    | ChooseOpponent
    | Discard
    | Scrap
    | DestroyBase
    | AcquireFree
    | ToDeckTop
    | CopyShip
    | ChooseFaction
    | PutOnTop
    | KeepGambit
    | LoseBase
)
