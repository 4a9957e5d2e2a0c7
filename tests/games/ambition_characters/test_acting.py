"""Turns of the act phase: declining, activating, parts, asking."""

import pytest

from games.ambition_characters.characters import Character
from games.ambition_characters.state import Acted, Payout
from games.ambition_characters.view import LiveCard
from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_ac_41_seats_act_clockwise_each_once() -> None:
    play = given("act; scarab 2; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("not 0 decline; 2 activate HUNTSMAN")
    play.then("asked 0 act")
    play.when("0 decline")
    play.then("asked 1 act")
    play.when("1 decline")
    play.then("round 6")


def test_ac_42_a_live_card_may_always_be_declined_and_stays_unseen() -> None:
    play = given("act; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.then("has 0 decline")
    play.when("0 decline")
    play.then("live 0 KING; asked 1 act")
    seat = play.view(1).seats[0]
    assert (seat.live, seat.acted) == (LiveCard(False, None), Acted.DECLINED)


def test_ac_43_it_may_activate_if_its_own_character_is_free_or_the_sneak_token_lies_on_it() -> None:
    play = given(
        "act; sneak on 0; blocked KING, THIEF; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN"
    )
    play.then("offers 0 {decline, KING/coins}")
    play.when("0 decline")
    play.then("offers 1 {decline}")
    play.when("1 decline")
    play.then("offers 2 {decline, ACTOR/coin/swap}")


def test_ac_44_activating_turns_the_card_up_and_counts_whatever_it_achieves() -> None:
    play = given("act; S0 [THIEF] SPY; S1 [KING] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate THIEF")
    view = play.view(SPECTATOR)
    assert view.seats[0].live == LiveCard(True, Character.THIEF)
    assert (view.seats[0].acted, view.activated_count) == (Acted.ACTIVATED, 1)


def test_ac_45_parts_are_carried_out_from_left_to_right_before_the_next_seat() -> None:
    play = given("act; S0 [ASSASSIN] SPY; S1 [KING] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate ASSASSIN")
    play.then("coins 1,0,0; asked 0 name_victim")


def test_ac_46_optional_parts_may_be_left_out_compulsory_ones_may_not() -> None:
    play = given(
        "act; coins 1,1,1; S0 [PRINCESS] SPY; S1 [KNIGHT] COURTESAN; S2 [THIEF] KING; "
        "allied ACTOR+WITCH"
    )
    play.then("offers 0 {decline, PRINCESS/coins}")
    play.when(
        "not 0 activate PRINCESS skip gift; not 0 activate PRINCESS skip coins,gift; 0 decline"
    )
    play.then("offers 1 {decline, KNIGHT/hire}")
    play.when("1 activate KNIGHT skip hire")
    play.then("offers 2 {decline, THIEF}; coins 1,1,1")


def test_ac_46_without_optional_powers_only_the_payment_and_the_kings_coins_may_be_left_out() -> (
    None
):
    play = given(
        "opt optional_powers=false; act; S0 [ACTOR] SPY; S1 [KING] KNIGHT; S2 [WITCH] THIEF"
    )
    play.then("offers 0 {decline, ACTOR}")
    play.when("0 decline")
    play.then("offers 1 {decline, KING/coins}")


OPTIONAL = {
    Character.ACTOR: "/coin/swap",
    Character.ASSASSIN: "/coin/kill",
    Character.BODYGUARD: "/block/coin",
    Character.COURTESAN: "/steal",
    Character.HIEROPHANT: "/ally/coin",
    Character.MADMAN: "/coin/end_round",
    Character.PRINCESS: "/coins",
    Character.SPY: "/coin/sneak",
    Character.WITCH: "/coin/curse",
}
ALWAYS = {Character.KING: "/coins", Character.KNIGHT: "/hire"}


@pytest.mark.parametrize("character", Character)
def test_ac_46_exactly_these_parts_may_be_left_out(character: Character) -> None:
    """In a position where every part of every power is possible."""
    rest = [each for each in Character if each is not character]
    text = (
        f"coins 1,1,1; S0 [{character}] {rest[0]}; S1 [{rest[1]}] {rest[2]}; "
        f"S2 [{rest[3]}] {rest[4]}; allied {rest[-1]}+{rest[-2]}; act"
    )
    always = ALWAYS.get(character, "")
    play = given(text)
    assert play.options(0) == ["decline", character + (always or OPTIONAL.get(character, ""))]
    play = given(f"opt optional_powers=false; {text}")
    assert play.options(0) == ["decline", character + always]


def test_ac_47_a_part_whose_condition_fails_drops_out() -> None:
    play = given("act; S0 [ACTOR] KING; S1 [KNIGHT] WITCH; S2 [THIEF] MADMAN; base; dead rest")
    play.then("offers 0 {decline, ACTOR/coin}")
    play.when("0 activate ACTOR skip coin")
    play.then("coins 0,0,0; live 0 ACTOR; asked 1 act")


def test_ac_47_an_alliance_needs_two_candidates() -> None:
    play = given(
        "act; S0 [HIEROPHANT] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; allied KING+THIEF, "
        "SPY+WITCH; dead rest"
    )
    play.then("offers 0 {decline, HIEROPHANT/coin}")
    play.when("0 activate HIEROPHANT")
    play.then("coins 1,0,0; asked 1 act")


def test_ac_48_another_character_excludes_the_activated_card() -> None:
    play = given("act; S0 [BODYGUARD] KING; S1 [ASSASSIN] WITCH; S2 [THIEF] MADMAN")
    play.when("0 activate BODYGUARD; not 0 name_block BODYGUARD; 0 name_block ASSASSIN")
    play.then("offers 1 {decline}")


def test_ac_49_a_seat_without_live_card_is_passed_over() -> None:
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim THIEF")
    play.then("asked 2 act")
    assert play.view(SPECTATOR).seats[1].acted is Acted.NO_LIVE_CARD


def test_ac_50_payouts_come_after_the_last_seat_in_order_of_activation_before_the_upkeep() -> None:
    play = given(
        "act; coins 9,0,9; S0 [MERCHANT] KING; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; "
        "allied ACTOR+MERCHANT"
    )
    play.when("0 activate MERCHANT; 1 decline; 2 activate MERCHANT")
    play.then("over 0; coins 11,0,9; live 0 MERCHANT; round 5")


def test_ac_53_every_seat_takes_its_live_card_back() -> None:
    play = given("act; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate KING; 1 decline; 2 activate HUNTSMAN")
    play.then("live 0 none; hand 0 KING, SPY; hand 1 THIEF, WITCH; hand 2 HUNTSMAN, MADMAN")


def test_ac_54_the_scarab_goes_to_the_left() -> None:
    play = given("act; scarab 2; turn 1; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("1 decline")
    play.then("scarab 0; round 6")


def test_ac_55_blocks_turns_counts_and_payouts_are_cleared() -> None:
    play = given("act; turn 2; blocked KING; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("2 activate HUNTSMAN")
    play.then("blocked none; round 6")
    view = play.view(SPECTATOR)
    assert (view.activated_count, view.payouts) == (0, ())
    assert {seat.acted for seat in view.seats} == {Acted.NOT_YET}
    play = given("act; S0 [MERCHANT] SPY; S1 [THIEF] WITCH; S2 [KING] MADMAN")
    play.when("0 activate MERCHANT; 1 decline")
    assert play.view(SPECTATOR).payouts == (Payout(0, Character.MERCHANT),)
    play.when("2 decline")
    play.then("round 6; coins 1,0,0")
    assert play.view(SPECTATOR).payouts == ()


def test_ac_56_an_open_decision_with_one_option_is_applied_without_asking() -> None:
    play = given("N2; act; S0 [WIZARD] KING; S1 [THIEF] WITCH")
    play.when("0 activate WIZARD")
    play.then("silence 1->0; asked 1 act")
    play = given("act; S0 [COURTESAN] KING; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; allied KING+SPY")
    play.when("0 activate COURTESAN")
    play.then("alliances none; asked 1 act")
    play = given("act; S0 [WITCH] KING; S1 [THIEF] SPY; S2 [ACTOR] MADMAN")
    play.when("0 activate WITCH; 0 curse 1")
    play.then("live 1 SPY; hand 1 THIEF; asked 1 act")
    play = given("N2; act; S0 [WITCH] KING; S1 [THIEF] SPY")
    play.when("0 activate WITCH")
    play.then("live 1 SPY; hand 1 THIEF; asked 1 act")
    play = given("N2; act; S0 [WITCH] KING; S1 [THIEF] SPY, ACTOR")
    play.when("0 activate WITCH")
    play.then("asked 1 replace_live; offers 1 {ACTOR, SPY}")


def test_ac_56_the_last_two_candidates_are_allied_without_asking() -> None:
    play = given(
        "act; S0 [HIEROPHANT] KING; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; "
        "allied ACTOR+ASSASSIN, BODYGUARD+COURTESAN, HUNTSMAN+KING, KNIGHT+MADMAN,"
        " MERCHANT+PRINCESS, SEERESS+SPY; dead WIZARD"
    )
    play.when("0 activate HIEROPHANT")
    play.then(
        "asked 1 act; alliances ACTOR+ASSASSIN, BODYGUARD+COURTESAN, HUNTSMAN+KING,"
        " KNIGHT+MADMAN, MERCHANT+PRINCESS, SEERESS+SPY, THIEF+WITCH"
    )


def test_ac_57_a_decision_on_hidden_cards_is_asked_even_with_one_option() -> None:
    play = given("act; blocked KING; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.then("asked 0 act; offers 0 {decline}")


def test_ac_58_speech_changes_the_offers_of_an_open_decision_and_leaves_it_open() -> None:
    play = given(
        "recruit; coins 2,0,0; silence 0->1; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN"
    )
    play.then("offers 0 {recruit, no_recruit}")
    play.when("0 speak")
    play.then("asked 0 recruit; offers 0 {no_recruit}; coins 1,1,0")
    play = given(
        "act; coins 0,0,1; allied THIEF+WIZARD; S0 [WIZARD] KING; S1 [KNIGHT] WITCH; "
        "S2 [THIEF] MADMAN"
    )
    play.when("0 activate WIZARD; 0 silence 2")
    play.then("offers 1 {decline, KNIGHT}")
    play.when("2 speak; 1 decline")
    play.then("coins 1,0,0; asked 2 act; offers 2 {decline, THIEF, WIZARD}")
    play = given("act; coins 0,1,1; S0 [WIZARD] KING; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate WIZARD; 0 silence 2; 2 speak")
    play.then("asked 1 act; coins 1,1,0")
    play.when("1 activate THIEF")
    play.then("coins 0,2,0; asked 2 act")


def test_ac_58_an_open_theft_that_loses_an_option_stays_open_with_one() -> None:
    play = given(
        "act; coins 2,1,0; S0 [WIZARD] SPY; S1 [KING] WITCH; S2 [THIEF] KNIGHT; down ACTOR"
    )
    play.when("0 activate WIZARD; 0 silence 1; 1 decline; 2 activate THIEF")
    play.then("asked 2 steal; offers 2 {0, 1}")
    play.when("1 speak")
    play.then("coins 3,0,0; asked 2 steal; offers 2 {0}")
    play.when("2 steal 0")
    play.then("coins 1,0,2")


def test_ac_59_an_absent_seat_plays_hidden_cards_by_the_stand_in_order() -> None:
    play = given("play; standin WITCH,SPY; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("fallback 0 choose_live SPY; fallback 1 choose_live WITCH")
    play = given(
        "act; standin KNIGHT,ACTOR; S0 [ACTOR] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; "
        "deck KNIGHT; dead rest"
    )
    play.when("0 activate ACTOR")
    play.then("fallback 0 keep KNIGHT")
    play = given("act; standin ACTOR; S0 [WITCH] KING; S1 [THIEF] ACTOR, SPY; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate WITCH")
    play.then("fallback 0 curse 1")
    play.when("0 curse 1")
    play.then("fallback 1 replace_live ACTOR")


def test_ac_59_an_absent_seat_plays_open_choices_by_public_facts() -> None:
    play = given(
        "act; scarab 1; coins 2,0,2; S0 [HIEROPHANT] KING; S1 [THIEF] WITCH; "
        "S2 [BODYGUARD] MADMAN; dead KNIGHT"
    )
    play.when("1 activate THIEF")
    play.then("fallback 1 steal 2")
    play.when("1 steal 0; 1 steal 2; 2 activate BODYGUARD")
    play.then("fallback 2 name_block KNIGHT")
    play.when("2 name_block KNIGHT; 0 activate HIEROPHANT")
    play.then("fallback 0 ally ACTOR+ASSASSIN")
    play = given("act; S0 [WIZARD] KING; S1 [ASSASSIN] WITCH; S2 [BODYGUARD] MADMAN")
    play.when("0 activate WIZARD")
    play.then("fallback 0 silence 1")
    play.when("0 silence 2; 1 activate ASSASSIN")
    play.then("fallback 1 name_victim ACTOR")


def test_ac_59_an_absent_seat_points_at_the_first_seat_clockwise_from_itself() -> None:
    four = (
        "N4; act; scarab 3; turn 1; S0 [{}] ACTOR; S1 [{}] MADMAN; S2 [SPY] HUNTSMAN; "
        "S3 [KING] KNIGHT"
    )
    play = given(four.format("THIEF", "WITCH")).when("1 activate WITCH")
    play.then("offers 1 {0, 2, 3}; fallback 1 curse 2")
    play = given(four.format("THIEF", "WIZARD")).when("1 activate WIZARD")
    play.then("offers 1 {0, 2, 3}; fallback 1 silence 2")
    play = given(four.format("THIEF", "PRINCESS")).when("1 activate PRINCESS")
    play.then("coins 0,2,0,0; offers 1 {0, 2, 3}; fallback 1 gift 2")
    play = given("coins 1,0,1,1; " + four.format("WITCH", "THIEF")).when("1 activate THIEF")
    play.then("offers 1 {0, 2, 3}; fallback 1 steal 2")


def test_ac_59_an_absent_seat_names_a_removed_character_if_it_can() -> None:
    play = given("act; dead THIEF, KNIGHT; S0 [ASSASSIN] KING; S1 [SPY] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate ASSASSIN")
    play.then("fallback 0 name_victim KNIGHT")
