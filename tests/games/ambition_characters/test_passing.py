"""Passing, and the Seeress's way home."""

from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_ac_23_each_seat_passes_one_card_to_the_left_once() -> None:
    play = given("pass; scarab 1; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("asked 1 pass_card")
    play.when("1 pass_card THIEF")
    play.then("asked 2 pass_card; hand 2 ACTOR, MADMAN, THIEF")
    play.when("2 pass_card ACTOR")
    play.then("asked 0 pass_card")
    play.when("0 pass_card KING")
    play.then("asked all choose_live; hand 0 ACTOR, SPY; hand 1 KING, WITCH; hand 2 MADMAN, THIEF")


def test_ac_24_a_seat_receives_its_card_before_it_chooses() -> None:
    play = given("pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.when("not 1 pass_card THIEF; 0 pass_card KING")
    play.then("asked 1 pass_card; has 1 KING")


def test_ac_25_any_card_of_the_hand_may_be_passed() -> None:
    play = given(
        "recruit; coins 2,0,0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; "
        "deck WIZARD,KNIGHT; dead rest"
    )
    play.when("0 recruit")
    play.then("offers 0 {KING, SPY, WIZARD}")
    play.when("0 pass_card WIZARD")
    play.then("offers 1 {THIEF, WITCH, WIZARD}")


def test_ac_26_the_phase_ends_when_the_first_seat_receives_its_card() -> None:
    play = given("N2; pass; S0 KING, SPY; S1 THIEF, WITCH")
    play.when("0 pass_card KING; 1 pass_card KING")
    play.then("asked all choose_live; hand 0 KING, SPY")
    assert play.steps[-1][0].first_passed == "KING"
    assert play.state.first_passed is None


def test_ac_27_the_first_seat_holds_one_card_fewer_while_the_chain_runs() -> None:
    play = given("pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; dead rest")
    play.when("0 pass_card KING")
    play.then("sizes 1,3,2")
    play.when("1 pass_card KING")
    play.then("sizes 1,2,3")


def test_ac_28_only_giver_and_receiver_learn_which_card_moved() -> None:
    play = given("N4; pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; S3 KNIGHT, MERCHANT")
    play.when("0 pass_card KING; 1 pass_card WITCH")
    cards = [play.wire(viewer)["card"] for viewer in (0, 1, 2, 3, SPECTATOR)]
    assert cards == [None, "WITCH", "WITCH", None, None]


def test_ac_200_the_first_seat_gets_n_coins_if_its_own_seeress_comes_back() -> None:
    play = given(
        "N4; pass; scarab 2; S0 KING, SPY; S1 THIEF, WITCH; S2 SEERESS, MADMAN; S3 KNIGHT, MERCHANT"
    )
    play.when("2 pass_card SEERESS; 3 pass_card SEERESS; 0 pass_card SEERESS; 1 pass_card SEERESS")
    play.then("coins 0,0,4,0; supply 41; asked all choose_live")


def test_ac_201_a_seeress_that_another_seat_passed_first_gives_nothing() -> None:
    play = given("pass; S0 KING, SPY; S1 THIEF, WITCH; S2 SEERESS, MADMAN")
    play.when("0 pass_card KING; 1 pass_card KING; 2 pass_card SEERESS")
    play.then("coins 0,0,0; hand 0 SEERESS, SPY; asked all choose_live")
    assert play.wire(1)["card"] is None


def test_ac_202_the_returned_seeress_is_a_card_like_any_other() -> None:
    play = given("pass; S0 SEERESS, KING; S1 THIEF, WITCH; S2 ACTOR, SPY")
    play.when("0 pass_card SEERESS; 1 pass_card SEERESS; 2 pass_card SEERESS")
    play.then("offers 0 {KING, SEERESS}")
    play.when("0 choose_live SEERESS")
