"""The powers of single characters, and the late game."""

import pytest

from games.ambition_characters.characters import Character
from games.ambition_characters.view import LiveCard
from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_ac_63_it_is_late_game_exactly_while_the_deck_is_empty() -> None:
    play = given(
        "act; coins 1,1,0; S0 [KNIGHT] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN; "
        "allied KING+KNIGHT; deck SPY; dead rest"
    )
    play.when("0 activate KNIGHT")
    play.then("coins 0,1,0; deck size 0; offers 1 {decline, KING/coins, KNIGHT}")


def test_ac_64_the_late_knight_of_the_base_game_gains_1_coin() -> None:
    play = given(
        "base; act; S0 [KNIGHT] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN; down SPY; dead rest"
    )
    play.then("offers 0 {decline, KNIGHT}")
    play.when("0 activate KNIGHT")
    play.then("coins 1,0,0")


def test_ac_65_the_late_knight_of_strange_allies_is_a_seeress() -> None:
    play = given(
        "act; coins 1,0,0; S0 [KNIGHT] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN; down SPY; "
        "dead rest"
    )
    play.then("offers 0 {decline, KNIGHT}")
    play.when("0 activate KNIGHT")
    play.then("coins 1,0,0; sizes 2,2,2")
    play = given("pass; S0 KNIGHT, ACTOR; S1 KING, WITCH; S2 THIEF, MADMAN; down SPY; dead rest")
    play.when("0 pass_card KNIGHT; 1 pass_card KNIGHT; 2 pass_card KNIGHT")
    play.then("coins 3,0,0")
    assert play.seen(SPECTATOR).reveals == ((0, {"type": "pass_card", "card": "KNIGHT"}),)
    play = given(
        "pass; S0 KNIGHT, ACTOR; S1 KING, WITCH; S2 THIEF, MADMAN; down SPY; deck PRINCESS; "
        "dead rest"
    )
    play.when("0 pass_card KNIGHT; 1 pass_card KNIGHT; 2 pass_card KNIGHT")
    play.then("coins 0,0,0")


def test_ac_66_once_empty_the_deck_stays_empty() -> None:
    play = given("act; S0 [ACTOR] SPY; S1 [MADMAN] WITCH; S2 [THIEF] KING; down KNIGHT; dead rest")
    play.when("0 activate ACTOR; 1 activate MADMAN")
    play.then("deck size 0; round 6")


def test_ac_100_the_actors_coin_part_gives_1() -> None:
    play = given("act; S0 [ACTOR] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate ACTOR skip swap")
    play.then("coins 1,0,0; live 0 ACTOR; asked 1 act")


def test_ac_101_the_seat_keeps_the_drawn_or_the_activated_card_the_other_is_shuffled_in() -> None:
    play = given(
        "act; S0 [ACTOR] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN; deck KNIGHT,WIZARD; dead rest"
    )
    play.when("0 activate ACTOR")
    play.then("offers 0 {ACTOR, KNIGHT}")
    play.when("0 keep KNIGHT ~ ACTOR,WIZARD")
    play.then("deck ACTOR,WIZARD; hand 0 KNIGHT, SPY")
    assert play.wire(0) == {"type": "swap", "order": [None, None]}


def test_ac_102_with_an_empty_deck_there_is_only_the_coin() -> None:
    play = given("act; S0 [ACTOR] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN; dead rest")
    play.then("offers 0 {decline, ACTOR/coin}")


def test_ac_103_nobody_else_learns_which_card_stayed() -> None:
    play = given("act; S0 [ACTOR] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate ACTOR")
    goes, stays = play.fork().when("0 keep ASSASSIN"), play.fork().when("0 keep ACTOR")
    for viewer in (1, 2, SPECTATOR):
        assert goes.view(viewer) == stays.view(viewer)
    for each in (goes, stays):
        each.then("live 0 none; sizes 2,2,2; asked 1 act")
        assert each.view(1).activated_count == 1


def test_ac_104_the_swap_is_finished_before_the_next_seat_acts() -> None:
    play = given("act; S0 [ACTOR] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate ACTOR; not 1 activate KING; not 1 decline")
    play.then("asked 0 keep")


def test_ac_120_the_bodyguards_coin_part_gives_1() -> None:
    play = given("act; S0 [BODYGUARD] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate BODYGUARD skip block")
    play.then("coins 1,0,0; blocked none; asked 1 act")


