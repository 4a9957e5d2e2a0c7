"""The deck and its file: what is in the house's deck, and what a file is refused for."""

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from games import registry
from games.ave_cesar import GAME, TABLES, make
from games.ave_cesar.deck import DeckRefused, Kind
from games.ave_cesar.state import Options, State
from games.ave_cesar.view import View
from games.core.game import SPECTATOR, OptionsRefused
from games.core.laws import check
from games.core.tables import digest
from games.core.walk import random_match, seeded
from games.registry import TablesRefused
from tests.games.ave_cesar.build import DECK

Row = dict[str, Any]


def row(name: str, copies: int = 10, effects: tuple[Row, ...] = (), **changes: Any) -> Row:
    return {
        "id": name,
        "name": name.title(),
        "copies": copies,
        "cost": 1,
        "vp": 1,
        "might": 0,
        "influence": 0,
        "sowing": 0,
        "repeatable": True,
        "effects": list(effects),
        **changes,
    }


def small() -> dict[str, Any]:
    """A deck of ten kinds that uses the whole vocabulary, with much larger numbers."""
    buildings = [
        row("hut", 20, cost=0),
        row("wall", might=2, repeatable=False),
        row("field", sowing=2, effects=({"type": "sow_self"}, {"type": "draw", "count": 1})),
        row("oracle", effects=({"type": "peek", "look": 4, "keep": 2},)),
        row("customs", effects=({"type": "demand", "count": 3},)),
        row("seat", effects=({"type": "take_token"}, {"type": "points", "count": 2})),
        row("mine", cost=4, effects=({"type": "discount", "targets": ["hut"], "amount": 1},)),
        row(
            "arch",
            influence=1,
            effects=(
                {"type": "points_per", "symbol": "buildings", "per": 1, "amount": 2, "max": 5},
                {"type": "points_per", "symbol": "sowing", "per": 2, "amount": 1, "max": 9},
                {"type": "points_per", "symbol": "influence", "per": 1, "amount": 1, "max": 1},
            ),
        ),
    ]
    return {
        "schema": "ave_cesar_deck/1",
        "deck_id": "small",
        "version": "2",
        "reconstructed": False,
        "cards_total": 90,
        "buildings": buildings,
        "made_by": "the tests",
    }


def encoded(deck: dict[str, Any]) -> bytes:
    return json.dumps(deck).encode()


def test_the_reconstructed_deck_is_what_it_should_be() -> None:
    kinds = DECK.kinds.values()
    assert (len(kinds), len(DECK.cards)) == (46, 113)

    def total(value: Callable[[Kind], int]) -> int:
        return sum(kind.copies * value(kind) for kind in kinds)

    assert total(lambda kind: kind.might) == 55
    assert total(lambda kind: kind.influence) == 55
    assert total(lambda kind: kind.sowing) == 31
    assert round(total(lambda kind: kind.cost) / 113, 2) == 2.94
    assert round(total(lambda kind: kind.vp) / 113, 2) == 2.48
    costs = Counter(DECK.kind_of[card].cost for card in DECK.cards)
    assert [costs[each] for each in range(8)] == [5, 14, 30, 28, 16, 12, 6, 2]
    repeatable = [kind.copies for kind in kinds if kind.repeatable]
    assert (len(repeatable), sum(repeatable)) == (5, 18)
    assert DECK.kinds["port"].cost == 5
    assert {*DECK.discounts["port"]} == {"stables", "mint"}


def test_av_200_another_deck_is_played_without_code() -> None:
    game = make(encoded(small()))
    report = check(game, "small", 3)
    assert report.failure is None, report.failure
    kinds: set[str] = set()
    for number in range(8):
        for step in random_match(game, Options(), 4 + number % 4, seeded(f"small {number}")):
            assert isinstance(step.before, State)
            kinds.update(type(each).__name__ for each in step.before.steps)
            last = step.after
        assert last.ending is not None
    assert {"Demand", "Peek", "Gift"} <= kinds
    assert game.bound(Options(round_limit=1), 5) > GAME.bound(Options(round_limit=1), 5)  # type: ignore[operator]


