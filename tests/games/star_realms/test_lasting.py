"""Lasting effects are those of the file, on whichever base or gambit it puts them."""

from typing import Any

import pytest

from tests.games.star_realms.build import given
from tests.games.star_realms.test_data import changed, of

SHIELD = [{"op": "attack_on_you_minus", "n": 2}]
FOR_ALL = [{"op": "ally_for_all_factions"}]


def does(on: str, op: str = "combat", n: int = 1) -> list[Any]:
    return [{"on": on, "do": [{"op": op, "n": n}]}]


def test_sr_74_a_base_in_play_shields_its_owner_as_a_gambit_does() -> None:
    tables = changed(of("blob_wheel", static=SHIELD))
    play = given(play1="blob_wheel", up1="energy_shield", combat=9).with_cards(tables)
    play.do("0 attack 1 5").then(authority1=48).do("0 attack 1 2").then(authority1=48)


def test_sr_74_a_base_shields_against_the_boss() -> None:
    tables = changed(of("blob_wheel", static=SHIELD))
    parts: dict[str, Any] = {"row": 5, "facedown": 3, "team": 50, "play0": "the_hive"}
    plain = given("beast_solo", **parts).with_cards(tables).do("0 end")
    parts["play0"] = "blob_wheel"
    shielded = given("beast_solo", **parts).with_cards(tables).do("0 end")
    assert (plain.state.team_authority, shielded.state.team_authority) == (46, 48)


def test_sr_38_a_gambit_may_answer_to_ships_that_are_played() -> None:
    tables = changed(of("rise_to_power", triggers=does("you_play_ship")))
    play = given(hand0="scout*2 blob_wheel", up0="rise_to_power", up1="rise_to_power")
    play.with_cards(tables).do("0 play scout; 0 play blob_wheel; 0 play scout").then(combat=2)
    down = given(hand0="scout", down0="rise_to_power").with_cards(tables)
    down.do("0 play scout").then(combat=0)


def test_sr_75_a_base_may_pay_once_in_each_turn_of_its_owner() -> None:
    tables = changed(of("blob_wheel", triggers=does("each_own_turn_once", "trade", 3)))
    play = given(hand0="blob_wheel", deck0="scout*5", deck1="viper*2 scout*3").with_cards(tables)
    play.do("0 play blob_wheel").then(trade=3)
    play.do("0 end").then(trade=0).do("1 end").then(active=0, trade=3)


@pytest.mark.parametrize("timing", ["at_use", "sticky"])
def test_sr_34_a_revealed_gambit_may_count_as_a_card_of_every_faction(timing: str) -> None:
    tables = changed(of("surprise_attack", static=FOR_ALL))
    play = given(play0="the_hive", down0="surprise_attack", ally_timing=timing)
    play.with_cards(tables).refused("0 use the_hive/ally")
    play.do("0 reveal surprise_attack")
    assert "the_hive/ally" in play.offered(0, "use")
