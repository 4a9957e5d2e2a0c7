"""Random cases: a moment of a random match, a viewer, and a state it can't tell from the true one.

Everything follows from a seed and a number, so that a case can be had again.
"""

from collections.abc import Callable
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from games.core.game import AnyGame, Chance, Decision, Over, Viewer
from games.core.walk import random_match, seeded, viewers

MATCHES = 3  # random matches by trial that moments are taken from
WORLDS = 16  # resampled states looked through for one that will do

Wanted = Callable[[Any], bool]  # of a state


class Case(msgspec.Struct, frozen=True):
    """`there` is `here` resampled for the viewer; `is_trivial` if nothing hidden differs."""

    name: str
    game: AnyGame
    options: msgspec.Struct
    seats: int
    viewer: Viewer
    here: Any
    there: Any

    @property
    def is_trivial(self) -> bool:
        return bool(self.here == self.there)

    def __str__(self) -> str:
        return f"case {self.name!r} ({self.game.slug}, {self.seats} seats, viewer {self.viewer})"


def case(game: AnyGame, seed: str, number: int, wanted: Wanted | None = None) -> Case | None:
    """The case of that number; None if no moment of its match is wanted.

    Half of the moments are any of a match, half of them are of a kind that is drawn first, so that
    rare kinds come as well.
    """
    name = f"{game.slug}/{seed}/{number}"
    rng = seeded(name)
    options, seats = game.trials[number % len(game.trials)]
    states = _states(game, number % len(game.trials), rng.randrange(MATCHES))
    states = tuple(filter(wanted, states)) if wanted else states
    if not states:
        return None
    here = _moment(game, states, rng)
    viewer = rng.choice(viewers(seats))
    there = _twin(game, here, viewer, rng)
    return Case(name, game, options, seats, viewer, here, there)


def another(case: Case, rng: Random) -> Case:
    """The same moment and viewer beside another resampled world."""
    there = case.game.resample(case.here, case.viewer, rng)
    return msgspec.structs.replace(case, there=there)


def kind_of(game: AnyGame, state: Any) -> str:
    """What a state waits for: the kind of its decision, or the last word of its draw's label."""
    turn = game.turn(state)
    match turn:
        case Decision(kind=kind):
            return kind
        case Chance(label=label):
            return label.rstrip("0123456789 ").rsplit(" ", 1)[-1]
        case Over():
            return "over"


@lru_cache(maxsize=64)
def _states(game: AnyGame, trial: int, number: int) -> tuple[Any, ...]:
    """The states of a random match, but for its end."""
    options, seats = game.trials[trial]
    play = random_match(game, options, seats, seeded(f"{game.slug}/{trial}/{number}"))
    return tuple(step.before for step in play)


def _moment(game: AnyGame, states: tuple[Any, ...], rng: Random) -> Any:
    if rng.random() < 0.5:
        return rng.choice(states)
    by_kind: dict[str, list[Any]] = {}
    for state in states:
        by_kind.setdefault(kind_of(game, state), []).append(state)
    return rng.choice(by_kind[rng.choice(sorted(by_kind))])


def _twin(game: AnyGame, here: Any, viewer: Viewer, rng: Random) -> Any:
    """A resampled state; every second time one in which those who are asked can do the same.

    Otherwise a seat would hardly ever have the same hidden card to play in both.
    """
    there, same_offers = here, rng.random() < 0.5
    for _ in range(WORLDS):
        other = game.resample(here, viewer, rng)
        if other == here:
            continue
        there = other
        if not same_offers or _offers(game, there) == _offers(game, here):
            break
    return there


def _offers(game: AnyGame, state: Any) -> Any:
    turn = game.turn(state)
    return turn.offers if isinstance(turn, Decision) else None
