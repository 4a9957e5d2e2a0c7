"""The rows of `star_realms.json`: cards, gambits, boss tables and scenarios as printed."""

from enum import StrEnum
from typing import Final, Literal

import msgspec

from games.star_realms.effects import (
    BossEffect,
    CardEffect,
    Faction,
    PayXPickGambit,
    Static,
    Trigger,
)

FILE: Final = "star_realms.json"
VERSION: Final = 1
ROW: Final = 5
GAMBITS: Final = 13
MOST_SEATS: Final = 6
MOST_DECKS: Final = 3
CORE_BY_FACTION: Final = 20
CRUISERS: Final = 3

FACTIONS: Final = tuple(each for each in Faction if each is not Faction.UNALIGNED)


class DataRefused(ValueError):
    """A card file that cannot be played with; the text names the file, the place, the reason."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{FILE}: {place}: {reason}" if place else f"{FILE}: {reason}")


class Kind(StrEnum):
    SHIP = "ship"
    BASE = "base"


class Card(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of the file; `count` is per trade deck, of the starting cards per seat."""

    id: str
    name: str
    set: Literal["starter", "explorer", "core", "gambit"]
    faction: Faction
    type: Kind
    cost: int
    count: int
    primary: tuple[CardEffect, ...]
    ally: tuple[CardEffect, ...]
    scrap: tuple[CardEffect, ...]
    reconstructed: bool
    defense: int = 0
    outpost: bool = False
    static: tuple[Static, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    note: str = ""
    print_2013: str = ""
    seed_name: str = ""


class Gambit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    name: str
    count: int
    scrap: tuple[CardEffect, ...]
    reconstructed: bool
    static: tuple[Static, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    note: str = ""
    official_name: str = ""
    seed_name_ru: str = ""

    @property
    def is_paid_for(self) -> bool:
        """Used by paying for it. Rules: SR-77."""
        return bool(self.scrap) and isinstance(self.scrap[0], PayXPickGambit)


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    effects: tuple[BossEffect, ...]
    reconstructed: bool
    source: str = ""


BossName = Literal["beast", "pirates"]


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    players: tuple[int, int]
    boss: BossName
    player_authority: int
    authority_shared: bool
    boss_authority_base: int
    boss_authority_per_player: int
    starting_hand: int
    table: BossName
    facedown_start_per_player: int = 0
    official_name: str = ""


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Faction
    name: str


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    slug: str
    data_version: int
    card_text_edition: str
    factions: tuple[Named, ...]
    effect_vocabulary: dict[str, str]
    statics: dict[str, str]
    triggers: dict[str, str]
    starting_deck: dict[str, int]
    trade_row_size: int
    basic_cards: tuple[Card, ...]
    trade_cards: tuple[Card, ...]
    gambits: tuple[Gambit, ...]
    boss_tables: dict[BossName, dict[Faction, Line]]
    scenarios: dict[str, Scenario]
    sources: tuple[dict[str, str], ...] = ()
