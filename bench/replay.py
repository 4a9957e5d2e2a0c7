"""How fast a log is folded and checked, and a game played, a second of processor time.

Pure Python, no database, whole matches of random moves: trusted replay is decode and fold, checked
replay is `verify_log` with legality, draws, facets and chain, play is turn, offers, choice and
application of every move (draws are done and not counted). Of every game there is the first of its
trials with the most seats. The yardstick is a plain loop of SHA-256, for how fast the core is.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from bench import yardsticks
from bench.rounds import Contender, Tell, interleaved, quiet, summary
from events.match import fold
from events.types import Record
from events.verify import verify_log
from games import registry
from games.core.game import CHANCE
from games.core.walk import random_match, seeded
from tests.events.scripted import finished

Measured = tuple[str, int, msgspec.Struct | None]  # name, seats, options

EVENTS = 4_000  # folded or checked in one round, at least
MOVES = 2_000  # played in one round, at least
SLOWEST = "slowest_fold_per_second"


def run(
    rounds: int = 5,
    seconds: float = 2.0,
    tell: Tell = quiet,
    games: Sequence[tuple[str, int]] = (),
) -> dict[str, Any]:
    """Events and moves a second by game, of all games or of those given by name and seats.

    `seconds` is not looked at. Games that are given are taken without options.
    """
    tell("matches are made", 0)
    given: list[Measured] = [(name, seats, None) for name, seats in games]
    contenders: dict[str, Contender] = {"hashes": lambda _: yardsticks.rate(yardsticks.hashes())}
    events = {}
    for name, seats, options in given or _all():
        records = finished(name, seats, options=options).records
        events[name] = len(records)
        contenders[name] = _contender(name, seats, options, records)
    found = interleaved(contenders, rounds, tell)
    folds = {name: found[f"{name}_fold_per_second"] for name in events}
    found[SLOWEST] = [min(each) for each in zip(*folds.values(), strict=True)]
    ratios = {
        f"{name} {what} / hashes": (f"{name}_{what}_per_second", "hashes_per_second")
        for name in events
        for what in ("fold", "verify", "play")
    }
    ratios["slowest fold / hashes"] = (SLOWEST, "hashes_per_second")
    slowest = min(folds, key=lambda name: sum(folds[name]))
    return summary(found, ratios, events=events, slowest=slowest)


def _contender(
    name: str, seats: int, options: msgspec.Struct | None, records: tuple[Record, ...]
) -> Contender:
    return lambda number: {
        "fold_per_second": _rate(fold, records),
        "verify_per_second": _rate(_check, records),
        "play_per_second": _played(name, seats, options, number),
    }


def _all() -> Iterator[Measured]:
    for game in registry.games():
        options, seats = max(game.trials, key=lambda trial: trial[1])
        yield game.slug, seats, options


def _check(records: tuple[Record, ...]) -> None:
    assert verify_log(records).is_sound


def _rate(work: Callable[[tuple[Record, ...]], object], records: tuple[Record, ...]) -> float:
    times = -(-EVENTS // len(records))
    begun = time.process_time()
    for _ in range(times):
        work(records)
    return times * len(records) / (time.process_time() - begun)


def _played(name: str, seats: int, options: msgspec.Struct | None, number: int) -> float:
    game, rng, moves = registry.game(name), seeded(f"{name} {number}"), 0
    begun = time.process_time()
    while moves < MOVES:
        steps = random_match(game, options or game.options(), seats, rng)
        moves += sum(step.seat != CHANCE for step in steps)
    return moves / (time.process_time() - begun)


def _game(text: str) -> tuple[str, int]:
    name, seats = text.split(":")
    return name, int(seats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", type=_game, metavar="GAME:SEATS")
    parser.add_argument("--rounds", type=int, default=5)
    chosen = parser.parse_args()
    found = run(chosen.rounds, games=chosen.games)
    for name, figure in found["figures"].items():
        print(f"{name:40} {figure['median']:12,}")


if __name__ == "__main__":
    main()
