"""Recruiting."""

from tests.games.ambition_characters.build import given


def test_ac_18_each_seat_is_asked_once_clockwise_before_the_first_pass() -> None:
    play = given("recruit; scarab 1; coins 2,3,2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("asked 1 recruit; offers 1 {recruit, no_recruit}")
    play.when("1 no_recruit")
    play.then("asked 2 recruit")
    play.when("2 no_recruit")
    play.then("asked 0 recruit")
    play.when("0 no_recruit")
    play.then("asked 1 pass_card")


def test_ac_19_recruiting_costs_2_coins_and_gives_the_top_card() -> None:
    play = given(
        "recruit; coins 3,0,0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; "
        "deck WIZARD,KNIGHT; dead rest"
    )
    play.when("0 recruit")
    play.then("coins 1,0,0; supply 44; hand 0 KING, SPY, WIZARD; deck KNIGHT")
    assert play.view(1).seats[0].hand is None
    assert play.view(0).seats[0].hand == ("KING", "SPY", "WIZARD")


def test_ac_20_who_owns_fewer_than_2_coins_or_finds_no_card_is_not_asked() -> None:
    play = given(
        "recruit; coins 1,2,2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN; deck WIZARD; "
        "dead rest"
    )
    play.then("asked 1 recruit")
    play.when("1 recruit")
    play.then("asked 0 pass_card; coins 1,0,2")


def test_ac_21_a_seat_recruits_at_most_once_a_round() -> None:
    play = given("recruit; coins 6,0,0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.when("0 recruit")
    play.then("asked 0 pass_card; sizes 3,2,2")
