"""Assassinations, and the two cards that are safe."""

from games.ambition_characters.characters import Character
from games.ambition_characters.state import Place, Removed
from games.ambition_characters.view import LiveCard
from games.core.game import SPECTATOR
from tests.games.ambition_characters.build import given


def test_ac_60_an_act_that_would_leave_fewer_than_two_cards_has_no_effect() -> None:
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim THIEF")
    play.then("live 1 THIEF; sizes 2,2,2; coins 1,0,0; asked 1 act")


def test_ac_60_ac_61_so_are_the_two_cards_of_the_seat_that_kills() -> None:
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD; dead rest"
    )
    dead = play.state.removed
    play.when("0 activate ASSASSIN; 0 name_victim KING")
    play.then("hand 0 KING; live 0 ASSASSIN; sizes 2,2,2; coins 1,0,0; asked 1 act")
    assert play.state.removed == dead


def test_ac_61_a_kill_is_measured_by_its_net_effect() -> None:
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; deck KNIGHT; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim WITCH")
    play.then("hand 1 KNIGHT; sizes 2,2,2; deck size 0")


def test_ac_62_a_kill_that_fails_reveals_moves_and_pays_nothing() -> None:
    play = given(
        "act; coins 0,3,0; S0 [ASSASSIN] KING; S1 [SEERESS] WITCH; S2 [SPY] MADMAN; "
        "allied SEERESS+WITCH; down WIZARD; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("coins 1,3,0; alliances SEERESS+WITCH; live 1 SEERESS")
    assert play.seen(2).reveals == ()
    assert play.view(2).seats[1].live == LiveCard(False, None)


def test_ac_110_the_assassins_coin_part_gives_1() -> None:
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate ASSASSIN skip kill")
    play.then("coins 1,0,0; asked 1 act")


def test_ac_111_any_character_but_the_activated_card_may_be_named() -> None:
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; dead KNIGHT; down WIZARD"
    )
    play.when("0 activate ASSASSIN")
    play.then(
        "offers 0 {ACTOR, BODYGUARD, COURTESAN, HIEROPHANT, HUNTSMAN, KING, KNIGHT, MADMAN,"
        " MERCHANT, PRINCESS, SEERESS, SPY, THIEF, WITCH, WIZARD}"
    )


def test_ac_112_a_named_card_in_hand_or_live_is_shown_and_removed_for_good() -> None:
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim SPY")
    play.then("dead SPY; live 2 none")
    assert play.view(SPECTATOR).removed == (Removed(Character.SPY, 2, Place.LIVE),)
    assert play.seen(1).reveals == ((2, {"type": "choose_live", "card": "SPY"}),)


def test_ac_113_nobody_dies_if_the_card_is_in_no_hand() -> None:
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD")
    play.when("0 activate ASSASSIN; 0 name_victim WIZARD")
    play.then("dead none; coins 1,0,0; sizes 2,2,2")


def test_ac_114_the_holder_draws_the_top_card() -> None:
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; deck KNIGHT,ACTOR; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim MADMAN")
    play.then("hand 2 KNIGHT; deck ACTOR")
    assert play.view(2).seats[2].hand == ("KNIGHT",)
    assert play.view(0).seats[2].hand is None


def test_ac_115_a_removed_live_card_is_not_replaced_and_its_seat_does_not_act() -> None:
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim SPY")
    play.then("live 2 none; sizes 2,2,2")
    play.when("1 decline")
    play.then("round 6")


def test_ac_116_the_assassin_cannot_name_itself_but_a_borrower_can_name_the_assassin() -> None:
    play = given(
        "act; S0 [ASSASSIN] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; allied ASSASSIN+THIEF"
    )
    play.when(
        "0 activate ASSASSIN; not 0 name_victim ASSASSIN; 0 name_victim WIZARD; 1 activate ASSASSIN"
    )
    play.then("has 1 ASSASSIN; lacks 1 THIEF")
    play.when("not 1 name_victim THIEF; 1 name_victim ASSASSIN")
    play.then("dead ASSASSIN; live 0 none")


def test_ac_117_the_holder_of_a_killed_seeress_pays_a_coin() -> None:
    play = given("act; coins 0,2,0; S0 [ASSASSIN] KING; S1 [THIEF] SEERESS; S2 [SPY] MADMAN")
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("coins 2,1,0")


def test_ac_117_so_does_the_holder_of_a_late_knight_but_only_with_strange_allies() -> None:
    play = given(
        "act; coins 0,2,0; S0 [ASSASSIN] KING; S1 [THIEF] KNIGHT, WITCH; S2 [SPY] MADMAN; "
        "down WIZARD; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("coins 2,1,0")
    play = given(
        "base; act; coins 0,2,0; S0 [ASSASSIN] KING; S1 [THIEF] KNIGHT, WITCH; "
        "S2 [SPY] MADMAN; down ACTOR; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim KNIGHT")
    play.then("coins 1,2,0; sizes 2,2,2")


def test_ac_118_the_order_is_remove_break_draw_coin() -> None:
    play = given(
        "act; coins 8,1,0; S0 [ASSASSIN] KING; S1 [THIEF] SEERESS; S2 [SPY] MADMAN; "
        "allied KING+SEERESS; deck ACTOR,WITCH; dead rest"
    )
    play.when("0 activate ASSASSIN; 0 name_victim SEERESS")
    play.then("over 0; coins 10,0,0; alliances none; hand 1 ACTOR; deck WITCH")


def test_ac_119_finished_effects_of_a_killed_card_stand() -> None:
    play = given("act; S0 [WIZARD] KING; S1 [ASSASSIN] WITCH; S2 [SPY] MADMAN")
    play.when("0 activate WIZARD; 0 silence 2; 1 activate ASSASSIN; 1 name_victim WIZARD")
    play.then("dead WIZARD; silence 2->0")
