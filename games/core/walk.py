"""A random match, step by step: what the laws and the written-out matches walk along."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec

from games.core import chance
from games.core.game import CHANCE, SPECTATOR, AnyGame, Chance, Decision, Over, Seat, Viewer
from games.core.moves import Move, Offer, sample

MOST_STEPS = 5_000  # a random match of a game without a bound is cut here
MOST_DRAWS = 100  # of one row; no rulebook rolls more often without asking anybody
ASIDE_SHARE = 0.05


class Step(msgspec.Struct, frozen=True):
    """One ply or draw. `label` is the draw's, "" for a ply; `number` counts from 1."""

    number: int
    before: Any
    seat: Seat
    move: Move
    after: Any
    label: str = ""
    is_aside: bool = False


class Endless(Exception):
    """Draw follows draw and nobody is ever asked."""


def random_match(
    game: AnyGame,
    options: msgspec.Struct,
    seats: int,
    rng: Random,
    most: int = MOST_STEPS,
) -> Iterator[Step]:
    """The steps of a match of random moves, now and then an aside, up to `most` steps.

    Raises: Endless.
    """
    state, draws = game.new(options, seats), 0
    for number in range(1, most + 1):
        turn = game.turn(state)
        if isinstance(turn, Over):
            return
        draws = draws + 1 if isinstance(turn, Chance) else 0
        if draws > MOST_DRAWS:
            raise Endless(f"{draws} draws in a row")
        seat, move, is_aside = random_move(turn, rng)
        after = game.apply(state, seat, move)
        label = turn.label if isinstance(turn, Chance) else ""
        yield Step(number, state, seat, move, after, label, is_aside)
        state = after


def random_move(turn: Chance | Decision, rng: Random) -> tuple[Seat, Move, bool]:
    """Who moves, what, and whether it is an aside."""
    if isinstance(turn, Chance):
        return CHANCE, random_draw(turn.offer, rng), False
    is_aside = bool(turn.asides) and rng.random() < ASIDE_SHARE
    offers = turn.asides if is_aside else turn.offers
    seat = rng.choice(sorted(offers))
    return seat, sample(offers[seat], rng), is_aside


def random_draw(offer: Offer, rng: Random) -> Move:
    """A draw as the dealer makes it, from random words."""
    words = iter(lambda: rng.randrange(chance.WORD), -1)
    return chance.drawn(offer, chance.draw(offer, words))


def viewers(seats: int) -> tuple[Viewer, ...]:
    return (*range(seats), SPECTATOR)


def seeded(seed: str) -> Random:
    """The random choices of a test or transcript, the same for the same seed."""
    return Random(seed)  # noqa: S311 - no secret hangs on it