def _changed(**changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda deck: deck.update(changes)


def _building(place: int, **changes: Any) -> Callable[[dict[str, Any]], None]:
    return lambda deck: deck["buildings"][place].update(changes)


def _effect(place: int, *effects: Row) -> Callable[[dict[str, Any]], None]:
    return _building(place, effects=list(effects))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (_changed(schema="ave_cesar_deck/2"), "schema: is 'ave_cesar_deck/2', this game reads"),
        (_changed(version=""), "version: '' is not 1 to 40"),
        (_changed(cards_total=91), "cards_total: says 91, but the copies add up to 90"),
        (_changed(cards_total=59), "cards_total: is 59, not 60 to 400"),
        (_changed(cards_total=401), "cards_total: is 401, not 60 to 400"),
        (_building(0, id="Hut"), "buildings[0] (Hut): id: is not a-z"),
        (_building(0, id="wall"), "buildings[0] (wall): id: is there 2 times"),
        (_building(1, id="a" * 41), f"buildings[1] ({'a' * 41}): id: is not a-z"),
        (_building(1, copies=0), "buildings[1] (wall): copies: is 0, not 1 to 50"),
        (_building(1, copies=51), "buildings[1] (wall): copies: is 51, not 1 to 50"),
        (_building(1, cost=-1), "buildings[1] (wall): cost: is -1, not 0 to 30"),
        (_building(1, vp=31), "buildings[1] (wall): vp: is 31, not 0 to 30"),
        (_building(1, might=21), "buildings[1] (wall): might: is 21, not 0 to 20"),
        (_building(1, sowing=-1), "buildings[1] (wall): sowing: is -1, not 0 to 20"),
        (_building(1, cost="2"), "Expected `int`, got `str` - at `$.buildings[1].cost`"),
        (_effect(1, {"type": "fly"}), "Invalid value 'fly' - at `$.buildings[1].effects[0].type`"),
        (
            _effect(1, {"type": "draw", "count": 0}),
            "Expected `int` >= 1 - at `$.buildings[1].effects[0].count`",
        ),
        (
            _effect(1, {"type": "points", "count": 21}),
            "Expected `int` <= 20 - at `$.buildings[1].effects[0].count`",
        ),
        (
            _effect(1, {"type": "draw", "count": 1, "more": 2}),
            "Object contains unknown field `more` - at `$.buildings[1].effects[0]`",
        ),
        (
            _effect(1, {"type": "points_per", "symbol": "gold", "per": 1, "amount": 1, "max": 1}),
            "Invalid enum value 'gold' - at `$.buildings[1].effects[0].symbol`",
        ),
        (
            _effect(1, {"type": "points_per", "symbol": "might", "per": 1, "amount": 1, "max": 21}),
            "Expected `int` <= 20 - at `$.buildings[1].effects[0].max`",
        ),
        (
            _effect(1, {"type": "points_per", "symbol": "might", "per": 0, "amount": 1, "max": 1}),
            "Expected `int` >= 1 - at `$.buildings[1].effects[0].per`",
        ),
        (
            _effect(1, {"type": "peek", "look": 2, "keep": 3}),
            "buildings[1] (wall): effects[0]: keeps 3 of 2 cards",
        ),
        (
            _effect(1, {"type": "draw", "count": 1}, {"type": "sow_self"}),
            "buildings[1] (wall): effects[1]: sows a building without sowing symbols",
        ),
        (
            _effect(1, {"type": "discount", "targets": ["gone"], "amount": 1}),
            "buildings[1] (wall): effects[0]: the target 'gone' is no other building",
        ),
        (
            _effect(1, {"type": "discount", "targets": ["wall"], "amount": 1}),
            "buildings[1] (wall): effects[0]: the target 'wall' is no other building",
        ),
    ],
)
def test_av_200_a_broken_deck_is_refused_with_the_deck_the_place_and_the_reason(
    change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    deck = small()
    change(deck)
    with pytest.raises(DeckRefused) as refused:
        make(encoded(deck))
    name = f"deck small@{deck['version']}: "
    assert str(refused.value).startswith(name + reason)
    with pytest.raises(TablesRefused, match="ave_cesar: deck small@"):
        registry.install("ave_cesar", encoded(deck))


@pytest.mark.parametrize("file", [b"", b"{", b"[]", b'{"schema": "\xff"}'])
def test_av_200_what_is_no_deck_file_is_refused(file: bytes) -> None:
    with pytest.raises(DeckRefused, match=r"^deck \?"):
        make(file)


def test_av_201_a_match_keeps_the_deck_it_was_made_with() -> None:
    assert GAME.data_digest == digest(TABLES)
    steps = list(random_match(GAME, Options(round_limit=2), 4, seeded("kept")))
    other = registry.install("ave_cesar", encoded(small()))
    assert other.data_digest == digest(encoded(small())) != GAME.data_digest
    assert registry.game("ave_cesar", 1, GAME.data_digest) is GAME
    assert registry.game("ave_cesar") is GAME
    assert steps == list(random_match(GAME, Options(round_limit=2), 4, seeded("kept")))
    view = other.view(other.new(Options(deck="small@2"), 5), SPECTATOR)
    assert isinstance(view, View)
    shown = view.deck
    assert (shown.deck_id, shown.version, shown.reconstructed) == ("small", "2", False)
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(Options(deck="small@2"), 5)
    assert refused.value.reason == "the deck in use is ave_cesar_reconstructed@1.0.0"
