"""The capacity model says what its figures say, and its page says what the model says."""

import pytest

from bench import capacity, scaling
from bench.scaling import (
    PAGE,
    SIZES,
    STREAMS,
    Figures,
    Model,
    event_bytes,
    measured,
    page,
    tables,
)


@pytest.fixture
def figures() -> Figures:
    """Round ones, so that a derived figure can be worked out in one's head."""
    return {
        "capacity": {
            "cpu_us_per_move": {"service": 600.0, "postgresql": 60.0, "redis": 6.0},
            "events_per_move": 2.0,
            "moves_per_match": 100.0,
            "transactions_per_move": 0.5,
            "bytes_per_event": {"event": 400.0, "feed": 100.0},
            "bytes_per_match": {"match": 1000.0},
            "feed_entries_per_second": 20_000,
        },
        "memory": {"figures": {f"{name}_kb": {"median": 10.0} for name in ("match", "subscriber")}},
    }


def test_the_page_has_the_tables_of_the_measured_figures() -> None:
    assert tables(measured()) in PAGE.read_text("utf-8")
    assert PAGE.read_text("utf-8") == page()


def test_what_is_derived_follows_by_arithmetic(figures: Figures) -> None:
    found = dict(zip(("small", "middle", "large"), (Model(n, figures) for n in SIZES), strict=True))
    assert round(found["large"].moves) == 33_333
    assert round(found["large"].cores("service"), 1) == 33.3
    assert round(found["middle"].cores("redis"), 3) == 0.033
    assert (found["small"].streams, STREAMS) == (40_000, 10_000)
    assert (event_bytes(figures), scaling.match_bytes(figures)) == (500, 101_000)
    rows = {name.partition(" =")[0]: value(found["large"]) for name, _, value in scaling.ROWS}
    assert round(rows["transactions a second"]) == 16_667
    assert round(rows["growth of the database a day, GB"]) == 2880
    assert round(rows["memory for cached matches, GB"], 2) == 10.24
    assert rows["processes for streams, at 10,000 each"] == 400
    assert round(rows["share of what one sequencer takes, %"], 1) == 166.7


def test_a_change_of_a_figure_changes_the_page(figures: Figures) -> None:
    found = measured()
    before = tables(found)
    found["capacity"]["cpu_us_per_move"]["service"] *= 2
    assert tables(found) != before


async def test_the_feed_is_timed(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "FED", 500)
    assert await capacity._sequenced(postgres_url) > 0


def test_capacity_is_measured() -> None:
    found, kept = capacity._measured(2, 0)
    assert (found["moves"], kept["astray"]) == (kept["acknowledged"], 0)
    assert found["moves"] > 0
    assert found["cpu_us_per_move"]["service"] > 0
    assert found["events_per_move"] >= 1
    assert found["bytes_per_event"]["event"] > 100
