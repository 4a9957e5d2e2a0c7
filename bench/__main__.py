"""`make bench`: every figure with its yardstick, as tables and in bench/results.

A figure that is too low is named as such and fails nothing; a move astray does.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import (
    append,
    batches,
    bundles,
    capacity,
    graphql,
    http,
    memory,
    push,
    replay,
    rows,
    views,
)
from bench.keeping import RESULTS, TABLE, keep, stored
from bench.machine import facts
from bench.progress import Watched
from bench.rounds import Part

PARTS: dict[str, Part] = {
    "append": append.run,
    "http": http.run,
    "push": push.run,
    "memory": memory.run,
    "graphql": graphql.run,
    "views": views.run,
    "batches": batches.run,
    "replay": replay.run,
    "bundles": bundles.run,
    "capacity": capacity.run,
}


def main() -> None:
    chosen = _arguments()
    console = Console(highlight=False)
    names = chosen.parts or list(PARTS)
    found: dict[str, Any] = {}
    with Watched(console, len(names)) as watched:
        for name in names:
            watched.begin(name)
            begun = time.monotonic()
            about = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "machine": facts()}
            figures = PARTS[name](chosen.rounds, chosen.seconds, watched.tell)
            spent = {"seconds": chosen.seconds, "took_seconds": round(time.monotonic() - begun)}
            found[name] = {**about, "rounds": chosen.rounds, **spent, **figures}
            console.print(_figures(name, found[name]))
            if not chosen.quick:
                keep(chosen.out, name, found[name])
    console.print(_bounds(found if chosen.quick else stored(chosen.out)))
    if chosen.quick:
        console.print("a quick run proves that it runs; its figures are not kept")
    else:
        console.print(f"· written to {chosen.out.name}, with {TABLE}")
    if rows.kept(found).get("astray", {}).get("median"):
        sys.exit("rows stored are not the moves acknowledged")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    told = f"{', '.join(PARTS)}; or all"
    parser.add_argument("parts", nargs="*", metavar="PART", help=told)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one run in one round")
    parser.add_argument("--quick", action="store_true", help="one short round, nothing written")
    parser.add_argument(
        "--out", type=Path, default=RESULTS, help="a folder; its table is beside it"
    )
    chosen = parser.parse_args()
    unknown = set(chosen.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if chosen.rounds < 1:
        parser.error("--rounds: at least one")
    if chosen.quick:
        chosen.rounds, chosen.seconds = 1, 0.3
    return chosen


def _figures(name: str, found: dict[str, Any]) -> Table:
    """Whatever a part measured, with its rounds."""
    table = _table(name, "median", "rounds")
    for kind in (rows.FIGURES, rows.RATIOS):
        for what, figure in found.get(kind, {}).items():
            rounds = " ".join(rows.number(each) for each in figure["rounds"])
            table.add_row(what, rows.number(figure["median"]), rounds)
    for reason in found.get("skipped", ()):
        table.add_row("skipped", reason)
    return table


def _bounds(found: rows.Found) -> Table:
    """What was measured; the page names the rest as well."""
    table = _table(*rows.HEAD)
    for cells in rows.table(found):
        if cells[-1] != rows.MISSING:
            table.add_row(*cells)
    return table


def _table(first: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


if __name__ == "__main__":
    main()
