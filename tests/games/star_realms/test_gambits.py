"""Rules SR-70 to SR-78: gambits."""

from games.core.game import Chance, Seen
from tests.games.star_realms.build import given
from tests.games.star_realms.test_scenarios import w_15


def test_sr_70_gambits_lie_face_down_until_they_are_revealed() -> None:
    play = given(down0="energy_shield", combat=3, active=1)
    play.do("1 attack 0 3").then(authority0=47)
    assert play.view(1).seats[0].gambits_down_count == 1


def test_sr_71_any_number_is_revealed_in_the_own_main_phase() -> None:
    play = given(down0="surprise_attack energy_shield#1", down1="daring_raid")
    assert play.offered(0, "reveal") == ["surprise_attack", "energy_shield#1"]
    play.refused("1 reveal daring_raid")
    play.do("0 reveal energy_shield#1; 0 reveal surprise_attack")
    play.then(up0="energy_shield#1 surprise_attack", down0="")


def test_sr_73_gambits_are_offered_as_they_were_received_however_they_were_revealed() -> None:
    down = "surprise_attack energy_shield#1 rise_to_power"
    play = given(down0=down, unclaimed="daring_raid smuggling_run", up0="desperate_gambit", trade=1)
    play.do("0 reveal rise_to_power; 0 reveal surprise_attack")
    assert play.offered(0, "gambit") == ["surprise_attack", "rise_to_power"]
    play.do("0 pay desperate_gambit 1; ~ smuggling_run; 0 reveal smuggling_run")
    play.do("0 reveal energy_shield#1")
    wanted = ["surprise_attack", "energy_shield#1", "rise_to_power", "smuggling_run"]
    assert play.offered(0, "gambit") == wanted
    play.do("0 gambit rise_to_power")
    assert play.offered(0, "gambit") == [wanted[0], wanted[1], wanted[3]]


def test_sr_71_not_while_a_question_waits() -> None:
    play = given(down0="surprise_attack", hand0="patrol_mech").do("0 play patrol_mech")
    play.refused("0 reveal surprise_attack")


def test_sr_72_a_lasting_effect_holds_from_the_reveal_on() -> None:
    play = given(down0="energy_shield", deck0="scout*5").do("0 reveal energy_shield; 0 end")
    play = given(active=1, combat=4, up0="energy_shield").do("1 attack 0 2; 1 attack 0 2")
    play.then(authority0=48, up0="energy_shield")


def test_sr_73_a_scrap_ability_is_used_once_revealed() -> None:
    play = given(down0="rise_to_power", discard0="scout")
    play.refused("0 gambit rise_to_power")
    play.do("0 reveal rise_to_power; 0 gambit rise_to_power")
    play.then(gambit_scrap="rise_to_power", up0="", authority0=58)
    assert isinstance(play.turn, Chance)


def test_sr_73_frontier_fleet_has_none() -> None:
    play = given(up0="frontier_fleet energy_shield", up1="surprise_attack")
    assert play.offered(0, "gambit") == ["energy_shield"]


def test_sr_74_a_shield_lowers_each_attack_and_never_below_nothing() -> None:
    play = given(up1="energy_shield*2", combat=9, play1="blob_wheel")
    play.do("0 attack 1 1").then(authority1=50, combat=8)
    play.do("0 attack 1 3").then(authority1=49, combat=5)
    play.do("0 base blob_wheel").then(combat=0, play1="")


def test_sr_75_a_fleet_pays_at_once_when_revealed_and_then_each_turn() -> None:
    play = given(down0="frontier_fleet", deck0="scout*9").do("0 reveal frontier_fleet")
    play.then(combat=1).do("0 end; 1 end").then(combat=1, active=0)


def test_sr_75_each_fleet_of_a_team_pays() -> None:
    play = given(
        "pirates_coop", up0="frontier_fleet", up1="frontier_fleet", deck0="scout*5", deck1="scout*5"
    ).do("0 end; 1 end")
    play.then(combat=2, turn=3)


def test_sr_76_rescue_operation_takes_a_card_of_the_own_discard_pile() -> None:
    play = given(up0="rescue_operation", discard0="ram cutter", discard1="viper")
    play.do("0 gambit rescue_operation")
    assert play.offered(0, "put") == ["ram", "cutter"]
    play.do("0 put cutter").then(deck0="cutter", discard0="ram")
    assert play.view(1).seats[0].deck_known[0].card.startswith("cutter")
    play = given(up0="rescue_operation").do("0 gambit rescue_operation")
    assert play.asked() == ("main", (0,))


def test_sr_76_smuggling_run_meets_redirects() -> None:
    play = given(
        up0="smuggling_run", hand0="freighter cutter", row="ram war_world - - -", explorers=0
    ).do("0 play freighter; 0 play cutter; 0 use freighter/ally; 0 gambit smuggling_run")
    play.then(deck0="ram", discard0="", trade=6)


def test_sr_77_a_look_is_paid_for() -> None:
    play = w_15().do("0 reveal desperate_gambit; 0 pay desperate_gambit 3")
    assert play.turn.label == "unclaimed gambits"
    assert play.seen(1).move == {"type": "pay_for_gambit", "gambit": "desperate_gambit#1", "x": 3}
    play.then(trade=0, gambit_scrap="desperate_gambit")
    play.do("~ daring_raid political_maneuver energy_shield#2")
    assert play.seen(0) == Seen(None)
    assert play.offered(0, "keep") == ["daring_raid", "political_maneuver", "energy_shield#2"]
    play.do("0 keep political_maneuver").then(down0="political_maneuver")
    assert len(play.state.unclaimed) == 4
    assert play.view(0).looked == ("daring_raid#1", "energy_shield#2")
    assert play.view(1).looked == play.view(-2).looked == ()


def test_sr_77_with_one_look_that_gambit_is_kept() -> None:
    play = w_15().do("0 reveal desperate_gambit; 0 pay desperate_gambit 1; ~ daring_raid")
    play.then(down0="daring_raid")
    assert play.asked() == ("main", (0,))
    assert play.view(0).looked == ()


def test_sr_77_not_without_trade_or_unclaimed_gambits() -> None:
    play = given(up0="desperate_gambit", unclaimed="daring_raid")
    assert play.offered(0, "pay") == play.offered(0, "gambit") == []
    assert given(up0="desperate_gambit", trade=5).offered(0, "pay") == []
    play = given(up0="desperate_gambit", trade=5, unclaimed="daring_raid smuggling_run")
    assert play.numbers(0, "pay") == (1, 2)


def test_sr_78_the_kept_gambit_may_be_used_at_once() -> None:
    play = w_15().do("0 reveal desperate_gambit; 0 pay desperate_gambit 1; ~ surprise_attack")
    play.do("0 reveal surprise_attack; 0 gambit surprise_attack").then(combat=8)
