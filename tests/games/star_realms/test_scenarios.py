"""Worked scenarios W-01 to W-28. The notation is explained in `build.py`."""

from random import Random

from games.core.game import OPEN, SEALED, Chance, Over, Seen
from games.core.moves import Choice
from games.star_realms import GAME
from games.star_realms.view import KnownCard
from tests.games.star_realms.build import Play, given, started


def chance_options(play: Play) -> list[str]:
    turn = play.turn
    assert isinstance(turn, Chance)
    (choice,) = turn.offer.fields.values()
    assert isinstance(choice, Choice)
    return [play.shown(option) for option in choice.options]


def test_w_01_the_rulebooks_own_example() -> None:
    play = given(
        "beast_solo",
        team=22,
        boss=40,
        facedown=7,
        row="trade_pod cutter corvette supply_bot ram",
        trade_deck="dreadnaught freighter",
        play0="fleet_hq blob_wheel",
        hand0="scout#1 scout#2 imperial_fighter blob_destroyer viper",
        deck0="scout#3 scout#4 scout#5 scout#6 scout#7",
        discard0="scout#8",
        boss_turn=True,
    ).boss_turn()
    play.then(facedown=8, row="cutter corvette supply_bot ram dreadnaught", boss_combat=8)
    boss = play.view().boss
    assert boss is not None
    assert boss.facedown[-1].startswith("trade_pod#")
    assert play.asked() == ("discard", (0,))
    assert play.count(0) == 10
    play.refused("0 discard scout#1")
    play.do("0 discard scout#1 scout#2").then(
        boss_combat=0,
        team=22,
        play0="blob_wheel",
        discard0="scout#8 scout#1 scout#2 fleet_hq",
        turn=3,
    )
    assert play.asked() == ("main", (0,))
    play.do("0 play imperial_fighter").then(combat=2, deck0="scout#4 scout#5 scout#6 scout#7")
    assert play.asked() == ("discard", (0,))
    assert play.offered(0, "discard") == ["blob_destroyer", "viper", "scout#3"]
    play.do("0 discard scout#3; 0 play blob_destroyer; 0 play viper")
    play.do("0 use blob_wheel/primary; 0 use blob_destroyer/ally").then(combat=13)
    assert play.asked() == ("scrap", (0,))
    assert play.offered(0, "scrap") == ["cutter", "corvette", "supply_bot", "ram", "dreadnaught"]
    assert play.count(0) == 6
    play.do("0 scrap none; 0 attack boss 13").then(boss=27, combat=0)


def test_w_02_setup() -> None:
    play = started(2, first_player="seat_0")
    while isinstance(play.turn, Chance):
        play.do("~")
    state = play.state
    assert [len(own.hand) for own in state.seats] == [3, 5]
    assert [len(own.deck) for own in state.seats] == [7, 5]
    assert [len(own.gambits_down) for own in state.seats] == [2, 2]
    assert (len(state.trade_deck), len(state.unclaimed)) == (78, 9)
    play.then(explorers=10, boundary="opening")
    assert None not in state.trade_row
    assert play.asked() == ("reveal_opening", (0, 1))


def test_w_02_setup_of_the_other_modes() -> None:
    beast = started(3, mode="beast_coop")
    while isinstance(beast.turn, Chance):
        beast.do("~")
    beast.then(facedown=3, boss=150, team=50)
    assert [len(own.hand) for own in beast.state.seats] == [3, 3, 3]
    assert len(beast.state.trade_deck) == 75
    assert beast.view().boss is not None
    pirates = started(4, mode="pirates_coop")
    while isinstance(pirates.turn, Chance):
        pirates.do("~")
    pirates.then(boss=100, authority0=50, authority3=50)
    assert [len(own.hand) for own in pirates.state.seats] == [5] * 4
    three = started(3, mode="free_for_all")
    while isinstance(three.turn, Chance):
        three.do("~ 1" if three.turn.label == "first player" else "~")
    assert [len(own.hand) for own in three.state.seats] == [5, 3, 4]


def w_03() -> Play:
    return given(
        hand0="scout#1 scout#2 scout#3 viper explorer#a",
        deck0="scout#4 scout#5",
        discard0="scout#6 cutter#1",
        row="trade_bot ram blob_world cutter#2 corvette",
        trade_deck="junkyard mothership",
    )


