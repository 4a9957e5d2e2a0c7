"""What a card file must be to be played with: whatever it says is carried out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from games.star_realms.effects import (
    AttackTarget,
    BossAuthority,
    BossAuthorityPerPlayer,
    CardEffect,
    ChooseFaction,
    ChooseOne,
    CopyShip,
    EachPlayerDiscards,
    EachPlayerRandomHandCardToDeckTop,
    Faction,
    If,
    PayXPickGambit,
    PerPlayerDestroyBaseOrBossCombat,
    Static,
    TargetDiscards,
)
from games.star_realms.rows import (
    CORE_BY_FACTION,
    CRUISERS,
    FACTIONS,
    GAMBITS,
    MOST_SEATS,
    ROW,
    VERSION,
    BossName,
    Card,
    DataRefused,
    File,
    Gambit,
    Kind,
    Line,
)

# What is aimed at the player of a card needs bosses who have cards for players. The Pirates have
# combat for an attack alone, and draws for the cards of several players would have one label.
CARRIED_OUT: Final[Mapping[BossName, tuple[type, ...]]] = {
    "beast": (
        EachPlayerDiscards,
        PerPlayerDestroyBaseOrBossCombat,
        EachPlayerRandomHandCardToDeckTop,
        BossAuthorityPerPlayer,
        BossAuthority,
    ),
    "pirates": (
        EachPlayerDiscards,
        BossAuthorityPerPlayer,
        BossAuthority,
        AttackTarget,
        TargetDiscards,
    ),
}


def check(file: File) -> None:
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


def _check_ids(file: File) -> None:
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
    played, others = (*card.primary, *card.ally), card.scrap
    if card.type is Kind.BASE:
        played, others = (), (*played, *others)
    _check_abilities(place, played, on_ship=True)
    _check_abilities(place, others)
    _check_lasting(place, card)


def _check_lasting(place: str, kind: Card | Gambit) -> None:
    for static in kind.static:
        is_counted = static.op == Static.ATTACK_MINUS
        wrong = f"{static.op} with an n of {static.n}"
        _expect(static.n >= 1 if is_counted else static.n == 0, place, wrong)
    _check_abilities(place, [effect for trigger in kind.triggers for effect in trigger.do])


def _check_abilities(place: str, effects: Iterable[CardEffect], on_ship: bool = False) -> None:
    """`on_ship`: they resolve while the ship they are on is in play, in the turn it was played."""
    for effect in _within(effects):
        if isinstance(effect, CopyShip | ChooseFaction):
            _expect(on_ship, place, f"{_op(effect)} is for ships, as primary or ally ability")
        if isinstance(effect, ChooseOne):
            firsts = [option[0] if option else None for option in effect.options]
            names = [_op(first) for first in firsts if first is not None]
            is_clear = len(set(names)) == len(effect.options) >= 2
            _expect(is_clear, place, "the options of choose_one are told apart by their first op")
        _expect(
            not isinstance(effect, PayXPickGambit), place, "pay_x_pick_gambit is for gambits alone"
        )


def _check_counts(file: File) -> None:
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
        _check_abilities(f"gambits ({each.id})", each.scrap[each.is_paid_for :])
        _check_lasting(f"gambits ({each.id})", each)
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


def _check_words(file: File) -> None:
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


def _check_bosses(file: File) -> None:
    for boss in CARRIED_OUT:
        table = file.boss_tables.get(boss, {})
        missing = [faction for faction in FACTIONS if faction not in table]
        _expect(not missing, f"boss_tables.{boss}", f"no line for {', '.join(missing)}")
        for faction, line in table.items():
            _check_line(f"boss_tables.{boss}.{faction}", boss, line)
    for name in ("beast_solo", "beast_coop", "pirates_solo", "pirates_coop"):
        _expect(name in file.scenarios, "scenarios", f"{name} is missing")
        scenario = file.scenarios[name]
        _expect(
            name.startswith(scenario.boss)
            and scenario.table == scenario.boss
            and scenario.authority_shared == (scenario.boss == "beast"),
            f"scenarios.{name}",
            "its boss or its table is another, or authority is not shared as its rules say",
        )
        fewest, most = scenario.players
        _expect(1 <= fewest <= most <= MOST_SEATS, f"scenarios.{name}", "players are out of range")


def _check_line(place: str, boss: BossName, line: Line) -> None:
    for effect in line.effects:
        _expect(type(effect) in CARRIED_OUT[boss], place, f"the {boss} can't do {_op(effect)}")
    topped = [each for each in line.effects if isinstance(each, EachPlayerRandomHandCardToDeckTop)]
    again = ", ".join(map(_op, topped[1:]))
    _expect(not again, place, f"{again} once more, but its draws have one label")


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
