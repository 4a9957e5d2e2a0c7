"""Every game rewound: draws that come again, piles that changed, and what is not taken back."""

from collections.abc import Iterator
from itertools import combinations
from math import sqrt
from random import Random

import pytest

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
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.slug))
CHANGING = {"ambition_characters", "ave_cesar", "star_realms"}  # where play changes piles
SIGMAS = 4.5

Order = dict[object, int]  # the place of each option


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
    for count in (1, 2):
        before = {each.picks for each in draws(at, range(1, at.current.version + 1))}
        ruled(at, redraw(at, label))
        last = next(each for each in reversed(draws(at)) if each.label == label)
        assert last.redraw == count
        assert last.picks not in before


@pytest.mark.parametrize("slug", sorted(CHANGING))
def test_a_changed_pile_gives_an_unrelated_permutation(slug: str) -> None:
    """No option keeps its rank among the others more often than by chance."""
    pairs = changed_in(slug, range(24))
    assert len(pairs) > 5
    assert abs(likeness(pairs)) < SIGMAS
    assert not any(first == second for first, second in pairs)


def changed_in(slug: str, numbers: range) -> list[tuple[Order, Order]]:
    game = registry.game(slug)
    return [pair for number in numbers for pair in changed(rewound(game, number))]


def likeness(pairs: list[tuple[Order, Order]]) -> float:
    """How much more alike the permutations are than unrelated ones, in standard deviations."""
    score = sum(correlation(*pair) * sqrt(len(shared(*pair)) - 1) for pair in pairs)
    return score / sqrt(len(pairs))


def changed(at: Table) -> Iterator[tuple[Order, Order]]:
    """Pairs of draws of one label from piles with other contents."""
    by_label: dict[str, dict[str, Order]] = {}
    for each in draws(at, range(1, at.current.version + 1)):
        turn = at.after(each.version - 1).turn
        assert isinstance(turn, Chance)
        (choice,) = turn.offer.fields.values()
        assert isinstance(choice, Choice)
        order: Order = {choice.options[pick]: place for place, pick in enumerate(each.picks)}
        by_label.setdefault(each.label, {})[each.offer] = order
    for orders in by_label.values():
        yield from (p for p in combinations(orders.values(), 2) if len(shared(*p)) > 3)


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