def test_w_03_a_turn() -> None:
    play = w_03().then(explorers=9)
    play.do("0 play scout#1; 0 play scout#2; 0 play scout#3; 0 play viper; 0 play explorer#a")
    play.then(trade=5, combat=1)
    play.do("0 acquire row:1").then(trade=2, discard0="scout#6 cutter#1 ram")
    play.then(row="trade_bot junkyard blob_world cutter#2 corvette")
    play.do("0 acquire explorer").then(trade=0, explorers=8)
    play.do("0 use explorer#a/scrap").then(combat=3, explorers=9, heap="")
    play.do("0 attack 1 3").then(authority1=47, combat=0)


def test_w_04_reshuffle() -> None:
    play = w_03()
    play.do("0 play scout#1; 0 play scout#2; 0 play scout#3; 0 play viper; 0 play explorer#a")
    play.do("0 acquire row:1; 0 acquire explorer; 0 use explorer#a/scrap; 0 attack 1 3; 0 end")
    play.then(discard0="scout#6 cutter#1 ram explorer scout#1 scout#2 scout#3 viper")
    assert play.turn.label == "deck of seat 0, shuffle 2"
    assert len(chance_options(play)) == 8
    play.then(hand0="scout#4 scout#5")
    play.do("~ ram viper")
    play.then(discard0="", active=1)
    assert [len(zone) for zone in (play.state.seats[0].hand, play.state.seats[0].deck)] == [5, 5]
    for viewer in (1, -2):
        shown = play.view(viewer).seats[0]
        assert (shown.hand, shown.hand_count, shown.deck_count) == (None, 5, 5)
        assert play.seen(viewer) == Seen(None)


def test_w_05_ally() -> None:
    for timing, offered in (("at_use", []), ("sticky", ["blob_fighter/ally"])):
        play = given(hand0="blob_fighter ram", ally_timing=timing)
        play.do("0 play blob_fighter")
        assert play.offered(0, "use") == []
        play.do("0 play ram")
        assert play.offered(0, "use") == ["blob_fighter/ally", "ram/ally", "ram/scrap"]
        play.do("0 use ram/scrap").then(trade=3, combat=8)
        assert play.offered(0, "use") == offered


def test_w_06_outposts() -> None:
    play = given(hand0="battle_blob missile_mech", play1="battle_station trading_post fleet_hq").do(
        "0 play battle_blob"
    )
    play.then(combat=8)
    assert play.offered(0, "base") == ["battle_station", "trading_post"]
    assert play.offered(0, "attack") == []
    play.do("0 play missile_mech").then(combat=14)
    assert play.offered(0, "destroy") == ["battle_station", "trading_post"]
    assert play.count(0) == 3
    play.do("0 destroy battle_station").then(discard1="battle_station", combat=14)
    play.do("0 base trading_post").then(combat=10)
    assert play.offered(0, "base") == ["fleet_hq"]
    assert play.offered(0, "attack") == [1]
    assert play.numbers(0, "attack") == (1, 10)
    play.do("0 base fleet_hq; 0 attack 1 2").then(authority1=48, combat=0)


def test_w_07_forced_discard_and_views() -> None:
    play = given(hand0="imperial_fighter", hand1="scout#a scout#b viper#a")
    play.do("0 play imperial_fighter").then(combat=2)
    assert play.asked() == ("discard", (1,))
    assert play.offered(0, "end") == []
    assert play.offered(1, "discard") == ["scout#a", "scout#b", "viper#a"]
    assert play.count(1) == 3
    for viewer in (0, -2):
        shown = play.view(viewer).seats[1]
        assert (shown.hand, shown.hand_count) == (None, 3)
    play.do("1 discard viper#a").then(discard1="viper#a")
    assert play.view(0).seats[1].hand_count == 2
    assert play.asked() == ("main", (0,))


def test_w_07_a_single_card_goes_without_a_question() -> None:
    play = given(hand0="imperial_fighter", hand1="scout").do("0 play imperial_fighter")
    play.then(discard1="scout", hand1="")
    assert play.asked() == ("main", (0,))


def test_w_08_stealth_needle() -> None:
    play = given(hand0="battle_blob scout#1 stealth_needle", deck0="scout#2 scout#3")
    play.do("0 play battle_blob; 0 play scout#1; 0 play stealth_needle")
    assert play.offered(0, "copy") == ["battle_blob", "scout#1"]
    play.do("0 copy battle_blob").then(combat=16)
    both = ["battle_blob/ally", "battle_blob/scrap", "stealth_needle/ally", "stealth_needle/scrap"]
    assert play.offered(0, "use") == both
    play.do("0 use battle_blob/ally; 0 use stealth_needle/ally").then(hand0="scout#2 scout#3")
    play.do("0 use stealth_needle/scrap").then(combat=20, heap="stealth_needle")
    assert play.offered(0, "use") == ["battle_blob/scrap"]


