"""The moves: four draws and what a seat may be asked for.

Nearly all disclose: what follows of itself ends in drawn cards, which are found in the view.
"""

from typing import TypeAlias

from games.ave_cesar.characters import Character
from games.core import moves
from games.core.game import Seat


class DrawCharacters(moves.Move, frozen=True):
    """The i-th character goes to seat i."""

    characters: tuple[Character, ...]


class ShuffleDeck(moves.Move, frozen=True):
    """The deck, top first."""

    discloses = True
    cards: tuple[str, ...]


class ShuffleCharacters(moves.Move, frozen=True):
    """The first ones are set aside."""

    discloses = True
    characters: tuple[Character, ...]


class Reshuffle(moves.Move, frozen=True):
    """The discard pile as the new deck, top first."""

    discloses = True
    cards: tuple[str, ...]


class Keep(moves.Move, frozen=True):
    cards: tuple[str, ...]


class Pick(moves.Move, frozen=True):
    discloses = True  # The next seat sees what is left.
    character: Character


class DiscardCharacter(moves.Move, frozen=True):
    discloses = True
    character: Character


class AnnounceVictim(moves.Move, frozen=True):
    discloses = True
    character: Character


class PlayNormally(moves.Move, frozen=True):
    discloses = True


class AnnounceTarget(moves.Move, frozen=True):
    discloses = True
    character: Character


class NoTarget(moves.Move, frozen=True):
    discloses = True


class Steal(moves.Move, frozen=True):
    discloses = True
    cards: tuple[str, ...]


class Leave(moves.Move, frozen=True):
    discloses = True


class TokenDraw(moves.Move, frozen=True):
    discloses = True


class TokenSkip(moves.Move, frozen=True):
    discloses = True


class Build(moves.Move, frozen=True):
    discloses = True
    card: str


class Pay(moves.Move, frozen=True):
    discloses = True
    cards: tuple[str, ...]


class Appoint(moves.Move, frozen=True):
    discloses = True
    seat: Seat


class Give(moves.Move, frozen=True):
    discloses = True
    card: str


class Claim(moves.Move, frozen=True):
    discloses = True


class Survey(moves.Move, frozen=True):
    discloses = True


class KeepLooked(moves.Move, frozen=True):
    discloses = True
    cards: tuple[str, ...]


class March(moves.Move, frozen=True):
    discloses = True


class Take(moves.Move, frozen=True):
    discloses = True
    card: str


class Address(moves.Move, frozen=True):
    discloses = True


class Sow(moves.Move, frozen=True):
    discloses = True


class EndPhase(moves.Move, frozen=True):
    discloses = True


class Demand(moves.Move, frozen=True):
    discloses = True
    seat: Seat


Action: TypeAlias = Build | Appoint | Claim | Survey | March | Address | Sow | EndPhase
Answer: TypeAlias = (
    AnnounceVictim
    | PlayNormally
    | AnnounceTarget
    | NoTarget
    | Steal
    | Leave
    | TokenDraw
    | TokenSkip
    | Pay
    | Give
    | KeepLooked
    | Take
    | Demand
)
SetUp: TypeAlias = DrawCharacters | ShuffleDeck | Keep
Draft: TypeAlias = ShuffleCharacters | Pick | DiscardCharacter
Act: TypeAlias = Reshuffle | Answer | Action
Move: TypeAlias = SetUp | Draft | Act
