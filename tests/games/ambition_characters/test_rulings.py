"""Rulings on gaps of the rulebook that no rule's own test shows already."""

import pytest

from games.ambition_characters import GAME
from games.ambition_characters.characters import Character
from games.ambition_characters.state import Options
from games.core.game import SPECTATOR, OptionsRefused
from tests.games.ambition_characters.build import given


def test_r_01_more_than_four_seats_need_both_options() -> None:
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(Options(), 5)
    assert refused.value.pointer == "/seats"
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(Options(extended_players=True, strange_allies=False), 6)
    assert refused.value.pointer == "/strange_allies"


def test_r_02_up_to_three_cards_are_set_aside() -> None:
    play = given("N2; opt removed_cards=2; first 0; setup")
    play.when("deal")
    play.then("deck size 9")
    for wrong in (0, 4):
        with pytest.raises(OptionsRefused):
            GAME.new(Options(removed_cards=wrong), 3)


def test_r_03_with_two_seats_the_seeress_is_outside_the_set() -> None:
    play = given("N2; block; S0 [KING] SPY; S1 [THIEF] WITCH")
    play.then("lacks 1 SEERESS")
    play.when("not 1 block SEERESS")


def test_r_04_recruiting_goes_round_with_known_results_in_between() -> None:
    play = given(
        "recruit; coins 2,2,2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; "
        "deck WIZARD,KNIGHT; dead rest"
    )
    play.when("0 recruit; 1 recruit")
    play.then("asked 0 pass_card; coins 0,0,2")


def test_r_05_passing_is_an_exchange_that_the_two_card_rule_leaves_alone() -> None:
    play = given("pass; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; dead rest")
    play.when("0 pass_card SPY; 1 pass_card SPY; 2 pass_card SPY")
    play.then("sizes 2,2,2")


def test_r_06_the_returned_seeress_is_shown_without_asking() -> None:
    play = given("N2; pass; S0 KNIGHT, SPY; S1 THIEF, WITCH; down KING; dead rest")
    play.when("0 pass_card KNIGHT; 1 pass_card KNIGHT")
    play.then("coins 2,0; asked all choose_live")
    assert play.wire(SPECTATOR) == {"type": "pass_card", "card": "KNIGHT"}


