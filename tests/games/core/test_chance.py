"""The drawing algorithm `draw/1`: uniform, exact in the words it reads, and frozen."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from math import perm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core.chance import ALGORITHM, WORD, draw, drawn, picked
from games.core.moves import Choice, Move, Offer, offer, one_of


class Shuffle(Move, frozen=True):
    cards: tuple[str, ...]


class Roll(Move, frozen=True):
    face: int


class Reader:
    """Counts the words that are read."""

    def __init__(self, words: Iterator[int]) -> None:
        self.words = words
        self.read = 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self.read += 1
        return next(self.words)


def stream(seed: str) -> Iterator[int]:
    """Words like the dealer's: big-endian 16-bit pieces of SHA-256 blocks."""
    block = 0
    while True:
        piece = sha256(f"{seed}/{block}".encode()).digest()
        yield from (int.from_bytes(piece[i : i + 2], "big") for i in range(0, 32, 2))
        block += 1


def deck(n: int, k: int | None = None, repeats: bool = False) -> Offer:
    size = n if k is None else k
    cards = tuple(f"c{i}" for i in range(n))
    return offer(Shuffle, cards=Choice(cards, size, size, ordered=True, repeats=repeats))


@pytest.mark.parametrize(
    ("seed", "drawing", "places", "words"),
    [
        ("a", deck(5), (1, 0, 2, 4, 3), 4),
        ("b", deck(12), (6, 9, 7, 0, 4, 10, 1, 2, 3, 5, 11, 8), 11),
        ("c", deck(52, 5), (10, 46, 21, 1, 43), 5),
        ("d", deck(6, 8, repeats=True), (4, 4, 0, 1, 1, 4, 4, 5), 8),
        ("e", offer(Roll, face=one_of(range(1, 7))), (2,), 1),
        ("f", offer(Roll, face=one_of([9])), (0,), 0),
        ("g", deck(1), (0,), 0),
        ("h", deck(0), (), 0),
    ],
)
def test_known_answers(seed: str, drawing: Offer, places: tuple[int, ...], words: int) -> None:
    """Logs and bundles rest on these: another algorithm gets another name, not other answers."""
    assert ALGORITHM == "draw/1"
    reader = Reader(stream(seed))
    assert (draw(drawing, reader), reader.read) == (places, words)


def test_a_long_shuffle_has_a_known_digest() -> None:
    reader = Reader(stream("long"))
    places = draw(deck(1000), reader)
    assert sorted(places) == list(range(1000))
    digest = sha256(",".join(map(str, places)).encode()).hexdigest()
    assert (digest[:16], reader.read) == ("bb7d14af935a811e", 1002)


@pytest.mark.parametrize("n", [2, 3, 6, 7, 10, 1000, 65535])
def test_a_word_at_or_past_the_last_multiple_is_skipped(n: int) -> None:
    roll = offer(Roll, face=one_of(range(n)))
    limit = WORD - WORD % n
    assert draw(roll, iter([limit - 1])) == (n - 1,)
    if limit < WORD:
        assert draw(roll, iter([WORD - 1, limit, limit - 1])) == (n - 1,)
    assert draw(roll, iter([0])) == (0,)


@pytest.mark.parametrize("n", [3, 6, 7])
def test_all_words_together_give_every_place_equally_often(n: int) -> None:
    roll = offer(Roll, face=one_of(range(n)))
    limit = WORD - WORD % n
    times = Counter(draw(roll, iter([word]))[0] for word in range(limit))
    assert set(times.values()) == {limit // n}


@pytest.mark.parametrize(("n", "k"), [(3, 3), (4, 4), (4, 2), (5, 1), (5, 3)])
def test_every_ordered_pick_has_exactly_one_row_of_small_words(n: int, k: int) -> None:
    """A row of words below n, n-1, … stands for equally many rows of whole words."""
    bounds = [n - i for i in range(k) if n - i > 1]
    results = Counter(draw(deck(n, k), iter(row)) for row in product(*map(range, bounds)))
    assert len(results) == perm(n, k)
    assert set(results.values()) == {1}


def test_a_pick_without_repeats_is_the_end_of_the_whole_shuffle() -> None:
    assert draw(deck(9, 4), stream("x")) == draw(deck(9), stream("x"))[-4:]


@given(st.integers(1, 30), st.data())
def test_picked_is_the_inverse_of_drawn(n: int, data: st.DataObject) -> None:
    drawing = deck(n, data.draw(st.integers(0, n)), repeats=data.draw(st.booleans()))
    places = draw(drawing, stream(data.draw(st.text(max_size=3))))
    assert picked(drawing, drawn(drawing, places)) == places


def test_a_single_pick_is_a_bare_value() -> None:
    roll = offer(Roll, face=one_of([4, 5, 6]))
    assert drawn(roll, (2,)) == Roll(6)
    assert picked(roll, Roll(6)) == (2,)


@pytest.mark.parametrize("places", [(), (0,), (0, 1, 2), (0, 0), (0, 3), (-1, 0), (1, -3)])
def test_places_that_no_draw_gives_are_refused(places: tuple[int, ...]) -> None:
    with pytest.raises(IndexError):
        drawn(deck(3, 2), places)


def test_an_offer_that_is_no_draw_is_a_programmer_error() -> None:
    unordered = offer(Shuffle, cards=Choice(("a", "b"), 2, 2))
    unsized = offer(Shuffle, cards=Choice(("a", "b"), 1, 2, ordered=True))
    for wrong in (unordered, unsized, deck(2, 3)):
        with pytest.raises(AssertionError):
            draw(wrong, stream("a"))
