"""Writes the playthroughs anew from their heads: `make playthrough`, then read the diff.

A file is named `<n>-seats-<name>-seed<k>.txt` and lies in the folder of its game. Its head says
which match it is; for a new one, write the five lines of the head and run this.
"""

from collections.abc import Iterator
from pathlib import Path

from games import registry
from games.core.game import AnyGame
from games.core.playthrough import rewritten
from tests.games import high_card

HERE = Path(__file__).parent


def playthroughs() -> Iterator[Path]:
    yield from sorted(HERE.glob("*/*.txt"))


def found(slug: str, rules_version: int) -> AnyGame:
    """A game of the registry, or the one that lives in the tests."""
    return high_card.GAME if slug == "high_card" else registry.game(slug, rules_version)


def main() -> None:
    for path in playthroughs():
        old = path.read_text(encoding="utf-8")
        new = rewritten(old, found)
        if new != old:
            path.write_text(new, encoding="utf-8")
        print("unchanged" if new == old else "written  ", path.relative_to(HERE))


if __name__ == "__main__":
    main()
