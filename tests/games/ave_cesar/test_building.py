"""Building, paying, and the effects of the deck."""

import pytest

from games.ave_cesar.building import cost
from games.core.game import SPECTATOR
from tests.games.ave_cesar.build import DECK, given

SENATOR = "K1; call 7; "


def test_av_60_av_61_a_building_of_the_hand_is_paid_with_as_many_cards_as_it_costs() -> None:
    match = given(SENATOR + "P2 hand market.1, mint.1, forum.1; deck port.1-2")
    match.plays("P2 build market.1")
    assert match.asked() == ("pay", [2])
    assert match.offers(2) == "pay 2 of forum.1 mint.1 port.1 port.2"
    assert match.refuses("P2 pay mint.1") == "move not offered: pay"
    assert given(SENATOR + "P2 hand market.1").refuses("P2 build market.2")


def test_av_62_neither_the_building_itself_nor_sown_cards_pay() -> None:
    match = given(SENATOR + "P2 hand bridge.1; P2 city orchard.1 (baths.1-2); rest P3")
    assert set(match.hand(2).split()) == {"bridge.1", "baths.1"}
    assert "build" not in match.offers(2)
    richer = given(SENATOR + "P2 hand bridge.1, mint.1, port.1, circus.1; rest P3")
    richer.plays("P2 build bridge.1")
    for refused in ("bridge.1, mint.1", "baths.2, mint.1"):
        assert richer.refuses(f"P2 pay {refused}")


def test_av_63_av_64_paid_cards_are_discarded_and_the_building_stands_last() -> None:
    match = given(SENATOR + "P2 hand bridge.1, mint.1, port.1, circus.1; P2 city shrine.1; rest P3")
    match.plays("P2 build bridge.1; P2 pay mint.1, circus.1")
    assert match.discard() == "mint.1 circus.1"
    assert match.city(2) == "shrine.1 bridge.1"
    assert match.hand(2) == "port.1"


def test_av_65_only_repeatable_buildings_stand_twice() -> None:
    match = given(SENATOR + "P2 hand statue.2, shrine.2; P2 city statue.1, shrine.1; deck mint.1-2")
    assert match.offers(2) == "build statue.2, build mint.1, build mint.2, address, end_phase"


@pytest.mark.parametrize(
    ("city", "card", "price"),
    [
        ("bridge.1", "port.1", 5),
        ("stables.1", "port.1", 4),
        ("stables.1, mint.1", "port.1", 3),
        ("aqueduct.1", "tenement.1", 0),
        ("aqueduct.1", "baths.1", 4),
        ("armoury.1", "fortress.1", 4),
        ("armoury.1", "armoury.2", 2),
    ],
)
def test_av_66_reductions_add_up_and_never_pay_out(city: str, card: str, price: int) -> None:
    match = given(f"{SENATOR}P2 city {city}")
    assert cost(DECK, match.state, 2, card) == price


def test_av_66_what_costs_nothing_is_not_paid() -> None:
    match = given(SENATOR + "P2 hand tenement.1; P2 city aqueduct.1; rest P3")
    match.plays("P2 build tenement.1")
    assert (match.city(2), match.discard()) == ("aqueduct.1 tenement.1", "")


@pytest.mark.parametrize(
    ("card", "price", "drawn"),
    [("market.1", 2, 1), ("warehouse.1", 3, 2), ("baths.1", 5, 2), ("granary.1", 2, 1)],
)
def test_av_67_draw(card: str, price: int, drawn: int) -> None:
    hand = ["circus.1", "port.1", "port.2", "mint.1", "mint.2"][: price - 2]
    match = given(f"{SENATOR}P2 hand {', '.join([card, *hand])}; deck bridge.1-2, shrine.1-2")
    match.plays(f"P2 build {card}")
    assert match.hand(2) == " ".join(["shrine.1", "shrine.2"][:drawn])
    assert len(match.state.discard) == price


def test_av_67_points_and_points_per() -> None:
    theatre = given(SENATOR + "P2 hand theatre.1, port.1, port.2; deck bridge.1-2")
    theatre.plays("P2 build theatre.1")
    assert theatre.state.points[2] == 1
    text = "P2 hand triumphal_arch.1, port.1, port.2, circus.1; deck bridge.1-2; P2 city "
    for city, points in (
        ("watchtower.1", 0),
        ("barracks.1", 1),
        ("legion_camp.1, barracks.1", 2),
        ("fortress.1, legion_camp.1, city_wall.1", 3),
    ):
        arch = given(SENATOR + text + city).plays("P2 build triumphal_arch.1")
        assert arch.state.points[2] == points


def test_av_67_peek_keeps_exactly_one_of_three() -> None:
    match = given(
        SENATOR + "P2 hand library.1, circus.1; deck bridge.1-2, forum.1, forum.2, mill.1, mill.2"
    )
    match.plays("P2 build library.1")
    assert match.asked() == ("look", [2])
    assert match.offers(2) == "keep_looked 1 of forum.1 forum.2 mill.1"
    assert match.own(2).looked_at == ("forum.1", "forum.2", "mill.1")
    assert match.view(SPECTATOR).turn is not None
    assert match.view(SPECTATOR).turn.looked_at_count == 3  # type: ignore[union-attr]
    match.plays("P2 keep_looked mill.1")
    assert match.hand(2) == "mill.1"
    assert {"forum.1", "forum.2"} <= set(match.state.discard)


def test_av_67_demand_lets_a_neighbour_choose_the_card() -> None:
    text = SENATOR + "P2 hand customs_house.1; deck bridge.1-2"
    match = given(f"{text}; P1 hand mint.1, port.1; P3 hand forum.1").plays(
        "P2 build customs_house.1"
    )
    assert match.asked() == ("demand_from", [2])
    assert match.offers(2) == "demand P1, demand P3"
    right = match.fork().plays("P2 demand P1")
    assert right.asked() == ("demand_give", [1])
    assert right.offers(1) == "give mint.1, give port.1"
    right.plays("P1 give port.1")
    assert (right.hand(2), right.hand(1)) == ("port.1", "mint.1")
    left = match.plays("P2 demand P3")
    assert (left.hand(2), left.hand(3)) == ("forum.1", "")
    alone = given(f"{text}; P1 hand mint.1, port.1").plays("P2 build customs_house.1")
    assert alone.asked() == ("demand_give", [1])
    nobody = given(text).plays("P2 build customs_house.1")
    assert nobody.asked() == ("action", [2])


def test_av_67_take_token_and_sow_self() -> None:
    token = given(SENATOR + "token P4; P2 hand treasury.1, port.1, port.2; deck bridge.1-2")
    assert token.plays("P2 build treasury.1").state.token == 2
    estate = given(SENATOR + "P2 hand mill.1; deck bridge.1-2, mint.1").plays("P2 build mill.1")
    assert estate.city(2) == "mill.1(mint.1)"


def test_av_67_effects_come_in_printed_order_and_symbols_count_at_once() -> None:
    match = given(
        SENATOR + "P2 hand basilica.1, port.1; P1 city statue.1; P3 city statue.2; deck bridge.1-2"
    )
    match.plays("P2 build basilica.1; P2 address")
    assert match.state.points[2] == 2
    school = given(SENATOR + "P2 hand gladiator_school.1, port.1; deck bridge.1-2, mint.1")
    school.plays("P2 build gladiator_school.1")
    assert school.hand(2) == "mint.1"
    assert cost(DECK, school.state, 2, "amphitheatre.1") == 5
