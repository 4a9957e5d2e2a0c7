"""What the seat and a spectator see, and what they do not."""

from random import Random

import msgspec

from games.ambagibus import GAME
from games.ambagibus.drawing import drawn
from games.ambagibus.moves import Shuffle
from games.ambagibus.state import Options, Status
from games.ambagibus.view import AdvancedOutcome, BasicOutcome, PassageSeen, TileSeen
from games.core.game import CHANCE, SPECTATOR, Seen
from games.core.moves import wire_move
from tests.games.ambagibus.build import ADVANCED, given


def test_the_seat_and_a_spectator_see_the_same() -> None:
    play = given("T123 C12 S34 D1a D2b").when("(-1,0) r0")
    for state in play.states:
        assert play.game.view(state, 0) == play.game.view(state, SPECTATOR)


def test_before_the_shuffle_all_cards_are_unseen() -> None:
    state = GAME.new(Options(bombs=0), 1)
    shown = GAME.view(state, 0)
    assert msgspec.to_builtins(shown)["unseen"] == state.deck
    assert GAME.resample(state, 0, Random(1)) == state
    assert GAME.boundary(state) == "setup"


def test_a_tile_shows_its_edges_as_they_lie() -> None:
    view = given("D4a D3a", "(0,0) cave1 over X1234 r1, (1,0) S24 r1").view
    assert view.maze == (
        TileSeen("0,0", "X1234", 1, (4, 1, 2, 3), "cave1"),
        TileSeen("1,0", "S24", 1, (0, 2, 0, 4), None),
    )
    assert view.open_passages == (PassageSeen("1,0", "E", 2, "2,0"),)
    assert view.current is not None
    assert (view.current.card, view.current.kind, view.current.edges) == (
        "D4a",
        "tunnel",
        (4, 0, 0, 0),
    )


def test_unseen_cards_stand_in_the_order_of_the_file() -> None:
    given("X1234 D1a S12 D3a C12 bomb1").then(unseen="D3a S12 C12 bomb1", known="")


def test_a_pile_without_unseen_cards_is_shown_whole() -> None:
    play = given("bomb1 cave1 X1234 D1a").then(unseen="", known="bomb1 cave1")
    assert play.view.deck_count == 2


def test_of_the_shuffle_nothing_is_seen_of_a_move_everything() -> None:
    play = given("X1234 D1a bomb1 S12")
    for viewer in (0, SPECTATOR):
        shuffle = Shuffle(("X1234", "D1a", "bomb1", "S12"))
        assert play.game.redact(play.states[0], CHANCE, shuffle, viewer) == Seen(None)
        move = play.game.fallback(play.state, 0)
        assert play.game.redact(play.state, 0, move, viewer) == Seen(wire_move(move))


def test_resampling_mixes_the_unseen_cards_and_nothing_else() -> None:
    play = given("D1a S12 C12 D2a D3a D4a", "(0,0) C41 r0, (0,−1) C23 r1, (1,−1) C32 r2")
    play.then(pile="D2a D3a D4a D1a S12", known="D1a S12")
    rng, orders = Random(5), set()
    for viewer in (0, SPECTATOR) * 40:
        twin = play.game.resample(play.state, viewer, rng)
        assert twin.deck[3:] == ("D1a", "S12")
        assert msgspec.structs.replace(twin, deck=play.state.deck) == play.state
        assert play.game.view(twin, viewer) == play.view
        orders.add(twin.deck[:3])
    assert len(orders) == 6


def test_the_order_stays_hidden_when_the_match_is_over() -> None:
    play = given("D1a D2a X1234 C12 S34 T123").when("(0,-1) r2").then(over="closed 0")
    assert play.view.unseen == ("S34", "C12", "T123", "X1234")
    twins = {play.game.resample(play.state, 0, Random(n)).deck for n in range(60)}
    assert len(twins) > 10
    assert play.view.known_tail == ()


def test_the_last_view_holds_the_figures() -> None:
    basic = given("D1a D2a C12").when("(0,-1) r2").view.outcome
    assert basic == BasicOutcome(
        result=Status.CLOSED, winners=(0,), score=0, cards_left=1, decisions=1
    )
    advanced = given("D1a D2a C12", **ADVANCED).when("(0,-1) r2").view.outcome
    assert isinstance(advanced, AdvancedOutcome)
    assert msgspec.to_builtins(advanced) == {
        "mode": "advanced",
        "result": "exhausted",
        "winners": (0,),
        "mazes": 1,
        "final_score": 3,
        "cards_left": 0,
        "decisions": 1,
    }
    lost = given("S12 S34").when("(0,-1) r0").view.outcome
    assert lost is not None
    assert (lost.result, lost.winners) == (Status.EXHAUSTED, ())


def test_a_maze_without_tiles_is_drawn_as_nothing() -> None:
    play = given("C12 bomb1").when("(0,0)")
    assert (play.view.drawing, play.view.top_left) == ((), None)
    assert drawn(play.deck, ()) == ()


def test_rows_without_a_tile_stay_blank_in_a_drawing() -> None:
    given("D1a D2a", "(0,0) S12 r0, (1,2) S34 r0").then(
        drawing="""
#1#
#.#
#2#





    #3#
    #.#
    #4#
"""
    )
