"""How fast a log is folded and how fast it is checked, in events a second of processor time.

Whole matches of random moves, pure Python, no database: trusted replay is decode and fold, checked
replay is `verify_log` with legality, draws, facets and chain. Medians over the rounds.

Of a match of about 500 events, scaled to 500: milliseconds to make its full bundle, to make a
seat's, for which the log is folded as in a service that has nothing of it at hand, and to check the
full one, all of it, as whoever holds the file does.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import msgspec

from events.bundle import bundle_of, packed
from events.chain import SAME
from events.match import decode, evolve, fold
from events.observe import shown_facets
from events.types import Record
from events.verify import verify_log
from events.verify_bundle import verify_bundle
from games import registry
from tests.events.scripted import finished

Measured = tuple[str, int, msgspec.Struct | None]  # name, seats, options

EVENTS = 4_000  # folded or checked in one round, at least


BUNDLED = ("ambition_characters", 6)  # name and seats of a match with about 500 events
GOALS = {
    "full_made": 200,
    "seat_made": 200,
    "full_verified": 100,
}  # milliseconds at most, for 500 events


def bundles(rounds: int = 5) -> dict[str, Any]:
    """Medians of milliseconds of processor time, scaled to 500 events."""
    name, seats = BUNDLED
    options = next(options for options, taken in registry.game(name).trials if taken == seats)
    matches = (finished(name, seats, number, options) for number in range(50))
    table = min(matches, key=lambda each: abs(len(each.records) - 500))
    scale = 500 / len(table.records)
    tables = registry.tables_of(name, table.game.data_digest)

    def made() -> bytes:
        return packed(bundle_of(table.records, table.texts, tables))

    def of_a_seat() -> bytes:
        shown, before = [], None
        for record in table.records:
            event = decode(record)
            public, own, *_ = shown_facets(before, event, seats, table.dealer)
            shown.append(public if own == SAME else own)
            before = evolve(before, event)
        return packed(bundle_of(table.records, table.texts, tables, viewer=0, shown=shown))

    data = made()
    assert verify_bundle(data).is_sound
    work: dict[str, Callable[[], object]] = {
        "full_made": made,
        "seat_made": of_a_seat,
        "full_verified": lambda: verify_bundle(data),
    }
    times = {
        name: [_milliseconds(each) * scale for _ in range(rounds)] for name, each in work.items()
    }
    figures: dict[str, Any] = {"events": len(table.records), "bytes": len(data)}
    for what, spent in times.items():
        figures[what] = {"median": round(median(spent), 1), "rounds": [round(t, 1) for t in spent]}
    return figures


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    for _ in range(5):
        work()
    return (time.process_time() - begun) * 200


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
    if not chosen.games:
        for what, figure in bundles(chosen.rounds).items():
            print(f"500 events: {what} {figure}")


if __name__ == "__main__":
    main()