def test_w_09_redirects() -> None:
    play = given(
        hand0="freighter cutter",
        deck0="scout#1",
        play0="central_office",
        row="ram blob_wheel corvette trade_bot#1 trade_bot#2",
    ).do("0 play freighter")
    play.then(trade=4)
    play.do("0 use freighter/ally; 0 use central_office/primary").then(trade=6)
    play.do("0 acquire row:3").then(deck0="trade_bot#1 scout#1")
    assert play.asked() == ("main", (0,))
    play.do("0 acquire row:2")
    assert play.asked() == ("to_deck_top", (0,))
    assert play.offered(0, "top") == ["no", "yes"]
    play.do("0 top no").then(discard0="corvette", trade=3, row="ram blob_wheel - - trade_bot#2")
    redirects = play.state.seats[0].topdeck
    assert (redirects.mandatory, redirects.optional) == (0, 0)


def test_w_10_embassy_yacht_and_blob_world() -> None:
    play = given(
        hand0="embassy_yacht#1 embassy_yacht#2 blob_world trade_pod stealth_needle",
        deck0="scout#1 scout#2 scout#3 scout#4 scout#5 scout#6 scout#7",
        play0="trading_post",
    )
    play.do("0 play embassy_yacht#1").then(authority0=53, trade=2)
    assert len(play.state.seats[0].deck) == 7
    play.do("0 play blob_world; 0 play embassy_yacht#2").then(authority0=56, trade=4)
    play.then(hand0="trade_pod stealth_needle scout#1 scout#2")
    play.do("0 play trade_pod; 0 play stealth_needle; 0 copy trade_pod").then(trade=10)
    play.do("0 use blob_world/primary; 0 option draw_per_card_played")
    play.then(hand0="scout#1 scout#2 scout#3 scout#4 scout#5")


def test_w_11_fleet_hq() -> None:
    play = given(
        hand0="scout#1 corvette blob_wheel fleet_hq#2",
        deck0="viper#1",
        play0="fleet_hq#1",
        trade_decks=2,
    ).do("0 play scout#1")
    play.then(combat=1)
    play.do("0 play blob_wheel").then(combat=1)
    play.do("0 play corvette").then(combat=3, hand0="fleet_hq#2 viper#1")
    play.do("0 play fleet_hq#2; 0 play viper#1").then(combat=6)
    play.do("0 use corvette/ally").then(combat=8)


def test_w_12_scrapping() -> None:
    play = given(
        hand0="scout#1 explorer#a",
        deck0="scout#3",
        discard0="scout#2 viper#1",
        explorers=9,
        play0="machine_base brain_world junkyard",
    ).do("0 use brain_world/primary")
    assert play.count(0) == 11
    assert play.offered(0, "scrap") == ["scout#2", "viper#1", "scout#1", "explorer#a"]
    play.do("0 scrap explorer#a scout#2").then(explorers=10, heap="scout#2")
    assert chance_options(play) == ["viper#1"]
    play.do("~").then(hand0="scout#1 scout#3 viper#1")
    play.do("0 use machine_base/primary")
    assert play.offered(0, "scrap") == ["scout#1", "scout#3", "viper#1"]
    assert play.count(0) == 3
    play.do("0 scrap scout#1; 0 use junkyard/primary; 0 scrap scout#3")
    play.then(hand0="viper#1", heap="scout#2 scout#1 scout#3")


def test_w_13_a_fleet_pays_at_the_start_of_the_turn() -> None:
    given(active=1, up0="frontier_fleet").do("1 end").then(active=0, combat=1)


def w_13() -> Play:
    return given(
        hand0="viper#1 viper#2",
        deck0="scout",
        combat=1,
        up0="frontier_fleet",
        down0="rise_to_power",
        up1="energy_shield",
    )


def test_w_13_shields_and_a_revealed_gambit() -> None:
    play = w_13().do("0 play viper#1; 0 play viper#2").then(combat=3)
    play.do("0 attack 1 1").then(authority1=50)
    play.do("0 attack 1 2").then(authority1=49)
    play.do("0 reveal rise_to_power; 0 gambit rise_to_power")
    play.then(authority0=58, hand0="scout", gambit_scrap="rise_to_power")


