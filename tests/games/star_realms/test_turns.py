"""Rules SR-11 to SR-29: the turn, playing cards, using abilities."""

from games.core.game import Chance
from games.star_realms.state import Ability
from tests.games.star_realms.build import given


def test_sr_11_a_turn_is_main_discard_and_draw_phase() -> None:
    play = given(hand0="scout viper", deck0="scout*5", combat=3)
    play.do("0 play scout; 0 end")
    play.then(discard0="scout viper", hand0="scout*5", active=1, turn=3)


def test_sr_12_moves_come_in_any_order() -> None:
    play = given(hand0="scout*3 viper", row="trade_pod ram - - -", play0="blob_wheel")
    play.do("0 play scout; 0 play viper; 0 attack 1 1; 0 use blob_wheel/primary; 0 attack 1 1")
    play.do("0 play scout; 0 acquire trade_pod; 0 play scout").then(trade=1, authority1=48)


def test_sr_13_pools_are_lost_and_ships_and_hand_discarded() -> None:
    play = given(
        hand0="cutter ram viper", discard0="scout", play0="war_world", up0="energy_shield", trade=2
    )
    play.do("0 play cutter; 0 use war_world/primary; 0 end")
    play.then(discard0="scout cutter ram viper", trade=0, combat=0)
    play.then(play0="war_world", up0="energy_shield")


def test_sr_14_drawing_shuffles_the_discard_pile_when_the_deck_is_empty() -> None:
    play = given(hand0="flagship", deck0="", discard0="scout#1 scout#2").do("0 play flagship")
    assert play.turn.label == "deck of seat 0, shuffle 2"
    play.do("~ scout#2").then(hand0="scout#2", deck0="scout#1", discard0="", combat=5)


def test_sr_14_drawing_stops_when_both_are_empty() -> None:
    given(hand0="command_ship", deck0="viper").do("0 play command_ship").then(hand0="viper")
    play = given(hand0="scout").do("0 end")
    assert isinstance(play.turn, Chance)
    play.do("~").then(hand0="scout", deck0="", active=1)


def test_sr_14_a_shuffle_is_labelled_by_seat_and_number() -> None:
    play = given(hand0="scout").do("0 end; ~; 1 end; 0 end")
    assert play.turn.label == "deck of seat 0, shuffle 3"


def test_sr_15_five_cards_are_drawn_and_the_turn_is_over() -> None:
    given(deck0="scout*6").do("0 end").then(hand0="scout*5", deck0="scout", active=1)


def test_sr_16_all_see_discard_piles() -> None:
    play = given(discard0="ram cutter", discard1="viper")
    for viewer in (0, 1, -2):
        shown = play.view(viewer).seats
        assert (len(shown[0].discard), len(shown[1].discard)) == (2, 1)


def test_sr_17_authority_has_no_upper_limit() -> None:
    given(hand0="cutter", authority0=998).do("0 play cutter").then(authority0=1002)


def test_sr_20_playing_a_card_is_free() -> None:
    given(hand0="dreadnaught", trade=0).do("0 play dreadnaught").then(play0="dreadnaught")


def test_sr_21_a_ships_primary_resolves_at_once() -> None:
    play = given(hand0="cutter").do("0 play cutter").then(trade=2, authority0=54)
    play.refused("0 use cutter/primary")


def test_sr_22_a_base_does_nothing_until_it_is_used_once_a_turn() -> None:
    play = given(hand0="blob_wheel", deck0="scout*9").do("0 play blob_wheel").then(combat=0)
    play.do("0 use blob_wheel/primary").then(combat=1)
    play.refused("0 use blob_wheel/primary")
    play.do("0 end; 1 end").then(combat=0).do("0 use blob_wheel/primary").then(combat=1)


def test_sr_23_effects_resolve_in_order_as_far_as_possible() -> None:
    play = given(hand0="imperial_fighter", hand1="").do("0 play imperial_fighter").then(combat=2)
    assert play.asked() == ("main", (0,))
    play = given(play0="port_of_call", deck0="scout").do("0 use port_of_call/scrap")
    play.then(hand0="scout")
    assert play.asked() == ("main", (0,))


def test_sr_24_one_option_is_chosen_even_if_it_does_nothing() -> None:
    play = given(play0="recycling_station").do("0 use recycling_station/primary")
    assert play.offered(0, "option") == ["trade", "discard_then_draw"]
    play.do("0 option discard_then_draw").then(trade=0)
    play.refused("0 use recycling_station/primary")


def test_sr_25_ally_and_scrap_abilities_are_moves_of_their_own() -> None:
    play = given(hand0="ram trade_pod", deck0="scout*5").do("0 play ram; 0 play trade_pod")
    play.then(combat=5, trade=3)
    assert play.offered(0, "use") == ["ram/ally", "ram/scrap", "trade_pod/ally"]
    play.do("0 end").then(active=1)


def test_sr_26_each_ability_is_used_once_a_turn() -> None:
    play = given(play0="ram trade_pod").do("0 use ram/ally").then(combat=2)
    play.refused("0 use ram/ally")
    assert play.state.seats[0].in_play[0].used == (Ability.PRIMARY, Ability.ALLY)


def test_sr_26_an_explorer_that_comes_back_is_a_new_card() -> None:
    play = given(
        hand0="freighter explorer#1 corvette",
        play0="cutter war_world",
        explorers=0,
    ).do("0 play freighter; 0 use freighter/ally; 0 play explorer#1; 0 use explorer#1/scrap")
    play.then(explorers=1, trade=6, combat=2)
    play.do("0 acquire explorer").then(deck0="explorer#1", explorers=0)
    play.do("0 play corvette; 0 play explorer#1; 0 use explorer#1/scrap")
    play.then(explorers=1, trade=6, combat=5)


def test_sr_26_what_was_played_used_and_armed_counts_for_that_turn_alone() -> None:
    play = given(hand0="freighter", play0="cutter blob_wheel", deck0="scout*5")
    play.do("0 play freighter; 0 use freighter/ally; 0 use blob_wheel/primary; 0 end")
    for viewer in (0, 1, -2):
        own = play.view(viewer).seats[0]
        assert (own.played, own.topdeck.mandatory, own.in_play[0].used) == ((), 0, ())


def test_sr_27_a_scrap_ability_comes_after_the_others() -> None:
    play = given(hand0="battle_blob ram", deck0="scout").do("0 play battle_blob; 0 play ram")
    play.do("0 use battle_blob/ally; 0 use battle_blob/scrap")
    play.then(combat=17, hand0="scout", heap="battle_blob", play0="ram")


def test_sr_27_the_card_is_scrapped_before_its_effects() -> None:
    play = given(play0="port_of_call", discard0="scout").do("0 use port_of_call/scrap")
    assert isinstance(play.turn, Chance)
    play.then(heap="port_of_call", play0="")


def test_sr_28_a_card_scrapped_otherwise_gives_nothing() -> None:
    play = given(hand0="ram", play0="junkyard").do("0 use junkyard/primary")
    play.then(heap="ram", trade=0)


def test_sr_29_explorers_go_back_to_their_pile() -> None:
    play = given(hand0="explorer", play0="junkyard explorer").then(explorers=8)
    play.do("0 use junkyard/primary").then(explorers=9, heap="")
    play.do("0 use explorer/scrap").then(explorers=10, heap="", combat=2)
