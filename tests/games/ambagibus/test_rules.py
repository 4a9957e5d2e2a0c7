"""The flow: starting, drawing, bottoming, the specials, closing, the end."""

from typing import Any

import pytest
from msgspec.structs import replace

from games.ambagibus import GAME
from games.ambagibus.moves import CaveIn
from games.ambagibus.state import Options, Status, Tile
from games.core.game import Chance, Decision
from games.core.moves import Choice, moves
from tests.games.ambagibus.build import ADVANCED, given, hard_edge


def test_the_draw_is_a_shuffle_of_the_cards_in_use() -> None:
    turn = GAME.turn(GAME.new(Options(bombs=1), 1))
    assert isinstance(turn, Chance)
    assert turn.label == "shuffle"
    order = turn.offer.fields["order"]
    assert isinstance(order, Choice)
    assert (order.least, order.most, order.ordered) == (39, 39, True)
    assert order.options[-3:] == ("bomb1", "cave1", "cave2")


def test_one_seat_is_asked_under_the_name_of_the_move() -> None:
    for pile, kind in {"C12 D1a": "place", "C12 bomb1": "bomb", "C12 cave1": "cave_in"}.items():
        play = given(pile)
        turn = play.game.turn(play.state)
        assert isinstance(turn, Decision)
        assert (turn.kind, list(turn.offers), dict(turn.asides)) == (kind, [0], {})


def test_ab_10_the_top_tunnel_is_laid_in_the_middle_unturned() -> None:
    given("T123 D1a").then(board="(0,0) T123 r0", current="D1a", decisions=0)


def test_ab_10_specials_before_it_go_to_the_bottom() -> None:
    given("cave2 bomb1 T123 D1a").then(
        board="(0,0) T123 r0", pile="cave2 bomb1", known="cave2 bomb1"
    )


def test_ab_11_card_after_card_is_drawn_and_played() -> None:
    play = given("T123 D1a D2a D3a")
    for card, move in {"D1a": "(-1,0) r1", "D2a": "(0,-1) r2", "D3a": "(1,0) r3"}.items():
        play.then(current=card).when(move)
    play.then(decisions=3, over="closed 0")


def test_ab_18_a_tunnel_without_a_placement_goes_to_the_bottom() -> None:
    play = given("D1a D2a C12 D3b", "(0,0) D1b r0, (1,-1) D3a r3")
    play.then(current="C12", pile="D3b D1a D2a", known="D1a D2a", unseen="D3b")


def test_ab_18_cards_put_to_the_bottom_come_again_in_their_order() -> None:
    play = given("D1a D2a T123 D4a", "(0,0) D1b r0, (1,-1) D3a r3").then(current="T123")
    play.when("(0,-1) r1").then(current="D4a", pile="D1a D2a", known="D1a D2a", unseen="")
    play.when("(0,-2) r2").then(over="closed 0", pile="D1a D2a", known="D1a D2a")


def test_ab_19_without_a_playable_card_the_game_is_stuck() -> None:
    given("D1a D2a", "(0,0) D1b r0, (1,-1) D3a r3").then(
        over="stuck 4", left=2, known="D1a D2a", boundary="over"
    )


def test_ab_30_a_bomb_is_played_on_any_card() -> None:
    play = given("bomb1 C12", "(0,0) cave1 over X1234 r0, (1,0) S24 r1, (0,-1) D1a r2")
    play.offers("(0,−1), (0,0), (1,0)")
    play.refused("(5,5)")


def test_ab_31_a_drawn_bomb_must_be_played() -> None:
    play = given("C12 bomb1 D1a").then(current="bomb1").offers("(0,0)")
    turn = play.game.turn(play.state)
    assert isinstance(turn, Decision)
    assert len(list(moves(turn.offers[0]))) == 1


def test_ab_32_a_bombed_cell_is_as_if_no_tunnel_had_been_there() -> None:
    play = given("bomb1 S34", "(0,0) X1234 r0, (0,-1) D1a r2").then(sum=9)
    play.when("(0,-1)").then(sum=10, board="(0,0) X1234 r0").offers("(0,-1): 0, 2")


def test_ab_33_bomb_and_bombed_cards_leave_the_game() -> None:
    board = "(0,0) cave1 over X1234 r0, (1,0) S24 r1"
    given("bomb1 D4a", board).when("(0,0)").then(removed="cave1 X1234 bomb1", pile="")
    given("bomb1 bomb2 D4a", board + ", (2,0) S12 r1").when("(1,0)").then(removed="S24 bomb1")


def test_ab_34_sections_stay_one_maze() -> None:
    play = given("bomb1 D1a D4a", "(0,0) T123 r0, (1,0) S24 r1, (2,0) T412 r0", **ADVANCED)
    play.when("(1,0)").then(mazes=0).offers("(−1,0): 1; (2,−1): 2")
    # One section alone without open passages does not close anything.
    play = given("bomb1 D4a D4b", "(0,0) D1a r1, (1,0) S12 r1, (2,0) S13 r1", **ADVANCED)
    play.when("(1,0)").then(mazes=0, sum=5)


def test_ab_35_on_an_empty_table_a_bomb_goes_to_the_bottom() -> None:
    given("bomb1 C12 D1a").then(pile="bomb1", known="bomb1", current="D1a")


