"""The deck and what it is worth."""

from games.ambition_tricks.cards import DECK, EVERYTHING, Card, Suit, cards_in, set_of
from games.ambition_tricks.tricks import KICKOFF_POINTS
from tests.games.ambition_tricks.build import SAMPLE, cards


def worth(text: str) -> list[int]:
    return [card.points for card in cards(text)]


def test_at_02_there_are_52_cards_and_the_ace_is_high() -> None:
    assert len(set(DECK)) == 52
    hearts = sorted((card for card in DECK if card.suit is Suit.HEARTS), key=lambda c: -c.rank)
    assert hearts == [*cards("AH KH QH JH TH 9H 8H 7H 6H 5H 4H 3H 2H")]


def test_at_03_high_spots_are_worth_less_than_honors_and_low_spots_nothing() -> None:
    assert worth("AH KH QH JH") == worth("AD KD QD JD") == [3] * 4
    assert worth("TH 9H 8H 7H") == worth("TD 9D 8D 7D") == [1] * 4
    assert worth("6H 5H 4H 3H 2H 6D 5D 4D 3D 2D 6S 5S 4S 3S 2S") == [0] * 15


def test_at_05_spades_are_worth_more_and_of_the_clubs_the_king_alone() -> None:
    assert worth("AS KS QS JS TS 9S 8S 7S") == [5] * 4 + [3] * 4
    assert worth("AC KC QC JC TC 2C") == [0, 13, 0, 0, 0, 0]
    totals = [sum(card.points for card in DECK if card.suit is suit) for suit in Suit]
    assert totals == [13, 16, 16, 32]
    assert sum(totals) + KICKOFF_POINTS == 80


def test_a_set_lists_its_cards_in_canonical_order() -> None:
    assert cards_in(EVERYTHING) == DECK == tuple(Card)
    assert cards_in(set_of(cards(SAMPLE))) == DECK
    assert cards_in(set_of(cards("2S AH TC 9C"))) == cards("9C TC AH 2S")
