"""The data file: what is checked on load, and that a refusal names the file and the place."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from games import registry
from games.core.game import Over
from games.core.laws import labels_are_unique
from games.core.walk import random_match, seeded
from games.star_realms import TABLES, make
from games.star_realms.box import load
from games.star_realms.effects import Faction
from games.star_realms.resolving import ANSWER, ASK, DO, WAITS
from games.star_realms.rows import FILE, DataRefused
from games.star_realms.state import Mode, Options

Change = Callable[[Any], Any]


def changed(change: Change) -> bytes:
    data = msgspec.json.decode(TABLES)
    change(data)
    return msgspec.json.encode(data)


def row_of(data: Any, kind: str) -> Any:
    rows = (*data["basic_cards"], *data["trade_cards"], *data["gambits"])
    return next(row for row in rows if row["id"] == kind)


def test_the_cards_of_the_box() -> None:
    whole = load(TABLES)
    core = [each for each in whole.kinds.values() if each.set == "core"]
    assert (len(core), sum(each.count for each in core)) == (46, 80)
    assert len(whole.trade_deck(1, True)) == 83
    assert len(whole.gambit_of) == 13
    assert len(whole.gambit_kinds) == 10
    assert whole.start_of(2)[0] == "scout#17"
    assert whole.start_of(2)[-1] == "viper#6"
    assert len(whole.explorers(3)) == 30


def test_r_01_the_card_texts_are_those_of_2017() -> None:
    data: Any = msgspec.json.decode(TABLES)
    assert data["card_text_edition"].startswith("2017")
    assert row_of(data, "fleet_hq")["triggers"][0]["on"] == "you_play_ship"


def test_r_02_where_sources_disagree_the_card_faces_count() -> None:
    kinds = load(TABLES).kinds
    assert msgspec.to_builtins(kinds["imperial_fighter"].primary[0]) == {"op": "combat", "n": 2}
    assert kinds["blob_wheel"].count == 3
    assert load(TABLES).gambit_kinds["energy_shield"].scrap


def test_r_13_reconstructed_lines_are_marked() -> None:
    tables: Any = msgspec.json.decode(TABLES)["boss_tables"]
    lines = [(f"{b}/{f}", line) for b, table in tables.items() for f, line in table.items()]
    sure = [name for name, line in lines if not line["reconstructed"]]
    assert sure == ["beast/star_empire", "pirates/blob"]


def of(kind: str, **fields: Any) -> Change:
    """A row with some fields changed."""
    return lambda data: row_of(data, kind).update(fields)


def effect(kind: str, name: str, place: int, **fields: Any) -> Change:
    """An effect of an ability of a row, changed or (past the last) added."""

    def change(data: Any) -> None:
        effects = row_of(data, kind)[name]
        if place == len(effects):
            effects.append({})
        effects[place].update(fields)

    return change


def gone(*path: str) -> Change:
    def change(data: Any) -> None:
        *above, last = path
        for name in above:
            data = data[name]
        del data[last]

    return change


def scenario(**fields: Any) -> Change:
    return lambda data: data["scenarios"]["beast_solo"].update(fields)


def both(*changes: Change) -> Change:
    return lambda data: [change(data) for change in changes]


def line(boss: str, *effects: Any) -> Change:
    return lambda data: data["boss_tables"][boss]["blob"].update(effects=effects)


TOPPED = {"op": "each_player_random_hand_card_to_deck_top", "n": 1}
ATTACK = {"op": "attack_target", "times": 9, "of": "card_cost"}
BASES = {"op": "per_player_destroy_base_or_boss_combat", "combat": 3}
AUTHORITY = {"op": "boss_authority", "times": 2, "of": "highest_cost_in_row"}
EACH = {"op": "each_player_discards", "n": 1}
PER_PLAYER = {"op": "boss_authority_per_player", "n": 2}
PAID = {"op": "pay_x_pick_gambit"}
SHIELD = [{"op": "attack_on_you_minus", "n": 1}]
RAM = r"trade_cards\[15\]"

WRONG: list[tuple[Change, str]] = [
    (lambda d: d.update(slug="chess"), "star_realms.json: slug: is 'chess'"),
    (lambda d: d.update(data_version=2), "data_version: is 2, this game reads 1"),
    (lambda d: d.update(trade_row_size=6), "trade_row_size: is 6"),
    (lambda d: d["factions"].pop(), "factions: are not"),
    (lambda d: d.update(extra=1), r"star_realms.json: .*extra"),
    (of("ram", faction="borg"), rf"'borg' - at `\$.{RAM}.faction`"),
    (effect("ram", "primary", 0, op="explode"), rf"'explode' - at `\$.{RAM}.primary\[0\].op`"),
    (effect("ram", "primary", 0, n=0), r"primary\[0\].n"),
    (effect("trade_bot", "primary", 1, **{"from": ["moon"]}), r"'moon' - at .*from\[0\]"),
    (of("ram", count=3), "trade_cards: 21 core cards of blob, not 20"),
    (of("ram", faction="unaligned"), rf"{RAM} \(ram\): an ally"),
    (of("dreadnaught", faction="unaligned"), "19 core cards of star_empire"),
    (of("ram", id="cutter"), "'cutter' is there 2 times"),
    (of("ram", id="r#m"), "neither # nor /"),
    (of("ram", cost=0), r"\(ram\): cost is 0"),
    (of("ram", defense=3), r"\(ram\): a ship has no defense"),
    (of("ram", set="starter"), r"\(ram\): set is 'starter'"),
    (of("ram", static=SHIELD), "no lasting"),
    (of("the_hive", defense=0), r"\(the_hive\): a base has a defense"),
    (of("scout", count=9), "starting_deck: is"),
    (of("mercenary_cruiser", count=2), "2 cards of set gambit, not 3"),
    (of("rise_to_power", count=1), "gambits: 12 gambits, not 13"),
    (of("explorer", set="starter"), "starting_deck"),
    (gone("effect_vocabulary", "draw"), "effect_vocabulary: 'draw' is not explained"),
    (gone("triggers", "you_play_ship"), "triggers: 'you_play_ship' is not explained"),
    (gone("statics", "ally_for_all_factions"), "statics: 'ally_for_all_factions'"),
    (gone("boss_tables", "beast", "blob"), "boss_tables.beast: no line for blob"),
    (gone("boss_tables", "pirates"), "boss_tables.pirates: no line"),
    (gone("scenarios", "beast_solo"), "scenarios: beast_solo is missing"),
    (scenario(boss="pirates"), "scenarios.beast_solo"),
    (scenario(players=[1, 9]), "players are out of range"),
    (effect("desperate_gambit", "scrap", 1, op="draw", n=1), "stands alone"),
    (both(of("desperate_gambit", count=2), of("rise_to_power", count=1)), "one label"),
    (effect("ram", "scrap", 1, **PAID), "for gambits alone"),
    (effect("surprise_attack", "scrap", 1, **PAID), "for gambits alone"),
    (lambda d: row_of(d, "patrol_mech")["primary"][0]["options"].pop(), "told apart"),
    (scenario(table="pirates"), "scenarios.beast_solo: .*table"),
    (of("the_hive", triggers=[{"on": "you_play_ship", "do": [PAID]}]), "for gambits alone"),
    (of("the_hive", static=[{"op": "attack_on_you_minus"}]), r"\(the_hive\): .*an n of 0"),
    (of("rise_to_power", static=[{"op": "ally_for_all_factions", "n": 1}]), "an n of 1"),
    (effect("the_hive", "primary", 1, op="copy_ship"), "copy_ship is for ships"),
    (effect("ram", "scrap", 1, op="choose_faction"), "choose_faction is for ships"),
    (effect("rise_to_power", "scrap", 2, op="copy_ship"), "copy_ship is for ships"),
    (line("beast", {"op": "target_discards", "n": 1}), "blob: the beast can't do target_discards"),
    (line("beast", ATTACK), "boss_tables.beast.blob: the beast can't do attack_target"),
    (line("beast", TOPPED, TOPPED), "beast.blob: each_player_random_.* once more"),
    (line("pirates", TOPPED), "pirates.blob: the pirates can't do each_player_random_hand_card"),
    (line("pirates", BASES), "the pirates can't do per_player_destroy_base_or_boss_combat"),
]


@pytest.mark.parametrize(("change", "message"), WRONG)
def test_a_wrong_file_is_refused_with_its_place(change: Change, message: str) -> None:
    with pytest.raises(DataRefused, match=message) as refused:
        load(changed(change))
    assert str(refused.value).startswith(f"{FILE}: ")
    with pytest.raises(registry.TablesRefused, match="star_realms"):
        registry.install("star_realms", changed(change))


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(DataRefused, match=r"^star_realms.json: "):
        load(b"{")


def test_other_cards_can_be_installed() -> None:
    tables = changed(effect("ram", "primary", 0, n=9))
    made = registry.install("star_realms", tables)
    assert made.data_digest != registry.game("star_realms").data_digest
    assert made.new(made.options(), 2)


def test_every_effect_of_the_vocabulary_is_known_to_the_interpreter() -> None:
    names: Any = msgspec.json.decode(TABLES)["effect_vocabulary"]
    done = {str(kind.__struct_config__.tag) for kind in (*DO, *ASK)}  # type: ignore[attr-defined]
    assert set(names) - done == {"pay_x_pick_gambit"}  # a move of its own
    assert not set(DO) & (set(ASK) | set(WAITS))
    assert set(ANSWER) == set(ASK) | set(WAITS)


def test_the_factions_are_in_the_order_of_the_file() -> None:
    assert load(TABLES).factions == tuple(Faction)[:4]


@pytest.mark.parametrize(
    ("mode", "effects"),
    [
        (Mode.BEAST_COOP, [EACH, TOPPED, EACH]),
        (Mode.BEAST_COOP, [BASES, BASES, AUTHORITY, PER_PLAYER]),
        (Mode.PIRATES_COOP, [EACH, ATTACK, EACH, ATTACK, {"op": "target_discards", "n": 2}]),
        (Mode.PIRATES_COOP, [AUTHORITY, PER_PLAYER, ATTACK, ATTACK]),
    ],
)
def test_a_boss_carries_out_whatever_its_lines_may_say(mode: Mode, effects: list[Any]) -> None:
    def change(data: Any) -> None:
        for each in data["boss_tables"][mode.partition("_")[0]].values():
            each["effects"] = effects

    game = make(changed(change))
    options = Options(mode=mode, turn_limit=4)
    steps = list(random_match(game, options, 3, seeded(f"lines of {mode}")))
    assert isinstance(game.turn(steps[-1].after), Over)
    assert labels_are_unique(game, 3, steps) is None
    assert not any(filter(None, (game.invariants(each.after) for each in steps)))
