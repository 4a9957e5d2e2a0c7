"""What is in the box: cards, gambits and boss tables read from `star_realms.json`, checked on load.

A copy of a card or gambit is named `id#k`; k counts from 1 through all copies in a match.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal

import msgspec

from games.star_realms.effects import (
    BossEffect,
    CardEffect,
    ChooseOne,
    Faction,
    If,
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


class _Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Faction
    name: str


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    slug: str
    data_version: int
    card_text_edition: str
    factions: tuple[_Named, ...]
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


@dataclass(frozen=True)
class Box:
    """Cards and gambits by id (`kinds`) and by copy (`of`, `gambit_of`).

    `rank` orders copies by kind as in the file, then by number.
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
        file = msgspec.json.decode(tables, type=_File)
    except msgspec.MsgspecError as fault:
        raise DataRefused("", str(fault)) from fault
    _check(file)
    return _box(file)


def _box(file: _File) -> Box:
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
    )


def _most(card: Card) -> int:
    """Copies in the largest match."""
    return card.count * (MOST_SEATS if card.set == "starter" else MOST_DECKS)


def _check(file: _File) -> None:
    _expect(file.slug == "star_realms", "slug", f"is {file.slug!r}, not 'star_realms'")
    version = file.data_version
    _expect(version == VERSION, "data_version", f"is {version}, this game reads {VERSION}")
    _expect(
        tuple(sorted(each.id for each in file.factions)) == tuple(sorted(FACTIONS)),
        "factions",
        f"are not {', '.join(FACTIONS)}",
    )
    _expect(file.trade_row_size == ROW, "trade_row_size", f"is {file.trade_row_size}, not {ROW}")
    _check_ids(file)
    for where, cards in (("basic_cards", file.basic_cards), ("trade_cards", file.trade_cards)):
        for place, card in enumerate(cards):
            _check_card(f"{where}[{place}] ({card.id})", card, where)
    _check_counts(file)
    _check_words(file)
    _check_bosses(file)


def _check_ids(file: _File) -> None:
    cards = (*file.basic_cards, *file.trade_cards)
    ids = [*(card.id for card in cards), *(each.id for each in file.gambits)]
    for kind, times in Counter(ids).items():
        _expect(times == 1, "cards and gambits", f"the id {kind!r} is there {times} times")
        _expect("#" not in kind and "/" not in kind, kind, "an id has neither # nor /")


def _check_card(place: str, card: Card, where: str) -> None:
    allowed = ("starter", "explorer") if where == "basic_cards" else ("core", "gambit")
    _expect(card.set in allowed, place, f"set is {card.set!r}, not {' or '.join(allowed)}")
    _expect(card.count >= 1, place, f"count is {card.count}, at least one is needed")
    _expect(card.cost >= (0 if card.set == "starter" else 1), place, f"cost is {card.cost}")
    if card.type is Kind.BASE:
        _expect(card.defense >= 1, place, f"a base has a defense, this one {card.defense}")
    else:
        _expect(not card.defense and not card.outpost, place, "a ship has no defense")
        _expect(not card.static and not card.triggers, place, "a ship has no lasting effects")
    _expect(
        not card.ally or card.faction is not Faction.UNALIGNED,
        place,
        "an ally ability needs the icon of a faction, and this card has none",
    )
    _check_abilities(place, (*card.primary, *card.ally, *card.scrap))


def _check_abilities(place: str, effects: Iterable[CardEffect]) -> None:
    for effect in _within(effects):
        if isinstance(effect, ChooseOne):
            firsts = [option[0] if option else None for option in effect.options]
            names = [_op(first) for first in firsts if first is not None]
            is_clear = len(set(names)) == len(effect.options) >= 2
            _expect(is_clear, place, "the options of choose_one are told apart by their first op")
        _expect(
            not isinstance(effect, PayXPickGambit), place, "pay_x_pick_gambit is for gambits alone"
        )


