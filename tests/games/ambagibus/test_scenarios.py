"""Worked scenarios AB-S01 to AB-S32. The notation is explained in `build.py`."""

import msgspec

from games.ambagibus.moves import Shuffle
from games.ambagibus.view import View
from games.core.game import CHANCE, SPECTATOR, Seen
from games.core.moves import wire_move
from tests.games.ambagibus.build import ADVANCED, Play, given, hard_edge, played

BOARD_S04 = "(0,0) C41 r0, (0,−1) T234 r1, (1,−1) C32 r2"
BOARD_L = "(0,0) C41 r0, (0,−1) C23 r1, (1,−1) C32 r2"
BOARD_S06 = "(0,0) S12 r0, (0,−1) C34 r1, (0,1) C12 r0, (1,1) C41 r3"
BOARD_S18 = "(0,0) cave1 over X1234 r0, (1,0) C34 r2, (1,1) C12 r3"
PILE_S30 = (
    "X1432 S13 C43 S12 D1b cave2 C31 C14 bomb1 bomb2 D2b T234 C32 X1243 D1a T412 C23 D4b X1234 "
    "cave1 X1423 X1324 D2a D4a C34 C41 S14 D3b C12 T123 D3a S23 C13 C21 X1342 S34 C24 T341 C42 S24"
)


def test_ab_s01_start_with_specials() -> None:
    play = given("bomb1 cave1 X1234 D1a")
    play.then(board="(0,0) X1234 r0", current="D1a", pile="bomb1 cave1", known="bomb1 cave1")
    play.then(sum=10)


def test_ab_s02_the_lowest_number_first() -> None:
    play = given("bomb1 cave1 X1234 D1a").offers("(0,−1): 2")
    play.refused("(1,0) r3")
    play.when("(0,−1) r2").then(
        sum=9,
        current="bomb1",
        drawing="""
###
#.#
#1#

#1#
4.2
#3#
""",
    )


def test_ab_s03_the_number_on_the_card_is_irrelevant() -> None:
    play = given("T123 C12 D2a")
    play.then(open="(0,0).N II, (0,0).E III, (0,0).W I")
    play.offers("(−1,0): 0, 1")
    play.when("(−1,0) r1").then(
        open="(-1,0).S II, (0,0).N II, (0,0).E III",
        drawing="""
### #2#
#.1 1.3
#2# ###
""",
    )
    play.offers("(−1,1): 0; (0,−1): 2")


def test_ab_s04_no_blocking_comes_before_the_lowest_number() -> None:
    play = given("D3a C12", BOARD_S04)
    play.then(
        open="(0,-1).N II, (0,0).E I, (1,-1).S III",
        drawing="""
#2# ###
#.3 2.#
#4# #3#

#4#
#.1
###
""",
    )
    play.offers("(0,−2): 2")


def test_ab_s05_two_passages_into_one_cell() -> None:
    play = given("C12 D2a", BOARD_S04).offers("(1,0): 3")
    play.when("(1,0) r3").then(open="(0,-1).N II", sum=2)
    play.offers("(0,−2): 2")


def test_ab_s06_no_opening_against_bricks() -> None:
    play = given("X1234 T123 S34", BOARD_S06)
    play.then(
        open="(0,-1).E III, (1,1).N I",
        drawing="""
###
#.3
#4#

#1#
#.#
#2#

#1# #1#
#.2 4.#
### ###
""",
    )
    play.offers("(1,−1): 0, 1, 2, 3")
    play.when("(1,−1) r0").then(
        drawing="""
### #1#
#.3 4.2
#4# #3#

#1#
#.#
#2#

#1# #1#
#.2 4.#
### ###
"""
    )
    play.offers("(1,−2): 1, 2, 3; (1,0): 1")


def test_ab_s07_to_the_bottom() -> None:
    play = given("D1a S12 C12 D2a", BOARD_L)
    play.then(open="(0,0).E I, (1,-1).S III", current="C12", pile="D2a D1a S12")
    play.then(known="D1a S12", unseen="D2a")
    assert play.view.deck_count == 3
    play.when("(1,0) r3").then(over="closed 0", left=3)


