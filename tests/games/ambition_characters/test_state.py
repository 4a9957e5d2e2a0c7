"""The match as a whole: seats, set, coins, winning, set-up."""

import pytest

from games.ambition_characters import GAME
from games.ambition_characters.characters import Character
from games.ambition_characters.moves import Activate, Deal, FirstSeat, StandIn
from games.ambition_characters.state import Options, Phase, Silenced
from games.ambition_characters.view import SneakView, View
from games.core.game import CHANCE, SPECTATOR, Chance, OptionsRefused
from games.core.moves import Choice
from games.core.walk import random_match, seeded
from tests.games.ambition_characters.build import cards_in, given


def test_ac_01_a_match_has_2_to_4_seats_or_up_to_6_extended_with_strange_allies() -> None:
    for seats in (2, 3, 4):
        GAME.new(Options(strange_allies=False), seats)
    for seats in (2, 3, 4, 5, 6):
        GAME.new(Options(extended_players=True), seats)
    for options, seats in (
        (Options(), 1),
        (Options(), 5),
        (Options(extended_players=True), 7),
        (Options(extended_players=True, strange_allies=False), 5),
    ):
        with pytest.raises(OptionsRefused):
            GAME.new(options, seats)


def test_ac_02_the_set_is_12_or_16_characters_without_the_seeress_for_two() -> None:
    base = GAME.new(Options(strange_allies=False), 3).cast
    assert (len(base), Character.WIZARD in base) == (12, False)
    assert GAME.new(Options(), 3).cast == tuple(Character)
    pair = GAME.new(Options(), 2).cast
    assert (len(pair), Character.SEERESS in pair) == (15, False)


def test_ac_03_a_seat_wins_at_the_instant_it_owns_10_coins() -> None:
    play = given(
        "act; coins 0,0,9; S0 [PRINCESS] KING; S1 [THIEF] WITCH; S2 [SPY] MADMAN; down WIZARD"
    )
    play.when("0 activate PRINCESS; 0 gift 2; 2 accept")
    play.then("over 2; ranks 2,2,1; coins 2,0,10; round 5; scarab 0; live 1 THIEF")


def test_ac_03_the_reward_of_the_seeress_wins_in_the_pass_phase() -> None:
    play = given("pass; coins 8,0,0; S0 SEERESS, KING; S1 THIEF, WITCH; S2 ACTOR, SPY; down WIZARD")
    play.when("0 pass_card SEERESS; 1 pass_card SEERESS; 2 pass_card SEERESS")
    play.then("over 0; coins 11,0,0; round 5")
    assert play.view(SPECTATOR).phase is Phase.PASS


def test_ac_03_the_late_knight_brings_the_reward_home_in_the_pass_phase_as_well() -> None:
    play = given(
        "pass; coins 8,0,0; S0 KNIGHT, KING; S1 THIEF, WITCH; S2 ACTOR, SPY; down WIZARD; dead rest"
    )
    play.when("0 pass_card KNIGHT; 1 pass_card KNIGHT; 2 pass_card KNIGHT")
    play.then("over 0; coins 11,0,0; round 5")
    assert play.view(SPECTATOR).phase is Phase.PASS


def test_ac_04_the_coins_of_one_part_arrive_together_single_stolen_ones_do_not() -> None:
    play = given("act; coins 8,0,0; S0 [KING] SPY; S1 [THIEF] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate KING")
    play.then("over 0; coins 11,0,0")
    play = given("act; coins 9,1,1; S0 [THIEF] SPY; S1 [KING] WITCH; S2 [ACTOR] MADMAN")
    play.when("0 activate THIEF; 0 steal 1")
    play.then("over 0; coins 10,0,1")


def test_ac_05_there_are_45_coins_and_a_gain_is_cut_to_the_supply() -> None:
    play = given(
        "opt extended_players=true; N5; act; coins 9,9,9,9,7; turn 4; S0 [KNIGHT] ACTOR; "
        "S1 [MADMAN] PRINCESS; S2 [SPY] WITCH; S3 [THIEF] MERCHANT; S4 [KING] HUNTSMAN"
    )
    play.then("supply 2")
    play.when("4 activate KING")
    play.then("coins 9,9,9,9,9; supply 0")


