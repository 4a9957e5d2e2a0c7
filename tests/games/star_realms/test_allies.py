"""Rules SR-30 to SR-39, SR-47 and SR-48: allies, and cards that need words."""

from tests.games.star_realms.build import given


def test_sr_30_an_ally_ability_needs_another_card_of_its_faction() -> None:
    assert given(play0="ram").offered(0, "use") == ["ram/scrap"]
    assert given(play0="ram cutter").offered(0, "use") == ["ram/scrap"]
    offered = given(play0="ram blob_wheel").offered(0, "use")
    assert offered == ["ram/ally", "ram/scrap", "blob_wheel/primary", "blob_wheel/scrap"]


def test_sr_31_at_use_asks_for_the_ally_when_it_is_used() -> None:
    play = given(play0="ram trade_pod").do("0 use ram/scrap")
    assert play.offered(0, "use") == []


def test_sr_31_sticky_asks_whether_it_was_there_this_turn() -> None:
    play = given(hand0="trade_pod ram", deck0="scout*9", play0="blob_wheel", ally_timing="sticky")
    play.do("0 play ram; 0 use blob_wheel/scrap")
    assert play.offered(0, "use") == ["ram/ally", "ram/scrap"]
    play = given(hand0="trade_pod", play0="", ally_timing="sticky").do("0 play trade_pod")
    assert play.offered(0, "use") == []


def test_sr_31_sticky_begins_anew_each_turn() -> None:
    play = given(
        hand0="trade_pod", play0="the_hive", deck0="viper*2 scout*7", ally_timing="sticky"
    ).do("0 play trade_pod")
    assert "the_hive/ally" in play.offered(0, "use")
    play.do("0 end; 1 end")
    assert play.offered(0, "use") == ["the_hive/primary"]


def test_sr_31_sticky_sees_allies_of_earlier_turns() -> None:
    play = given(active=1, play0="the_hive blob_wheel", deck0="viper", ally_timing="sticky")
    play.do("1 end; 0 use blob_wheel/scrap; 0 use the_hive/ally").then(hand0="viper")


def test_sr_31_sticky_sees_a_copied_and_a_chosen_faction() -> None:
    play = given(hand0="trade_pod stealth_needle", play0="the_hive", ally_timing="sticky")
    play.do("0 play trade_pod; 0 play stealth_needle")
    assert "stealth_needle/ally" in play.offered(0, "use")
    play = given(hand0="mercenary_cruiser", play0="the_hive", ally_timing="sticky")
    play.do("0 play mercenary_cruiser; 0 faction blob")
    assert "the_hive/ally" in play.offered(0, "use")


def test_sr_32_the_order_does_not_matter_and_old_bases_count() -> None:
    for hand in ("ram trade_pod", "trade_pod ram"):
        first, second = hand.split()
        play = given(hand0=hand).do(f"0 play {first}; 0 play {second}")
        assert {"ram/ally", "trade_pod/ally"} <= set(play.offered(0, "use"))
    assert "ram/ally" in given(hand0="ram", play0="blob_wheel").do("0 play ram").offered(0, "use")


def test_sr_33_cards_of_others_do_not_count() -> None:
    play = given(hand0="ram", play1="blob_wheel").do("0 play ram")
    assert play.offered(0, "use") == ["ram/scrap"]
    play = given("pirates_coop", hand0="ram", play1="trade_pod").do("0 play ram")
    assert play.offered(0, "use") == ["ram/scrap"]
    assert play.offered(1, "use") == []


def test_sr_34_mech_world_is_an_ally_of_every_faction() -> None:
    play = given(play0="mech_world cutter ram corvette trade_bot")
    offered = set(play.offered(0, "use"))
    assert {"cutter/ally", "ram/ally", "corvette/ally", "trade_bot/ally"} <= offered


def test_sr_34_it_is_of_the_machine_cult_alone_for_counting_what_was_played() -> None:
    play = given(hand0="blob_world mech_world", deck0="scout*3")
    play.do("0 play mech_world; 0 play blob_world; 0 use blob_world/primary")
    play.do("0 option draw_per_card_played").then(hand0="scout")


def test_sr_35_a_needle_has_both_factions() -> None:
    play = given(hand0="trade_pod stealth_needle trade_bot", play0="")
    play.do("0 play trade_pod; 0 play stealth_needle; 0 play trade_bot")
    assert "trade_bot/ally" in play.offered(0, "use")
    assert "stealth_needle/ally" in play.offered(0, "use")
    play.do("0 use stealth_needle/ally").then(combat=2)


def test_sr_35_a_ship_that_has_left_play_can_be_copied() -> None:
    play = given(hand0="ram stealth_needle").do("0 play ram; 0 use ram/scrap")
    play.do("0 play stealth_needle").then(combat=10, play0="stealth_needle")
    play.do("0 use stealth_needle/scrap").then(trade=6, heap="ram stealth_needle")


