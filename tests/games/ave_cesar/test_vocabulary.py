"""Effects of deck files with numbers and combinations that the house's deck does not have."""

import json
from typing import Any

import pytest

from games.ave_cesar import make
from games.ave_cesar.building import cost
from games.ave_cesar.deck import load
from games.ave_cesar.state import Options
from tests.games.ave_cesar.build import Match, given
from tests.games.ave_cesar.test_deck import row

Row = dict[str, Any]


def tables(*kinds: Row) -> bytes:
    """A deck of these kinds and of huts that do nothing."""
    named = sum(kind["copies"] for kind in kinds)
    deck = {
        "schema": "ave_cesar_deck/1",
        "deck_id": "own",
        "version": "1",
        "reconstructed": False,
        "cards_total": named + 50,
        "buildings": [row("hut", 50), *kinds],
    }
    return json.dumps(deck).encode()


def senator(text: str, *kinds: Row) -> Match:
    """P2 in its turn, a Senator, with a deck of these kinds and of huts."""
    file = tables(*kinds)
    return given(f"K1; call 7; {text}", make(file), load(file))


def discount(name: str, amount: int, *targets: str, copies: int = 10) -> Row:
    return row(name, copies, ({"type": "discount", "targets": list(targets), "amount": amount},))


@pytest.mark.parametrize(
    ("city", "price"),
    [("hut.1", 5), ("mine.1", 3), ("mine.1-2", 1), ("mine.1-3", 0), ("mine.1, ford.1", 2)],
)
def test_av_66_every_building_takes_off_its_own_and_no_cost_is_below_zero(
    city: str, price: int
) -> None:
    kinds = (row("tower", cost=5), discount("mine", 2, "tower"), discount("ford", 1, "tower"))
    match = senator(f"P2 city {city}", *kinds)
    assert cost(match.deck_of, match.state, 2, "tower.1") == price


def test_av_66_two_reductions_of_one_building_add_up() -> None:
    both = row(
        "mine",
        effects=(
            {"type": "discount", "targets": ["tower"], "amount": 2},
            {"type": "discount", "targets": ["hut", "tower"], "amount": 1},
        ),
    )
    match = senator("P2 city mine.1", row("tower", cost=5), both)
    assert cost(match.deck_of, match.state, 2, "tower.1") == 2


def test_av_66_a_target_that_is_named_twice_is_one_target() -> None:
    match = senator(
        "P2 city mine.1", row("tower", cost=5), discount("mine", 1, "tower", "hut", "tower")
    )
    assert cost(match.deck_of, match.state, 2, "tower.1") == 4


def test_av_67_effects_come_in_printed_order() -> None:
    effects = ({"type": "draw", "count": 1}, {"type": "peek", "look": 2, "keep": 1})
    text = "P2 hand both.1, hut.1; deck hut.2-7"
    match = senator(text, row("both", cost=3, effects=effects)).plays("P2 build both.1")
    assert (match.hand(2), match.own(2).looked_at) == ("hut.4", ("hut.5", "hut.6"))
    turned = senator(text, row("both", cost=3, effects=effects[::-1])).plays("P2 build both.1")
    assert (turned.hand(2), turned.own(2).looked_at) == ("", ("hut.4", "hut.5"))
    turned.plays("P2 keep_looked hut.5")
    assert turned.hand(2) == "hut.5 hut.6"


@pytest.mark.parametrize(
    ("symbol", "points"), [("might", 4), ("influence", 6), ("sowing", 2), ("buildings", 8)]
)
def test_av_67_points_per_counts_whole_groups_of_each_symbol(symbol: str, points: int) -> None:
    """Of 5 might, 6 influence, 3 sowing symbols and 9 buildings: 2 points for every 2."""
    effect = {"type": "points_per", "symbol": symbol, "per": 2, "amount": 2, "max": 20}
    match = senator(
        "P2 city wall.1, hut.1-6; P2 hand arch.1, hut.9; deck hut.10-12",
        row("wall", might=4, influence=4, sowing=2),
        row("arch", cost=1, might=1, influence=2, sowing=1, effects=(effect,)),
    )
    match.plays("P2 build arch.1; P2 pay hut.9")
    assert match.state.points[2] == points


def test_av_67_points_per_stops_at_its_most() -> None:
    effect = {"type": "points_per", "symbol": "might", "per": 1, "amount": 2, "max": 3}
    match = senator("P2 hand arch.1", row("arch", cost=0, might=2, effects=(effect,)))
    assert match.plays("P2 build arch.1").state.points[2] == 3


def test_av_67_a_demand_of_three_asks_three_times() -> None:
    customs = row("customs", cost=0, effects=({"type": "demand", "count": 3},))
    match = senator("P2 hand customs.1; P1 hand hut.1-2; P3 hand hut.3; deck hut.10-11", customs)
    match.plays("P2 build customs.1; P2 demand P1; P1 give hut.2")
    assert match.offers(2) == "demand P1, demand P3"
    match.plays("P2 demand P3")
    assert match.hand(2) == "hut.1 hut.2 hut.3 hut.10 hut.11"
    assert (match.hand(1), match.hand(3)) == ("", "")
    assert match.asked() == ("action", [2])


def test_av_67_sow_self_sows_every_symbol_of_the_new_building_alone() -> None:
    field = row("field", cost=0, sowing=3, effects=({"type": "sow_self"},))
    match = senator("P2 city field.1; P2 hand field.2; deck hut.1-9", field)
    match.plays("P2 build field.2")
    assert match.city(2) == "field.1 field.2(hut.3 hut.4 hut.5)"


def test_av_67_av_141_a_building_that_is_sown_is_not_sown_again() -> None:
    twice = ({"type": "sow_self"}, {"type": "draw", "count": 1}, {"type": "sow_self"})
    field = row("field", cost=0, sowing=2, effects=twice)
    match = senator("P2 hand field.1; deck hut.1-9", field).plays("P2 build field.1")
    assert match.city(2) == "field.1(hut.3 hut.4)"
    assert match.hand(2) == "hut.1 hut.2 hut.5"


def test_av_200_the_edges_of_the_ranges_are_accepted() -> None:
    name = "a" * 40
    everything = row(
        name, 50, cost=30, vp=30, might=20, influence=20, sowing=20,
        effects=({"type": "peek", "look": 20, "keep": 20}, {"type": "draw", "count": 1}),
    )  # fmt: skip
    assert len(load(tables(everything)).cards) == 100
    assert len(load(tables(row("few", 10))).cards) == 60
    many = [row(f"kind{number}", 50) for number in range(7)]
    assert len(load(tables(*many)).cards) == 400


def test_a_bound_counts_both_answers_of_every_demand() -> None:
    customs = row("customs", cost=0, effects=({"type": "demand", "count": 3},))
    plain, asking = make(tables(row("customs", cost=0))), make(tables(customs))
    options = Options(round_limit=1)
    assert plain.bound(options, 4) is not None
    # Four seats build one building each, and the Architect a second one.
    assert asking.bound(options, 4) == plain.bound(options, 4) + 6 * 5  # type: ignore[operator]
