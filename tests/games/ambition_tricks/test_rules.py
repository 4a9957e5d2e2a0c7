"""The stand-in, the labels of a rewind, and the bound."""

import pytest
from msgspec.structs import replace

from games.ambition_tricks import GAME, TABLES, make
from games.ambition_tricks.moves import Kickoff, Pass, Play
from games.ambition_tricks.state import Options, Phase
from tests.games.ambition_tricks.build import cards, finished, opened, sample


def test_at_43_the_stand_in_passes_the_first_three_cards_dealt() -> None:
    match = sample()
    assert GAME.fallback(match.state, 0) == Pass(cards("2C 5H 7H"))
    assert GAME.fallback(match.state, 3) == Pass(cards("JD QH 3S"))


def test_at_43_in_a_scatter_hand_to_the_left_the_across_and_the_right() -> None:
    match = opened(first_dealer=0)
    match.state = replace(match.state, hand_no=4)
    match.deal()
    assert GAME.fallback(match.state, 0) == Pass(cards("2C 7H 5H"))
    match.by_fallback()
    assert "2C" in match.hand(1)
    assert "7H" in match.hand(2)
    assert "5H" in match.hand(3)


def test_at_44_the_stand_in_plays_the_legal_card_that_was_dealt_first() -> None:
    match = sample().passes()
    assert GAME.fallback(match.state, 3) == Kickoff(cards("JD")[0])
    assert GAME.fallback(match.state, 0) == Kickoff(cards("8D")[0])
    match.kickoff()
    assert GAME.fallback(match.state, 3) == Play(cards("JD")[0])
    match.plays("3:QH")
    assert GAME.fallback(match.state, 0) == Play(cards("7H")[0])


def test_at_44_a_received_card_counts_by_its_place_too() -> None:
    match = sample().passes("0:2C 7H 5H 1:5S KC 6S 2:8S 7C 6D 3:JD 3S QH").kickoff("0:8D 1:2D")
    match.kickoff("2:KD 3:AD")
    assert GAME.fallback(match.state, 3) == Play(cards("2C")[0])


def test_at_45_a_rewind_aims_at_a_hand_from_its_deal_on() -> None:
    match = opened()
    assert GAME.boundary(match.state) == "hand 1"
    match.draw_dealer(0)
    assert GAME.boundary(match.state) == "hand 1"
    match.deal()
    assert GAME.boundary(match.state) == "hand 1"
    while match.state.phase is not Phase.DEAL:
        match.by_fallback()
    assert GAME.boundary(match.state) == "hand 2"


def test_at_45_a_finished_match_keeps_the_label_of_its_last_hand() -> None:
    match = finished((40, 20, 11, 9), scores=(0, 80, 0, 0), hand_no=7)
    assert GAME.boundary(match.state) == "hand 7"


def test_the_bound_is_52_moves_a_hand_if_hands_are_limited() -> None:
    assert GAME.bound(Options(), 4) is None
    assert GAME.bound(Options(max_hands=3), 4) == 156


def test_the_game_has_no_component_tables() -> None:
    assert make(TABLES).data_digest == GAME.data_digest == ""
    with pytest.raises(ValueError, match="no component tables"):
        make(b"{}")