def test_ac_121_one_more_character_is_blocked_for_the_rest_of_the_round() -> None:
    play = given("act; blocked SPY; S0 [BODYGUARD] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when(
        "0 activate BODYGUARD; not 0 name_block SPY; not 0 name_block BODYGUARD; 0 name_block THIEF"
    )
    play.then("blocked SPY, THIEF; offers 1 {decline, KING/coins}")
    play.when("1 decline")
    play.then("offers 2 {decline}")


def test_ac_121_a_borrower_may_name_the_bodyguard_but_not_its_own_card() -> None:
    play = given(
        "act; allied BODYGUARD+KING; S0 [KING] ACTOR; S1 [SPY] BODYGUARD; S2 [THIEF] MADMAN"
    )
    play.when("0 activate BODYGUARD")
    play.then("has 0 BODYGUARD; lacks 0 KING")
    play.when("not 0 name_block KING; 0 name_block BODYGUARD")
    play.then("blocked BODYGUARD")


def test_ac_122_the_block_drops_out_when_nobody_with_a_live_card_is_still_to_act() -> None:
    play = given("act; turn 2; S0 [KING] ACTOR; S1 [SPY] WITCH; S2 [BODYGUARD] MADMAN")
    play.then("offers 2 {decline, BODYGUARD/coin}")
    play = given("act; S0 [ASSASSIN] ACTOR; S1 [BODYGUARD] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim SPY")
    play.then("live 2 none; offers 1 {decline, BODYGUARD/coin}")


def test_ac_123_the_block_drops_out_when_the_seat_was_silenced_in_this_phase() -> None:
    play = given("act; S0 [WIZARD] ACTOR; S1 [BODYGUARD] WITCH; S2 [KING] MADMAN")
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, BODYGUARD/coin}")


def test_ac_150_the_huntsman_earns_3_for_the_first_seat_only() -> None:
    play = given("act; S0 [HUNTSMAN] ACTOR; S1 [KING] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate HUNTSMAN")
    play.then("coins 3,0,0")
    play = given("act; S0 [KING] ACTOR; S1 [HUNTSMAN] WITCH; S2 [THIEF] MADMAN")
    play.when("0 decline; 1 activate HUNTSMAN")
    play.then("coins 0,0,0; asked 2 act")


def test_ac_160_the_king_may_take_3() -> None:
    play = given("act; S0 [KING] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN")
    play.then("offers 0 {decline, KING/coins}")
    play.when("0 activate KING")
    play.then("coins 3,0,0")


def test_ac_165_the_knight_pays_a_coin_and_draws() -> None:
    play = given(
        "act; coins 1,0,0; S0 [KNIGHT] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN; deck KING; "
        "dead rest"
    )
    play.when("0 activate KNIGHT")
    play.then("coins 0,0,0; hand 0 ACTOR, KING; supply 45")


def test_ac_166_without_a_coin_or_with_an_empty_deck_there_is_no_hiring() -> None:
    play = given("act; S0 [KNIGHT] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN")
    play.then("offers 0 {decline, KNIGHT}")
    play.when("0 activate KNIGHT")
    play.then("sizes 2,2,2; coins 0,0,0")


def test_ac_167_in_late_game_the_knights_power_is_replaced() -> None:
    play = given(
        "base; act; coins 1,0,0; S0 [KNIGHT] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN; "
        "down KING; dead rest"
    )
    play.when("not 0 activate KNIGHT skip hire; 0 activate KNIGHT")
    play.then("coins 2,0,0; sizes 2,2,2")


def test_ac_190_the_princesss_coins_part_gives_2() -> None:
    play = given("act; S0 [PRINCESS] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate PRINCESS")
    play.then("coins 2,0,0; asked 0 gift")


def test_ac_191_another_seat_must_be_chosen_and_may_take_1_coin_or_refuse() -> None:
    play = given("act; S0 [PRINCESS] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN")
    play.when("not 0 activate PRINCESS skip gift; 0 activate PRINCESS")
    play.then("offers 0 {1, 2}")
    play.when("0 gift 2")
    play.then("asked 2 accept; offers 2 {accept, refuse}")
    play.when("2 accept")
    play.then("coins 2,0,1; asked 1 act")


def test_ac_192_the_own_coins_come_first() -> None:
    play = given("act; coins 8,0,9; S0 [PRINCESS] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate PRINCESS")
    play.then("over 0; coins 10,0,9")


def test_ac_193_a_seat_that_reaches_10_by_the_gift_wins() -> None:
    play = given("act; coins 0,0,9; S0 [PRINCESS] ACTOR; S1 [SPY] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate PRINCESS; 0 gift 2; 2 accept")
    play.then("over 2")


