"""Rules SR-80 to SR-89 and SR-91 to SR-95: the Beast and the Pirates."""

from typing import Any

from games.core.game import OPEN, SEALED, Chance, Seen
from tests.games.star_realms.build import Play, given, started


def beast(mode: str = "beast_solo", omen: str = "ram", **more: Any) -> Play:
    """The Beast's turn with any row and one card in the trade deck."""
    parts = {"row": 5, "trade_deck": omen, **more}
    return given(mode, boss_turn=True, **parts).boss_turn()


def pirates(mode: str = "pirates_solo", omens: str = "ram", **more: Any) -> Play:
    return beast(mode, omens, **more)


def set_up(mode: str, seats: int) -> Play:
    play = started(seats, mode=mode)
    while isinstance(play.turn, Chance):
        play.do("~")
    return play


def test_sr_80_start_values_of_the_beast() -> None:
    set_up("beast_solo", 1).then(team=50, boss=50, facedown=0)
    for seats in (2, 6):
        play = set_up("beast_coop", seats).then(team=50, boss=50 * seats, facedown=seats)
        assert play.view().seats[0].authority is None
        assert play.view().team_authority == 50


def test_sr_81_it_takes_the_card_furthest_from_the_deck() -> None:
    play = beast(row="cutter war_world corvette junkyard ram", facedown=4, omen="cutter")
    play.then(row="war_world corvette junkyard ram cutter", facedown=5, team=45)
    assert play.view().boss is not None
    assert play.view().boss.facedown[-1].startswith("cutter")  # type: ignore[union-attr]


def test_sr_81_gaps_of_the_row_close() -> None:
    play = beast(row="- war_world - junkyard ram", trade_deck="")
    play.then(row="junkyard ram - - -", facedown=1)


def test_sr_82_the_players_choose_a_faction_for_a_card_without_one() -> None:
    play = beast("beast_coop", omen="mercenary_cruiser", boss=60, hand1="scout")
    assert play.asked() == ("choose_faction", (0, 1))
    assert play.turn.mode is OPEN
    play.do("1 faction trade_federation").then(boss=70)
    assert play.asked() == ("main", (0, 1))


def test_sr_83_the_line_comes_before_the_attack() -> None:
    play = beast(omen="blob_wheel", play0="the_hive", facedown=4)
    play.then(play0="", discard0="the_hive", team=45)


def test_sr_84_all_discard_at_the_same_time() -> None:
    play = beast(
        "beast_coop",
        seats=4,
        omen="corvette",
        hand0="scout#1 viper#1 ram",
        hand1="scout cutter",
        hand3="scout#20 viper#5 corvette#1",
    )
    assert play.asked() == ("discard", (0, 3))
    assert play.turn.mode is SEALED
    play.do("3 discard scout#20 viper#5")
    assert play.seen(0) == play.seen(-2) == Seen(None)
    play.then(hand3="scout viper corvette", hand1="scout cutter", discard1="")
    assert play.view(3).seats[3].answer == ("scout#20", "viper#5")
    assert play.view(0).seats[3].answer is None
    play.do("0 discard viper#1 ram")
    opened = ((3, {"type": "discard", "cards": ["scout#20", "viper#5"]}),)
    assert play.seen(1).reveals == opened
    play.then(discard0="viper ram", discard1="scout cutter", discard3="scout viper", hand2="")


def test_sr_84_with_few_cards_nobody_is_asked() -> None:
    play = beast(omen="corvette", hand0="scout viper").then(discard0="scout viper", hand0="")
    assert play.asked() == ("main", (0,))


def test_sr_84_the_best_base_falls_once_for_each_player() -> None:
    play = beast("beast_coop", omen="ram", play0="the_hive blob_wheel", play1="central_office")
    assert play.asked() == ("lose_base", (0, 1))
    play.then(discard1="central_office")
    assert play.offered(1, "lose") == ["the_hive", "blob_wheel"]
    play.do("1 lose blob_wheel").then(discard0="blob_wheel", play0="the_hive", team=49)


def test_sr_84_without_a_base_the_beast_gets_combat() -> None:
    beast("beast_coop", seats=3, omen="ram").then(team=50 - 1 - 9)


def test_sr_84_a_random_card_of_each_hand_goes_on_top() -> None:
    play = beast(
        "beast_coop",
        seats=3,
        omen="trade_bot",
        hand0="scout#1 viper#1",
        hand2="scout#17 ram",
        deck2="cutter",
    )
    assert play.turn.label == "turn 2, card of seat 0"
    play.then(boundary="turn 2 boss")
    play.do("~ viper#1")
    assert play.turn.label == "turn 2, card of seat 2"
    play.do("~ ram").then(hand0="scout#1", deck0="viper#1", hand2="scout#17", deck2="ram cutter")
    for viewer in (0, 1, 2):
        assert [known.place for known in play.view(viewer).seats[2].deck_known] == [0]
        top = play.state.seats[2].deck[0]
        assert play.seen(viewer) == Seen({"type": "random_hand_card", "card": top})
    assert play.view(-2).seats[2].deck_known == ()
    assert play.seen(-2) == Seen({"type": "random_hand_card", "card": None})


def test_sr_84_closed_hands_hide_the_card_from_team_mates() -> None:
    play = beast("beast_coop", omen="trade_bot", hand0="scout viper", share_hands=False).do("~")
    assert play.view(1).seats[0].deck_known == ()
    assert len(play.view(0).seats[0].deck_known) == 1
    assert play.seen(1) == Seen({"type": "random_hand_card", "card": None})


