"""The end and what is counted."""

import pytest

from games.ave_cesar.scoring import SeatScore, scores
from games.ave_cesar.state import State
from tests.games.ave_cesar.build import DECK, Match, finished, given

EIGHT = "shrine.1, tenement.1-2, statue.1, mill.1, bridge.1, market.1, farmstead.1"


def table(match: Match) -> tuple[SeatScore, ...]:
    assert isinstance(match.state, State)
    return scores(DECK, match.state)


def test_av_160_the_round_of_the_eighth_building_is_played_to_its_end() -> None:
    match = given(f"K1; call 5; P4 city {EIGHT}")
    for seat in (4, 2, 3):
        assert match.asked() == ("action", [seat])
        match.plays(f"P{seat} end_phase")
    assert match.over().note == "city_complete"


@pytest.mark.parametrize("seat", range(5))
def test_av_160_the_city_of_any_seat_ends_the_match(seat: int) -> None:
    assert finished(f"P{seat} city {EIGHT}").over().note == "city_complete"


@pytest.mark.parametrize(("limit", "is_over"), [(1, True), (2, False)])
def test_av_161_a_round_limit_ends_the_match(limit: int, is_over: bool) -> None:
    match = given(f"K1; call 8; opt round_limit={limit}").plays("P3 end_phase")
    assert (match.state.ending is not None) is is_over
    if is_over:
        assert match.over().note == "round_limit"
    both = finished(f"opt round_limit=1; P0 city {EIGHT}")
    assert both.over().note == "city_complete"


def test_av_162_nine_buildings_are_the_most() -> None:
    match = given(
        "K1; call 5; P4 city shrine.1, tenement.1-2, statue.1, mill.1, bridge.1, market.1; "
        "P4 hand palisade.1, watchtower.1, shrine.2; deck port.1-2"
    )
    match.plays("P4 build palisade.1; P4 build watchtower.1; P4 pay port.1")
    assert len(match.state.cities[4]) == 9
    assert match.offers(4) == "survey, end_phase"


def test_av_170_av_171_printed_and_earned_points() -> None:
    match = finished("opt round_limit=1; P0 city circus.1, port.1; P1 points 4")
    assert [(each.buildings, each.earned) for each in table(match)][:2] == [(14, 0), (0, 4)]


def test_av_172_two_points_for_each_neighbour_with_less_might() -> None:
    match = finished(
        "opt round_limit=1; P0 city fortress.1; P1 city barracks.1; P2 city barracks.2"
    )
    assert [each.might for each in table(match)] == [4, 0, 2, 0, 0]


@pytest.mark.parametrize(
    ("cities", "points"),
    [
        ("P0 city rostra.1; P1 city statue.1", [6, 4, 2, 2, 2]),
        ("P0 city rostra.1; P1 city rostra.2; P2 city statue.1", [6, 6, 2, 0, 0]),
        ("P0 city basilica.1, statue.1; P1 city rostra.2; P2 city rostra.1", [6, 4, 4, 0, 0]),
        ("P0 city shrine.1", [6, 6, 6, 6, 6]),
    ],
)
def test_av_173_influence_by_rank(cities: str, points: list[int]) -> None:
    assert [e.influence for e in table(finished(f"opt round_limit=1; {cities}"))] == points
    without = finished(f"opt round_limit=1; opt influence_zero_scores=false; {cities}")
    shown = without.view(0).seats
    expected = [each if seat.influence else 0 for each, seat in zip(points, shown, strict=True)]
    assert [e.influence for e in table(without)] == expected


def test_av_174_three_points_for_every_complete_city() -> None:
    other = "shrine.2, tenement.3-4, statue.2, mill.2, bridge.2, market.2, farmstead.2"
    match = finished(f"P0 city {EIGHT}; P3 city {other}, watchtower.1")
    assert [each.completion for each in table(match)] == [3, 0, 0, 3, 0]
    assert [each.building_count for each in table(match)] == [8, 0, 0, 9, 0]


def test_av_180_more_cards_in_hand_break_a_tie_then_the_rank_is_shared() -> None:
    match = finished(
        "seats 4; opt round_limit=1; P0 hand port.1; P2 hand mint.1; P3 hand forum.1-2"
    )
    assert match.over().ranks == (2, 4, 2, 1)
    outcome = match.view(0).outcome
    assert outcome is not None
    assert outcome.winners == (3,)
    tied = finished("seats 4; opt round_limit=1; P0 hand port.1; P2 hand mint.1").view(0).outcome
    assert tied is not None
    assert tied.winners == (0, 2)
