"""Philosopher, Procurator, Architect, Centurion, Senator, Farmer; the deck running out."""

import pytest

from games.core.game import SPECTATOR
from tests.games.ave_cesar.build import given

K4 = "K4; call 6; P0 city city_wall.3-4; "


def test_av_90_av_91_the_philosopher_appoints_anybody_but_the_sp() -> None:
    match = given("K3; SP P1; call 3")
    assert match.offers(2).endswith("appoint P0, appoint P2, appoint P3, appoint P4, end_phase")
    match.plays("P2 appoint P4")
    assert match.view(SPECTATOR).sp == 4
    while match.state.round == 1:
        match.by_fallback()
    assert (match.state.sp, match.state.leader) == (4, 4)


def test_av_92_the_appointed_seat_chooses_the_card_it_gives() -> None:
    match = given("K3; SP P1; call 3; P4 hand mint.1, port.1").plays("P2 appoint P4")
    assert match.asked() == ("gift", [4])
    match.plays("P4 give port.1")
    assert (match.hand(4), match.state.hands[2][2:]) == ("mint.1", ("port.1",))
    assert match.asked() == ("action", [2])


def test_av_93_no_card_moves_from_oneself_or_an_empty_hand() -> None:
    match = given("K3; SP P1; call 3; P2 hand mint.1")
    own = match.fork().plays("P2 appoint P2")
    assert (len(own.state.hands[2]), own.asked()) == (3, ("action", [2]))
    empty = match.plays("P2 appoint P4")
    assert len(empty.state.hands[2]) == 3


def test_av_100_av_102_the_claim_draws_a_card_and_takes_the_token() -> None:
    match = given("K2; call 4; token P3; deck port.1-2, forum.1")
    unused = match.fork().plays("P1 end_phase")
    assert unused.state.token == 3
    match.plays("P1 claim")
    assert (match.state.token, match.hand(1)) == (1, "forum.1 port.1 port.2")
    assert match.asked() == ("action", [1])


def test_av_100_the_card_is_drawn_before_the_token_is_taken() -> None:
    match = given("K2; call 4; token P3; deck port.1-2; discard mint.1; rest P4")
    match.plays("P1 claim")
    assert (match.chance().label, match.state.token) == ("reshuffle 1", 3)
    match.plays("draw mint.1")
    assert (match.state.token, match.state.hands[1][2:]) == (1, ("mint.1",))


def test_av_110_the_survey_keeps_one_of_five() -> None:
    match = given("K1; call 5; deck mint.1-2, port.1-2, forum.1-2, baths.1, circus.1")
    match.plays("P4 survey")
    assert match.offers(4) == "keep_looked 1 of forum.1 forum.2 baths.1 port.1 port.2"
    assert match.refuses("P4 keep_looked port.1, port.2")
    match.plays("P4 keep_looked port.1")
    assert match.hand(4) == "mint.1 mint.2 port.1"
    assert match.discard() == "forum.1 forum.2 baths.1 port.2"
    assert match.deck(1) == "circus.1"


@pytest.mark.parametrize(
    ("deck", "looked"), [("port.1", 0), ("port.1, forum.1", 0), ("port.1, forum.1-2, mint.1", 2)]
)
def test_av_111_a_survey_of_what_there_is(deck: str, looked: int) -> None:
    match = given(f"K1; call 5; deck {deck}; rest P3")
    if not looked:
        assert "survey" not in match.offers(4)
        return
    match.plays("P4 survey")
    assert len(match.own(4).looked_at) == looked


def test_av_112_two_buildings_without_a_survey() -> None:
    match = given("K1; call 5; P4 hand shrine.1, palisade.1")
    match.plays("P4 build shrine.1; P4 build palisade.1")
    assert match.city(4) == "shrine.1 palisade.1"


def test_av_120_only_strictly_less_might_is_beaten() -> None:
    equal = given(K4 + "P1 city city_wall.1-2; P1 hand mint.1; P4 hand port.1")
    equal.plays("P0 march")
    assert equal.offers(0) == "take port.1, leave"
    stronger = given(
        K4 + "P1 city fortress.1, palisade.1; P1 hand mint.1; P4 city fortress.2; P4 hand port.1"
    )
    assert "march" not in stronger.offers(0)