def test_r_07_a_removed_character_may_be_blocked() -> None:
    play = given("block; dead PRINCESS; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("2 block PRINCESS")
    play.then("blocked PRINCESS; lacks 1 PRINCESS")


def test_r_08_the_madman_may_take_the_coin_and_not_end_the_round() -> None:
    play = given("act; S0 [MADMAN] SPY; S1 [THIEF] WITCH; S2 [ACTOR] KING")
    play.then("offers 0 {decline, MADMAN/coin/end_round}")
    play.when("0 activate MADMAN skip end_round")
    play.then("coins 1,0,0; round 5")


def test_r_09_one_part_is_one_gain_and_may_pass_10() -> None:
    play = given("act; coins 9,0,0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate KING")
    play.then("coins 12,0,0; over 0")


def test_r_10_the_replacement_draw_is_part_of_the_kill() -> None:
    play = given("act; S0 [ASSASSIN] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim WITCH")
    play.then("dead WITCH; sizes 2,2,2")


def test_r_11_a_kill_that_fails_looks_like_a_miss() -> None:
    play = given(
        "act; S0 [ASSASSIN] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN; down KING; dead rest"
    )
    other = play.fork().when("0 activate ASSASSIN; 0 name_victim KING")
    play.when("0 activate ASSASSIN; 0 name_victim WITCH")
    assert play.view(0) == other.view(0)
    assert play.seen(0).reveals == other.seen(0).reveals == ()


def test_r_12_a_seat_whose_live_card_died_has_no_turn() -> None:
    play = given("act; S0 [ASSASSIN] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim ACTOR; 1 decline")
    play.then("round 6")


def test_r_13_a_borrower_of_the_actor_keeps_itself_or_the_drawn_card() -> None:
    play = given(
        "act; allied ACTOR+HUNTSMAN; S0 [HUNTSMAN] SPY; S1 [THIEF] WITCH; S2 [KING] MADMAN; "
        "down ACTOR; deck KNIGHT; dead rest"
    )
    play.when("0 activate ACTOR")
    play.then("offers 0 {HUNTSMAN, KNIGHT}")


def test_r_14_killing_the_merchant_does_not_cancel_a_borrowed_payout() -> None:
    play = given(
        "act; allied KING+MERCHANT; S0 [KING] SPY; S1 [ASSASSIN] MERCHANT; S2 [ACTOR] MADMAN"
    )
    play.when("0 activate MERCHANT; 1 activate ASSASSIN; 1 name_victim MERCHANT; 2 decline")
    play.then("coins 2,1,0; alliances none")


def test_r_15_an_activation_without_effect_counts_for_the_merchant() -> None:
    play = given("act; S0 [THIEF] SPY; S1 [MERCHANT] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate THIEF; 1 activate MERCHANT; 2 decline")
    play.then("coins 0,2,0")


def test_r_16_the_madmans_deal_begins_at_his_left_and_the_scarab_goes_on_from_its_holder() -> None:
    play = given("act; scarab 2; turn 1; S0 [KING] SPY; S1 [MADMAN] WITCH; S2 [THIEF] ACTOR")
    play.when("1 activate MADMAN ~ SPY,KING,ACTOR,WITCH,THIEF,MADMAN")
    play.then("scarab 0; hand 2 SPY, WITCH; hand 0 KING, THIEF; hand 1 ACTOR, MADMAN")


def test_r_17_a_card_borrowing_from_the_spy_can_take_its_own_token_again() -> None:
    play = given(
        "act; sneak on 0; blocked KING; allied KING+SPY; S0 [KING] ACTOR; S1 [THIEF] WITCH; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when("0 activate SPY")
    play.then("sneak pending 0")


def test_r_18_silence_counts_from_receipt() -> None:
    play = given("act; S0 [WIZARD] ACTOR; S1 [ASSASSIN] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, ASSASSIN/coin}")


def test_r_19_silencing_the_same_seat_again_starts_a_new_claim() -> None:
    play = given(
        "act; coins 0,0,2; allied KING+WIZARD; S0 [WIZARD] ACTOR; S1 [KING] WITCH; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when("0 activate WIZARD; 0 silence 2; 2 speak; 1 activate WIZARD; 1 silence 2; 2 speak")
    play.then("coins 1,1,0; silence 2->1 paid")


def test_r_20_a_later_speech_may_still_cost_the_coin() -> None:
    play = given("pass; coins 0,0,0; silence 1->0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.when("1 speak")
    play.then("silence 1->0 unpaid")


def test_r_21_without_table_talk_nobody_is_offered_to_speak() -> None:
    play = given(
        "opt table_talk=false; pass; silence 1->0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN"
    )
    play.when("not 0 speak; not 1 speak")
    assert play.decision().asides == {}


def test_r_22_a_seat_that_has_acted_may_be_cursed_and_keeps_a_waiting_payout() -> None:
    play = given("act; S0 [MERCHANT] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate MERCHANT; 1 activate WITCH; 1 curse 0; 2 decline")
    play.then("coins 2,1,0; round 6")


def test_r_23_the_princesss_guest_may_refuse() -> None:
    play = given("act; S0 [PRINCESS] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate PRINCESS; 0 gift 1; 1 refuse")
    play.then("coins 2,0,0; asked 1 act")


def test_r_24_the_first_stolen_coin_can_win() -> None:
    play = given("act; coins 9,2,0; S0 [THIEF] ACTOR; S1 [WITCH] KING; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate THIEF")
    play.then("over 0; coins 10,1,0")


def test_r_25_a_silenced_courtesan_still_steals() -> None:
    play = given(
        "act; coins 0,0,1; allied ACTOR+KING; S0 [WIZARD] ACTOR; S1 [COURTESAN] KING; "
        "S2 [HUNTSMAN] MADMAN"
    )
    play.when("0 activate WIZARD; 0 silence 1; 1 activate COURTESAN")
    play.then("coins 0,1,0; alliances ACTOR+KING; asked 2 act")


def test_r_26_the_actors_swap_of_the_last_card_begins_no_late_game() -> None:
    play = given(
        "act; coins 0,1,0; S0 [ACTOR] KING; S1 [KNIGHT] WITCH; S2 [HUNTSMAN] MADMAN; "
        "deck SPY; dead rest"
    )
    play.when("0 activate ACTOR; 0 keep SPY")
    play.then("deck ACTOR; offers 1 {decline, KNIGHT/hire}")


def test_r_27_with_two_seats_the_late_knight_is_worth_2_coins() -> None:
    play = given("N2; pass; S0 KNIGHT, SPY; S1 THIEF, WITCH; down KING; dead rest")
    play.when("0 pass_card KNIGHT; 1 pass_card KNIGHT")
    play.then("coins 2,0")


def test_r_28_after_a_swap_no_card_lies_face_up() -> None:
    play = given("act; S0 [ACTOR] KING; S1 [KNIGHT] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate ACTOR")
    assert play.view(1).seats[0].live is None
    play.when("0 keep ACTOR")
    assert play.view(1).seats[0].live is None


def test_r_29_an_accepted_gift_is_cut_to_the_supply() -> None:
    play = given(
        "opt extended_players=true; N5; act; coins 8,9,9,9,9; S0 [PRINCESS] ACTOR; "
        "S1 [MADMAN] KING; S2 [SPY] WITCH; S3 [THIEF] MERCHANT; S4 [KNIGHT] HUNTSMAN"
    )
    play.when("0 activate PRINCESS; 0 gift 1; 1 accept")
    play.then("coins 9,9,9,9,9; asked 1 act")


def test_r_30_the_round_limit_is_from_1_to_500() -> None:
    GAME.new(Options(round_limit=500), 2)
    for wrong in (0, 501, True):
        with pytest.raises(OptionsRefused) as refused:
            GAME.new(Options(round_limit=wrong), 2)
        assert refused.value.pointer == "/round_limit"


def test_r_31_the_only_card_one_may_choose_is_still_asked_for() -> None:
    play = given("play; sneak pending 0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("asked all choose_live; offers 0 {KING}")


def test_r_32_the_bodyguard_names_a_further_character_even_a_removed_one() -> None:
    play = given(
        "act; blocked SPY; dead PRINCESS; S0 [BODYGUARD] KING; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN"
    )
    play.when("0 activate BODYGUARD; not 0 name_block SPY; 0 name_block PRINCESS")
    play.then("blocked SPY, PRINCESS")


def test_r_33_a_borrower_of_the_seeress_gets_nothing() -> None:
    play = given("act; allied KING+SEERESS; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate SEERESS")
    play.then("coins 0,0,0; asked 1 act")


def test_r_34_all_but_the_winner_share_rank_2() -> None:
    play = given("act; coins 8,5,0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate KING")
    play.then("ranks 1,2,2")


def test_r_35_the_end_opens_no_hidden_card() -> None:
    play = given("act; coins 8,5,0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate KING")
    view = play.view(SPECTATOR)
    assert [seat.hand for seat in view.seats] == [None] * 3
    assert [seat.live and seat.live.card for seat in view.seats] == ["KING", None, None]
    assert view.ending == "ten_coins"


def test_r_36_every_character_but_the_hierophant_has_an_alliance_token() -> None:
    play = given("act; S0 [HIEROPHANT] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate HIEROPHANT")
    assert play.options(0) == [each for each in Character if each is not Character.HIEROPHANT]


def test_r_37_naming_in_a_move_costs_no_fine() -> None:
    play = given(
        "opt silence_scope=faq_only; act; coins 0,1,0; S0 [WIZARD] SPY; "
        "S1 [HIEROPHANT] WITCH; S2 [ACTOR] MADMAN"
    )
    play.when("0 activate WIZARD; 0 silence 1; 1 activate HIEROPHANT; 1 ally KING+SPY")
    play.then("coins 0,2,0; silence 1->0 unpaid")


def test_r_38_a_removed_character_may_be_named_as_victim() -> None:
    play = given("act; dead KNIGHT; S0 [ASSASSIN] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("dead KNIGHT; coins 1,0,0")


def test_r_39_whether_the_knight_is_a_seeress_is_judged_when_he_is_named() -> None:
    play = given(
        "act; coins 0,2,0; S0 [ASSASSIN] SPY; S1 [THIEF] KNIGHT; S2 [ACTOR] MADMAN; "
        "deck KING; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("coins 1,2,0; deck size 0")


def test_r_40_an_absent_actor_keeps_by_the_stand_in_order() -> None:
    play = given(
        "act; standin ASSASSIN,ACTOR; S0 [ACTOR] SPY; S1 [THIEF] WITCH; S2 [KING] MADMAN; "
        "deck ASSASSIN; dead rest"
    )
    play.when("0 activate ACTOR")
    play.then("fallback 0 keep ASSASSIN")


def test_r_40_all_hidden_choices_follow_the_stand_in_order_and_nothing_else() -> None:
    for first, second in (("SPY", "KING"), ("KING", "SPY")):
        order = f"standin {first},{second}"
        hands = "S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN"
        given(f"pass; {order}; {hands}").then(f"fallback 0 pass_card {first}")
        given(f"play; {order}; {hands}").then(f"fallback 0 choose_live {first}")
        keep = given(
            f"act; {order}; allied ACTOR+KING; S0 [KING] HUNTSMAN; S1 [THIEF] MADMAN; "
            "S2 [WITCH] KNIGHT; down ACTOR; deck SPY; dead rest"
        )
        keep.when("0 activate ACTOR").then(f"fallback 0 keep {first}")
        curse = given(f"act; {order}; S0 [WITCH] ACTOR; S1 [THIEF] KING, SPY; S2 [HUNTSMAN] MADMAN")
        curse.when("0 activate WITCH; 0 curse 1").then(f"fallback 1 replace_live {first}")


def test_r_41_a_dead_position_ends_with_the_round_limit() -> None:
    play = given(
        "opt round_limit=5; N2; act; S0 [COURTESAN] KNIGHT; S1 [THIEF] WIZARD; down PRINCESS"
    )
    play.when("0 activate COURTESAN; 1 activate THIEF")
    play.then("over 0,1; coins 0,0; ranks 1,1")
