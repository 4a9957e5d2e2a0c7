"""Rules SR-50 to SR-57 and SR-60 to SR-63: attacks, bases, discards, scrapping."""

from tests.games.star_realms.build import given


def test_sr_50_an_outpost_protects_its_player_and_the_other_bases() -> None:
    play = given(combat=20, play1="blob_wheel war_world trading_post")
    assert play.offered(0, "attack") == []
    assert play.offered(0, "base") == ["war_world", "trading_post"]
    play.do("0 base war_world; 0 base trading_post")
    assert play.offered(0, "attack") == [1]
    assert play.offered(0, "base") == ["blob_wheel"]


def test_sr_51_an_attack_lowers_authority_by_its_amount() -> None:
    play = given(combat=7).do("0 attack 1 4").then(combat=3, authority1=46)
    play.refused("0 attack 1 4")
    play.refused("0 attack 0 1")


def test_sr_52_combat_not_spent_stays_for_more_attacks() -> None:
    play = given(combat=7).do("0 attack 1 1; 0 attack 1 1; 0 attack 1 5")
    play.then(authority1=43, combat=0)


def test_sr_53_outposts_do_not_protect_another_opponent() -> None:
    play = given("free_for_all", combat=9, play1="war_world", play2="blob_wheel")
    assert play.offered(0, "attack") == [2]
    assert play.offered(0, "base") == ["war_world", "blob_wheel"]
    play = given("free_for_all", seats=4, active=2, combat=9, play1="the_hive", play0="blob_wheel")
    assert play.offered(2, "attack") == [3, 0, 1]
    assert play.offered(2, "base") == ["blob_wheel", "the_hive"]


def test_sr_54_damage_to_a_base_is_not_kept() -> None:
    play = given(combat=4, play1="blob_wheel")
    assert play.offered(0, "base") == []
    assert given(combat=5, play1="blob_wheel").offered(0, "base") == ["blob_wheel"]


def test_sr_55_a_base_costs_its_defense_and_goes_to_its_owners_discard_pile() -> None:
    play = given(combat=9, play1="blob_wheel", discard1="scout").do("0 base blob_wheel")
    play.then(combat=4, discard1="scout blob_wheel", play1="")


def test_sr_56_an_effect_targets_what_may_be_targeted() -> None:
    play = given(hand0="missile_mech", play0="the_hive", play1="blob_wheel war_world")
    play.do("0 play missile_mech")
    assert play.offered(0, "destroy") == ["war_world"]
    assert play.count(0) == 2
    play.do("0 destroy none").then(play1="blob_wheel war_world", combat=6)


def test_sr_56_one_that_is_not_optional_must_be_carried_out() -> None:
    play = given(play0="command_ship cutter", play1="blob_wheel the_hive")
    play.do("0 use command_ship/ally")
    assert play.offered(0, "destroy") == ["blob_wheel", "the_hive"]
    play.refused("0 destroy none")
    play.do("0 destroy the_hive").then(play1="blob_wheel")
    play = given(play0="command_ship cutter").do("0 use command_ship/ally")
    assert play.asked() == ("main", (0,))


def test_sr_57_a_destroyed_base_has_no_abilities_any_more() -> None:
    play = given(combat=5, play1="blob_wheel", deck0="scout*5").do("0 base blob_wheel; 0 end")
    assert play.offered(1, "use") == []
    play.then(discard1="blob_wheel")


def test_sr_60_the_opponent_chooses_and_the_turn_waits() -> None:
    play = given(hand0="imperial_fighter", hand1="scout viper").do("0 play imperial_fighter")
    assert play.asked() == ("discard", (1,))
    play.refused("0 end")
    play.refused("1 discard none")
    play.refused("1 discard scout viper")
    play.do("1 discard viper").then(discard1="viper", hand1="scout")


def test_sr_60_with_too_few_cards_all_go() -> None:
    given(hand0="imperial_fighter", hand1="ram").do("0 play imperial_fighter").then(
        discard1="ram", hand1=""
    )


def test_sr_61_among_several_opponents_one_is_chosen() -> None:
    play = given(
        "free_for_all",
        active=1,
        hand1="imperial_fighter",
        hand0="ram cutter",
        play2="war_world",
    ).do("1 play imperial_fighter")
    assert play.asked() == ("choose_opponent", (1,))
    assert play.offered(1, "opponent") == [2, 0]
    play.do("1 opponent 2")
    assert play.asked() == ("main", (1,))


def test_sr_61_an_eliminated_opponent_is_none() -> None:
    play = given(
        "free_for_all", combat=1, authority1=1, hand0="imperial_fighter", hand2="ram cutter"
    ).do("0 attack 1 1; 0 play imperial_fighter")
    assert play.asked() == ("discard", (2,))


def test_sr_62_scrapping_takes_own_cards_and_may_be_optional() -> None:
    play = given(hand0="trade_bot viper", discard0="ram", discard1="cutter", hand1="scout")
    play.do("0 play trade_bot")
    assert play.offered(0, "scrap") == ["ram", "viper"]
    play.do("0 scrap none").then(heap="")
    play = given(play0="patrol_mech junkyard", hand0="viper scout").do("0 use patrol_mech/ally")
    play.refused("0 scrap none")
    play.do("0 scrap scout").then(heap="scout")
    play = given(play0="patrol_mech junkyard").do("0 use patrol_mech/ally")
    assert play.asked() == ("main", (0,))


def test_sr_63_brain_world_draws_as_many_as_it_scraps() -> None:
    play = given(play0="brain_world", hand0="scout", discard0="viper", deck0="ram cutter")
    play.do("0 use brain_world/primary; 0 scrap none").then(hand0="scout", deck0="ram cutter")
    play = given(play0="brain_world", hand0="scout", discard0="viper", deck0="ram cutter")
    play.do("0 use brain_world/primary; 0 scrap viper scout").then(hand0="ram cutter")
    play = given(play0="brain_world", hand0="scout", discard0="viper", deck0="ram cutter")
    play.do("0 use brain_world/primary; 0 scrap viper").then(hand0="scout ram", deck0="cutter")


def test_sr_63_what_recycling_station_discards_may_be_shuffled_for_the_draw() -> None:
    play = given(play0="recycling_station", hand0="viper ram cutter", deck0="scout")
    play.do("0 use recycling_station/primary; 0 option discard_then_draw; 0 discard viper ram")
    play.do("~ viper").then(hand0="cutter scout viper", deck0="ram")


def test_sr_63_machine_base_draws_first() -> None:
    play = given(play0="machine_base", deck0="ram cutter").do("0 use machine_base/primary")
    play.then(heap="ram", hand0="", deck0="cutter")
