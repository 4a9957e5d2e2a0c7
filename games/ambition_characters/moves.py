"""The moves of the seats, the draws of the dealer, and their union."""

from typing import TypeAlias

from games.ambition_characters.characters import Character, PartName
from games.core.moves import Move as CoreMove


class Recruit(CoreMove, frozen=True):
    discloses = True  # The card drawn is found in the view, AC-19.


class NoRecruit(CoreMove, frozen=True):
    shows = False


class PassCard(CoreMove, frozen=True):
    card: Character


class ChooseLive(CoreMove, frozen=True):
    card: Character


class Block(CoreMove, frozen=True):
    shows = False
    character: Character


class Decline(CoreMove, frozen=True):
    """The live card stays face down, whatever it is."""

    shows = False


class Activate(CoreMove, frozen=True):
    """`power` is the live card's own character or its ally; `skip` are parts left out."""

    discloses = True  # The live card turns up, and a card may be drawn.
    power: Character
    skip: tuple[PartName, ...]


class NameVictim(CoreMove, frozen=True):
    discloses = True  # Who held the card, and whether anybody did.
    character: Character


class NameBlock(CoreMove, frozen=True):
    shows = False
    character: Character


class Keep(CoreMove, frozen=True):
    card: Character


class Steal(CoreMove, frozen=True):
    """The field is called `from`, a keyword; read it as `victim`."""

    shows = False
    __annotations__ = {"from": int}

    @property
    def victim(self) -> int:
        seat: int = getattr(self, "from")
        return seat


class BreakAlliance(CoreMove, frozen=True):
    shows = False
    alliance: str  # "A+B", in alphabetical order


class Ally(CoreMove, frozen=True):
    shows = False
    characters: tuple[Character, ...]


class Gift(CoreMove, frozen=True):
    shows = False
    to: int


class Accept(CoreMove, frozen=True):
    shows = False


class Refuse(CoreMove, frozen=True):
    shows = False


class Curse(CoreMove, frozen=True):
    shows = False
    target: int


class ReplaceLive(CoreMove, frozen=True):
    card: Character


class Silence(CoreMove, frozen=True):
    shows = False
    target: int


class Speak(CoreMove, frozen=True):
    text: str


class FirstSeat(CoreMove, frozen=True):
    seat: int


class Deal(CoreMove, frozen=True):
    """Cards set aside, then two for each seat clockwise from the first, then the deck."""

    order: tuple[Character, ...]


class StandIn(CoreMove, frozen=True):
    order: tuple[Character, ...]


class Swap(CoreMove, frozen=True):
    """The new order of the deck after an Actor's swap."""

    order: tuple[Character, ...]


class Redeal(CoreMove, frozen=True):
    """The gathered cards, one by one from the left neighbour of the Madman's seat."""

    order: tuple[Character, ...]


Move: TypeAlias = (
    Recruit
    | NoRecruit
    | PassCard
    | ChooseLive
    | Block
    | Decline
    | Activate
    | NameVictim
    | NameBlock
    | Keep
    | Steal
    | BreakAlliance
    | Ally
    | Gift
    | Accept
    | Refuse
    | Curse
    | ReplaceLive
    | Silence
    | Speak
    | FirstSeat
    | Deal
    | StandIn
    | Swap
    | Redeal
)
