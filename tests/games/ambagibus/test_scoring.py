"""What is counted at the end, and how it compares."""

from games.ambagibus.scoring import MAZE
from tests.games.ambagibus.build import ADVANCED, given


def test_ab_51_every_open_passage_counts_by_itself() -> None:
    # Two passages lead into one cell, and both count.
    given("D1a S12", "(0,0) C41 r0, (0,−1) C23 r1, (1,−1) C32 r2").then(
        open="(0,0).E I, (1,-1).S III", over="stuck 4"
    )


def test_ab_51_low_is_better() -> None:
    five = given("S12 S34").when("(0,-1) r0").then(over="exhausted 5")
    six = given("S12 S34").when("(0,-1) r2").then(over="exhausted 6")
    five.then(score=-5)
    six.then(score=-6)


def test_ab_61_more_mazes_are_better_then_the_lower_last_score() -> None:
    one = given("D1a D2a", **ADVANCED).when("(0,-1) r2").then(score=1000, rank=1)
    worse = given("D1a D2a X1234", **ADVANCED).when("(0,-1) r2").then(score=990, rank=1)
    none = given("X1234", **ADVANCED).then(score=-10, rank=2)
    assert one._score() > worse._score() > none._score()
    assert MAZE > 999


def test_ab_62_the_last_score_is_0_on_an_empty_table() -> None:
    given("D1a D2a", **ADVANCED).when("(0,-1) r2").then(over="exhausted 0")
    given("D1a D2a bomb1", **ADVANCED).when("(0,-1) r2").then(over="stuck 0", left=1)
    given("C12 bomb1", **ADVANCED).when("(0,0)").then(over="exhausted 0", mazes=0, rank=2)


def test_an_emptied_table_at_the_end_of_a_basic_game_scores_0_and_is_no_victory() -> None:
    given("C12 bomb1").when("(0,0)").then(over="exhausted 0", score=0, rank=2)
    given("C12 bomb1 cave1").when("(0,0)").then(over="stuck 0", score=0, rank=2)
