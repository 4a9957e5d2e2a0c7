"""The bounds the project set itself, row by row, and where in the results each figure is.

A row of the design has a line here for each of its figures. What is measured on the simplest and on
the largest game may be half as good on the largest.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

Found: TypeAlias = Mapping[str, Mapping[str, Any]]  # results by part

MISSING: Final = "not measured"
FIGURES, RATIOS = "figures", "ratios"
HEAD: Final = ("row", "what", "figure", "yardstick", "ratio", "must", "stretch", "reached?")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of a part, its yardstick there, and their ratio; the bound is on one of them.

    `figure` and `yardstick` are names of figures, `ratio` is one of a ratio; "" is none.
    """

    row: int
    what: str
    part: str
    figure: str
    unit: str
    must: float
    stretch: float | None = None
    at_most: bool = False
    on: str = FIGURES
    beside: str = ""
    yardstick: str = ""
    ratio: str = ""

    def told(self, found: Found) -> tuple[str, ...]:
        """The cells of its line in the table."""
        ratio = _value(found, self.part, RATIOS, self.ratio)
        bounds = ("" if each is None else self._bound(each) for each in (self.must, self.stretch))
        return (
            str(self.row),
            self.what,
            _shown(_value(found, self.part, FIGURES, self.figure), self.unit),
            f"{self.beside} {self._beside(found)}".strip(),
            "" if ratio is None else number(ratio),
            *bounds,
            self.verdict(found),
        )

    def verdict(self, found: Found) -> str:
        name = self.ratio if self.on == RATIOS else self.figure
        value = _value(found, self.part, self.on, name)
        if value is None:
            return MISSING
        if self.stretch is not None and self._reaches(value, self.stretch):
            return "stretch"
        return "must" if self._reaches(value, self.must) else "**NOT REACHED**"

    def _reaches(self, value: float, bound: float) -> bool:
        return value <= bound if self.at_most else value >= bound

    def _bound(self, bound: float) -> str:
        unit = "" if self.on == RATIOS else self.unit
        return f"{'≤' if self.at_most else '≥'} {_shown(bound, unit)}"

    def _beside(self, found: Found) -> str:
        return _shown(_value(found, self.part, FIGURES, self.yardstick), self.unit)


def table(found: Found) -> Iterator[tuple[str, ...]]:
    """Every line of every row, whether it was measured or not."""
    everything = {**found, "all": {FIGURES: kept(found), RATIOS: {}}}
    for each in sorted(LINES, key=lambda line: line.row):
        yield each.told(everything)


def kept(found: Found) -> dict[str, dict[str, float]]:
    """How many moves of all parts were acknowledged, and how many are astray, whichever run it was.

    Nothing of a part that counts none.
    """
    sums: dict[str, float] = {}
    for part in found.values():
        for name, figure in part.get(FIGURES, {}).items():
            what = name.rpartition("_")[2]
            if what in ("acknowledged", "astray"):
                sums[what] = sums.get(what, 0) + sum(figure["rounds"])
    return {name: {"median": value} for name, value in sums.items()}


def markdown(found: Found) -> str:
    """The table, and when and on what its parts were measured."""
    lines = ["# Figures", "", "Written by `make bench`; `README.md` says how each is measured.", ""]
    lines += _grid(HEAD, table(found))
    lines += ["", "Parts that were measured:", ""]
    head = ("part", "date", "rounds", "load before", "processor", "cores", "skipped")
    lines += _grid(head, (_part(name, each) for name, each in sorted(found.items())))
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,}"


