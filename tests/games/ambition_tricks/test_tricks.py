"""The kickoff and the tricks."""

from itertools import permutations

import pytest

from games.ambition_tricks import GAME
from games.ambition_tricks.cards import Card
from games.ambition_tricks.moves import Kickoff, Play
from games.ambition_tricks.state import Phase
from games.core.game import SPECTATOR, Chance
from tests.games.ambition_tricks.build import (
    SAMPLE_TRICKS,
    Match,
    given,
    kicked_off,
    sample,
    taken,
)


def playing() -> Match:
    return sample().passes().kickoff()


def test_at_04_the_winner_of_a_trick_takes_its_points_out_of_the_pool() -> None:
    match = playing().plays("3:3S 0:4D 1:5S 2:KS")
    view = match.view(SPECTATOR)
    assert [seat.points for seat in view.seats] == [0, 0, 5, 10]
    assert view.pool == 65


def test_at_06_the_kickoff_is_worth_three_points_more() -> None:
    assert kicked_off("0:3D 1:4D 2:5D 3:6D").points == 3
    assert kicked_off("0:3D 1:4D 2:5D 3:AD").points == 6
    assert taken("0:3D 1:4D 2:5D 3:AD").points == 3


def test_at_16_a_diamond_or_without_one_any_card() -> None:
    match = given("0:2C 5D 7S 1:3C 4H AS 2:AD 3:6D 8D")
    assert [match.offered(seat) for seat in range(4)] == ["5D", "3C 4H AS", "AD", "6D 8D"]
    assert match.refuses(0, Kickoff(Card("2C")))
    match.kickoff("0:5D")
    assert match.asked() == {1, 2, 3}
    assert match.refuses(0, Kickoff(Card("5D")))


def test_at_17_the_kickoff_cards_are_turned_up_together() -> None:
    match = given("0:5D 2C 1:4H 3C 2:AD 4C 3:6D 6C").kickoff("2:AD 0:5D 3:6D")
    trick = match.view(SPECTATOR).trick
    assert trick is not None
    assert (trick.number, trick.leader, trick.suit, trick.cards) == (1, None, "D", ())
    match.kickoff("1:4H")
    assert match.view(SPECTATOR).tricks[0].cards == ("5D", "4H", "AD", "6D")
    assert [hand.bit_count() for hand in match.state.hands] == [1] * 4


def test_at_18_the_highest_diamond_wins_the_kickoff_but_for_the_two() -> None:
    assert kicked_off("0:5D 1:AS 2:9D 3:TD").winner == 3
    assert kicked_off("0:5D 1:2D 2:9D 3:TD").winner == 3
    assert kicked_off("0:5D 1:2D 2:9D 3:JD").winner == 1


def test_at_19_the_winner_of_the_kickoff_leads() -> None:
    match = playing()
    assert match.asked() == {3}
    trick = match.view(SPECTATOR).trick
    assert trick is not None
    assert (trick.number, trick.leader, trick.suit) == (2, 3, None)


def test_at_20_the_leader_may_play_any_card() -> None:
    match = playing()
    assert match.offered(3) == match.hand(3)


def test_at_21_the_others_follow_clockwise_face_up() -> None:
    match = playing().plays("3:3S")
    assert match.asked() == {0}
    assert match.wire(SPECTATOR) == {"type": "play", "card": "3S"}
    match.plays("0:4D")
    assert match.asked() == {1}
    match.plays("1:5S")
    assert match.asked() == {2}
    trick = match.view(SPECTATOR).trick
    assert trick is not None
    assert (trick.leader, trick.suit, trick.cards) == (3, "S", ("3S", "4D", "5S"))


def test_at_22_a_seat_follows_suit_if_it_can() -> None:
    match = playing().plays("3:3S 0:4D")
    assert match.offered(1) == "4S 5S 6S 7S 8S JS QS"
    assert match.refuses(1, Play(Card("6C")))


def test_at_23_a_seat_without_the_suit_plays_anything() -> None:
    match = playing().plays("3:3S")
    assert match.offered(0) == match.hand(0)


@pytest.mark.parametrize(
    ("plays", "winner"),
    [
        ("0:5S 1:9S 2:3S 3:6S", 1),
        ("1:5H 2:AS 3:6H 0:AC", 3),
        ("2:AH 3:KH 0:QH 1:JH", 2),
    ],
)
def test_at_24_the_highest_card_of_the_led_suit_wins(plays: str, winner: int) -> None:
    assert taken(plays).winner == winner


@pytest.mark.parametrize("honor", "AKQJ")
def test_at_25_the_two_beats_all_when_an_honor_of_its_suit_is_in_the_trick(honor: str) -> None:
    for order in permutations(("2H", f"{honor}H", "TH")):
        plays = "0:9H " + " ".join(f"{seat}:{code}" for seat, code in enumerate(order, start=1))
        assert taken(plays).winner == 1 + order.index("2H")
    assert taken(f"0:2H 1:{honor}H 2:TH 3:9H").winner == 0


def test_at_26_without_an_honor_the_two_is_the_lowest_card() -> None:
    assert taken("0:TH 1:2H 2:9H 3:8H").winner == 0
    assert taken("0:2H 1:3H 2:AS 3:AC").winner == 1
    assert taken("0:2H 1:3S 2:AS 3:AC").winner == 0


def test_at_27_other_suits_neither_wake_the_two_nor_win_with_theirs() -> None:
    assert taken("0:5H 1:2H 2:AS 3:KC").winner == 0
    assert taken("0:AH 1:2S 2:2C 3:2D").winner == 0


def test_at_28_the_winner_takes_the_value_of_all_four_cards_and_leads() -> None:
    match = given("0:5S AC 1:KS 9C 2:2S 8C 3:KC 7C", leader=0).plays("0:5S 1:KS 2:2S 3:KC")
    assert (match.last().winner, match.last().points) == (2, 18)
    assert match.asked() == {2}
    assert [hand.bit_count() for hand in match.state.hands] == [1] * 4


def test_at_29_a_hand_has_thirteen_tricks_and_is_then_scored() -> None:
    match = playing()
    seen = []
    while match.state.phase is Phase.PLAY:
        seen.append(len(match.state.tricks))
        match.by_fallback()
    assert sorted(set(seen)) == list(range(1, 12))
    (hand,) = match.state.history
    assert sum(hand.tricks_won) == 13


def test_at_30_the_last_trick_is_played_without_asking() -> None:
    match = playing().plays(SAMPLE_TRICKS)
    assert isinstance(GAME.turn(match.state), Chance)
    plies = [move for _, _, move in match.steps if isinstance(move, Play)]
    assert len(plies) == 44
    (hand,) = match.state.history
    assert hand.last_trick.cards == ("JH", "4S", "QC", "9H")
    assert match.view(SPECTATOR).history == (hand,)
