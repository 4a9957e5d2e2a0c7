"""Every ability of every card, gambit and boss: a position, the move, what it does.

A key is `card/ability`, for a choice with the option behind it; lasting effects are `static` and
`trigger`. A test compares the keys with the data file, so that nothing is left out.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from games.star_realms import TABLES
from tests.games.star_realms.build import Play, given

Case = tuple[dict[str, Any], str, dict[str, Any]]


def played(card: str, more: str = "", do: str = "", **facts: Any) -> Case:
    """Played from the hand, with other cards of seat 0 as `zone cards, zone cards`."""
    return {"hand0": card, **zones(more)}, f"0 play {card}{do}", facts


def used(ability: str, more: str = "", do: str = "", **facts: Any) -> Case:
    """Of a card in play."""
    card = ability.partition("/")[0]
    parts = zones(more)
    parts["play0"] = f"{card} {parts.get('play0', '')}"
    return parts, f"0 use {ability}{do}", facts


def zones(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, cards = part.partition(" ")
        found[name] = cards
    return found


ONE, TWO, THREE = "deck0 scout", "deck0 scout scout", "deck0 scout scout viper"
ROW = "row ram - - - -"


def bot(card: str, **facts: Any) -> Case:
    """A Machine Cult ship that may scrap a card of hand or discard pile."""
    parts = {"hand0": f"{card} viper", "discard0": "scout"}
    return parts, f"0 play {card}; 0 scrap scout", {"heap": "scout", "hand0": "viper", **facts}


CASES: dict[str, Case] = {
    "scout/primary": played("scout", trade=1, combat=0),
    "viper/primary": played("viper", trade=0, combat=1),
    "explorer/primary": played("explorer", trade=2),
    "explorer/scrap": used("explorer/scrap", combat=2, explorers=10, heap="", play0=""),
    # Trade Federation
    "federation_shuttle/primary": played("federation_shuttle", trade=2),
    "federation_shuttle/ally": used("federation_shuttle/ally", "play0 cutter", authority0=54),
    "cutter/primary": played("cutter", trade=2, authority0=54),
    "cutter/ally": used("cutter/ally", "play0 freighter", combat=4),
    "embassy_yacht/primary": played(
        "embassy_yacht",
        f"play0 blob_wheel war_world, {THREE}",
        trade=2,
        authority0=53,
        hand0="scout scout",
    ),
    "freighter/primary": played("freighter", trade=4),
    "freighter/ally": used(
        "freighter/ally",
        "play0 cutter, hand0 trade_pod, row ram - - - -",
        "; 0 play trade_pod; 0 acquire ram",
        deck0="ram",
        discard0="",
    ),
    "trade_escort/primary": played("trade_escort", authority0=54, combat=4),
    "trade_escort/ally": used("trade_escort/ally", f"play0 cutter, {TWO}", hand0="scout"),
    "flagship/primary": played("flagship", TWO, combat=5, hand0="scout"),
    "flagship/ally": used("flagship/ally", "play0 cutter", authority0=55),
    "command_ship/primary": played(
        "command_ship", THREE, authority0=54, combat=5, hand0="scout scout"
    ),
    "command_ship/ally": used(
        "command_ship/ally", "play0 cutter, play1 blob_wheel", play1="", discard1="blob_wheel"
    ),
    "trading_post/primary/authority": used(
        "trading_post/primary", do="; 0 option authority", authority0=51, trade=0
    ),
    "trading_post/primary/trade": used(
        "trading_post/primary", do="; 0 option trade", authority0=50, trade=1
    ),
    "trading_post/scrap": used("trading_post/scrap", combat=3, heap="trading_post"),
    "barter_world/primary/authority": used(
        "barter_world/primary", do="; 0 option authority", authority0=52
    ),
    "barter_world/primary/trade": used("barter_world/primary", do="; 0 option trade", trade=2),
    "barter_world/scrap": used("barter_world/scrap", combat=5, heap="barter_world"),
    "defense_center/primary/authority": used(
        "defense_center/primary", do="; 0 option authority", authority0=53
    ),
    "defense_center/primary/combat": used(
        "defense_center/primary", do="; 0 option combat", combat=2
    ),
    "defense_center/ally": used("defense_center/ally", "play0 cutter", combat=2),
    "port_of_call/primary": used("port_of_call/primary", trade=3),
    "port_of_call/scrap": used(
        "port_of_call/scrap",
        f"{ONE}, play1 blob_wheel",
        "; 0 destroy blob_wheel",
        hand0="scout",
        discard1="blob_wheel",
        heap="port_of_call",
    ),
    "central_office/primary": used(
        "central_office/primary",
        "hand0 scout, row ram - - - -",
        "; 0 play scout; 0 acquire ram; 0 top yes",
        trade=0,
        deck0="ram",
    ),
    "central_office/ally": used("central_office/ally", f"play0 cutter, {TWO}", hand0="scout"),
    # Blob
    "blob_fighter/primary": played("blob_fighter", combat=3),
    "blob_fighter/ally": used("blob_fighter/ally", f"play0 ram, {TWO}", hand0="scout"),
    "trade_pod/primary": played("trade_pod", trade=3),
    "trade_pod/ally": used("trade_pod/ally", "play0 ram", combat=2),
    "battle_pod/primary": played(
        "battle_pod", ROW, "; 0 scrap ram", combat=4, heap="ram", row="- - - - -"
    ),
    "battle_pod/ally": used("battle_pod/ally", "play0 ram", combat=2),
    "ram/primary": played("ram", combat=5),
    "ram/ally": used("ram/ally", "play0 trade_pod", combat=2),
    "ram/scrap": used("ram/scrap", trade=3, heap="ram"),
    "blob_wheel/primary": used("blob_wheel/primary", combat=1),
    "blob_wheel/scrap": used("blob_wheel/scrap", trade=3, heap="blob_wheel"),
    "blob_destroyer/primary": played("blob_destroyer", combat=6),
    "blob_destroyer/ally": used(
        "blob_destroyer/ally",
        f"play0 ram, play1 war_world, {ROW.replace('ram', 'corvette')}",
        "; 0 destroy war_world; 0 scrap corvette",
        discard1="war_world",
        heap="corvette",
    ),
    "the_hive/primary": used("the_hive/primary", combat=3),
    "the_hive/ally": used("the_hive/ally", f"play0 ram, {TWO}", hand0="scout"),
    "battle_blob/primary": played("battle_blob", combat=8),
    "battle_blob/ally": used("battle_blob/ally", f"play0 ram, {TWO}", hand0="scout"),
    "battle_blob/scrap": used("battle_blob/scrap", combat=4, heap="battle_blob"),
    "blob_carrier/primary": played("blob_carrier", combat=7),
    "blob_carrier/ally": used(
        "blob_carrier/ally",
        "play0 ram, row dreadnaught war_world - - -",
        "; 0 free dreadnaught",
        deck0="dreadnaught",
        row="- war_world - - -",
        trade=0,
    ),
    "mothership/primary": played("mothership", TWO, combat=6, hand0="scout"),
    "mothership/ally": used("mothership/ally", f"play0 ram, {TWO}", hand0="scout"),
    "blob_world/primary/combat": used("blob_world/primary", do="; 0 option combat", combat=5),
    "blob_world/primary/draw_per_card_played": (
        {"hand0": "blob_world ram cutter", "deck0": "scout*4"},
        "0 play ram; 0 play cutter; 0 play blob_world; 0 use blob_world/primary; "
        "0 option draw_per_card_played",
        {"hand0": "scout scout"},
    ),
    # Star Empire
    "imperial_fighter/primary": played(
        "imperial_fighter", "hand1 scout viper", "; 1 discard viper", combat=2, discard1="viper"
    ),
    "imperial_fighter/ally": used("imperial_fighter/ally", "play0 corvette", combat=2),
    "corvette/primary": played("corvette", TWO, combat=1, hand0="scout"),
    "corvette/ally": used("corvette/ally", "play0 war_world", combat=2),
    "imperial_frigate/primary": played(
        "imperial_frigate", "hand1 scout viper", "; 1 discard scout", combat=4, discard1="scout"
    ),
    "imperial_frigate/ally": used("imperial_frigate/ally", "play0 corvette", combat=2),
    "imperial_frigate/scrap": used(
        "imperial_frigate/scrap", TWO, hand0="scout", heap="imperial_frigate"
    ),
    "survey_ship/primary": played("survey_ship", TWO, trade=1, hand0="scout"),
    "survey_ship/scrap": used(
        "survey_ship/scrap",
        "hand1 scout viper",
        "; 1 discard scout",
        discard1="scout",
        heap="survey_ship",
    ),
    "recycling_station/primary/trade": used(
        "recycling_station/primary", do="; 0 option trade", trade=1
    ),
    "recycling_station/primary/discard_then_draw": used(
        "recycling_station/primary",
        f"hand0 viper viper, {THREE}",
        "; 0 option discard_then_draw; 0 discard viper",
        hand0="viper scout",
        discard0="viper",
    ),
    "space_station/primary": used("space_station/primary", combat=2),
    "space_station/ally": used("space_station/ally", "play0 corvette", combat=2),
    "space_station/scrap": used("space_station/scrap", trade=4, heap="space_station"),
    "war_world/primary": used("war_world/primary", combat=3),
    "war_world/ally": used("war_world/ally", "play0 corvette", combat=4),
    "battlecruiser/primary": played("battlecruiser", TWO, combat=5, hand0="scout"),
    "battlecruiser/ally": used(
        "battlecruiser/ally",
        "play0 corvette, hand1 scout viper",
        "; 1 discard viper",
        discard1="viper",
    ),
    "battlecruiser/scrap": used(
        "battlecruiser/scrap",
        f"{TWO}, play1 blob_wheel",
        "; 0 destroy blob_wheel",
        hand0="scout",
        discard1="blob_wheel",
        heap="battlecruiser",
    ),
    "royal_redoubt/primary": used("royal_redoubt/primary", combat=3),
    "royal_redoubt/ally": used(
        "royal_redoubt/ally",
        "play0 corvette, hand1 scout viper",
        "; 1 discard viper",
        discard1="viper",
    ),
    "dreadnaught/primary": played("dreadnaught", TWO, combat=7, hand0="scout"),
    "dreadnaught/scrap": used("dreadnaught/scrap", combat=5, heap="dreadnaught"),
    "fleet_hq/trigger": played("scout", "play0 fleet_hq", combat=1, trade=1),
    # Machine Cult
    "trade_bot/primary": bot("trade_bot", trade=1),
    "trade_bot/ally": used("trade_bot/ally", "play0 junkyard", combat=2),
    "missile_bot/primary": bot("missile_bot", combat=2),
    "missile_bot/ally": used("missile_bot/ally", "play0 junkyard", combat=2),
    "supply_bot/primary": bot("supply_bot", trade=2),
    "supply_bot/ally": used("supply_bot/ally", "play0 junkyard", combat=2),
    "battle_station/scrap": used("battle_station/scrap", combat=5, heap="battle_station"),
    "patrol_mech/primary/trade": played("patrol_mech", do="; 0 option trade", trade=3, combat=0),
    "patrol_mech/primary/combat": played("patrol_mech", do="; 0 option combat", trade=0, combat=5),
    "patrol_mech/ally": used(
        "patrol_mech/ally",
        "play0 junkyard, hand0 viper, discard0 scout",
        "; 0 scrap scout",
        heap="scout",
        hand0="viper",
    ),
    "stealth_needle/primary": (
        {"hand0": "trade_pod stealth_needle"},
        "0 play trade_pod; 0 play stealth_needle",
        {"trade": 6},
    ),
    "battle_mech/primary": bot("battle_mech", combat=4),
    "battle_mech/ally": used("battle_mech/ally", f"play0 junkyard, {TWO}", hand0="scout"),
    "mech_world/static": used("ram/ally", "play0 mech_world", combat=2),
    "missile_mech/primary": played(
        "missile_mech", "play1 war_world", "; 0 destroy war_world", combat=6, discard1="war_world"
    ),
    "missile_mech/ally": used("missile_mech/ally", f"play0 junkyard, {TWO}", hand0="scout"),
    "junkyard/primary": used(
        "junkyard/primary", "hand0 viper, discard0 scout", "; 0 scrap scout", heap="scout"
    ),
    "machine_base/primary": used(
        "machine_base/primary",
        f"hand0 viper, {ONE}, discard0 ram",
        "; 0 scrap viper",
        hand0="scout",
        heap="viper",
        discard0="ram",
    ),
    "brain_world/primary": used(
        "brain_world/primary",
        f"hand0 viper, discard0 cutter ram, {THREE}",
        "; 0 scrap viper ram",
        hand0="scout scout",
        heap="ram viper",
        discard0="cutter",
    ),
    "mercenary_cruiser/primary": (
        {"hand0": "mercenary_cruiser", "play0": "ram"},
        "0 play mercenary_cruiser; 0 faction blob; 0 use ram/ally",
        {"combat": 7},
    ),
    # Gambits
    "daring_raid/scrap": (
        {"up0": "daring_raid", "play1": "blob_wheel", "deck0": "scout"},
        "0 gambit daring_raid",
        {"discard1": "blob_wheel", "hand0": "scout", "gambit_scrap": "daring_raid"},
    ),
    "energy_shield/static": (
        {"up1": "energy_shield*2", "combat": 5},
        "0 attack 1 5",
        {"authority1": 47},
    ),
    "energy_shield/scrap": (
        {"up0": "energy_shield", "deck0": "scout"},
        "0 gambit energy_shield",
        {"hand0": "scout", "gambit_scrap": "energy_shield"},
    ),
    "frontier_fleet/trigger": (
        {"up0": "frontier_fleet*2", "active": 1},
        "1 end",
        {"combat": 2},
    ),
    "political_maneuver/scrap": (
        {"up0": "political_maneuver"},
        "0 gambit political_maneuver",
        {"trade": 2},
    ),
    "rise_to_power/scrap": (
        {"up0": "rise_to_power", "deck0": "scout"},
        "0 gambit rise_to_power",
        {"authority0": 58, "hand0": "scout"},
    ),
    "rescue_operation/scrap": (
        {"up0": "rescue_operation", "discard0": "ram cutter", "deck0": "scout"},
        "0 gambit rescue_operation; 0 put ram",
        {"deck0": "ram scout", "discard0": "cutter"},
    ),
    "smuggling_run/scrap": (
        {"up0": "smuggling_run", "row": "blob_wheel freighter trade_escort - -"},
        "0 gambit smuggling_run; 0 free freighter",
        {"discard0": "freighter", "row": "blob_wheel - trade_escort - -", "trade": 0},
    ),
    "surprise_attack/scrap": (
        {"up0": "surprise_attack"},
        "0 gambit surprise_attack",
        {"combat": 8},
    ),
    "unlikely_alliance/scrap": (
        {"up0": "unlikely_alliance", "deck0": "scout viper scout"},
        "0 gambit unlikely_alliance",
        {"hand0": "scout viper"},
    ),
    "desperate_gambit/scrap": (
        {"up0": "desperate_gambit", "unclaimed": "daring_raid smuggling_run", "trade": 3},
        "0 pay desperate_gambit 2; ~ smuggling_run; 0 keep smuggling_run",
        {"down0": "smuggling_run", "unclaimed": "daring_raid", "trade": 1},
    ),
}


def boss(scenario: str, omen: str, do: str = "", **parts: Any) -> Case:
    """A boss turn that turns `omen` up; `then_x` is the fact x."""
    facts = {name[5:]: value for name, value in parts.items() if name.startswith("then_")}
    zones = {name: value for name, value in parts.items() if not name.startswith("then_")}
    row = zones.pop("row", 5)
    return {"mode": scenario, "row": row, "trade_deck": omen, "boss_turn": True, **zones}, do, facts


BOSSES: dict[str, Case] = {
    "beast/star_empire": boss(
        "beast_coop",
        "corvette",
        "1 discard scout viper",
        hand0="scout scout",
        hand1="scout viper ram",
        then_discard0="scout scout",
        then_discard1="scout viper",
        then_hand1="ram",
        then_team=49,
    ),
    "beast/blob": boss(
        "beast_coop", "ram", play1="blob_wheel", then_discard1="blob_wheel", then_team=46
    ),
    "beast/machine_cult": boss(
        "beast_coop",
        "missile_bot",
        "~ viper; ~ ram",
        hand0="scout viper",
        hand1="ram",
        deck0="cutter",
        then_hand0="scout",
        then_deck0="viper cutter",
        then_deck1="ram",
        then_hand1="",
    ),
    "beast/trade_federation": boss("beast_coop", "cutter", boss=60, then_boss=70),
    "pirates/blob": boss("pirates_solo", "ram", then_authority0=66),
    "pirates/star_empire": boss(
        "pirates_solo",
        "corvette",
        "0 discard ram viper",
        hand0="scout ram viper",
        then_authority0=71,
        then_hand0="scout",
    ),
    "pirates/machine_cult": boss(
        "pirates_solo",
        "missile_bot",
        row="ram cutter mothership corvette ram",
        then_authority0=61,
    ),
    "pirates/trade_federation": boss("pirates_solo", "cutter", then_authority0=71, then_boss=29),
}


def abilities() -> Iterator[str]:
    """All that the data file says cards and gambits do."""
    data: Any = msgspec.json.decode(TABLES)
    for card in (*data["basic_cards"], *data["trade_cards"], *data["gambits"]):
        for name in ("primary", "ally", "scrap"):
            effects = card.get(name) or ()
            choices = [effect for effect in effects if effect["op"] == "choose_one"]
            for choice in choices:
                yield from (f"{card['id']}/{name}/{o[0]['op']}" for o in choice["options"])
            if effects and not choices:
                yield f"{card['id']}/{name}"
        yield from (f"{card['id']}/static" for _ in card.get("static", ()))
        yield from (f"{card['id']}/trigger" for _ in card.get("triggers", ()))


def test_every_ability_of_the_data_file_has_a_case() -> None:
    assert sorted(CASES) == sorted(abilities())


def test_every_line_of_the_boss_tables_has_a_case() -> None:
    tables: Any = msgspec.json.decode(TABLES)["boss_tables"]
    assert sorted(BOSSES) == sorted(f"{b}/{f}" for b, table in tables.items() for f in table)


@pytest.mark.parametrize("name", CASES)
def test_an_ability_does_what_is_printed(name: str) -> None:
    parts, moves, facts = CASES[name]
    assert facts
    given(**parts).do(moves).then(**facts)


@pytest.mark.parametrize("name", BOSSES)
def test_a_line_of_a_boss_does_what_is_printed(name: str) -> None:
    parts, moves, facts = BOSSES[name]
    play: Play = given(**parts).boss_turn()
    for each in filter(None, moves.split(";")):
        play.do(each)
    play.then(**facts)