def _part(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    machine = found["machine"]
    facts = (found["date"], found["rounds"], machine["load_before"])
    skipped = ", ".join(found.get("skipped", ()))
    return (name, *map(str, facts), str(machine["processor"]), str(machine["cores"]), skipped)


def _grid(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> list[str]:
    every = [tuple(head), ("---",) * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in every]


def _value(found: Found, part: str, kind: str, name: str) -> float | None:
    figure = found.get(part, {}).get(kind, {}).get(name)
    return None if figure is None else float(figure["median"])


def _shown(value: float | None, unit: str) -> str:
    return "" if value is None else f"{number(value)} {unit}".strip()


PER_SECOND, MS, KB = "/s", "ms", "KiB"
_MOVES = "moves/s over REST, PostgreSQL, hints on"
_PGBENCH = "pgbench, single rows, 32 clients:"
_PACED = "1,000 moves/s, 64 matches"
_PACED_PGBENCH = "pgbench at 1,000/s, 64 clients:"
_HASHES = "SHA-256, plain loop:"

LINES: Final[Sequence[Line]] = (
    *(
        Line(
            row=1, what=f"{_MOVES}: {game}", part="http", figure=f"{name}_per_second",
            unit=PER_SECOND, beside=_PGBENCH, yardstick="pgbench_per_second",
            ratio=f"{name} / pgbench", on=RATIOS, must=must, stretch=stretch,
        )
        for name, game, must, stretch in (
            ("postgresql", "simplest game", 0.20, 0.40), ("largest", "largest game", 0.10, 0.20),
        )
    ),
    *(
        Line(
            row=2, what=f"{_MOVES}, two subscribers a match: {game}", part="http",
            figure=f"{name}_per_second", unit=PER_SECOND, beside=_PGBENCH,
            yardstick="pgbench_per_second", ratio=f"{name} / pgbench", must=must, stretch=stretch,
        )
        for name, game, must, stretch in (
            ("watched", "simplest game", 6_000, 10_000),
            ("watched_largest", "largest game", 3_000, 5_000),
        )
    ),
    Line(
        row=3, what="appends/s of the log alone, 64 matches, PostgreSQL", part="append",
        figure="postgresql_per_second", unit=PER_SECOND, beside="`eventsourcing`, 8 threads:",
        yardstick="eventsourcing_per_second", ratio="postgresql / eventsourcing", on=RATIOS,
        must=8, stretch=20,
    ),
    *(
        Line(
            row=4, what=f"durable moves/s, {name}", part="http", figure=f"{each}_per_second",
            unit=PER_SECOND, beside=how, yardstick=f"{each}_relaxed_per_second",
            ratio=f"{each} / relaxed", on=RATIOS, must=0.55, stretch=0.65,
        )
        for each, name, how in (
            ("postgresql", "PostgreSQL", "commits that do not wait for the disk:"),
            ("sqlite", "SQLite", "its file in memory:"),
        )
    ),
    *(
        Line(
            row=5, what=f"{_PACED}: {what}, {game}", part="push", figure=f"{name}_{figure}_p99_ms",
            unit=MS, at_most=True, must=must * least, stretch=stretch * least,
            beside=_PACED_PGBENCH, yardstick="pgbench_p99_ms", ratio=f"{name} {figure} / pgbench",
        )
        for name, game, least in (
            ("paced", "simplest game", 1), ("paced_largest", "largest game", 2),
        )
        for figure, what, must, stretch in (
            ("answer", "answer p99", 10, 5), ("push", "push after the answer p99", 3, 1),
        )
    ),
    *(
        Line(
            row=6, what=f"one event to the last of 1,000 spectators, {how}", part="push",
            figure=f"{name}_last_ms", unit=MS, beside="bare uvloop socket:",
            yardstick=f"{name}_bare_ms", ratio=f"{name} / bare", on=RATIOS, at_most=True,
            must=must, stretch=stretch,
        )
        for name, how, must, stretch in (
            ("fanout", "SSE", 3, 2), ("graphql_fanout", "GraphQL subscriptions", 8, 4),
        )
    ),
    Line(
        row=7, what="moves/s over GraphQL", part="graphql", figure="graphql_per_second",
        unit=PER_SECOND, beside="over REST:", yardstick="rest_per_second", ratio="graphql / rest",
        on=RATIOS, must=0.18, stretch=0.30,
    ),
    *(
        Line(
            row=8, what=f"cold view of a match of 500 events, {how}", part="views",
            figure=f"{name}_ms", unit=MS, beside="`eventsourcing` rebuilds 500 events:",
            yardstick="eventsourcing_ms", ratio=f"{name} / eventsourcing", on=RATIOS,
            at_most=True, must=1.0, stretch=0.4,
        )
        for name, how in (("folded", "from the log"), ("saved", "from its snapshot"))
    ),
    *(
        Line(
            row=row, what=f"{what}, {name}", part="replay", figure=f"{name}_{figure}_per_second",
            unit=PER_SECOND, must=must, stretch=stretch, beside=_HASHES,
            yardstick="hashes_per_second", ratio=f"{name} {figure} / hashes",
        )
        for row, what, name, figure, must, stretch in (
            (9, "trusted replay, events/s", "ambition_tricks", "fold", 100_000, 250_000),
            (9, "trusted replay, events/s", "star_realms", "fold", 50_000, 125_000),
            (9, "trusted replay, events/s", "slowest", "fold", 30_000, 80_000),
            (10, "verified replay, events/s", "ambition_tricks", "verify", 20_000, 50_000),
            (11, "random legal play, moves/s", "ambition_tricks", "play", 20_000, 50_000),
        )
    ),
    *(
        Line(
            row=row, what=what, part="bundles", figure=f"{name}_ms", unit=MS, at_most=True,
            must=must, stretch=stretch,
        )
        for row, name, what, must, stretch in (
            (10, "full_verified", "bundle of 500 events checked whole", 100, 40),
            (10, "js_verified", "the same by the second verifier, in JavaScript", 200, None),
            (10, "full_made", "bundle of 500 events made, full", 200, None),
            (10, "seat_made", "bundle of 500 events made, a seat's", 200, None),
        )
    ),
    *(
        Line(
            row=12, what=f"memory of {what}", part="memory", figure=f"{name}_kb", unit=KB,
            at_most=True, must=must, stretch=stretch,
        )
        for name, what, must, stretch in (
            ("match", "a cached match", 8, 4), ("subscriber", "an SSE subscriber", 40, 30),
            ("graphql_subscriber", "a GraphQL subscriber", 60, 50),
        )
    ),
    Line(
        row=13, what="moves/s over REST, SQLite FULL", part="http", figure="sqlite_per_second",
        unit=PER_SECOND, beside="plain loop of single-row commits:",
        yardstick="sqlite3_loop_per_second", ratio="sqlite / loop", on=RATIOS,
        must=0.6, stretch=1.0,
    ),
    Line(
        row=14, what="moves astray in all runs: stored and not acknowledged, or told out of order",
        part="all", figure="astray", unit="", at_most=True, must=0, stretch=0,
        beside="acknowledged:", yardstick="acknowledged",
    ),
)  # fmt: skip
