"""Worlds that a viewer cannot tell apart."""

from collections import Counter
from random import Random

import pytest

from games.ambition_tricks import GAME
from games.ambition_tricks.cards import SUITS, Card, Suit, set_of
from games.ambition_tricks.resampling import resample
from games.ambition_tricks.state import Options, State, dealt, received, voids
from games.core.game import SPECTATOR
from games.core.walk import random_match
from tests.games.ambition_tricks.build import Match, cards, opened, sample

VIEWERS = (0, 1, 2, 3, SPECTATOR)


def rng(seed: int = 1) -> Random:
    return Random(seed)


def worlds(match: Match, viewer: int, times: int = 60) -> list[State]:
    source = rng()
    return [resample(match.state, viewer, source) for _ in range(times)]


def test_everything_unseen_moves() -> None:
    match = sample().passes("0:2S AH TC 1:2D 4D JH")
    others = worlds(match, 0)
    assert {Card("KH").bit & hand > 0 for state in others for hand in state.hands[1:2]} == {
        True,
        False,
    }
    assert len({state.passed[1] for state in others}) > 40
    assert {state.passed[0] for state in others} == {cards("TC AH 2S")}
    assert {state.passed[2:] for state in others} == {((), ())}
    assert {state.hands[0] for state in others} == {match.state.hands[0]}


def test_not_even_the_order_of_the_own_deal_is_known() -> None:
    orders = {dealt(state, 0) for state in worlds(sample(), 0)}
    assert len(orders) == 60
    assert len({set_of(order) for order in orders}) == 1


def test_a_passed_card_is_where_it_went() -> None:
    match = sample().passes()
    for state in worlds(match, 0):
        assert set_of(cards("TC AH 2S")) & ~state.hands[3] == 0
        assert received(state, 0, 1) == cards("2D 4D JH")
        assert received(state, 3, 0) == cards("TC AH 2S")


def test_a_suit_not_followed_is_held_no_more() -> None:
    match = sample().passes().kickoff().plays("3:3S 0:4D 1:5S 2:KS")
    for viewer in (1, 2, 3, SPECTATOR):
        for state in worlds(match, viewer, 20):
            assert not state.hands[0] & SUITS[Suit.SPADES]
            assert not state.hands[1] & SUITS[Suit.DIAMONDS]
            assert voids(state, 1) == SUITS[Suit.DIAMONDS]


def test_a_sealed_kickoff_card_may_be_any_that_is_legal() -> None:
    match = sample().passes().kickoff("2:KD 1:6H")
    sealed = Counter(state.kickoff[2] for state in worlds(match, 0))
    assert len(sealed) > 3
    assert {state.kickoff[1] for state in worlds(match, 1)} == {Card("6H")}


def test_between_hands_nothing_is_hidden() -> None:
    match = opened()
    assert resample(match.state, 0, rng()) == match.state


@pytest.mark.parametrize("seed", range(6))
def test_worlds_fit_all_that_is_known_whatever_was_played(seed: int) -> None:
    """Random hands in every direction, at every step, for a random viewer."""
    source = rng(seed)
    steps = random_match(GAME, Options(max_hands=4, target_score=1000), 4, rng(seed))
    for step in steps:
        viewer = source.choice(VIEWERS)
        other = resample(step.after, viewer, source)
        assert GAME.invariants(other) is None
        assert GAME.view(other, viewer) == GAME.view(step.after, viewer)