def test_sr_35_without_a_ship_nothing_happens() -> None:
    play = given(hand0="stealth_needle blob_wheel").do("0 play blob_wheel; 0 play stealth_needle")
    assert play.asked() == ("main", (0,))
    assert play.state.seats[0].in_play[-1].copied is None


def test_sr_35_a_needle_that_copies_a_needle_copies_what_that_copied() -> None:
    hand = "trade_pod stealth_needle#1 stealth_needle#2"
    play = given(hand0=hand, trade_decks=2)
    play.do("0 play trade_pod; 0 play stealth_needle#1; 0 play stealth_needle#2")
    assert play.offered(0, "copy") == ["trade_pod", "stealth_needle#1"]
    play.do("0 copy stealth_needle#1").then(trade=9)
    assert play.state.seats[0].in_play[-1].copied == "trade_pod"


def test_sr_35_a_needle_that_copied_nothing_is_no_candidate() -> None:
    play = given(hand0="stealth_needle#1 stealth_needle#2", trade_decks=2)
    play.do("0 play stealth_needle#1; 0 play stealth_needle#2")
    assert play.asked() == ("main", (0,))


def test_sr_35_a_copy_ends_when_the_needle_leaves_play() -> None:
    play = given(hand0="ram stealth_needle").do(
        "0 play ram; 0 play stealth_needle; 0 end; ~; 1 end"
    )
    play.do("0 play stealth_needle").then(combat=0)
    assert play.offered(0, "use") == []


def test_sr_36_a_needles_scrap_ability_scraps_the_needle() -> None:
    play = given(hand0="explorer stealth_needle").do("0 play explorer; 0 play stealth_needle")
    play.do("0 use stealth_needle/scrap").then(heap="stealth_needle", combat=2, play0="explorer")


def test_sr_37_blob_world_counts_every_blob_card_played_this_turn() -> None:
    play = given(
        hand0="blob_world ram blob_wheel mercenary_cruiser stealth_needle cutter",
        deck0="viper*4 scout*5",
        play0="the_hive",
    )
    play.do("0 play cutter; 0 play ram; 0 play blob_wheel; 0 play mercenary_cruiser")
    play.do("0 faction blob; 0 play stealth_needle; 0 copy ram; 0 use ram/scrap")
    play.do("0 play blob_world; 0 use blob_world/primary; 0 option draw_per_card_played")
    play.then(hand0="viper*4 scout")


def test_sr_38_fleet_hq_pays_before_the_ships_primary() -> None:
    play = given(hand0="patrol_mech", play0="fleet_hq").do("0 play patrol_mech")
    play.then(combat=1)
    assert play.asked() == ("choose_option", (0,))


def test_sr_38_bases_and_ships_played_before_pay_nothing() -> None:
    play = given(hand0="scout fleet_hq blob_wheel scout").do("0 play scout; 0 play fleet_hq")
    play.then(combat=0).do("0 play blob_wheel").then(combat=0).do("0 play scout").then(combat=1)


def test_sr_39_a_cruiser_has_its_faction_while_in_play() -> None:
    play = given(hand0="mercenary_cruiser ram").do("0 play mercenary_cruiser")
    assert play.asked() == ("choose_faction", (0,))
    play.do("0 faction star_empire; 0 play ram")
    assert play.offered(0, "use") == ["ram/scrap"]
    play.do("0 end; ~; 1 end; 0 play mercenary_cruiser; 0 faction blob; 0 play ram")
    assert "ram/ally" in play.offered(0, "use")


def test_sr_39_a_needle_that_copies_a_cruiser_chooses_for_itself() -> None:
    play = given(hand0="mercenary_cruiser stealth_needle cutter")
    play.do("0 play mercenary_cruiser; 0 faction blob; 0 play stealth_needle").then(combat=10)
    assert play.asked() == ("choose_faction", (0,))
    play.do("0 faction trade_federation; 0 play cutter; 0 use cutter/ally").then(combat=14)


def test_sr_47_embassy_yacht_counts_bases_when_it_resolves() -> None:
    play = given(hand0="embassy_yacht blob_wheel", play0="war_world", deck0="scout*3")
    play.do("0 play blob_wheel; 0 play embassy_yacht").then(hand0="scout*2")
    given(hand0="embassy_yacht", play0="war_world", play1="blob_wheel", deck0="scout*3").do(
        "0 play embassy_yacht"
    ).then(hand0="")


def test_sr_48_blob_destroyers_two_parts_are_both_optional() -> None:
    for first, second, in_play, heap in (
        ("blob_wheel", "cutter", "", "cutter"),
        ("none", "cutter", "blob_wheel", "cutter"),
        ("blob_wheel", "none", "", ""),
        ("none", "none", "blob_wheel", ""),
    ):
        play = given(play0="blob_destroyer ram", play1="blob_wheel", row="cutter - - - -").do(
            f"0 use blob_destroyer/ally; 0 destroy {first}; 0 scrap {second}"
        )
        play.then(play1=in_play, heap=heap)
