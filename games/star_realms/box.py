"""What is in the box: cards, gambits and boss tables read from `star_realms.json`, checked on load.

A copy of a card or gambit is named `id#k`; k counts from 1 through all copies in a match.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from games.star_realms.checking import check
from games.star_realms.effects import BossEffect, Faction
from games.star_realms.rows import (
    MOST_DECKS,
    MOST_SEATS,
    Card,
    DataRefused,
    File,
    Gambit,
    Line,
    Scenario,
)


@dataclass(frozen=True)
class Box:
    """Cards and gambits by id (`kinds`) and by copy (`of`, `gambit_of`).

    `rank` orders copies by kind as in the file, then by number. `reconstructed` are the boss tables
    with a face that is no printed one, and "" if there is such a card or gambit.
    """

    kinds: Mapping[str, Card]
    gambit_kinds: Mapping[str, Gambit]
    of: Mapping[str, Card]
    gambit_of: Mapping[str, Gambit]
    rank: Mapping[str, int]
    starting_deck: Mapping[str, int]
    factions: tuple[Faction, ...]
    tables: Mapping[str, Mapping[Faction, tuple[BossEffect, ...]]]
    scenarios: Mapping[str, Scenario]
    reconstructed: frozenset[str]

    def sorted(self, copies: Iterable[str]) -> tuple[str, ...]:
        """By kind, then by number."""
        return tuple(sorted(copies, key=self.rank.__getitem__))

    def trade_deck(self, decks: int, with_cruisers: bool) -> tuple[str, ...]:
        """Rules: SR-03."""
        found: list[str] = []
        for card in self.kinds.values():
            if card.set == "core":
                found += copies_of(card.id, card.count * decks)
            elif card.set == "gambit" and with_cruisers:
                found += copies_of(card.id, card.count)
        return tuple(found)

    def explorers(self, decks: int) -> tuple[str, ...]:
        """Rules: SR-05."""
        return tuple(
            copy
            for card in self.kinds.values()
            if card.set == "explorer"
            for copy in copies_of(card.id, card.count * decks)
        )

    def start_of(self, seat: int) -> tuple[str, ...]:
        """The ten cards of a seat. Rules: SR-02."""
        return tuple(
            f"{kind}#{count * seat + place}"
            for kind, count in self.starting_deck.items()
            for place in range(1, count + 1)
        )

    def all_gambits(self) -> tuple[str, ...]:
        return tuple(self.gambit_of)


def copies_of(kind: str, count: int) -> tuple[str, ...]:
    return tuple(f"{kind}#{number}" for number in range(1, count + 1))


def load(tables: bytes) -> Box:
    """Raises: DataRefused."""
    try:
        file = msgspec.json.decode(tables, type=File)
    except msgspec.MsgspecError as fault:
        raise DataRefused("", str(fault)) from fault
    check(file)
    return _box(file)


def _box(file: File) -> Box:
    cards = (*file.basic_cards, *file.trade_cards)
    of = {copy: card for card in cards for copy in copies_of(card.id, _most(card))}
    gambit_of = {copy: each for each in file.gambits for copy in copies_of(each.id, each.count)}
    return Box(
        kinds={card.id: card for card in cards},
        gambit_kinds={each.id: each for each in file.gambits},
        of=of,
        gambit_of=gambit_of,
        rank={copy: place for place, copy in enumerate((*of, *gambit_of))},
        starting_deck=file.starting_deck,
        factions=tuple(each.id for each in file.factions),
        tables={
            name: {faction: line.effects for faction, line in table.items()}
            for name, table in file.boss_tables.items()
        },
        scenarios=file.scenarios,
        reconstructed=_reconstructed(file),
    )


def _most(card: Card) -> int:
    """Copies in the largest match."""
    return card.count * (MOST_SEATS if card.set == "starter" else MOST_DECKS)


def _reconstructed(file: File) -> frozenset[str]:
    faces: dict[str, Iterable[Card | Gambit | Line]] = {
        "": (*file.basic_cards, *file.trade_cards, *file.gambits)
    }
    faces |= {name: table.values() for name, table in file.boss_tables.items()}
    return frozenset(name for name, each in faces.items() if any(x.reconstructed for x in each))