def test_w_14_opening_reveal() -> None:
    play = started(2, first_player="seat_0")
    draws = {
        "gambits": "~ energy_shield frontier_fleet#1 rise_to_power daring_raid",
        "deck of seat 0, shuffle 1": "~ viper scout scout",
    }
    while isinstance(play.turn, Chance):
        play.do(draws.get(play.turn.label, "~"))
    play.then(down0="energy_shield rise_to_power", down1="frontier_fleet daring_raid")
    assert play.turn.mode is SEALED
    play.do("1 open frontier_fleet")
    assert play.view(0).seats[1].gambits_down_count == 2
    assert play.view(0).seats[1].answer is None
    assert play.view(1).seats[1].answer == ("frontier_fleet#1",)
    assert play.seen(0) == Seen(None)
    assert play.asked() == ("reveal_opening", (0,))
    play.do("0 open none").then(up1="frontier_fleet", down1="daring_raid", combat=0)
    shown = ((1, {"type": "reveal_opening", "gambits": ["frontier_fleet#1"]}),)
    assert play.seen(-2) == Seen({"type": "reveal_opening", "gambits": []}, shown)
    assert play.asked() == ("main", (0,))
    play.do("0 play viper; 0 attack 1 1; 0 end").then(authority1=49, active=1, combat=1)


def w_15() -> Play:
    return given(
        down0="desperate_gambit",
        unclaimed="surprise_attack daring_raid energy_shield#1 energy_shield#2 political_maneuver",
        trade=3,
    )


def test_w_15_desperate_gambit() -> None:
    play = w_15().do("0 reveal desperate_gambit")
    assert play.numbers(0, "pay") == (1, 3)
    play.do("0 pay desperate_gambit 2").then(trade=1)
    paid = {"type": "pay_for_gambit", "gambit": "desperate_gambit#1", "x": 2}
    assert play.seen(1) == Seen(paid)
    play.do("~ surprise_attack energy_shield#1")
    assert play.asked() == ("keep_gambit", (0,))
    assert play.offered(0, "keep") == ["surprise_attack", "energy_shield#1"]
    assert play.view(0).looked == ("surprise_attack#1", "energy_shield#1")
    assert play.view(1).looked == ()
    play.do("0 keep surprise_attack")
    assert play.seen(1) == Seen({"type": "keep_gambit", "gambit": None})
    assert play.view(1).seats[0].gambits_down_count == 1
    assert play.view(1).unclaimed_count == 4
    assert play.view(0).looked == ("energy_shield#1",)
    play.then(down0="surprise_attack", gambit_scrap="desperate_gambit")
    play.do("0 reveal surprise_attack; 0 gambit surprise_attack").then(combat=8)


def test_w_16_mercenary_cruiser() -> None:
    play = given(
        hand0="mercenary_cruiser cutter trade_bot", discard0="scout#1", deck0="viper*2 explorer*3"
    )
    play.do("0 play cutter; 0 play mercenary_cruiser").then(combat=5)
    wanted = ["blob", "machine_cult", "star_empire", "trade_federation"]
    assert play.offered(0, "faction") == wanted
    play.do("0 faction trade_federation")
    assert play.offered(0, "use") == ["cutter/ally"]
    play.do("0 use cutter/ally").then(combat=9)
    play.do("0 play trade_bot; 0 scrap none")
    assert play.offered(0, "use") == []
    assert "trade_federation" in str(play.view(1))
    play.do("0 end").then(discard0="scout#1 cutter mercenary_cruiser trade_bot", play0="")
    assert "trade_federation" not in str(play.view(1))


def test_w_17_beast_coop_blob() -> None:
    play = given(
        "beast_coop",
        seats=3,
        team=50,
        boss=150,
        facedown=3,
        play0="blob_wheel barter_world",
        row="cutter#1 cutter#2 cutter#3 ram#1 ram#2",
        trade_deck="trade_pod corvette",
        boss_turn=True,
    ).boss_turn()
    play.then(facedown=4, team=43, play0="", discard0="blob_wheel barter_world", boss=150)
    play.then(row="cutter#2 cutter#3 ram#1 ram#2 trade_pod")
    assert play.asked() == ("main", (0, 1, 2))