def test_ac_203_the_activated_seeress_does_nothing_but_counts_and_may_borrow() -> None:
    play = given(
        "act; S0 [SEERESS] ACTOR; S1 [MERCHANT] WITCH; S2 [THIEF] MADMAN; allied KING+SEERESS"
    )
    play.then("offers 0 {decline, SEERESS, KING/coins}")
    play.when("0 activate SEERESS")
    play.then("coins 0,0,0")
    play.when("1 activate MERCHANT; 2 decline")
    play.then("coins 0,2,0")


def test_ac_220_the_thief_steals_one_coin_and_then_a_second_one() -> None:
    play = given("act; coins 0,2,2; S0 [THIEF] ACTOR; S1 [SPY] WITCH; S2 [KING] MADMAN")
    play.when("0 activate THIEF; 0 steal 1; 0 steal 1")
    play.then("coins 2,0,2; asked 1 act")


def test_ac_221_each_theft_is_compulsory_while_another_seat_has_a_coin() -> None:
    play = given("act; coins 0,0,3; S0 [THIEF] ACTOR; S1 [SPY] WITCH; S2 [KING] MADMAN")
    play.when("not 0 activate THIEF skip steal; 0 activate THIEF")
    play.then("coins 2,0,1; asked 1 act")


def test_ac_222_with_nobody_to_steal_from_nothing_happens() -> None:
    play = given("act; coins 4,0,0; S0 [THIEF] ACTOR; S1 [SPY] WITCH; S2 [KING] MADMAN")
    play.when("0 activate THIEF")
    play.then("coins 4,0,0; asked 1 act")


def test_ac_230_the_witchs_coin_part_gives_1() -> None:
    play = given("act; S0 [WITCH] ACTOR; S1 [SPY] THIEF; S2 [KING] MADMAN")
    play.when("0 activate WITCH skip curse")
    play.then("coins 1,0,0; asked 1 act")


def test_ac_231_the_witch_points_at_a_seat_with_a_live_card() -> None:
    play = given(
        "N4; act; S0 [ASSASSIN] ACTOR; S1 [WITCH] THIEF; S2 [KING] MADMAN; S3 [SPY] KNIGHT"
    )
    play.when("0 activate ASSASSIN; 0 name_victim KING; 1 activate WITCH")
    play.then("asked 1 curse; offers 1 {0, 3}")
    play.when("not 1 curse 2; not 1 curse 1")


def test_ac_232_the_cursed_seat_exchanges_its_live_card_for_one_of_its_choice() -> None:
    play = given("act; S0 [WITCH] ACTOR; S1 [SPY] THIEF, KING; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate WITCH; 0 curse 1")
    play.then("asked 1 replace_live; offers 1 {KING, THIEF}")
    play.when("1 replace_live KING")
    play.then("live 1 KING; hand 1 SPY, THIEF")
    assert play.view(0).seats[1].live == LiveCard(False, None)


@pytest.mark.parametrize("reserve", ["ACTOR", "ACTOR, SPY"])
def test_ac_232_a_card_that_lay_face_up_is_exchanged_for_one_face_down(reserve: str) -> None:
    play = given(f"act; S0 [KING] {reserve}; S1 [WITCH] THIEF; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate KING; 1 activate WITCH")
    assert play.view(2).seats[0].live == LiveCard(True, Character.KING)
    play.when("1 curse 0")
    if "," in reserve:
        play.when("0 replace_live ACTOR")
    play.then("live 0 ACTOR")
    for viewer in (1, 2, SPECTATOR):
        assert play.view(viewer).seats[0].live == LiveCard(False, None)
    assert play.view(0).seats[0].live == LiveCard(False, Character.ACTOR)


def test_ac_233_it_acts_with_the_new_card_unless_it_has_acted() -> None:
    play = given("act; S0 [KING] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] MADMAN; blocked MADMAN")
    play.when("0 activate KING; 1 activate WITCH; 1 curse 0")
    play.then("live 0 ACTOR; hand 0 KING; asked 2 act")
    play = given("act; S0 [KING] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] MADMAN; blocked MADMAN")
    play.when("0 decline; 1 activate WITCH; 1 curse 2")
    play.then("asked 2 act; offers 2 {decline}")


def test_ac_234_a_witch_silenced_in_this_phase_gets_the_coin_only() -> None:
    play = given("act; S0 [WIZARD] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, WITCH/coin}")
