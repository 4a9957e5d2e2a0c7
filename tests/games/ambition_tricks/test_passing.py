"""The deal and the pass."""

import pytest
from msgspec.structs import replace

from games.ambition_tricks import GAME
from games.ambition_tricks.cards import cards_in
from games.ambition_tricks.moves import Pass
from games.ambition_tricks.state import Options, Phase
from games.ambition_tricks.view import Handed
from games.core.game import SPECTATOR, OptionsRefused
from games.core.moves import count
from tests.games.ambition_tricks.build import (
    SCATTER_PASSES,
    Match,
    by_seat,
    cards,
    finished,
    opened,
    sample,
)


def scatter(**options: object) -> Match:
    match = opened(first_dealer=0, **options)
    match.state = replace(match.state, hand_no=4)
    return match.deal()


@pytest.mark.parametrize("seats", [0, 1, 2, 3, 5, 6])
def test_at_01_exactly_four_seats_play(seats: int) -> None:
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(Options(), seats)
    assert refused.value.pointer == "/seats"
    assert GAME.seats == (4,)


@pytest.mark.parametrize(
    ("options", "pointer"),
    [
        (Options(target_score=0), "/target_score"),
        (Options(target_score=1001), "/target_score"),
        (Options(max_hands=0), "/max_hands"),
        (Options(max_hands=101), "/max_hands"),
    ],
)
def test_numbers_out_of_range_are_refused(options: Options, pointer: str) -> None:
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(options, 4)
    assert refused.value.pointer == pointer


def test_at_07_the_first_dealer_is_drawn() -> None:
    match = opened()
    assert match.label() == "first dealer"
    match.draw_dealer(2)
    assert match.wire(SPECTATOR) == {"type": "draw_dealer", "dealer": 2}
    assert match.view(SPECTATOR).dealer == 2
    assert match.label() == "hand 1 deal"


def test_at_07_or_named_by_the_option() -> None:
    match = opened(first_dealer=3)
    assert match.state.dealer == 3
    assert match.label() == "hand 1 deal"


@pytest.mark.parametrize("dealer", range(4))
def test_at_08_the_deal_passes_to_the_left(dealer: int) -> None:
    match = opened(first_dealer=dealer).deal()
    while match.state.phase is not Phase.DEAL:
        match.by_fallback()
    assert match.state.dealer == (dealer + 1) % 4


@pytest.mark.parametrize("dealer", range(4))
def test_at_09_cards_go_one_by_one_from_the_dealers_left(dealer: int) -> None:
    match = opened(first_dealer=dealer).deal()
    assert "5S" in match.hand((dealer + 1) % 4)
    assert "8S" in match.hand((dealer + 2) % 4)
    assert "5D" in match.hand(dealer)
    assert [hand.bit_count() for hand in match.state.hands] == [13] * 4


@pytest.mark.parametrize(
    ("cycle", "ways"),
    [
        ("seed", "right right across scatter right right across scatter"),
        ("author", "left right across scatter left right across scatter"),
    ],
)
def test_at_10_the_direction_of_a_hand_follows_the_cycle(cycle: str, ways: str) -> None:
    match = opened(pass_cycle=cycle)
    for hand_no, way in enumerate(ways.split(), start=1):
        match.state = replace(match.state, hand_no=hand_no)
        assert match.view(SPECTATOR).direction == way


def test_at_11_three_different_cards_of_the_hand_are_passed() -> None:
    match = sample()
    assert match.offered(0) == match.hand(0)
    assert count(match.offers(0)) == 286
    assert match.refuses(0, Pass(cards("2C 9C")))
    assert match.refuses(0, Pass(cards("2C 9C TC AC")))
    assert match.refuses(0, Pass(cards("2C 2C 9C")))
    assert match.refuses(0, Pass(cards("2C 9C 6C")))
    assert not match.refuses(0, Pass(cards("2S 2C AH")))
    match.move(0, Pass(cards("2S 2C AH")))
    assert match.own(0).choice == cards("2C AH 2S")


@pytest.mark.parametrize(
    ("hand_no", "cycle", "receiver"),
    [(1, "author", 1), (1, "seed", 3), (2, "seed", 3), (3, "seed", 2), (3, "author", 2)],
)
def test_at_12_all_three_cards_go_one_way(hand_no: int, cycle: str, receiver: int) -> None:
    match = opened(first_dealer=0, pass_cycle=cycle)
    match.state = replace(match.state, hand_no=hand_no)
    match.deal().passes()
    assert match.own(0).passed == (Handed(receiver, cards("TC AH 2S")),)
    assert Handed(0, cards("TC AH 2S")) in match.own(receiver).received
    assert {*cards("TC AH 2S")} <= {*match.own(receiver).hand}


def test_at_13_in_a_scatter_hand_each_opponent_gets_the_card_meant_for_it() -> None:
    match = scatter()
    assert count(match.offers(0)) == 1716
    match.passes(SCATTER_PASSES)
    assert match.own(0).passed == tuple(
        Handed(seat, cards(card)) for seat, card in ((1, "2S"), (2, "AH"), (3, "TC"))
    )
    other = scatter().passes(SCATTER_PASSES.replace("0:2S AH TC", "0:TC AH 2S"))
    assert "TC" in other.hand(1)
    assert "2S" in other.hand(3)


def test_at_13_a_sealed_scatter_pass_is_kept_as_it_goes_left_across_and_right() -> None:
    match = scatter().passes("0:TC AH 2S")
    assert match.own(0).choice == cards("TC AH 2S")
    assert all(match.own(seat).choice is None for seat in (1, 2, 3))


def test_at_14_a_pass_is_final_and_hidden_until_all_have_committed() -> None:
    match = sample().passes("0:2S AH TC")
    assert match.asked() == {1, 2, 3}
    assert match.refuses(0, Pass(cards("2C 9C AC")))
    assert match.hand(0) == "2C 9C TC AC 5D 7D 8D 9D 5H 7H 8H AH 2S"
    assert match.own(0).passed == match.own(3).received == ()
    assert match.own(1).choice is None
    for viewer in (1, 2, 3, SPECTATOR):
        assert match.view(viewer).seats[0].has_committed
        assert match.wire(viewer) == {"type": "pass", "cards": [None] * 3}


def test_at_15_the_cards_change_hands_with_the_fourth_commit() -> None:
    match = sample().passes()
    assert match.state.phase is Phase.KICKOFF
    assert [len(cards_in(hand)) for hand in match.state.hands] == [13] * 4
    assert {*cards("TC AH 2S")} <= {*match.own(3).hand}
    assert not {*cards("TC AH 2S")} & {*match.own(0).hand}
    for _, own in by_seat("0:JC 3D TH"):
        assert not {*own} & {*match.own(3).hand}
    assert not any(seat.has_committed for seat in match.view(SPECTATOR).seats)


def test_at_41_another_hand_has_the_whole_deck() -> None:
    match = finished((30, 20, 20, 10))
    assert match.label() == "hand 2 deal"
    match.deal()
    assert [hand.bit_count() for hand in match.state.hands] == [13] * 4
    assert match.view(SPECTATOR).pool == 80