def test_ab_s08_stuck() -> None:
    play = given("D1a S12", BOARD_L)
    play.then(over="stuck 4", pile="D1a S12", known="D1a S12", decisions=0, score=-4, rank=2)


def test_ab_s09_victory_with_cards_left() -> None:
    play = given("T123 D1a D2a D3a C12").offers("(−1,0): 1")
    play.when("(−1,0) r1").offers("(0,−1): 2")
    play.when("(0,−1) r2").offers("(1,0): 3")
    play.when("(1,0) r3").then(over="closed 0", left=1, decisions=3, score=1, rank=1)


def test_ab_s10_exhausted() -> None:
    play = given("X1234 D1a").when("(0,−1) r2")
    play.then(over="exhausted 9", left=0, score=-9, rank=2)


def test_ab_s11_the_last_card_closes() -> None:
    given("D1a D4b").when("(0,−1) r2").then(over="closed 0", left=0)


def test_ab_s12_bomb() -> None:
    play = given("X1234 D1a bomb1 S12").when("(0,−1) r2").then(sum=9)
    play.offers("(0,−1), (0,0)")
    outer = given("X1234 D1a bomb1 S12").when("(0,−1) r2; (0,−1)")
    outer.then(sum=10, removed="D1a bomb1").offers("(0,−1): 0, 2")
    inner = given("X1234 D1a bomb1 S12").when("(0,−1) r2; (0,0)")
    inner.then(sum=1, removed="X1234 bomb1", open="(0,-1).S I").offers("(0,0): 0, 2")


def test_ab_s13_cut_in_two() -> None:
    play = given("bomb1 D1a S13 D4a", "(0,0) T123 r0, (1,0) S24 r1, (2,0) T412 r0")
    play.then(sum=6).when("(1,0)").then(
        sum=13,
        open="(0,0).N II, (0,0).E III, (0,0).W I, (2,0).N I, (2,0).E II, (2,0).W IV",
        drawing="""
#2#     #1#
1.3     4.2
###     ###
""",
    )
    play.offers("(−1,0): 1; (2,−1): 2")
    play.when("(−1,0) r1").offers("(2,−1): 0, 2")


def test_ab_s14_the_only_card_bombed() -> None:
    play = given("C12 bomb1 bomb2 D3a cave1 D4a").offers("(0,0)")
    play.when("(0,0)").then(
        board="(0,0) D3a r0",
        current="cave1",
        pile="D4a bomb2",
        known="bomb2",
        removed="C12 bomb1",
        mazes=0,
        boundary="maze 1",
    )
    play.offers("(0,0)")


def test_ab_s15_a_bomb_closes() -> None:
    play = given("bomb1 C12", "(0,0) D1a r2, (0,1) D2a r0, (3,3) S34 r0")
    play.when("(3,3)").then(over="closed 0", left=1)


def test_ab_s16_cave_in() -> None:
    play = given("cave1 D4a D3a", "(0,0) X1234 r0, (0,−1) D1a r2, (1,0) S24 r1").then(sum=9)
    play.offers("(0,0), (1,0)")
    play.when("(0,0)").then(
        open="(1,0).E II",
        drawing="""
###
#.#
#1#

%%% ###
%%% 4.2
%%% ###
""",
    )
    assert play.view.top_left == "0,-1"
    play.offers("(2,0): 3")
    play.when("(2,0) r3").then(over="closed 0")


def test_ab_s17_a_cave_in_closes() -> None:
    given("C12 cave1 D1a").when("(0,0)").then(over="closed 0", left=1)


