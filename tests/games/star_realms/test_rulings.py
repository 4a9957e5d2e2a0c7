"""Rulings R-03 to R-26; R-01, R-02 and R-13 are about the data file."""

import pytest

from games.core.game import OPEN, OptionsRefused
from games.star_realms import GAME
from games.star_realms.state import Mode, Options
from tests.games.star_realms.build import given
from tests.games.star_realms.test_acquiring import armed
from tests.games.star_realms.test_setup import set_up


def test_r_03_an_ally_is_needed_while_the_ability_is_used() -> None:
    assert Options().ally_timing == "at_use"
    assert given(play0="ram trade_pod").do("0 use ram/scrap").offered(0, "use") == []


def test_r_04_forced_discards_happen_at_once() -> None:
    play = given(hand0="imperial_frigate", hand1="scout viper").do("0 play imperial_frigate")
    assert play.asked() == ("discard", (1,))
    play.then(active=0)


def test_r_05_a_needle_that_copied_a_blob_ship_counts_for_blob_world() -> None:
    play = given(hand0="ram stealth_needle blob_world", deck0="scout*4").do("0 play ram")
    play.do("0 play stealth_needle; 0 play blob_world; 0 use blob_world/primary")
    play.do("0 option draw_per_card_played").then(hand0="scout*3")


def test_r_06_a_declined_redirect_is_used_up() -> None:
    play = armed().do("0 acquire ram; 0 acquire corvette; 0 top no").then(discard0="corvette")
    play.do("0 acquire explorer").then(discard0="corvette explorer")


def test_r_07_own_bases_are_no_targets() -> None:
    play = given(hand0="missile_mech", play0="blob_wheel").do("0 play missile_mech")
    assert play.asked() == ("main", (0,))


def test_r_08_only_the_boss_moves_the_row() -> None:
    play = given(row="ram cutter corvette - -", trade=9).do("0 acquire row:1")
    play.then(row="ram - corvette - -")


def test_r_09_outposts_do_not_stop_discards() -> None:
    play = given(hand0="imperial_fighter", hand1="scout viper", play1="war_world")
    play.do("0 play imperial_fighter")
    assert play.asked() == ("discard", (1,))


def test_r_10_frontier_fleet_pays_once_a_turn() -> None:
    play = (
        given(down0="frontier_fleet", deck0="scout*9").do("0 reveal frontier_fleet").then(combat=1)
    )
    play.do("0 end; 1 end").then(combat=1)


def test_r_11_scrap_abilities_wait_for_a_main_phase() -> None:
    play = set_up(first_player="seat_0")
    kinds = [each.move.__name__ for each in play.turn.offers[0]]
    assert kinds == ["RevealOpening"]


@pytest.mark.parametrize("mode", list(Mode))
def test_r_12_two_gambits_each_and_none_in_scenarios(mode: Mode) -> None:
    seats = {Mode.DUEL: 2, Mode.FREE_FOR_ALL: 3, Mode.BEAST_COOP: 2, Mode.PIRATES_COOP: 2}
    state = GAME.new(Options(mode=mode), seats.get(mode, 1))
    assert state.gambits == (2 if mode in (Mode.DUEL, Mode.FREE_FOR_ALL) else 0)


def test_r_13_the_highest_cost_is_read_after_the_reveal() -> None:
    play = given(
        "pirates_solo",
        row="blob_world ram cutter ram corvette",
        trade_deck="battle_mech",
        boss_turn=True,
    ).boss_turn()
    play.then(authority0=75 - 2 * 5)


def test_r_14_what_bases_do_not_stop_goes_to_the_players() -> None:
    play = given(
        "pirates_solo", row=5, trade_deck="trade_pod", play0="blob_world", boss_turn=True
    ).boss_turn()
    play.then(authority0=69, play0="blob_world")


@pytest.mark.parametrize(("option", "cards"), [(3, 3), (5, 5)])
def test_r_15_the_starting_hand_against_the_beast(option: int, cards: int) -> None:
    play = set_up(2, mode="beast_coop", beast_start_hand=option)
    assert [len(own.hand) for own in play.state.seats] == [cards, cards]


def test_r_16_any_member_may_spend_the_pool() -> None:
    play = given("beast_coop", hand0="ram", boss=100).do("0 play ram; 1 attack boss 5")
    play.then(boss=95, combat=0)


def test_r_17_an_empty_trade_deck_ends_nothing() -> None:
    play = given("pirates_coop", row="ram cutter corvette - -", boss_turn=True).boss_turn()
    play.then(row="corvette - - - -", heap="ram cutter", authority0=50)
    assert play.asked() == ("main", (0, 1))


def test_r_18_the_pirates_count_the_players_left() -> None:
    play = given(
        "pirates_coop",
        seats=3,
        authority1=1,
        row=5,
        trade_deck="ram trade_pod cutter blob_fighter battle_pod",
        deck0="scout*5",
        deck2="scout*5",
        boss_turn=True,
    ).boss_turn()
    play.then(heap_count=3)
    play.do("0 end; 2 end")
    play.then(heap_count=5)
    play.then(authority0=41 - 3, authority2=46 - 6)


def test_r_19_hands_are_open_by_default() -> None:
    assert Options().share_hands
    assert given("beast_coop", hand1="ram").view(0).seats[1].hand == ("ram#1",)


def test_r_20_there_is_no_turn_limit_by_default() -> None:
    assert Options().turn_limit == 0


def test_r_21_any_living_member_answers_for_the_players() -> None:
    for seat in (0, 1):
        play = given(
            "beast_coop", row=5, trade_deck="mercenary_cruiser", boss=50, boss_turn=True
        ).boss_turn()
        assert play.turn.mode is OPEN
        play.do(f"{seat} faction trade_federation").then(boss=60)
    play = given(
        "pirates_coop",
        seats=3,
        authority0=1,
        row=5,
        trade_deck="ram mercenary_cruiser ram",
        boss_turn=True,
    ).boss_turn()
    assert play.asked() == ("choose_faction", (1, 2))


def test_r_22_an_eliminated_player_does_not_discard() -> None:
    play = given(
        "pirates_coop",
        authority0=1,
        hand0="scout*5",
        row=5,
        trade_deck="corvette ram",
        boss_turn=True,
    ).boss_turn()
    assert play.asked() == ("main", (1,))


def test_r_23_the_beasts_discards_come_before_its_attack() -> None:
    play = given(
        "beast_solo", row=5, trade_deck="corvette", hand0="scout*5", facedown=4, boss_turn=True
    ).boss_turn()
    play.then(team=50, boss_combat=5)
    assert play.asked() == ("discard", (0,))


def test_r_24_gambits_wait_for_questions_of_team_mates() -> None:
    play = given("pirates_coop", hand0="patrol_mech", down1="surprise_attack")
    play.do("0 play patrol_mech").refused("1 reveal surprise_attack")
    play.do("0 option combat; 1 reveal surprise_attack")


def test_r_25_the_explorer_of_the_lowest_number_is_bought() -> None:
    play = given(trade=2, discard0="explorer#1 explorer#4")
    play.do("0 acquire explorer")
    assert play.state.seats[0].discard[-1] == "explorer#2"


def test_r_26_the_pirates_stop_at_five_the_others_at_six() -> None:
    for mode, most in ((Mode.PIRATES_COOP, 5), (Mode.BEAST_COOP, 6), (Mode.FREE_FOR_ALL, 6)):
        assert GAME.new(Options(mode=mode), most)
        with pytest.raises(OptionsRefused, match="/seats"):
            GAME.new(Options(mode=mode), most + 1)
