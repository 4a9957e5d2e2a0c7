"""Each row says where its figure is, and the page says of each what became of it."""

from typing import Any

import pytest

from bench import append, batches, graphql, http, push, rows
from bench.keeping import RESULTS, TABLE, keep, stored, table_of
from bench.rounds import Contender, interleaved, summary
from bench.rows import FIGURES, LINES, RATIOS, Line

RATIOS_OF: dict[str, Any] = {
    "append": append.RATIOS,
    "batches": batches.RATIOS,
    "graphql": graphql.RATIOS,
    "http": http.RATIOS,
    "push": push.RATIOS,
}
LEAST = Line(row=1, what="w", part="p", figure="f", unit="/s", must=10, stretch=20)
MOST = Line(row=2, what="w", part="p", figure="f", unit="ms", must=20, stretch=10, at_most=True)
MACHINE = {"processor": "one", "cores": 2, "load_before": 0.5}


def of(value: float, **ratios: float) -> rows.Found:
    told = {name: {"median": each} for name, each in ratios.items()}
    return {"p": {FIGURES: {"f": {"median": value, "rounds": [value]}}, RATIOS: told}}


def test_all_rows_are_there() -> None:
    assert {each.row for each in LINES} == set(range(1, 15))


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.row} {line.what}")
def test_a_stretch_is_harder_than_a_must(line: Line) -> None:
    if line.stretch is not None and line.row != 14:
        assert line.stretch < line.must if line.at_most else line.stretch > line.must
    if line.on == RATIOS:
        assert line.ratio in RATIOS_OF.get(line.part, {}) or line.part == "views"


@pytest.mark.parametrize(
    ("line", "value", "verdict"),
    [
        (LEAST, 20, "stretch"),
        (LEAST, 10, "must"),
        (LEAST, 9, "**NOT REACHED**"),
        (MOST, 10, "stretch"),
        (MOST, 20, "must"),
        (MOST, 21, "**NOT REACHED**"),
    ],
)
def test_what_is_not_reached_is_named(line: Line, value: float, verdict: str) -> None:
    assert line.verdict(of(value)) == verdict


def test_a_row_that_was_not_measured_is_named() -> None:
    assert LEAST.verdict({}) == "not measured"
    assert all(cells[-1] == "not measured" for cells in rows.table({}))


def test_a_bound_on_a_ratio_looks_at_no_figure() -> None:
    line = Line(row=1, what="w", part="p", figure="f", unit="/s", must=2, on=RATIOS, ratio="r")
    assert line.verdict(of(1_000, r=1)) == "**NOT REACHED**"
    assert line.told(of(1_000, r=3)) == ("1", "w", "1,000 /s", "", "3", "≥ 2", "", "must")


def test_what_is_astray_in_any_round_of_any_part_is_counted() -> None:
    told = {"rounds": [0, 2]}
    figures = {"x_astray": told, "acknowledged": {"rounds": [5, 5]}, "y": {"rounds": [9]}}
    found: rows.Found = {"one": {FIGURES: figures}, "two": {FIGURES: {"astray": told}}}
    assert rows.kept(found) == {"astray": {"median": 4}, "acknowledged": {"median": 10}}
    last = list(rows.table(found))[-1]
    assert (last[0], last[2], last[3], last[-1]) == (
        "14", "4", "acknowledged: 10", "**NOT REACHED**",
    )  # fmt: skip


def test_ratios_are_taken_within_a_round() -> None:
    told: list[tuple[str, float]] = []
    contenders: dict[str, Contender] = {
        "over": lambda number: {"rate": (1.0, 9.0, 4.0)[number]},
        "under": lambda number: {"rate": (1.0, 3.0, 1.0)[number]},
    }
    found = interleaved(contenders, 3, lambda what, share: told.append((what, share)))
    assert told[0:4:3] == [("round 1 of 3: over", 0), ("round 2 of 3: under", 0.5)]
    measured = summary(found, {"r": ("over_rate", "under_rate"), "no": ("over_rate", "missing")})
    assert measured["ratios"] == {"r": {"median": 3, "rounds": [1, 3, 4]}}
    assert measured["figures"]["over_rate"]["median"] == 4


def test_a_part_is_written_beside_those_measured_before(tmp_path: Any) -> None:
    folder = tmp_path / "results"
    for name in ("replay", "append"):
        keep(folder, name, {"date": "2026-01-02", "rounds": 1, "machine": MACHINE, FIGURES: {}})
    assert sorted(stored(folder)) == ["append", "replay"]
    page = (tmp_path / TABLE).read_text("utf-8")
    assert page == table_of(folder)
    assert "| append | 2026-01-02 | 1 | 0.5 | one | 2 |" in page


def test_the_page_is_made_of_the_results_beside_it() -> None:
    assert (RESULTS.parent / TABLE).read_text("utf-8") == table_of()
