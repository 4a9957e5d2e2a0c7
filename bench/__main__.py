"""`make bench`: every figure with its yardstick, as a table and as bench/results.json."""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import append, batches, capacity, graphql, http, push, replay
from bench.machine import facts

RESULTS = Path(__file__).with_name("results.json")
PARTS: dict[str, Callable[[int, float], dict[str, Any]]] = {
    "append": append.run,
    "http": http.run,
    "push": push.run,
    "graphql": graphql.run,
    "batches": batches.run,
    "replay": lambda rounds, _: replay.run(rounds),
    "bundles": lambda rounds, _: replay.bundles(rounds),
    "capacity": capacity.run,
}


def main() -> None:
    chosen = _arguments()
    console = Console(highlight=False)
    found: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": facts(),
        "rounds": chosen.rounds,
        "seconds": chosen.seconds,
    }
    for name in chosen.parts or PARTS:
        console.print(f"· {name}: {chosen.rounds} rounds")
        found[name] = PARTS[name](chosen.rounds, chosen.seconds)
    for table in tables(found):
        console.print(table)
    if chosen.quick:
        console.print("a quick run proves that it runs; its figures are not kept")
        return
    chosen.out.write_text(json.dumps(found, indent=2) + "\n")
    console.print(f"· written to {chosen.out.name}")


def tables(found: dict[str, Any]) -> list[Table]:
    """The figures and ratios of a run, by part."""
    made = []
    if "append" in found:
        made.append(_appends(found["append"]))
        made.append(_ratios("log alone", found["append"]["ratios"]))
    if "http" in found:
        made.append(_moves(found["http"]))
        made.append(_ratios("over REST", found["http"]["ratios"]))
    if "push" in found:
        made.append(_pushes(found["push"]))
    if "graphql" in found:
        made.append(_moves(found["graphql"], "over GraphQL"))
        made.append(_ratios("over GraphQL", found["graphql"]["ratios"]))
    if "batches" in found:
        made.append(_batches(found["batches"]))
    if "replay" in found:
        made.append(_replays(found["replay"]))
    if "bundles" in found:
        made.append(_bundles(found["bundles"]))
    return made


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help="append, http, push, graphql, batches, replay, bundles, capacity; or all",
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one run in one round")
    parser.add_argument("--quick", action="store_true", help="one short round, nothing written")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    unknown = set(chosen.parts) - set(PARTS)
    if unknown:
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    if chosen.quick:
        chosen.rounds, chosen.seconds = 1, 0.3
    return chosen


def _appends(found: dict[str, Any]) -> Table:
    table = _table("log alone", "appends/s", "rounds")
    for name, figure in found["appends_per_second"].items():
        table.add_row(name, f"{figure['median']:,}", _rounds(figure))
    return table


def _moves(found: dict[str, Any], what: str = "over REST") -> Table:
    table = _table(what, "per second", "p50 ms", "p99 ms", "rounds")
    for name, figure in found["figures"].items():
        latencies = [f"{figure[key]:.2f}" if key in figure else "" for key in ("p50_ms", "p99_ms")]
        table.add_row(name, f"{figure['per_second']:,.0f}", *latencies, _rounds(figure))
    return table


def _replays(found: dict[str, Any]) -> Table:
    table = _table("replay", "events", "folded/s", "verified/s")
    for name, figure in found.items():
        rates = [f"{figure[key]['median']:,}" for key in ("fold", "verify")]
        table.add_row(name, str(figure["events"]), *rates)
    return table


def _bundles(found: dict[str, Any]) -> Table:
    table = _table(f"bundle of {found['bytes']:,} bytes", "ms for 500 events", "must", "rounds")
    for name, must in replay.GOALS.items():
        table.add_row(name, str(found[name]["median"]), f"≤ {must}", _rounds(found[name]))
    return table


def _batches(found: dict[str, Any]) -> Table:
    table = _table(f"batch of {found['matches']} matches", "seconds", "must", "rounds")
    for name, figure in found["seconds"].items():
        must = "" if name == "sqlite3_loop" else f"≤ {batches.GOAL:g}"
        table.add_row(name, str(figure["median"]), must, _rounds(figure))
    return table


def _pushes(found: dict[str, Any]) -> Table:
    table = _table("push", "median", "must", "stretch", "rounds")
    for name, figure in found.items():
        bounds = [str(each) for each in push.GOALS.get(name, ("", ""))]
        table.add_row(name, str(figure["median"]), *bounds, _rounds(figure))
    return table


def _ratios(what: str, found: list[dict[str, Any]]) -> Table:
    table = _table(f"{what}: ratios", "ratio", "must", "stretch", "")
    for each in found:
        must = each["must"]
        verdict = "" if must is None else "reached" if each["ratio"] >= must else "BELOW"
        bounds = ["" if each[key] is None else str(each[key]) for key in ("must", "goal")]
        table.add_row(each["name"], str(each["ratio"]), *bounds, verdict)
    return table


def _table(first: str, *columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(first)
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _rounds(figure: dict[str, Any]) -> str:
    return " ".join(str(each) for each in figure["rounds"])


if __name__ == "__main__":
    main()