def test_ac_05_a_coin_part_drops_out_while_the_supply_is_empty() -> None:
    play = given(
        "opt extended_players=true; N5; act; coins 9,9,9,9,9; S0 [MADMAN] ACTOR; "
        "S1 [KING] PRINCESS; S2 [SPY] WITCH; S3 [THIEF] MERCHANT; S4 [KNIGHT] HUNTSMAN"
    )
    play.then("offers 0 {decline, MADMAN/end_round}")
    play.when("0 decline")
    play.then("offers 1 {decline, KING}")


def test_ac_06_a_forced_payment_is_made_as_far_as_it_can_be() -> None:
    play = given("act; S0 [ASSASSIN] KING; S1 [THIEF] SEERESS; S2 [SPY] MADMAN")
    play.when("0 activate ASSASSIN skip coin; 0 name_victim SEERESS")
    play.then("coins 0,0,0; dead SEERESS")


def test_ac_07_coins_counts_scarab_and_tokens_are_open() -> None:
    play = given(
        "act; coins 1,2,3; scarab 2; sneak on 0; allied KING+SPY; blocked ACTOR; "
        "S0 [KING] WITCH; S1 [THIEF] ASSASSIN, ACTOR, SEERESS; S2 [WIZARD] KNIGHT, PRINCESS"
    )
    play.when("2 activate WIZARD; 2 silence 1")
    view = play.view(SPECTATOR)
    assert [seat.coins for seat in view.seats] == [1, 2, 3]
    assert [seat.hand_count for seat in view.seats] == [1, 3, 2]
    assert (view.scarab, view.supply, view.deck_count) == (2, 39, 7)
    assert view.sneak == SneakView(seat=0, placed=True)
    assert view.silence == Silenced(seat=1, creditor=2)
    assert (view.alliances, view.blocked) == (("KING+SPY",), play.state.blocked)


def test_ac_08_the_round_limit_ends_the_match_before_cards_or_scarab_move() -> None:
    play = given(
        "opt round_limit=5; act; turn 2; coins 4,4,1; S0 [KNIGHT] ACTOR; "
        "S1 [MADMAN] PRINCESS; S2 [KING] SPY"
    )
    play.when("2 activate KING")
    play.then("over 0,1,2; coins 4,4,4; ranks 1,1,1; scarab 0; live 2 KING; round 5")


def test_ac_08_the_madmans_end_of_the_last_round_ends_the_match_without_a_deal() -> None:
    play = given(
        "opt round_limit=5; act; coins 2,2,0; S0 [MADMAN] ACTOR; S1 [KNIGHT] PRINCESS; "
        "S2 [KING] SPY"
    )
    play.when("0 activate MADMAN")
    play.then("over 0; coins 3,2,0; ranks 1,2,3; scarab 0; live 0 MADMAN; round 5; boundary over")


def test_ac_08_ac_171_a_limit_reached_by_the_madman_pays_deals_and_moves_nothing() -> None:
    play = given(
        "opt round_limit=5; act; S0 [MERCHANT] ACTOR; S1 [MADMAN] PRINCESS; S2 [KING] SPY; "
        "allied ACTOR+SPY"
    )
    play.when("0 activate MERCHANT; 1 activate MADMAN")
    play.then(
        "over 1; coins 0,1,0; scarab 0; round 5; hand 0 ACTOR; live 0 MERCHANT; hand 1 PRINCESS; "
        "live 1 MADMAN; hand 2 SPY; live 2 KING; boundary over"
    )
    assert isinstance(play.steps[-1][2], Activate)


def test_ac_08_payouts_come_before_the_limit() -> None:
    play = given("opt round_limit=5; act; S0 [MERCHANT] ACTOR; S1 [KNIGHT] PRINCESS; S2 [KING] SPY")
    play.when("0 activate MERCHANT; 1 decline; 2 decline")
    play.then("over 0; coins 1,0,0")


def test_ac_10_the_whole_set_is_shuffled() -> None:
    turn = GAME.turn(GAME.new(Options(first_player=1), 3))
    assert isinstance(turn, Chance)
    (order,) = turn.offer.fields.values()
    assert (turn.label, order) == ("deal", Choice(tuple(Character), 16, 16, ordered=True))


def test_ac_11_cards_set_aside_never_take_part() -> None:
    play = given("opt removed_cards=3; N2; first 0; setup")
    play.when(
        "deal ~ KING,SPY,ACTOR,ASSASSIN,BODYGUARD,COURTESAN,HIEROPHANT,HUNTSMAN,KNIGHT,"
        "MADMAN,MERCHANT,PRINCESS,THIEF,WITCH,WIZARD"
    )
    play.then("down KING, SPY, ACTOR; hand 0 ASSASSIN, BODYGUARD; deck size 8")
    assert play.view(SPECTATOR).set_aside_count == 3


