"""Random matches of the whole deck against what must hold, and against placing by trial."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from games.ambagibus import GAME, TABLES, TRIALS, cards
from games.ambagibus.fitting import STEPS
from games.ambagibus.moves import Bomb, CaveIn, Place, Shuffle, read
from games.ambagibus.scoring import open_sum
from games.ambagibus.state import Mode, Options, State, Status, Table, Tile, is_on_table
from games.core.game import CHANCE, Decision, Over
from games.core.laws import check
from games.core.moves import moves
from games.core.walk import random_match, seeded

DECK = cards.load(TABLES)
OPPOSITE = (2, 3, 0, 1)


def states(options: Options, seed: str) -> Iterator[State]:
    for step in random_match(GAME, options, 1, seeded(seed)):
        assert isinstance(step.after, State)
        yield step.after


def offered(state: State) -> set[Place]:
    turn = GAME.turn(state)
    if not isinstance(turn, Decision) or turn.kind != "place":
        return set()
    return {move for move in moves(turn.offers[0]) if isinstance(move, Place)}


def fitting(state: State, card: str) -> set[Place]:
    """All placements that the rules allow, found by trying every cell and rotation."""
    lying = {(tile.x, tile.y): tile for tile in state.maze}
    around = {(x + dx, y + dy) for x, y in lying for dx, dy in STEPS} - set(lying)
    found: dict[Place, int] = {}
    for x, y in around:
        if is_on_table(state.options, (x, y)):
            for rotation, face in enumerate(DECK.faces[card]):
                number = lowest_met(state, lying, (x, y), face)
                if number:
                    found[Place(f"{x},{y}", rotation)] = number
    least = min(found.values(), default=0)
    return {place for place, number in found.items() if number == least}


def lowest_met(state: State, lying: dict[Any, Tile], cell: Any, face: tuple[int, ...]) -> int:
    """The lowest number the card would be joined to, or 0 where it may not lie."""
    met = []
    for side, (dx, dy) in enumerate(STEPS):
        beside = (cell[0] + dx, cell[1] + dy)
        tile = lying.get(beside)
        if tile is None or tile.cave_in is not None:
            if face[side] and (tile is not None or not is_on_table(state.options, beside)):
                return 0
            continue
        other = DECK.faces[tile.card][tile.rotation][OPPOSITE[side]]
        if (other > 0) != (face[side] > 0):
            return 0
        if other:
            met.append(other)
    return min(met, default=0)


@pytest.mark.parametrize("number", range(len(TRIALS)))
def test_exactly_the_placements_the_rules_allow_are_offered(number: int) -> None:
    options = TRIALS[number][0]
    assert isinstance(options, Options)
    for seed in range(6):
        for state in states(options, f"{number}/{seed}"):
            card = state.current
            assert offered(state) == (
                fitting(state, card) if card and card in DECK.faces else set()
            )


def test_cards_put_to_the_bottom_fit_nowhere() -> None:
    options = Options(table=Table.HARD_EDGE, table_width=3, table_height=4)
    rejected = 0
    for seed in range(20):
        for step in random_match(GAME, options, 1, seeded(f"bottom {seed}")):
            if step.seat == CHANCE or not step.after.current:
                continue
            passed = step.before.deck[: step.before.deck.index(step.after.current)]
            rejected += len(passed)
            assert step.after.deck[len(step.after.deck) - len(passed) :] == passed
            assert not any(fitting(step.after, card) for card in passed)
    assert rejected > 50


def test_every_decision_uses_up_one_card() -> None:
    for seed in range(20):
        options = Options(mode=Mode.ADVANCED) if seed % 2 else Options()
        last = list(states(options, f"bound {seed}"))[-1]
        laid = [tile for tiles in (*last.set_aside, last.maze) for tile in tiles]
        gone = len(last.removed) + len(laid) + sum(tile.cave_in is not None for tile in laid)
        assert last.decision_count <= gone - 1 <= 39
        assert 0 <= open_sum(DECK, last.maze) <= 200


def test_a_maze_is_closed_or_has_an_open_sum() -> None:
    for seed in range(20):
        for state in states(Options(), f"sum {seed}"):
            turn = GAME.turn(state)
            is_won = isinstance(turn, Over) and turn.note == "closed"
            assert is_won == (open_sum(DECK, state.maze) == 0 and bool(state.maze))


def test_the_names_of_twins_do_not_matter() -> None:
    twins = {"D1a": "D1b", "D4b": "D4a", "bomb1": "bomb2", "cave2": "cave1"}
    swap = {**twins, **{b: a for a, b in twins.items()}}

    def renamed(tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
        return tuple(
            replace(t, card=swap.get(t.card, t.card), cave_in=swap.get(t.cave_in or "", t.cave_in))
            for t in tiles
        )

    options = Options(mode=Mode.ADVANCED)
    steps = list(random_match(GAME, options, 1, seeded("twins")))
    first = steps[0].move
    assert isinstance(first, Shuffle)
    order = tuple(swap.get(card, card) for card in first.order)
    other = GAME.apply(steps[0].before, CHANCE, Shuffle(order))
    for step in steps[1:]:
        assert isinstance(step.move, Place | Bomb | CaveIn)
        other = GAME.apply(other, 0, step.move)
        assert other.maze == renamed(step.after.maze)
        assert other.set_aside == tuple(map(renamed, step.after.set_aside))
        assert other.removed == tuple(swap.get(card, card) for card in step.after.removed)
    assert GAME.turn(other) == GAME.turn(steps[-1].after)


def test_the_draw_does_not_depend_on_the_game_but_on_options_and_deck() -> None:
    one, other = (GAME.turn(GAME.new(Options(), 1)) for _ in range(2))
    assert one == other
    assert GAME.turn(GAME.new(Options(bombs=1), 1)) != one


def test_random_play_closes_as_many_mazes_as_it_should() -> None:
    """Measured with two engines: 72 % of basic games close, advanced ones end with 1.0 mazes."""
    ends = Counter(list(states(Options(), f"r{n}"))[-1].status for n in range(150))
    assert 90 <= ends[Status.CLOSED] <= 126
    advanced = Options(mode=Mode.ADVANCED)
    mazes = [len(list(states(advanced, f"r{n}"))[-1].set_aside) for n in range(80)]
    assert 0.7 <= sum(mazes) / len(mazes) <= 1.4


def test_random_cells_are_read_as_they_are_written() -> None:
    rng = Random(3)
    for _ in range(50):
        x, y = rng.randint(-40, 40), rng.randint(-40, 40)
        assert read(f"{x},{y}") == (x, y)


def test_the_conformance_laws_hold() -> None:
    """Every move is answered with the next card of the pile; nothing else parts two worlds."""
    report = check(GAME, "ambagibus", 2 * len(TRIALS))
    assert report.failure is None
    assert report.unended == 0
    assert report.checks["same_fold_elsewhere"] == 1
