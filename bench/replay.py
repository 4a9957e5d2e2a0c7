"""How fast a log is folded and how fast it is checked, in events a second of processor time.

Whole matches of random moves, pure Python, no database: trusted replay is decode and fold, checked
replay is `verify_log` with legality, draws, facets and chain. Medians over the rounds.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import msgspec

from events.match import fold
from events.types import Record
from events.verify import verify_log
from games import registry
from tests.events.scripted import finished

Measured = tuple[str, int, msgspec.Struct | None]  # name, seats, options

EVENTS = 4_000  # folded or checked in one round, at least


def run(rounds: int = 5, games: Sequence[tuple[str, int]] = ()) -> dict[str, Any]:
    """By game: events of the match, and medians of events/s folded and checked.

    Of every game there is the first of its trials with the most seats, or the games given by name
    and seats, without options.
    """
    measured: list[Measured] = [(name, seats, None) for name, seats in games]
    return {each[0]: _measured(*each, rounds) for each in measured or _all()}


def _all() -> list[Measured]:
    found: list[Measured] = []
    for game in registry.games():
        options, seats = max(game.trials, key=lambda trial: trial[1])
        found.append((game.slug, seats, options))
    return found


def _measured(name: str, seats: int, options: msgspec.Struct | None, rounds: int) -> dict[str, Any]:
    records = finished(name, seats, options=options).records
    folds = [_rate(fold, records) for _ in range(rounds)]
    checks = [_rate(_check, records) for _ in range(rounds)]
    return {
        "events": len(records),
        "fold": {"median": round(median(folds)), "rounds": [round(one) for one in folds]},
        "verify": {"median": round(median(checks)), "rounds": [round(one) for one in checks]},
    }


def _check(records: tuple[Record, ...]) -> None:
    assert verify_log(records).is_sound


def _rate(work: Callable[[tuple[Record, ...]], object], records: tuple[Record, ...]) -> float:
    times = -(-EVENTS // len(records))
    begun = time.process_time()
    for _ in range(times):
        work(records)
    return times * len(records) / (time.process_time() - begun)


def _game(text: str) -> tuple[str, int]:
    name, seats = text.split(":")
    return name, int(seats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", type=_game, metavar="GAME:SEATS")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = run(chosen.rounds, chosen.games)
    if chosen.json:
        print(json.dumps(found, indent=2))
        return
    for name, figures in found.items():
        for what in ("fold", "verify"):
            print(f"{name:22} {what:8} {figures[what]['median']:9,}/s")


if __name__ == "__main__":
    main()
