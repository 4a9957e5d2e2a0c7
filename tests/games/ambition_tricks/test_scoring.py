"""The end of a hand and of the match."""

import pytest
from msgspec.structs import replace

from games.ambition_tricks.scoring import Award, awards
from games.ambition_tricks.state import Label, Options
from games.core.game import SPECTATOR
from tests.games.ambition_tricks.build import Match, finished, opened


def paid(
    points: tuple[int, ...], tricks_won: tuple[int, ...] = (4, 3, 3, 3)
) -> tuple[tuple[Label, int], ...]:
    return tuple((each.label, each.points) for each in awards(Options(), tricks_won, points))


def ended(match: Match) -> str:
    return match.over().note


def test_at_31_a_slam_gets_40_and_shuts_out_all_others() -> None:
    slam = ((Label.SHUT_OUT, 0), (Label.SLAM, 40), (Label.SHUT_OUT, 0), (Label.SHUT_OUT, 0))
    assert paid((20, 51, 9, 0), (4, 6, 3, 0)) == slam
    assert paid((10, 50, 10, 10))[1] == (Label.STRIKE, 0)


def test_at_32_a_single_nil_gets_20() -> None:
    assert paid((30, 30, 20, 0), (5, 5, 3, 0))[3] == (Label.NIL, 20)


def test_at_33_two_nils_get_10_each() -> None:
    assert paid((0, 45, 35, 0), (0, 8, 5, 0)) == (
        (Label.NIL, 10),
        (Label.STRIKE, 0),
        (Label.SCORED, 35),
        (Label.NIL, 10),
    )


@pytest.mark.parametrize("points", [0, 1, 9])
def test_at_34_less_than_ten_with_a_trick_is_an_understrike(points: int) -> None:
    assert paid((points, 40, 40 - points, 0))[0] == Award(Label.UNDERSTRIKE, 0)


@pytest.mark.parametrize("points", [10, 19, 39])
def test_at_35_ten_or_more_and_not_the_most_score_themselves(points: int) -> None:
    assert paid((points, 40, 40 - points, 0))[0] == Award(Label.SCORED, points)


def test_at_36_the_most_points_are_a_strike_for_all_who_have_them() -> None:
    assert paid((40, 20, 10, 10))[0] == (Label.STRIKE, 0)
    assert [each[0] for each in paid((30, 30, 10, 10))[:2]] == [Label.STRIKE] * 2


def test_at_37_awards_are_added_to_the_totals() -> None:
    match = finished((40, 20, 11, 9), scores=(5, 6, 7, 8))
    assert match.state.history[0].awards == (0, 20, 11, 0)
    assert match.state.history[0].totals == match.state.scores == (5, 26, 18, 8)


def test_at_38_the_game_is_over_when_a_total_reaches_the_target() -> None:
    assert ended(finished((40, 20, 11, 9), scores=(0, 80, 0, 0))) == "target"
    assert finished((40, 20, 11, 9), scores=(0, 79, 0, 0)).label() == "hand 2 deal"
    assert ended(finished((40, 20, 11, 9), target_score=20)) == "target"
    assert finished((40, 20, 11, 9), target_score=21).label() == "hand 2 deal"


def test_at_39_the_highest_total_wins() -> None:
    over = finished((40, 20, 11, 9), scores=(99, 80, 99, 0)).over()
    assert (over.scores, over.ranks) == ((99, 100, 110, 0), (3, 2, 1, 4))


def test_at_40_equal_highest_totals_are_shared_or_played_on() -> None:
    shared = finished((40, 20, 11, 9), scores=(0, 90, 99, 0)).over()
    assert (shared.scores, shared.ranks) == ((0, 110, 110, 0), (3, 1, 1, 3))
    on = finished((40, 20, 11, 9), scores=(0, 90, 99, 0), ties="play_on")
    assert on.label() == "hand 2 deal"
    lower = finished((40, 20, 11, 9), scores=(100, 85, 0, 100), ties="play_on")
    assert lower.over().ranks == (2, 1, 4, 2)
    top = finished((40, 20, 11, 9), scores=(105, 85, 0, 0), ties="play_on")
    assert top.label() == "hand 2 deal"


def test_at_41_otherwise_another_hand_is_played() -> None:
    match = finished((40, 20, 11, 9))
    view = match.view(SPECTATOR)
    assert (view.hand_no, view.pool, view.tricks, view.outcome) == (2, 80, (), None)
    assert match.label() == "hand 2 deal"


def test_at_42_the_hand_limit_ends_the_game_below_the_target() -> None:
    assert finished((40, 20, 11, 9), max_hands=2).label() == "hand 2 deal"
    match = finished((40, 20, 11, 9), hand_no=2, max_hands=2)
    assert ended(match) == "max_hands"
    assert match.over().ranks == (3, 1, 2, 3)


def test_at_42_target_and_hand_limit_together() -> None:
    both = finished((40, 20, 11, 9), scores=(0, 80, 0, 0), max_hands=1)
    assert ended(both) == "target"
    tied = finished((40, 20, 11, 9), scores=(0, 90, 99, 0), max_hands=1, ties="play_on")
    assert ended(tied) == "max_hands"
    assert tied.over().ranks == (3, 1, 1, 3)


def test_nobody_reads_totals_before_a_hand_is_scored() -> None:
    match = opened(first_dealer=0)
    match.state = replace(match.state, scores=(1, 2, 3, 4))
    assert match.deal().view(SPECTATOR).scores == (1, 2, 3, 4)
