"""A chance move from a stream of random words: the one drawing algorithm, `draw/1`."""

from collections.abc import Iterator

from games.core.moves import Choice, Move, Offer, tuple_fields

ALGORITHM = "draw/1"
WORD = 1 << 16  # a word is a uniform integer below this


def draw(offer: Offer, words: Iterator[int]) -> tuple[int, ...]:
    """The places of the options drawn, in the order of the move; uniform over the offer's moves.

    A chance offer has one field: an ordered pick of a fixed size, or a pick of one.
    `words` are uniform 16-bit integers. Without repeats the last `k` places of a Fisher–Yates
    shuffle that runs from the last place down are taken; with repeats, `k` independent places.
    """
    (choice,) = offer.fields.values()
    assert isinstance(choice, Choice)
    assert choice.least == choice.most
    assert choice.ordered or choice.most <= 1
    n, k = len(choice.options), choice.most
    if choice.repeats:
        return tuple(_below(n, words) for _ in range(k))
    places = list(range(n))
    for last in range(n - 1, n - 1 - k, -1):
        other = _below(last + 1, words)
        places[last], places[other] = places[other], places[last]
    return tuple(places[n - k :])


def drawn(offer: Offer, places: tuple[int, ...]) -> Move:
    """The move that picks the options at `places`.

    Raises: IndexError unless `draw` can give these places; they may come from a forged log.
    """
    ((name, choice),) = offer.fields.items()
    assert isinstance(choice, Choice)
    if len(places) != choice.most or not (choice.repeats or len(set(places)) == len(places)):
        raise IndexError(places)
    if places and not 0 <= min(places) <= max(places) < len(choice.options):
        raise IndexError(places)
    picks = tuple(choice.options[place] for place in places)
    return offer.move(**{name: picks if name in tuple_fields(offer.move) else picks[0]})


def picked(offer: Offer, move: Move) -> tuple[int, ...]:
    """The places that `move` picked: the inverse of `drawn`."""
    ((name, choice),) = offer.fields.items()
    assert isinstance(choice, Choice)
    value = getattr(move, name)
    picks = value if name in tuple_fields(offer.move) else (value,)
    return tuple(choice.options.index(pick) for pick in picks)


def _below(bound: int, words: Iterator[int]) -> int:
    """A uniform integer below `bound` by rejection; a bound of 1 reads no word."""
    assert 0 < bound <= WORD
    if bound == 1:
        return 0
    limit = WORD - WORD % bound
    while (word := next(words)) >= limit:
        pass
    return word % bound
