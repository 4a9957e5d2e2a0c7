"""The deck, what its cards are worth, and sets of cards.

A set of cards is a whole number with a bit for each card: a hand is small, changes in one step and
follows suit by an `&`. Sets list their cards in canonical order: by suit C, D, H, S, inside a suit
from 2 up to A.
"""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache
from typing import Final

RANKS: Final = "23456789TJQKA"  # AT-02
TWO: Final = 0
LOWEST_HIGH_SPOT: Final = 5  # AT-03: the seven
LOWEST_HONOR: Final = 9  # AT-03: the jack


class Suit(StrEnum):
    CLUBS = "C"
    DIAMONDS = "D"
    HEARTS = "H"
    SPADES = "S"


def _points(suit: Suit, rank: int) -> int:
    """Rules: AT-05."""
    if suit is Suit.CLUBS:
        return 13 if RANKS[rank] == "K" else 0
    honor, high_spot = (5, 3) if suit is Suit.SPADES else (3, 1)
    if rank >= LOWEST_HONOR:
        return honor
    return high_spot if rank >= LOWEST_HIGH_SPOT else 0


class Card(StrEnum):
    """A card by its code of rank and suit; the members stand in canonical order.

    `rank` is a place in RANKS, `points` are card points, `bit` is the set of this card alone.
    """

    def __init__(self, code: str) -> None:
        self.suit = Suit(code[1])
        self.rank = RANKS.index(code[0])
        self.bit = 1 << (len(RANKS) * tuple(Suit).index(self.suit) + self.rank)
        self.points = _points(self.suit, self.rank)

    C2 = "2C"
    C3 = "3C"
    C4 = "4C"
    C5 = "5C"
    C6 = "6C"
    C7 = "7C"
    C8 = "8C"
    C9 = "9C"
    CT = "TC"
    CJ = "JC"
    CQ = "QC"
    CK = "KC"
    CA = "AC"
    D2 = "2D"
    D3 = "3D"
    D4 = "4D"
    D5 = "5D"
    D6 = "6D"
    D7 = "7D"
    D8 = "8D"
    D9 = "9D"
    DT = "TD"
    DJ = "JD"
    DQ = "QD"
    DK = "KD"
    DA = "AD"
    H2 = "2H"
    H3 = "3H"
    H4 = "4H"
    H5 = "5H"
    H6 = "6H"
    H7 = "7H"
    H8 = "8H"
    H9 = "9H"
    HT = "TH"
    HJ = "JH"
    HQ = "QH"
    HK = "KH"
    HA = "AH"
    S2 = "2S"
    S3 = "3S"
    S4 = "4S"
    S5 = "5S"
    S6 = "6S"
    S7 = "7S"
    S8 = "8S"
    S9 = "9S"
    ST = "TS"
    SJ = "JS"
    SQ = "QS"
    SK = "KS"
    SA = "AS"


DECK: Final = tuple(Card)
EVERYTHING: Final = (1 << 52) - 1
# All cards of a suit, as a set.
SUITS: Final = {suit: 0b1_1111_1111_1111 << 13 * place for place, suit in enumerate(Suit)}
_CLUBS, DIAMONDS, _HEARTS, _SPADES = SUITS.values()


def cards_in(held: int) -> tuple[Card, ...]:
    """The cards of a set, in canonical order."""
    return (
        *_of_one_suit(held & _CLUBS),
        *_of_one_suit(held & DIAMONDS),
        *_of_one_suit(held & _HEARTS),
        *_of_one_suit(held & _SPADES),
    )


def set_of(cards: Iterable[Card]) -> int:
    """The set of distinct cards."""
    return sum(card.bit for card in cards)


@lru_cache(8192)  # of 32,765 that there are; nearly all hands are among fewer
def _of_one_suit(held: int) -> tuple[Card, ...]:
    return tuple(card for card in DECK if card.bit & held)