def test_ab_s18_no_opening_toward_a_cave_in() -> None:
    offers = {"D1a": "1", "S12": "1, 3", "C13": "1", "T123": "2"}
    for card, rotations in offers.items():
        play = given(f"{card} X1423", BOARD_S18).then(open="(1,1).W I")
        play.offers(f"(0,1): {rotations}")
    play = given("X1423 D1a", BOARD_S18)
    play.then(
        current="D1a",
        pile="X1423",
        known="X1423",
        drawing="""
%%% ###
%%% 4.#
%%% #3#

    #2#
    1.#
    ###
""",
    )
    # C12 itself lies on the board; with C13 in its place the passage is the same.
    given("C12 D1a", BOARD_S18.replace("C12 r3", "C13 r3")).offers("(0,1): 1")


def test_ab_s19_bombing_a_cave_in() -> None:
    play = given("bomb1 X1423 D1a", BOARD_S18).offers("(0,0), (1,0), (1,1)")
    play.when("(0,0)").then(
        open="(1,0).W IV, (1,1).W I", sum=5, removed="cave1 X1234 bomb1", current="X1423"
    )
    play.offers("(0,1): 0, 1, 2, 3")


def start_of_s20() -> Play:
    play = given("D1a D2a bomb1 C12 D3a T123", **ADVANCED).then(boundary="maze 1")
    return play.when("(0,−1) r2")


def test_ab_s20_advanced() -> None:
    play = start_of_s20()
    play.then(mazes=1, board="(0,0) C12 r0", current="D3a", pile="T123 bomb1", known="bomb1")
    play.offers("(0,−1): 2")
    play.when("(0,−1) r2").offers("(1,0): 0, 2, 3")
    play.when("(1,0) r0").then(sum=5).offers("(0,−1), (0,0), (1,0)")
    play.when("(0,0)").then(over="exhausted 9", mazes=1, score=991, rank=1)


def test_ab_s21_exact_end() -> None:
    play = given("D1a D2a", **ADVANCED).when("(0,−1) r2")
    play.then(over="exhausted 0", mazes=1, score=1000, rank=1)


def test_ab_s22_only_specials_left() -> None:
    advanced = given("D1a D2a bomb1 cave1", **ADVANCED).when("(0,−1) r2")
    advanced.then(over="stuck 0", mazes=1, left=2, score=1000)
    basic = given("D1a D2a bomb1 cave1").when("(0,−1) r2")
    basic.then(over="closed 0", left=2, known="", score=1)


def test_ab_s23_bomb_as_last_card() -> None:
    for cell, passages in {"(0,0)": "(0,-1).S III", "(0,-1)": "(0,0).N I, (0,0).E II"}.items():
        play = given("D1a D2a C12 D3a bomb1", **ADVANCED).when("(0,−1) r2; (0,−1) r2")
        play.then(sum=2).offers("(0,−1), (0,0)")
        play.when(cell).then(over="exhausted 3", open=passages)


def test_ab_s24_hard_edge() -> None:
    given("X1234 T123 S12 C12").offers("(0,−1): 1, 2, 3")
    play = given("X1234 T123 S12 C12", **hard_edge(3, 3)).offers("(0,−1): 2")
    play.when("(0,−1) r2").then(
        current="C12",
        pile="S12",
        drawing="""
###
3.1
#2#

#1#
4.2
#3#
""",
    )
    play.offers("(1,−1): 2")


def test_ab_s25_a_straight_on_a_tiny_table() -> None:
    given("X1234 S12 D1a", **hard_edge(3, 3)).then(current="D1a", pile="S12")
    given("X1234 S12 D1a").then(current="S12").offers("(0,−1): 0, 2")


def test_ab_s26_even_sizes() -> None:
    given("T341 C12 D2b", **hard_edge(4, 3)).offers("(1,0): 2, 3")


def test_ab_s27_cave_ins_as_mazes() -> None:
    play = given("T123 cave1 bomb1 D1a cave2 D2a", **ADVANCED)
    play.when("(0,0)").then(mazes=1, current="cave2")
    play.when("(0,0)").then(mazes=2, current="bomb1", board="(0,0) D2a r0")
    play.when("(0,0)").then(over="exhausted 0", mazes=2, board="", score=2000)


