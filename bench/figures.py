"""What random matches of a game are like: how long, how many decisions and draws, how they end.

Knows no game: everything is read from turns, labels and boundaries. A draw's kind is its label
without numbers ("reshuffle 2" is a `reshuffle`), and so is a boundary's ("round 7" is a `round`).
Moves are uniform over all that are legal.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterator
from statistics import mean
from typing import Any

from games import registry
from games.core.game import CHANCE, AnyGame, Decision, Over
from games.core.moves import count
from games.core.walk import random_match, seeded


def run(
    slug: str, matches: int, seed: str, seats: tuple[int, ...] = ()
) -> dict[int, dict[str, Any]]:
    """By seat count: mean, least and most of every figure."""
    game = registry.game(slug)
    return {each: _of_seats(game, each, matches, seed) for each in seats or game.seats}


def _of_seats(game: AnyGame, seats: int, matches: int, seed: str) -> dict[str, Any]:
    all_of = [
        _played(game, seats, f"{game.slug}/{seats}/{seed}/{number}") for number in range(matches)
    ]
    names = sorted({name for each in all_of for name in each})
    return {
        name: {
            "mean": round(mean(each[name] for each in all_of), 2),
            "least": min(each[name] for each in all_of),
            "most": max(each[name] for each in all_of),
        }
        for name in names
    }


def _played(game: AnyGame, seats: int, seed: str) -> Counter[str]:
    found: Counter[str] = Counter()
    boundaries: dict[str, None] = {}
    since: Counter[str] = Counter()
    last = game.new(game.options(), seats)
    for step in random_match(game, game.options(), seats, seeded(seed)):
        boundary = game.boundary(step.before)
        boundaries[boundary] = None
        if step.seat == CHANCE:
            found[f"draws: {_kind(step.label)}"] += 1
        elif not step.is_aside:
            found["decisions"] += 1
            since[boundary] += 1
            found["largest offer"] = max(found["largest offer"], _offered(game, step.before))
        last = step.after
    for name in boundaries:
        found[f"boundaries: {_kind(name)}"] += 1
    found["decisions between boundaries"] = max(since.values(), default=0)
    found.update(dict(_ended(game, last)))
    return found


def _ended(game: AnyGame, state: Any) -> Iterator[tuple[str, int]]:
    turn = game.turn(state)
    if not isinstance(turn, Over):
        yield "cut short", 1
        return
    yield "score of all", sum(turn.scores)
    yield "best score", max(turn.scores)
    yield "shared first place", turn.ranks.count(1) > 1
    yield f"ended by: {turn.note or 'itself'}", 1


def _offered(game: AnyGame, state: Any) -> int:
    """The most moves a seat that is asked can choose from; a choice with a text counts none."""
    turn = game.turn(state)
    assert isinstance(turn, Decision)
    return max((count(offers) or 0 for offers in turn.offers.values()), default=0)


def _kind(label: str) -> str:
    return " ".join(re.sub(r"\d+", "", label).split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seats", type=int, action="append", default=[])
    parser.add_argument("--seed", default="figures")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    found = run(chosen.game, chosen.matches, chosen.seed, tuple(chosen.seats))
    if chosen.json:
        print(json.dumps(found, indent=2))
        return
    for seats, figures in found.items():
        print(f"{chosen.game}, {seats} seats, {chosen.matches} random matches: mean (least–most)")
        for name, each in figures.items():
            print(f"  {name:34} {each['mean']:>12,} ({each['least']:,}–{each['most']:,})")


if __name__ == "__main__":
    main()
