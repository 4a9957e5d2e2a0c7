"""The Silence token, the Wizard, and table talk."""

import pytest

from games.ambition_characters import GAME
from games.ambition_characters.moves import Deal, FirstSeat, Redeal, Speak, StandIn, Swap
from games.core.game import CHANCE, Chance
from games.core.moves import IllegalMove, Text, offer, take
from tests.games.ambition_characters.build import given


def test_ac_76_a_new_silencing_moves_the_token_and_makes_a_new_creditor() -> None:
    play = given(
        "act; coins 0,1,0; allied KING+WIZARD; S0 [WIZARD] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN"
    )
    play.when("0 activate WIZARD; 0 silence 2")
    play.then("silence 2->0 unpaid")
    play.when("1 activate WIZARD; 1 silence 0")
    play.then("silence 0->1 unpaid; offers 2 {decline, THIEF}")


def test_ac_77_silence_lasts_to_the_end_of_the_next_block_phase() -> None:
    play = given("block; silence 1->0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("2 block KING")
    play.then("silence 1->0")
    play.when("0 block SPY")
    play.then("silence none; asked 0 act")
    play = given("act; S0 [WIZARD] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate WIZARD; 0 silence 1; 1 decline; 2 decline")
    play.then("round 6; silence 1->0")


def test_ac_78_the_silenced_seat_names_no_block() -> None:
    play = given("block; silence 2->0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.then("asked 1 block")
    play = given("block; silence 0->2; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("2 block KING; 1 block SPY")
    play.then("asked 0 act; silence none")


def test_ac_79_having_paid_does_not_give_the_block_back() -> None:
    play = given(
        "block; coins 0,2,0; silence 1->0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN"
    )
    play.when("1 speak")
    play.then("silence 1->0 paid")
    play.when("2 block KING")
    play.then("asked 0 block")


def test_ac_80_a_silenced_seat_cannot_use_parts_that_name_or_say_a_word() -> None:
    play = given(
        "act; coins 0,0,1; S0 [WIZARD] SPY; S1 [ASSASSIN] WITCH; S2 [ACTOR] MADMAN; "
        "allied ACTOR+KING, ASSASSIN+COURTESAN"
    )
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, ASSASSIN/coin, COURTESAN/steal}")
    play.when("1 activate COURTESAN")
    play.then("coins 0,1,0; alliances ACTOR+KING, ASSASSIN+COURTESAN; asked 2 act")
    play = given(
        "act; S0 [WIZARD] SPY; S1 [HIEROPHANT] KING; S2 [ACTOR] MADMAN; allied KING+WIZARD"
    )
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, HIEROPHANT/coin}")


def test_ac_80_a_silenced_borrower_of_the_wizard_moves_no_token() -> None:
    play = given(
        "act; S0 [WIZARD] SPY; S1 [KING] WITCH; S2 [THIEF] MADMAN; allied KING+WIZARD; down ACTOR"
    )
    play.when("0 activate WIZARD; 0 silence 1; 1 activate WIZARD")
    play.then("silence 1->0 unpaid; asked 2 act")


def test_ac_80_under_faq_only_just_block_and_curse_are_lost() -> None:
    play = given(
        "opt silence_scope=faq_only; act; S0 [WIZARD] SPY; S1 [ASSASSIN] KING; "
        "S2 [ACTOR] MADMAN; allied ASSASSIN+BODYGUARD"
    )
    play.when("0 activate WIZARD; 0 silence 1")
    play.then("offers 1 {decline, ASSASSIN/coin/kill, BODYGUARD/coin}")


def test_ac_81_after_the_block_phase_the_seat_is_free_again() -> None:
    play = given("block; silence 1->0; S0 [KING] SPY; S1 [ASSASSIN] WITCH; S2 [ACTOR] MADMAN")
    play.when("2 block KING; 0 block SPY; 0 decline")
    play.then("offers 1 {decline, ASSASSIN/coin/kill}")


def test_ac_90_every_seat_may_speak_at_any_decision() -> None:
    play = given("play; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    before = play.state
    play.when("0 choose_live KING")
    after = play.state
    play.when("0 speak; 1 speak; 2 speak")
    assert play.state == after != before
    asides = play.decision().asides
    assert set(asides) == {0, 1, 2}
    assert all(own == (offer(Speak, text=Text(280)),) for own in asides.values())
    for text in ("", "  ", "x" * 281):
        with pytest.raises(IllegalMove):
            take(asides[1], {"type": "speak", "text": text})


def test_ac_91_speech_answers_no_decision_and_is_not_offered_at_draws_or_at_the_end() -> None:
    play = given("act; coins 7,0,0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 speak; 2 speak")
    play.then("asked 0 act; offers 0 {decline, KING/coins}")
    play.when("0 activate KING")
    play.then("over 0")
    play = given("setup").when("deal").then("asked 0 pass_card")
    swap = given("act; S0 [ACTOR] KING; S1 [MADMAN] WITCH; S2 [SPY] THIEF")
    swap.when("0 activate ACTOR; 0 keep ACTOR; 1 activate MADMAN")
    draws = [step for step in play.steps + swap.steps if step[1] == CHANCE]
    assert [type(move) for _, _, move in draws] == [FirstSeat, Deal, StandIn, Swap, Redeal]
    for before, _, _ in draws:
        assert isinstance(GAME.turn(before), Chance)  # Which offers no seat anything.


def test_ac_92_a_silenced_seat_that_speaks_pays_its_creditor() -> None:
    play = given("pass; coins 0,3,0; silence 1->2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.when("0 speak; 1 speak")
    play.then("coins 0,2,1; silence 1->2 paid; asked 0 pass_card")


def test_ac_93_at_most_one_coin_is_paid_per_silence() -> None:
    play = given("pass; coins 0,3,0; silence 1->2; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.when("1 speak; 1 speak; 1 speak")
    play.then("coins 0,2,1")


def test_ac_94_speaking_without_a_coin_pays_nothing_and_uses_nothing_up() -> None:
    play = given("act; S0 [WIZARD] SPY; S1 [PRINCESS] WITCH; S2 [HUNTSMAN] MADMAN")
    play.when("0 activate WIZARD; 0 silence 2; 2 speak")
    play.then("coins 0,0,0; silence 2->0 unpaid")
    play.when("1 activate PRINCESS; 1 gift 2; 2 accept; 2 speak")
    play.then("coins 1,2,0; silence 2->0 paid")


def test_ac_95_game_moves_are_not_speech() -> None:
    play = given(
        "opt silence_scope=faq_only; act; coins 0,1,0; S0 [WIZARD] SPY; S1 [ASSASSIN] WITCH; "
        "S2 [ACTOR] MADMAN"
    )
    play.when("0 activate WIZARD; 0 silence 1; 1 activate ASSASSIN; 1 name_victim KING")
    play.then("coins 0,2,0; silence 1->0 unpaid")


def test_ac_240_the_wizard_gives_another_seat_the_silence_token() -> None:
    play = given("act; S0 [WIZARD] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate WIZARD")
    play.then("asked 0 silence; offers 0 {1, 2}")
    play.when("0 silence 2")
    play.then("silence 2->0 unpaid; coins 0,0,0")