def test_ab_s28_the_known_tail_comes_round() -> None:
    play = given("D1a S12 T123 D2b", BOARD_L).offers("(1,0): 0, 3")
    play.when("(1,0) r0").then(current="D2b", pile="D1a S12", known="D1a S12", unseen="")
    play.offers("(2,0): 3")


def test_ab_s29_same_deck_different_moves() -> None:
    one = given("T123 C12 S34 D1a D2b").when("(−1,0) r0").offers("(−1,−1): 0, 2")
    other = given("T123 C12 S34 D1a D2b").when("(−1,0) r1").offers("(−1,1): 0, 2; (0,−1): 0, 2")
    assert one.state.deck == other.state.deck == ("D1a", "D2b")


def test_ab_s30_full_deck_by_first_offers() -> None:
    play = played(PILE_S30).first_offers()
    play.then(
        over="closed 0",
        decisions=19,
        known="X1234 X1423 X1324",
        left=20,
        removed="D1b bomb1 S12 bomb2",
        drawing="""
### ###     %%%
#.# #.#     %%%
#4# #1#     %%%

#2# #1# %%% #1#
#.3 3.2 %%% #.#
### #4# %%% #3#

    #3# #3# #1# ###
    #.2 2.4 2.4 2.#
    ### ### #3# ###

            #3# ###
            #.1 4.#
            ### #1#

                #2#
                #.#
                ###
""",
    )
    assert play.view.top_left == "-3,-2"


def test_ab_s30_full_deck_by_first_offers_in_the_advanced_game() -> None:
    play = played(PILE_S30, **ADVANCED).first_offers()
    play.then(over="exhausted 29", decisions=37, mazes=2)


def test_ab_s30_full_deck_by_first_offers_on_a_small_table() -> None:
    play = played(PILE_S30, **ADVANCED, **hard_edge(7, 5)).first_offers()
    play.then(
        over="stuck 10",
        decisions=34,
        mazes=2,
        open="(2,1).S IV, (3,0).N II, (3,2).W IV",
        pile="X1234 X1423 X1324",
    )


def test_ab_s31_views() -> None:
    play = played(PILE_S30)
    pile = PILE_S30.split()
    for viewer in (0, SPECTATOR):
        shown = play.game.view(play.state, viewer)
        assert isinstance(shown, View)
        assert [(tile.cell, tile.card) for tile in shown.maze] == [("0,0", "X1432")]
        assert shown.current is not None
        assert shown.current.card == "S13"
        assert (shown.deck_count, shown.known_tail) == (38, ())
        assert shown.unseen == tuple(card for card in play.deck.cards if card in pile[2:])
        before, shuffle = play.states[0], Shuffle(tuple(pile))
        assert play.game.redact(before, CHANCE, shuffle, viewer) == Seen(None)
    order = msgspec.json.encode(play.state.deck)
    while not play.state.is_over:
        shown = play.game.view(play.state, 0)
        assert order not in msgspec.json.encode(shown)
        move = play.game.fallback(play.state, 0)
        assert play.game.redact(play.state, 0, move, SPECTATOR) == Seen(wire_move(move))
        play.states.append(play.game.apply(play.state, 0, move))
    unseen = play.state.deck[:17]
    assert play.view.unseen == tuple(card for card in play.deck.cards if card in unseen)
    assert play.view.unseen != unseen


def test_ab_s32_fallback_boundaries_outcome() -> None:
    given("bomb1 cave1 X1234 D1a").then(fallback="(0,-1) r2")
    given("T123 C12 D2a").then(fallback="(-1,0) r0")
    given("T123 C12 D2a").when("(−1,0) r1").then(fallback="(-1,1) r0")
    given("X1234 D1a bomb1 S12").when("(0,−1) r2").then(fallback="(0,-1)")
    play = start_of_s20().then(boundary="maze 2")
    play.when("(0,−1) r2; (1,0) r0").then(boundary="maze 2")
    play.when("(0,0)").then(boundary="over")
    unshuffled = play.states[0]
    assert play.game.boundary(unshuffled) == "setup"