def test_w_18_ties_and_too_strong_bases() -> None:
    play = given(
        "beast_solo",
        team=30,
        boss=50,
        facedown=12,
        play0="blob_wheel the_hive central_office",
        row=5,
        trade_deck="cutter",
        boss_turn=True,
    ).boss_turn()
    play.then(boss=55, boss_combat=7, discard0="central_office", boundary="turn 2 boss")
    assert play.asked() == ("lose_base", (0,))
    assert play.offered(0, "lose") == ["blob_wheel", "the_hive"]
    play.do("0 lose the_hive").then(team=28, play0="blob_wheel", boundary="turn 3")


def test_w_19_mercenary_cruiser_revealed() -> None:
    play = given(
        "beast_solo",
        team=30,
        boss=50,
        facedown=2,
        play0="war_world blob_wheel",
        row=5,
        trade_deck="mercenary_cruiser",
        boss_turn=True,
    ).boss_turn()
    play.then(boss_combat=3)
    assert play.asked() == ("choose_faction", (0,))
    play.do("0 faction blob").then(discard0="war_world", play0="blob_wheel", team=27)


def test_w_20_pirates_coop() -> None:
    play = given(
        "pirates_coop",
        boss=50,
        authority1=13,
        play0="royal_redoubt blob_wheel",
        hand0="scout#1 scout#2 scout#3 scout#4 scout#5",
        hand1="scout#9 scout#10 scout#11 scout#12 scout#13",
        row="cutter#1 cutter#2 cutter#3 command_ship ram",
        trade_deck="imperial_frigate patrol_mech survey_ship",
        boss_turn=True,
    ).boss_turn()
    play.then(heap="cutter#1 cutter#2", play0="blob_wheel", discard0="royal_redoubt")
    play.then(row="cutter#3 command_ship ram imperial_frigate patrol_mech", authority0=50)
    assert play.asked() == ("discard", (0,))
    assert play.count(0) == 10
    play.do("0 discard scout#1 scout#2").then(authority1=-3)
    assert play.state.seats[1].out
    assert play.asked() == ("main", (0,))
    play.do("0 end; ~")
    assert len(play.state.scrap_heap) == 3


def test_w_21_pirates_solo() -> None:
    play = given(
        "pirates_solo",
        play0="barter_world",
        row="cutter#1 cutter#2 cutter#3 ram#1 corvette",
        trade_deck="ram#2 blob_carrier",
        boss_turn=True,
    )
    play.then(authority0=75, boss=25)
    play.boss_turn().then(discard0="barter_world", authority0=70)
    play.do("0 end; ~").then(authority0=52)


def w_22() -> Play:
    return given(
        "pirates_coop",
        boss=50,
        row="mothership ram#1 cutter#9 ram#2 corvette",
        trade_deck="junkyard",
        hand0="cutter trade_pod",
        hand1="federation_shuttle blob_fighter",
    )


def test_w_22_team_turn() -> None:
    play = w_22()
    play.do("0 play cutter; 1 play federation_shuttle; 0 play trade_pod; 1 play blob_fighter")
    play.then(trade=7, combat=3)
    assert play.asked() == ("main", (0, 1))
    assert play.turn.mode is OPEN
    assert play.offered(0, "use") == play.offered(1, "use") == []
    play.do("1 acquire row:0").then(discard1="mothership", trade=0)
    play.then(row="junkyard ram#1 cutter#9 ram#2 corvette")
    play.do("0 end").then(play0="cutter trade_pod")
    assert play.asked() == ("main", (1,))
    play.do("1 attack boss 3").then(boss=47)


def test_w_23_free_for_all() -> None:
    play = given(
        "free_for_all",
        active=1,
        combat=12,
        authority0=4,
        hand0="scout#a",
        authority2=20,
        play2="battle_station",
    )
    assert play.offered(1, "attack") == [0]
    assert play.numbers(1, "attack") == (1, 12)
    assert play.offered(1, "base") == ["battle_station"]
    removed = len(play.state.removed)
    play.do("1 attack 0 5").then(authority0=-1, hand0="")
    assert len(play.state.removed) == removed + 1
    assert play.names.by_name["scout#a"] not in str(play.view(1))
    play.do("1 base battle_station").then(combat=2)
    play.do("1 attack 2 2").then(authority2=18)
    play.do("1 end").then(active=2)


