"""The Madman's end of a round, and the Merchant's payout."""

from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_ac_170_the_madmans_coin_part_gives_1() -> None:
    play = given("act; S0 [MADMAN] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] KING")
    play.when("0 activate MADMAN skip end_round")
    play.then("coins 1,0,0; asked 1 act")


def test_ac_171_the_round_ends_at_once_and_waiting_payouts_are_lost() -> None:
    play = given("act; S0 [MERCHANT] ACTOR; S1 [MADMAN] THIEF; S2 [HUNTSMAN] KING")
    play.when("0 activate MERCHANT; 1 activate MADMAN skip coin")
    play.then("coins 0,0,0; round 6")
    assert play.view(SPECTATOR).payouts == ()


def test_ac_172_the_cards_of_all_seats_are_dealt_out_anew_from_the_left() -> None:
    play = given(
        "act; S0 [MADMAN] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] KING; deck SPY; dead rest"
    )
    play.when("0 activate MADMAN ~ KING,ACTOR,THIEF,WITCH,HUNTSMAN,MADMAN")
    play.then("hand 1 KING, WITCH; hand 2 ACTOR, HUNTSMAN; hand 0 MADMAN, THIEF; deck SPY")
    orders = [play.wire(viewer)["order"] for viewer in (0, 1, 2, SPECTATOR)]
    assert orders == [
        [None, None, "THIEF", None, None, "MADMAN"],
        ["KING", None, None, "WITCH", None, None],
        [None, "ACTOR", None, None, "HUNTSMAN", None],
        [None] * 6,
    ]


def test_ac_173_hand_sizes_then_differ_by_at_most_one() -> None:
    play = given("act; S0 [MADMAN] ACTOR; S1 [WITCH] THIEF, SPY, KNIGHT; S2 [HUNTSMAN] KING")
    play.when("0 activate MADMAN")
    play.then("sizes 2,3,3")


def test_ac_174_the_scarab_moves_once_to_the_left_of_the_first_seat() -> None:
    play = given("act; scarab 1; S0 [KING] ACTOR; S1 [MADMAN] THIEF; S2 [HUNTSMAN] SPY")
    play.when("1 activate MADMAN")
    play.then("scarab 2; round 6; asked 2 pass_card")


def test_ac_175_coins_alliances_removed_cards_pending_token_and_silence_stay() -> None:
    play = given(
        "act; coins 3,4,0; allied KING+SPY; dead KNIGHT; S0 [WIZARD] ACTOR; S1 [SPY] THIEF; "
        "S2 [MADMAN] KING"
    )
    play.when("0 activate WIZARD; 0 silence 2; 1 activate SPY skip coin")
    play.when("2 activate MADMAN skip coin")
    play.then("coins 3,4,0; sneak pending 1; silence 2->0; alliances KING+SPY; dead KNIGHT")
    play = given("act; sneak on 2; S0 [MADMAN] ACTOR; S1 [WITCH] THIEF; S2 [HUNTSMAN] KING")
    play.when("0 activate MADMAN")
    play.then("sneak supply")


def test_ac_180_the_merchant_is_paid_for_every_activated_card_before_and_after() -> None:
    play = given("act; S0 [HUNTSMAN] ACTOR; S1 [MERCHANT] THIEF; S2 [SPY] KING")
    play.when("0 activate HUNTSMAN; 1 activate MERCHANT; 2 activate SPY")
    play.then("coins 3,3,1")


def test_ac_181_borrowed_powers_count_once_declined_cards_do_not() -> None:
    play = given("act; allied KING+SPY; S0 [MERCHANT] ACTOR; S1 [KING] THIEF; S2 [HUNTSMAN] WITCH")
    play.when("0 activate MERCHANT; 1 activate SPY; 2 decline")
    play.then("coins 2,1,0")


def test_ac_182_there_is_no_payout_if_the_madman_ends_the_round() -> None:
    play = given("act; S0 [MERCHANT] ACTOR; S1 [MADMAN] THIEF; S2 [HUNTSMAN] WITCH")
    play.when("0 activate MERCHANT; 1 activate MADMAN")
    play.then("coins 0,1,0; round 6")


def test_ac_183_there_is_no_payout_if_the_card_that_carries_it_is_killed() -> None:
    play = given(
        "act; allied KING+MERCHANT; S0 [KING] ACTOR; S1 [ASSASSIN] THIEF; S2 [HUNTSMAN] WITCH"
    )
    play.when("0 activate MERCHANT; 1 activate ASSASSIN; 1 name_victim KING; 2 decline")
    play.then("coins 0,1,0; round 6")


def test_ac_183_a_curse_on_the_killed_card_does_not_bring_its_payout_back() -> None:
    """R-22."""
    play = given(
        "N4; act; S0 [MERCHANT] KING; S1 [WITCH] THIEF; S2 [ASSASSIN] SPY; S3 [ACTOR] MADMAN; "
        "down WIZARD"
    )
    play.when(
        "0 activate MERCHANT; 1 activate WITCH; 1 curse 0; 2 activate ASSASSIN; "
        "2 name_victim MERCHANT; 3 decline"
    )
    play.then("coins 0,1,1,0; round 6")


def test_ac_184_cards_activated_and_later_removed_still_count() -> None:
    play = given("act; S0 [MERCHANT] ACTOR; S1 [HUNTSMAN] THIEF; S2 [ASSASSIN] WITCH")
    play.when(
        "0 activate MERCHANT; 1 activate HUNTSMAN; 2 activate ASSASSIN; 2 name_victim HUNTSMAN"
    )
    play.then("coins 3,0,1")
