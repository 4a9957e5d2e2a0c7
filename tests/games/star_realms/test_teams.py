"""Rules SR-64 to SR-69 and SR-79: one side, one pool, one main phase."""

import pytest

from games.core.game import OPEN, Chance
from tests.games.star_realms.build import given, started


@pytest.mark.parametrize(
    ("mode", "seats"),
    [("beast_solo", 1), ("beast_coop", 6), ("pirates_solo", 1), ("pirates_coop", 5)],
)
def test_sr_64_the_players_are_one_side_and_begin(mode: str, seats: int) -> None:
    play = started(seats, mode=mode)
    while isinstance(play.turn, Chance):
        play.do("~")
    assert play.asked() == ("main", tuple(range(seats)))
    assert play.turn.mode is OPEN
    play.then(turn=1)


def test_sr_65_members_act_in_any_order_until_they_have_ended() -> None:
    play = given(
        "pirates_coop", hand0="scout scout", hand1="scout viper", deck0="scout*5", deck1="scout*5"
    )
    play.do("0 play scout; 1 play scout; 0 play scout; 1 end").then(trade=3)
    assert play.asked() == ("main", (0,))
    play.refused("1 play viper")
    play.then(hand1="viper", discard1="")
    play.do("0 end").then(discard1="scout viper", hand1="scout*5", hand0="scout*5", turn=3)
    assert play.asked() == ("main", (0, 1))


def test_sr_65_members_draw_in_the_order_of_their_seats() -> None:
    play = given("pirates_coop", hand0="scout", hand1="viper").do("1 end; 0 end")
    assert play.turn.label == "deck of seat 0, shuffle 2"
    play.do("~")
    assert play.turn.label == "deck of seat 1, shuffle 2"


def test_sr_65_a_question_stops_the_main_phase_of_all() -> None:
    play = given("pirates_coop", hand0="patrol_mech", hand1="scout").do("0 play patrol_mech")
    assert play.asked() == ("choose_option", (0,))
    play.refused("1 play scout")
    play.do("0 option trade")
    assert play.asked() == ("main", (0, 1))


def test_sr_66_acquired_cards_go_to_who_acquires_them() -> None:
    play = given("beast_coop", trade=5, row="ram - - - -").do("1 acquire ram; 0 acquire explorer")
    play.then(discard1="ram", discard0="explorer", trade=0)


def test_sr_66_a_redirect_is_its_members_own() -> None:
    play = given("beast_coop", hand0="freighter cutter", trade=6, row="ram trade_pod - - -")
    play.do("0 play freighter; 0 play cutter; 0 use freighter/ally; 1 acquire ram")
    play.then(discard1="ram").do("0 acquire trade_pod").then(deck0="trade_pod")


def test_sr_67_trade_and_combat_are_one_pool() -> None:
    play = given("beast_coop", hand0="ram cutter", hand1="trade_pod viper", boss=100)
    play.do("0 play ram; 1 play trade_pod; 1 attack boss 4; 0 play cutter; 1 play viper")
    play.then(combat=2, trade=5, boss=96)
    play.do("1 acquire explorer; 0 acquire explorer").then(trade=1)


def test_sr_68_a_member_draws_and_discards_itself() -> None:
    play = given("pirates_coop", hand0="imperial_fighter", deck0="ram", hand1="scout*3")
    play.do("0 play imperial_fighter").then(combat=2, hand0="", discard0="ram", hand1="scout*3")
    play = given("pirates_coop", hand0="imperial_fighter viper", deck0="ram")
    play.do("0 play imperial_fighter")
    assert play.asked() == ("discard", (0,))
    play.do("0 discard viper").then(hand0="ram", discard0="viper")


def test_sr_69_the_team_gets_combat_in_place_of_a_base() -> None:
    play = given("pirates_coop", hand0="missile_mech", play1="blob_wheel")
    play.do("0 play missile_mech").then(combat=9, play1="blob_wheel")
    assert play.asked() == ("main", (0, 1))
    play = given("beast_solo", up0="daring_raid", deck0="scout").do("0 gambit daring_raid")
    play.then(combat=3, hand0="scout")


def test_sr_79_the_boss_can_always_be_attacked() -> None:
    play = given("beast_coop", combat=3, boss=9, play0="war_world")
    assert play.offered(1, "attack") == ["boss"]
    assert play.offered(1, "base") == []
    play.do("1 attack boss 2").then(boss=7)
    play = given("beast_solo", combat=3, boss=3).do("0 attack boss 3")
    assert play.over().note == "boss_defeated"
    assert play.over().ranks == (1,)