def test_w_24_win() -> None:
    play = given(combat=3, authority1=3, hand0="scout").do("0 attack 1 3")
    assert play.over() == Over((50, 0), (1, 2), "elimination")
    play.then(hand0="scout", boundary="over")
    outcome = play.view().outcome
    assert outcome is not None
    assert (outcome.winners, outcome.ranking) == ((0,), ((0,), (1,)))
    assert outcome.authority == (50, 0)


def test_w_24_win_over_a_boss() -> None:
    play = given("pirates_coop", combat=9, boss=8).do("1 attack boss 9")
    assert play.over() == Over((50, 50), (1, 1), "boss_defeated")
    outcome = play.view().outcome
    assert outcome is not None
    assert outcome.winners == (0, 1)


def test_w_25_two_team_mates_one_card() -> None:
    def begun() -> Play:
        return given(
            "pirates_coop",
            boss=50,
            trade=6,
            row="ram#1 cutter#1 cutter#2 cutter#3 corvette",
            trade_deck="ram#2 blob_wheel",
        ).do("0 acquire ram#1")

    play = begun().then(trade=3, row="ram#2 cutter#1 cutter#2 cutter#3 corvette")
    before = play.state
    play.refused("1 acquire ram#1")
    assert play.state is before
    assert "ram#2" in play.offered(1, "acquire")
    begun().do("1 acquire cutter#1").then(trade=1, discard1="cutter#1")


def test_w_26_a_card_everybody_knows() -> None:
    play = given(
        hand0="freighter cutter",
        deck0="scout#1 scout#2",
        discard0="viper#1 viper#2 scout#3 scout#4",
        row="ram - - - -",
    )
    play.do("0 play freighter; 0 play cutter; 0 use freighter/ally; 0 acquire row:0")
    ram = play.state.seats[0].deck[0]
    for viewer in (0, 1, -2):
        shown = play.view(viewer).seats[0]
        assert (shown.deck_count, shown.deck_known) == (3, (KnownCard(0, ram),))
    play.do("0 end").then(hand0="ram scout#1 scout#2")
    wanted = ["scout#3", "scout#4", "viper#1", "viper#2", "cutter", "freighter"]
    assert sorted(chance_options(play)) == sorted(wanted)
    play.do("~ viper#1 freighter")
    shown = play.view(1).seats[0]
    assert (shown.hand_count, shown.hand_seen, shown.deck_count) == (5, (ram,), 4)
    assert shown.discard == ()


def test_w_26_what_is_seen_or_counted_stays_in_other_worlds() -> None:
    play = given(
        hand0="freighter cutter",
        deck0="scout#1 scout#2",
        discard0="viper#1 viper#2 scout#3 scout#4",
        row="ram - - - -",
    )
    play.do("0 play freighter; 0 play cutter; 0 use freighter/ally; 0 acquire row:0; 0 end")
    play.do("~ viper#1 freighter")
    own, rng = play.state.seats[0], Random(1)
    loose = {*own.hand[3:], *own.deck}
    divisions = set()
    for _ in range(300):
        other = GAME.resample(play.state, 1, rng).seats[0]
        assert other.hand[:3] == own.hand[:3]
        assert {*other.hand[3:], *other.deck} == loose
        divisions.add(frozenset(other.hand[3:]))
    assert len(divisions) == 15


def test_w_27_fallback() -> None:
    play = given(hand0="scout#1 viper#1 scout#2", play0="junkyard", discard0="cutter")
    assert play.fallback(0) == "end"
    play.do("0 use junkyard/primary")
    assert play.count(0) == 4
    assert play.fallback(0) == "scrap cutter"
    play = given(hand0="imperial_fighter", hand1="viper#a scout#a scout#b")
    play.do("0 play imperial_fighter")
    assert play.fallback(1) == "discard viper#a"
    play = started(2)
    while isinstance(play.turn, Chance):
        play.do("~")
    assert play.fallback(0) == play.fallback(1) == "open"


def test_w_28_loss_in_the_pirates_scenario() -> None:
    play = given(
        "pirates_coop",
        boss=40,
        authority0=5,
        authority1=6,
        hand0="scout*5",
        hand1="scout*5",
        row="cutter#1 cutter#2 cutter#3 ram#1 corvette",
        trade_deck="ram#2 trade_pod",
        boss_turn=True,
    ).boss_turn()
    assert play.over() == Over((-4, 0), (2, 2), "team_defeated")
    play.then(row="cutter#3 ram#1 corvette ram#2 trade_pod")
