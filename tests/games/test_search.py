"""Search against random play, told no more than a seat is shown."""

from random import Random
from typing import Any

import msgspec
import pytest

from games import registry
from games.core.game import CHANCE, AnyGame, Asked, Chance, Decision, Over, Seat
from games.core.moves import Move, sample, take, wire_move
from games.core.search import best_move
from games.core.soundness import encoded
from games.core.walk import random_draw, random_match, seeded
from tests.games.high_card import game as high_card

# By game: the trial that is played, playouts for a decision, matches.
LONG = {
    "ambagibus": (2, 50, 10),
    "ambition_characters": (8, 60, 24),
    "ambition_tricks": (3, 200, 24),
    "ave_cesar": (6, 40, 8),
    "star_realms": (0, 24, 4),
}


def imagined(game: AnyGame, options: Any, state: Any, seat: Seat, turn: Decision) -> Any | None:
    """A world as a client makes it, out of JSON alone."""
    assert game.imagine is not None
    view = msgspec.json.decode(encoded(game.view(state, seat)), type=game.views)
    return game.imagine(options, view, seat, Asked(turn.kind, tuple(sorted(turn.offers))))


def searched(
    game: AnyGame, options: Any, state: Any, seat: Seat, turn: Decision, playouts: int, rng: Random
) -> Move:
    world = imagined(game, options, state, seat, turn)
    if world is None:
        return sample(turn.offers[seat], rng)
    return best_move(game, world, seat, playouts, rng)


def played(game: AnyGame, trial: int, playouts: int, number: int) -> tuple[float, int]:
    """The share of others that one seat beats, and its score; it searches if it has playouts."""
    options, seats = game.trials[trial]
    own, rng = number % seats, seeded(f"strength {number}")
    state = game.new(options, seats)
    while not isinstance(turn := game.turn(state), Over):
        if isinstance(turn, Chance):
            state = game.apply(state, CHANCE, random_draw(turn.offer, rng))
            continue
        seat = rng.choice(sorted(turn.offers))
        if seat == own and playouts:
            move = searched(game, options, state, seat, turn, playouts, rng)
        else:
            move = sample(turn.offers[seat], rng)
        state = game.apply(state, seat, move)
    others = [rank for each, rank in enumerate(turn.ranks) if each != own]
    beaten = sum((turn.ranks[own] < r) + 0.5 * (turn.ranks[own] == r) for r in others)
    return beaten / max(1, len(others)), turn.scores[own]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize(("slug", "matches"), [("ambition_characters", 12), ("ave_cesar", 6)])
def test_search_wins_clearly_more_often_than_random_play(slug: str, matches: int) -> None:
    """At random a seat beats every other one half of the time."""
    trial, playouts, _ = LONG[slug]
    record = registry.game(slug)
    thought = [played(record, trial, playouts, number)[0] for number in range(matches)]
    guessed = [played(record, trial, 0, number)[0] for number in range(60)]
    assert mean(thought) > 0.75
    assert 0.35 < mean(guessed) < 0.65


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", sorted(LONG))
def test_search_beats_random_play_in_every_game(slug: str) -> None:
    trial, playouts, matches = LONG[slug]
    record = registry.game(slug)
    thought = [played(record, trial, playouts, number) for number in range(matches)]
    guessed = [played(record, trial, 0, number) for number in range(8 * matches)]
    places = [mean([place for place, _ in each]) for each in (thought, guessed)]
    scores = [mean([score for _, score in each]) for each in (thought, guessed)]
    assert places[0] > places[1] + 0.1 or (record.seats == (1,) and scores[0] > scores[1] + 1)


def test_every_game_of_the_house_is_searched() -> None:
    assert sorted(LONG) == sorted(
        package.GAME.slug for package in registry.HOUSE if package.GAME.imagine
    )


@pytest.mark.parametrize("slug", sorted(LONG))
def test_a_choice_is_the_same_in_worlds_that_look_the_same(slug: str) -> None:
    """And it is one of the moves on offer in the true one."""
    record = registry.game(slug)
    options, seats = record.trials[0]
    steps = list(random_match(record, options, seats, seeded("alike"), most=60))
    chosen = 0
    for step in steps[:: max(1, len(steps) // 6)]:
        turn = record.turn(step.after)
        if not isinstance(turn, Decision):
            continue
        seat = min(turn.offers)
        twin = record.resample(step.after, seat, seeded("twin"))
        moves = [
            searched(record, options, each, seat, turn, 4, seeded("choice"))
            for each in (step.after, twin)
        ]
        assert moves[0] == moves[1]
        assert take(turn.offers[seat], wire_move(moves[0])) == moves[0]
        chosen += 1
    assert chosen


def test_whoever_is_late_takes_a_move_that_is_offered() -> None:
    record = high_card.GAME
    *_, last = random_match(record, high_card.Options(), 2, seeded("late"), most=2)
    turn = record.turn(last.after)
    assert isinstance(turn, Decision)
    seat = min(turn.offers)
    move = best_move(record, last.after, seat, 10**6, seeded("late"), lambda: True)
    assert take(turn.offers[seat], wire_move(move)) == move
