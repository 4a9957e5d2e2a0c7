"""The capacity model of docs/scaling.md: measured figures, and what follows of them by arithmetic.

`make bench` writes the tables of that page anew, and so does `python -m bench.scaling`; a test
holds the page to them.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

RESULTS: Final = Path(__file__).with_name("results")
PAGE: Final = Path(__file__).parents[1] / "docs" / "scaling.md"
BEGIN: Final = "<!-- figures: python -m bench.scaling -->\n"
END: Final = "<!-- end -->"
PARTS: Final = ("append", "http", "capacity", "memory")
SIZES: Final = (10_000, 100_000, 1_000_000)  # matches that are played at the same time
PAUSE_SECONDS: Final = 30  # between two moves of a match
SEATS: Final = 4  # each of them watches by one stream
BUSY: Final = 0.6  # the share of a core that is planned for
STREAMS: Final = 10_000  # PLYSCRIBE_STREAM_LIMIT

Figures: TypeAlias = dict[str, Any]
Row: TypeAlias = tuple[str, str, Callable[["Model"], float]]  # what, how it is told, for a size


class Model(msgspec.Struct, frozen=True):
    """So many matches at once, and what was measured."""

    matches: int
    measured: Figures

    @property
    def moves(self) -> float:
        """A second."""
        return self.matches / PAUSE_SECONDS

    def cores(self, process: str) -> float:
        microseconds: float = self.measured["capacity"]["cpu_us_per_move"][process]
        return self.moves * microseconds / 1e6 / BUSY

    @property
    def events(self) -> float:
        """A second."""
        return self.moves * float(self.measured["capacity"]["events_per_move"])

    @property
    def streams(self) -> int:
        return self.matches * SEATS

    def kilobytes(self, name: str) -> float:
        return _median(self.measured, "memory", f"{name}_kb")


def measured() -> Figures:
    """What `make bench` wrote last, of the parts that this rests on."""
    return {part: json.loads((RESULTS / f"{part}.json").read_bytes()) for part in PARTS}


def page() -> str:
    """The page with the tables of what was measured."""
    before, begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}{tables(measured())}{end}{after}"


def _median(found: Figures, part: str, name: str) -> float:
    figure: float = found[part]["figures"][name]["median"]
    return figure


def event_bytes(found: Figures) -> float:
    return float(sum(found["capacity"]["bytes_per_event"].values()))


def match_bytes(found: Figures) -> float:
    """Of a whole match of the game that was measured."""
    capacity = found["capacity"]
    events = capacity["moves_per_match"] * capacity["events_per_move"]
    return float(events * event_bytes(found) + sum(capacity["bytes_per_match"].values()))


def _feed_share(model: Model) -> float:
    return 100 * model.moves / float(model.measured["capacity"]["feed_entries_per_second"])


ROWS: Final[Sequence[Row]] = (
    (f"moves a second = matches / {PAUSE_SECONDS} s", "{:,.0f}", lambda m: m.moves),
    (f"cores for the service = moves × CPU / {BUSY}", "{:,.1f}", lambda m: m.cores("service")),
    ("cores for PostgreSQL, likewise", "{:,.1f}", lambda m: m.cores("postgresql")),
    ("cores for Redis, likewise", "{:,.2f}", lambda m: m.cores("redis")),
    (
        "transactions a second = moves × transactions a move",
        "{:,.0f}",
        lambda m: m.moves * float(m.measured["capacity"]["transactions_per_move"]),
    ),
    ("rows of events a second", "{:,.0f}", lambda m: m.events),
    (
        "growth of the database a day, GB",
        "{:,.1f}",
        lambda m: m.events * event_bytes(m.measured) * 86_400 / 1e9,
    ),
    (
        "memory for cached matches, GB",
        "{:,.1f}",
        lambda m: m.matches * m.kilobytes("match") * 1024 / 1e9,
    ),
    (f"streams = matches × {SEATS}", "{:,.0f}", lambda m: m.streams),
    (
        "memory for streams, GB",
        "{:,.1f}",
        lambda m: m.streams * m.kilobytes("subscriber") * 1024 / 1e9,
    ),
    (f"processes for streams, at {STREAMS:,} each", "{:,.0f}", lambda m: -(-m.streams // STREAMS)),
    ("share of what one sequencer takes, %", "{:,.1f}", _feed_share),
)


_TAKING = ("match", "subscriber", "graphql_subscriber")


def tables(found: Figures) -> str:
    """Both tables as Markdown."""
    return f"{_measured_table(found)}\n\n{_derived_table(found)}\n"


def _measured_table(found: Figures) -> str:
    capacity, cpu = found["capacity"], found["capacity"]["cpu_us_per_move"]
    memory = [_median(found, "memory", f"{name}_kb") for name in _TAKING]
    figures = (
        ("moves a second over REST on PostgreSQL, one process, 32 connections",
         f"{_median(found, 'http', 'postgresql_per_second'):,.0f}", "http"),
        ("that / pgbench, in the same rounds",
         f"{found['http']['ratios']['postgresql / pgbench']['median']}", "http"),
        ("appends a second of the log alone, 64 matches",
         f"{_median(found, 'append', 'postgresql_per_second'):,.0f}", "append"),
        ("CPU a move, µs: service · PostgreSQL · Redis",
         f"{cpu['service']} · {cpu['postgresql']} · {cpu['redis']}", "capacity"),
        ("transactions a move", f"{capacity['transactions_per_move']}", "capacity"),
        ("events a move", f"{capacity['events_per_move']}", "capacity"),
        ("bytes an event, tables and indexes", f"{event_bytes(found):,.0f}", "capacity"),
        (f"a whole match ({capacity['moves_per_match']:,.0f} moves), kB",
         f"{match_bytes(found) / 1000:,.0f}", "capacity"),
        ("entries a second that one sequencer takes",
         f"{capacity['feed_entries_per_second']:,}", "capacity"),
        ("memory of a cached match · of an SSE subscriber · of a GraphQL one, KiB",
         " · ".join(map(str, memory)), "memory"),
    )  # fmt: skip
    head = ["| measured | | in |", "|---|---|---|"]
    return "\n".join([*head, *(f"| {a} | {b} | `bench/results/{c}.json` |" for a, b, c in figures)])


def _derived_table(found: Figures) -> str:
    head = f"| derived | {' | '.join(f'{size:,} matches' for size in SIZES)} |"
    lines = [head, "|---" * (len(SIZES) + 1) + "|"]
    for name, form, value in ROWS:
        told = (form.format(value(Model(size, found))) for size in SIZES)
        lines.append(f"| {name} | {' | '.join(told)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page())