@pytest.mark.parametrize("options", [{}, ADVANCED])
def test_ab_36_a_table_emptied_by_a_bomb_is_no_closed_maze(options: dict[str, str]) -> None:
    play = given("C12 bomb1 T123 D1a", **options).when("(0,0)")
    play.then(mazes=0, board="(0,0) T123 r0", current="D1a", boundary="maze 1")


def test_ab_37_a_bomb_that_leaves_no_open_passage_closes_the_maze() -> None:
    board = "(0,0) cave1 over X1234 r0, (3,3) S34 r0"
    given("bomb1 C12", board).when("(3,3)").then(over="closed 0")
    given("bomb1 C12 D1a", board, **ADVANCED).when("(3,3)").then(mazes=1, board="(0,0) C12 r0")


def test_ab_40_a_cave_in_needs_an_open_passage() -> None:
    board = "(0,0) X1234 r0, (0,−1) D1a r2, (5,5) cave2 over T123 r0"
    play = given("cave1 D4a", board).offers("(0,0)")
    play.refused("(0,-1)")
    play.refused("(5,5)")


def test_ab_41_a_drawn_cave_in_must_be_played() -> None:
    play = given("C12 cave1 D1a").then(current="cave1").offers("(0,0)")
    turn = play.game.turn(play.state)
    assert isinstance(turn, Decision)
    assert list(moves(turn.offers[0])) == [CaveIn("0,0")]


def test_ab_42_a_cave_in_closes_its_card_and_what_leads_to_it() -> None:
    play = given("cave1 D4a", "(0,0) X1234 r0, (1,0) S24 r1").when("(0,0)")
    play.then(open="(1,0).E II", board="(0,0) cave1 over X1234 r0, (1,0) S24 r1")


def test_ab_44_on_an_empty_table_a_cave_in_goes_to_the_bottom() -> None:
    given("cave1 C12 D1a").then(pile="cave1", known="cave1", current="D1a")


def test_ab_45_a_caved_in_cell_may_be_bombed_and_reopens() -> None:
    play = given("bomb1 cave2 D4a", "(0,0) cave1 over X1234 r0, (1,0) S24 r1")
    play.then(open="(1,0).E II").when("(0,0)").then(open="(1,0).E II, (1,0).W IV")
    play.offers("(1,0)").refused("(0,0)")


def test_ab_46_a_cave_in_may_close_the_maze() -> None:
    given("cave1 D4a", "(0,0) S12 r0").when("(0,0)").then(over="closed 0", rank=1)
    given("cave1 D4a", "(0,0) S12 r0", **ADVANCED).when("(0,0)").then(mazes=1)


def test_ab_50_the_basic_game_ends_with_the_first_closed_maze() -> None:
    given("D1a D2a C12").when("(0,-1) r2").then(over="closed 0", left=1, score=1, rank=1)


def test_ab_50_the_basic_game_ends_with_the_last_card() -> None:
    given("S12 S34").when("(0,-1) r0").then(over="exhausted 5", left=0, rank=2)


def test_ab_60_a_closed_maze_is_set_aside_and_a_new_one_begun() -> None:
    play = given("D1a D2a C12 D3a", **ADVANCED).when("(0,-1) r2")
    play.then(mazes=1, board="(0,0) C12 r0", current="D3a", boundary="maze 2")
    assert [[t.card for t in closed] for closed in play.view.set_aside] == [["D2a", "D1a"]]


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"current": "bomb1"}, "a card of the deck is missing or in two places"),
        ({"deck": ()}, "a card of the deck is missing or in two places"),
        ({"known_tail": 2}, "2 known cards in a pile of 1"),
        ({"status": Status.CLOSED}, "closed is not true"),
        ({"status": Status.STUCK}, "stuck is not true"),
        ({"status": Status.EXHAUSTED}, "exhausted is not true"),
        ({"status": Status.SETUP}, "something lies before the shuffle"),
        ({"maze": (Tile(0, 0, "X1234", 0), Tile(0, 0, "S12", 0))}, "the tiles are not in order"),
        ({"maze": (Tile(0, 0, "X1234", 0), Tile(1, 0, "S12", 0))}, "X1234 and S12 do not match"),
        ({"maze": (Tile(0, 0, "S12", 0), Tile(2, 0, "X1234", 0))}, "X1234 is off the table"),
        ({"maze": (Tile(0, 0, "S12", 0), Tile(1, 1, "X1234", 0))}, "X1234 points off the table"),
        (
            {"maze": (), "set_aside": ((Tile(0, 0, "X1234", 0), Tile(0, 1, "S12", 0)),)},
            "a maze set aside is not closed",
        ),
    ],
)
def test_a_state_that_is_wrong_is_found(changes: dict[str, Any], wrong: str) -> None:
    play = given("X1234 S12 D1a C12", **hard_edge(3, 5)).when("(0,-1) r0")
    state = replace(play.state, **changes)
    found = play.game.invariants(state)
    assert found is not None
    assert found.startswith(wrong)


def test_a_hard_edge_counts_for_every_maze() -> None:
    play = given("D1a D2a T123 S12 D4a", **ADVANCED, **hard_edge(3, 3)).when("(0,-1) r2")
    play.then(mazes=1, current="D4a", pile="S12", known="S12")
    assert play.state.status is Status.RUNNING
