"""Every game rewound: draws that come again, piles that changed, and what is not taken back."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations, count
from math import sqrt
from random import Random
from typing import NamedTuple

import pytest

from events import dealer
from events.decide import decide
from events.disputing import AskTakeback
from events.refusals import Refused
from events.rulings import Rewind
from events.types import ChanceDrawn, MovePlayed, Status
from events.verify import verify_log
from games import registry
from games.core.game import SPECTATOR, AnyGame, Chance
from games.core.moves import Choice
from tests.events.disputed import draws, line_of, redraw, ruled
from tests.events.scripted import Table

GAMES = registry.games()
SIGMAS = 4.5
# Where what is shuffled under a label hangs on what was played: hands that are dealt anew, discard
# piles. Most of the pairs of one size are of Star Realms.
CHANGING = ("ambition_characters", "ave_cesar", "star_realms")

Order = dict[object, int]  # the place of each option


class Dealt(NamedTuple):
    """`picks` are places in a pile of `size`."""

    size: int
    picks: tuple[int, ...]
    order: Order


Pair = tuple[Dealt, Dealt]


def slug_of(game: AnyGame) -> str:
    return game.slug


by_game = pytest.mark.parametrize("game", GAMES, ids=slug_of)


def rewound(game: AnyGame, number: int) -> Table:
    """Played, rewound to a third of it, a few times, and played on in another way each time."""
    options, seats = game.trials[number % len(game.trials)]
    at = Table(game, seats, options, seed=Random(number).randbytes(32), window=60_000)
    for again in range(3):
        at.play_on(Random(100 * number + again), most=160)
        running = [v for v in line_of(at) if at.after(v).status is Status.RUNNING]
        ruled(at, Rewind(to=running[len(running) // 3], boundary=None))
    return at.play_on(Random(number), most=160)


@by_game
def test_equal_piles_come_again_and_no_label_stands_twice(game: AnyGame) -> None:
    for number in range(3):
        at = rewound(game, number)
        drawn: dict[tuple[str, int, str], tuple[int, ...]] = {}
        for each in draws(at, range(1, at.current.version + 1)):
            name = (each.label, each.redraw, each.offer)
            assert drawn.setdefault(name, each.picks) == each.picks
        labels = [(each.label, each.redraw) for each in draws(at)]
        assert len(labels) == len(set(labels))
        assert verify_log(at.records, seed=at.dealer.seed(), texts=at.texts).fault is None


@by_game
def test_a_redraw_counts_and_comes_out_otherwise(game: AnyGame) -> None:
    at = rewound(game, 1)
    label = max(draws(at), key=lambda each: each.options).label
    for number in (1, 2):
        before = {each.picks for each in draws(at, range(1, at.current.version + 1))}
        ruled(at, redraw(at, label))
        last = next(each for each in reversed(draws(at)) if each.label == label)
        assert last.redraw == number
        assert last.picks not in before


@pytest.mark.parametrize("slug", CHANGING)
def test_a_changed_pile_gives_an_unrelated_permutation(slug: str) -> None:
    """No option keeps its rank among the others more often than by chance."""
    pairs = changed_in(slug, range(24))
    assert len(pairs) > 5
    assert abs(likeness(pairs)) < SIGMAS
    assert not any(first.order == second.order for first, second in pairs)


@pytest.mark.parametrize("slug", CHANGING)
def test_a_changed_pile_of_the_same_size_is_dealt_by_other_places(slug: str) -> None:
    pairs = [pair for pair in changed_in(slug, range(24)) if are_of_one_size(pair)]
    assert pairs
    assert not any(first.picks == second.picks for first, second in pairs)


@pytest.mark.parametrize("slug", CHANGING)
def test_a_dealer_that_forgets_the_pile_deals_it_by_the_same_places(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the size is another one, so is what becomes of each random word: nothing shows."""
    monkeypatch.setattr(dealer, "offer_digest", lambda offer: bytes(32))
    game = registry.game(slug)
    pairs = (pair for number in count() for pair in changed(rewound(game, number)))
    first, second = next(pair for pair in pairs if are_of_one_size(pair))
    assert first.picks == second.picks