def _check_counts(file: _File) -> None:
    core = [card for card in file.trade_cards if card.set == "core"]
    for faction in FACTIONS:
        found = sum(card.count for card in core if card.faction is faction)
        _expect(
            found == CORE_BY_FACTION,
            "trade_cards",
            f"{found} core cards of {faction}, not {CORE_BY_FACTION}",
        )
    strays = [card.id for card in core if card.faction is Faction.UNALIGNED]
    _expect(not strays, "trade_cards", f"core cards without a faction: {', '.join(strays)}")
    cruisers = sum(card.count for card in file.trade_cards if card.set == "gambit")
    _expect(cruisers == CRUISERS, "trade_cards", f"{cruisers} cards of set gambit, not {CRUISERS}")
    gambits = sum(each.count for each in file.gambits)
    _expect(gambits == GAMBITS, "gambits", f"{gambits} gambits, not {GAMBITS}")
    for each in file.gambits:
        is_alone = not each.is_paid_for or len(each.scrap) == 1
        _expect(is_alone, f"gambits ({each.id})", "pay_x_pick_gambit stands alone")
        nested = (*each.scrap[1:], *(effect for t in each.triggers for effect in t.do))
        _check_abilities(f"gambits ({each.id})", nested)
    paid = sum(each.is_paid_for * each.count for each in file.gambits)
    _expect(paid <= 1, "gambits", "more than one copy is paid for, and its draw has one label")
    starters = {card.id: card.count for card in file.basic_cards if card.set == "starter"}
    _expect(
        file.starting_deck == starters,
        "starting_deck",
        f"is {file.starting_deck}, the basic cards say {starters}",
    )
    explorers = sum(card.set == "explorer" for card in file.basic_cards)
    _expect(explorers == 1, "basic_cards", f"{explorers} kinds of explorers, not one")


def _check_words(file: _File) -> None:
    """Every op in use is explained in the file, so that its vocabulary stays whole."""
    cards = (*file.basic_cards, *file.trade_cards)
    effects: list[Any] = [e for card in cards for e in (*card.primary, *card.ally, *card.scrap)]
    effects += [effect for gambit in file.gambits for effect in gambit.scrap]
    triggers = [each for card in cards for each in card.triggers]
    triggers += [each for gambit in file.gambits for each in gambit.triggers]
    statics = [each for card in cards for each in card.static]
    statics += [each for gambit in file.gambits for each in gambit.static]
    effects += [effect for trigger in triggers for effect in trigger.do]
    effects = list(_within(effects))
    for table in file.boss_tables.values():
        effects += [effect for line in table.values() for effect in line.effects]
    for words, name, used in (
        (file.effect_vocabulary, "effect_vocabulary", [_op(effect) for effect in effects]),
        (file.triggers, "triggers", [trigger.on for trigger in triggers]),
        (file.statics, "statics", [static.op for static in statics]),
    ):
        for word in sorted(set(used)):
            _expect(word in words, name, f"{word!r} is not explained")


def _check_bosses(file: _File) -> None:
    for boss in ("beast", "pirates"):
        table = file.boss_tables.get(boss, {})
        missing = [faction for faction in FACTIONS if faction not in table]
        _expect(not missing, f"boss_tables.{boss}", f"no line for {', '.join(missing)}")
    for name in ("beast_solo", "beast_coop", "pirates_solo", "pirates_coop"):
        _expect(name in file.scenarios, "scenarios", f"{name} is missing")
        scenario = file.scenarios[name]
        _expect(
            name.startswith(scenario.boss)
            and scenario.authority_shared == (scenario.boss == "beast"),
            f"scenarios.{name}",
            "its boss is another, or authority is not shared as its rules say",
        )
        fewest, most = scenario.players
        _expect(1 <= fewest <= most <= MOST_SEATS, f"scenarios.{name}", "players are out of range")


def _within(effects: Iterable[CardEffect]) -> Iterator[CardEffect]:
    """The effects, and those inside them."""
    for effect in effects:
        yield effect
        if isinstance(effect, ChooseOne):
            for option in effect.options:
                yield from _within(option)
        elif isinstance(effect, If):
            yield from _within(effect.then)


def _op(effect: Any) -> str:
    return str(effect.__struct_config__.tag)


def _expect(holds: bool, place: str, reason: str) -> None:
    if not holds:
        raise DataRefused(place, reason)