def test_av_121_left_then_right_a_card_or_none_of_a_hand_that_is_seen() -> None:
    match = given(K4 + "P1 hand mint.1, forum.1; P4 hand port.1").plays("P0 march")
    shown = match.own(0).shown_hand
    assert shown is not None
    assert (shown.seat, shown.cards) == (1, ("forum.1", "mint.1"))
    match.plays("P0 leave")
    assert match.offers(0) == "take port.1, leave"
    match.plays("P0 take port.1")
    assert (match.hand(4), match.hand(1)) == ("", "forum.1 mint.1")
    assert "port.1" in match.hand(0)


@pytest.mark.parametrize(("own", "points"), [("statue.1", 2), ("bridge.1", 1)])
def test_av_130_the_address_earns_a_second_point_for_the_most_influence(
    own: str, points: int
) -> None:
    assert given(f"K1; call 7; P2 city {own}").plays("P2 address").state.points[2] == points


def test_av_140_av_141_av_142_empty_buildings_are_sown_in_city_order() -> None:
    match = given(
        "K1; call 8; P3 city great_estate.1, mill.1 (baths.1), vineyard.1, bridge.1; "
        "opt harvest=one_per_building; deck port.1-2, forum.1-2, mint.1, circus.1; rest P0"
    )
    match.plays("P3 sow")
    assert (
        match.city(3)
        == "great_estate.1(forum.1 forum.2 mint.1) mill.1(circus.1) vineyard.1 bridge.1"
    )
    partly = given(
        "K1; call 8; P3 city orchard.1 (baths.1, baths.2), mill.1; deck port.1-2, forum.1, mint.1"
    ).plays("P3 sow")
    assert partly.city(3) == "orchard.1(baths.2) mill.1(forum.1)"


def test_av_142_av_150_a_reshuffle_falls_between_two_sown_cards() -> None:
    match = given(
        "K1; call 8; P3 city great_estate.1, mill.1; deck port.1-2, forum.1; "
        "discard mint.1-2; rest P0"
    ).plays("P3 sow")
    assert match.chance().label == "reshuffle 1"
    assert match.city(3) == "great_estate.1(forum.1) mill.1"
    match.plays("draw mint.2, mint.1")
    assert match.city(3) == "great_estate.1(forum.1 mint.2 mint.1) mill.1"


def test_av_143_sown_cards_are_not_in_the_hand() -> None:
    match = given("K1; call 5; spy farmer; P3 city orchard.1 (baths.1, baths.2)")
    assert match.view(0).seats[3].hand_count == 0
    while match.state.call < 8:
        match.by_fallback()
    assert match.asked() == ("action", [3])


def test_av_150_a_reshuffle_comes_when_a_card_is_needed_even_of_a_single_card() -> None:
    match = given("K1; call 7; reshuffles 2; discard forum.1; rest P3")
    assert match.chance().label == "reshuffle 3"
    assert match.view(2).pending is None
    match.plays("draw forum.1")
    assert (match.hand(2), match.state.reshuffles) == ("forum.1", 3)
    both_empty = given("K1; call 7; rest P3")
    assert (both_empty.hand(2), both_empty.asked()) == ("", ("action", [2]))


def test_av_151_looked_at_cards_and_a_building_in_the_act_stay_out_of_a_reshuffle() -> None:
    match = given("K1; call 5; deck mint.1-2, port.1; discard forum.1-2; rest P3")
    match.plays("P4 survey")
    assert match.state.looked_at == ("port.1",)
    assert match.own(4).looked_at == ("port.1",)
    assert match.view(0).turn is not None
    after = match.fork().draw("forum.2", "forum.1")
    assert after.state.looked_at == ("port.1", "forum.2", "forum.1")
    drawing = given("K1; call 7; P2 hand market.1, baths.1, circus.1; deck mint.1-2; rest P3")
    drawing.plays("P2 build market.1; P2 pay baths.1, circus.1")
    assert drawing.chance().label == "reshuffle 1"
    drawing.plays("draw circus.1, baths.1")
    assert drawing.state.hands[2] == ("mint.1", "mint.2", "circus.1")