def test_sr_84_authority_for_each_player() -> None:
    beast("beast_coop", seats=5, omen="cutter", boss=100).then(boss=125)


def test_sr_85_a_deadly_attack_passes_bases_that_are_no_outposts() -> None:
    play = beast(omen="cutter", facedown=9, team=10, play0="blob_wheel")
    play.then(team=0, play0="blob_wheel")
    assert play.over().note == "team_defeated"


def test_sr_85_shields_count_in_whether_it_is_deadly() -> None:
    play = beast(omen="cutter", facedown=9, team=10, play0="blob_wheel", up0="energy_shield")
    play.then(team=6, play0="", discard0="blob_wheel")


def test_sr_85_bases_fall_the_best_first_and_the_rest_hits_the_team() -> None:
    play = beast(omen="cutter", facedown=13, play0="blob_wheel fleet_hq the_hive")
    assert play.asked() == ("lose_base", (0,))
    play.then(boss_combat=6, discard0="fleet_hq")
    play.do("0 lose blob_wheel").then(team=49, play0="the_hive")


def test_sr_85_behind_an_outpost_that_is_too_strong_the_rest_is_lost() -> None:
    play = beast(omen="cutter", facedown=9, play0="royal_redoubt junkyard blob_wheel")
    play.then(team=50, discard0="royal_redoubt", play0="junkyard blob_wheel")


def test_sr_85_team_mates_shields_add_up() -> None:
    play = beast("beast_coop", omen="cutter", facedown=9, up0="energy_shield", up1="energy_shield")
    play.then(team=42)


def test_sr_86_outposts_stand_before_the_bases_of_all() -> None:
    play = beast("beast_coop", omen="cutter", facedown=5, play0="fleet_hq", play1="war_world")
    play.then(discard1="war_world", play0="fleet_hq", team=48)


def test_sr_87_combat_is_gone_at_the_end() -> None:
    beast(omen="cutter", facedown=3).then(boss_combat=0, boundary="turn 3")


def test_sr_88_the_team_has_lost_without_authority() -> None:
    play = beast("beast_coop", omen="cutter", facedown=9, team=10)
    assert play.over().scores == (0, 0)
    assert play.over().ranks == (2, 2)
    assert play.over().note == "team_defeated"


def test_sr_89_with_an_empty_trade_deck_no_line_applies() -> None:
    play = beast(row="ram cutter - - -", trade_deck="", facedown=3)
    play.then(row="cutter - - - -", facedown=4, team=46)
    beast(row="", trade_deck="", facedown=3).then(facedown=3, team=47)


def test_sr_91_start_values_of_the_pirates() -> None:
    set_up("pirates_solo", 1).then(authority0=75, boss=25)
    for seats in (2, 5):
        play = set_up("pirates_coop", seats).then(boss=25 * seats, authority0=50)
        assert play.view().team_authority is None


def test_sr_92_as_many_cards_are_scrapped_as_players_are_left() -> None:
    play = pirates(
        "pirates_coop",
        "ram trade_pod blob_fighter",
        seats=3,
        row="cutter#1 war_world cutter#2 junkyard corvette",
    )
    play.then(heap="cutter#1 war_world cutter#2")
    play.then(row="junkyard corvette ram trade_pod blob_fighter")


def test_sr_93_each_card_is_for_one_player() -> None:
    play = pirates("pirates_coop", "ram trade_pod blob_fighter", seats=3)
    play.then(authority0=41, authority1=44, authority2=47)


def test_sr_93_all_are_revealed_before_the_first_is_resolved() -> None:
    play = pirates("pirates_coop", "trade_bot mothership", row="ram cutter trade_pod ram corvette")
    play.then(authority0=50 - 14, authority1=50 - 21)


def test_sr_93_the_players_choose_for_a_card_without_faction() -> None:
    play = pirates("pirates_coop", "mercenary_cruiser ram")
    assert play.asked() == ("choose_faction", (0, 1))
    assert play.turn.mode is OPEN
    play.do("1 faction blob").then(authority0=41, authority1=41)


def test_sr_94_an_attack_meets_that_player_alone() -> None:
    play = pirates(
        "pirates_coop",
        "battle_pod ram",
        play0="blob_wheel the_hive",
        play1="war_world",
        up1="energy_shield",
    )
    assert play.asked() == ("lose_base", (0,))
    assert play.offered(0, "lose") == ["blob_wheel", "the_hive"]
    play.do("0 lose the_hive").then(authority0=49, discard1="war_world", authority1=46)


def test_sr_94_what_is_left_is_lost() -> None:
    play = pirates("pirates_coop", "battle_pod trade_pod", play0="battle_station")
    play.then(authority0=49, authority1=44, boss_combat=0)


def test_sr_95_the_last_players_are_spared() -> None:
    play = pirates("pirates_coop", "ram", seats=3)
    play.then(authority0=41, authority1=50, authority2=50)
    assert len(play.state.scrap_heap) == 3


def test_the_boundary_of_a_boss_turn_begins_when_it_waits() -> None:
    play = given("pirates_coop", trade_deck="corvette ram", row=5, hand0="scout*3", deck0="scout*5")
    play.do("0 end; 1 end").then(boundary="turn 2 boss")
    assert play.asked() == ("discard", (0,))