@pytest.mark.parametrize("game", [game for game in GAMES if game.slug not in CHANGING], ids=slug_of)
def test_other_games_shuffle_the_same_pile_under_a_label_whatever_was_played(game: AnyGame) -> None:
    assert changed_in(game.slug, range(6)) == []


@cache
def changed_in(slug: str, numbers: range) -> list[Pair]:
    game = registry.game(slug)
    return [pair for number in numbers for pair in changed(rewound(game, number))]


def likeness(pairs: list[Pair]) -> float:
    """How much more alike the permutations are than unrelated ones, in standard deviations."""
    orders = [(first.order, second.order) for first, second in pairs]
    score = sum(correlation(*pair) * sqrt(len(shared(*pair)) - 1) for pair in orders)
    return score / sqrt(len(orders))


def are_of_one_size(pair: Pair) -> bool:
    first, second = pair
    return (first.size, len(first.picks)) == (second.size, len(second.picks))


def changed(at: Table) -> Iterator[Pair]:
    """Pairs of draws of one label from piles with other contents."""
    by_label: dict[str, dict[str, Dealt]] = {}
    for each in draws(at, range(1, at.current.version + 1)):
        turn = at.after(each.version - 1).turn
        assert isinstance(turn, Chance)
        (choice,) = turn.offer.fields.values()
        assert isinstance(choice, Choice)
        order: Order = {choice.options[pick]: place for place, pick in enumerate(each.picks)}
        dealt = Dealt(each.options, each.picks, order)
        by_label.setdefault(each.label, {})[each.offer] = dealt
    for dealings in by_label.values():
        for pair in combinations(dealings.values(), 2):
            if len(shared(pair[0].order, pair[1].order)) > 3:
                yield pair


def shared(first: Order, second: Order) -> list[object]:
    return [each for each in first if each in second]


def correlation(first: Order, second: Order) -> float:
    """Of the ranks that the options of both have in each (Spearman's)."""
    common = shared(first, second)
    ranks = [{o: r for r, o in enumerate(sorted(common, key=each.get))} for each in (first, second)]  # type: ignore[arg-type]
    n = len(common)
    distance = sum((ranks[0][each] - ranks[1][each]) ** 2 for each in common)
    return 1 - 6 * distance / (n * (n * n - 1))


@by_game
def test_nothing_is_taken_back_after_a_draw_or_an_opening(game: AnyGame) -> None:
    closed, granted = 0, 0
    for number in range(3):
        options, seats = game.trials[number % len(game.trials)]
        at = Table(game, seats, options, window=60_000)
        for begun in plies(at, number):
            asked = [seat for seat in range(seats) if is_taken_back(at, seat)]
            new = range(begun + 1, at.current.version + 1)
            if any(isinstance(at.events[v - 1], ChanceDrawn) or opens(at, v) for v in new):
                closed += 1
                assert asked == []
            granted += len(asked)
            for seat in asked:
                last = at.events[-1]
                assert isinstance(last, MovePlayed)
                assert (last.seat, at.after(last.version - 1).move_of(last).shows) == (seat, False)
    assert closed > 0
    if game.slug == "ambition_characters":  # Others have next to no move that shows nothing.
        assert granted > 0


def plies(at: Table, number: int) -> Iterator[int]:
    """Plays on ply by ply, the first of which is the start; the version before each."""
    yield 0
    for _ in range(60):
        begun = at.current.version
        at.play_on(Random(f"{number} {begun}"), most=1, talk=0)
        if at.current.version == begun:
            return
        yield begun


def is_taken_back(at: Table, seat: int) -> bool:
    last = at.current.last
    target = None if last is None else at.after(last.version - 1)
    try:
        decide(at.current, AskTakeback(seat, target), at.dealer, at.at)
    except Refused:
        return False
    return True


def opens(at: Table, version: int) -> bool:
    """Whether the event shows anybody a move that was hidden."""
    event, before = at.events[version - 1], at.after(version - 1)
    if not isinstance(event, MovePlayed):
        return False
    move = before.game_move(event.move)
    seen = [
        before.game.redact(before.state, event.seat, move, viewer)
        for viewer in (SPECTATOR, *range(before.seats))
    ]
    return any(each.reveals for each in seen)