def test_ac_11_cards_set_aside_are_seen_by_nobody_and_stay_there() -> None:
    for number in range(2 * len(GAME.trials)):
        options, seats = GAME.trials[number % len(GAME.trials)]
        assert isinstance(options, Options)
        aside: tuple[Character, ...] = ()
        for step in random_match(GAME, options, seats, seeded(f"set aside {number}")):
            after = step.after
            aside = aside or after.set_aside
            assert after.set_aside == aside
            for viewer in (*range(seats), SPECTATOR):
                view = GAME.view(after, viewer)
                assert isinstance(view, View)
                assert not set(cards_in(view)) & set(aside)
                if isinstance(step.move, Deal):
                    seen = GAME.redact(step.before, step.seat, step.move, viewer).move
                    assert seen is not None
                    assert not set(seen["order"]) & set(aside)
        assert len(aside) == options.removed_cards


def test_ac_12_the_scarab_goes_to_the_chosen_or_to_a_random_seat() -> None:
    fixed = GAME.new(Options(first_player=2), 3)
    assert fixed.scarab == 2
    turn = GAME.turn(GAME.new(Options(), 3))
    assert isinstance(turn, Chance)
    assert (turn.label, turn.offer.fields) == ("first seat", {"seat": Choice((0, 1, 2))})
    before = GAME.new(Options(), 3)
    state = GAME.apply(before, CHANCE, FirstSeat(1))
    assert state.scarab == 1
    for viewer in (0, 1, 2, SPECTATOR):
        seen = GAME.redact(before, CHANCE, FirstSeat(1), viewer)
        assert seen.move == {"type": "first_seat", "seat": 1}


def test_ac_13_each_seat_is_dealt_two_cards() -> None:
    play = given("N4; first 3; setup")
    play.when(
        "deal ~ KING,SPY,ACTOR,ASSASSIN,BODYGUARD,COURTESAN,HIEROPHANT,HUNTSMAN,KNIGHT,"
        "MADMAN,MERCHANT,PRINCESS,SEERESS,THIEF,WITCH,WIZARD"
    )
    play.then(
        "sizes 2,2,2,2; hand 3 ACTOR, SPY; hand 0 ASSASSIN, BODYGUARD; "
        "deck MADMAN,MERCHANT,PRINCESS,SEERESS,THIEF,WITCH,WIZARD"
    )


def test_ac_14_all_start_without_coins_tokens_alliances_or_removed_cards() -> None:
    play = given("first 0; setup")
    play.when("deal")
    play.then(
        "coins 0,0,0; sneak supply; silence none; alliances none; dead none; blocked none; "
        "supply 45"
    )


def test_ac_15_a_round_runs_recruit_pass_play_block_act_and_hands_are_kept() -> None:
    play = given("recruit; coins 2,0,0; S0 KING, SPY; S1 THIEF, WITCH; S2 ACTOR, MADMAN")
    play.then("asked 0 recruit")
    play.when("0 no_recruit")
    play.then("asked 0 pass_card")
    play.when("0 pass_card KING; 1 pass_card KING; 2 pass_card KING")
    play.then("asked all choose_live")
    play.when("0 choose_live SPY; 1 choose_live THIEF; 2 choose_live ACTOR")
    play.then("asked 2 block")
    play.when("2 block KING; 1 block SPY; 0 block WITCH")
    play.then("asked 0 act")
    play.when("0 decline; 1 decline; 2 decline")
    play.then("round 6; hand 0 KING, SPY; hand 1 THIEF, WITCH; hand 2 ACTOR, MADMAN")


def test_ac_16_a_stand_in_order_is_drawn_and_shown_to_nobody() -> None:
    state = GAME.apply(GAME.new(Options(first_player=0), 3), CHANCE, Deal(tuple(Character)))
    turn = GAME.turn(state)
    assert isinstance(turn, Chance)
    assert (turn.label, turn.offer.move) == ("stand-in", StandIn)
    draw = StandIn(tuple(reversed(Character)))
    for viewer in (0, 1, 2, SPECTATOR):
        assert GAME.redact(state, CHANCE, draw, viewer).move == {
            "type": "stand_in",
            "order": [None] * 16,
        }
    assert GAME.apply(state, CHANCE, draw).standin == tuple(reversed(Character))
