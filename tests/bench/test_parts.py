"""Every part measures what it says, in a tiny run."""

from collections.abc import Callable
from typing import Any

import pytest

from bench import append, batches, bundles, graphql, memory, replay, views
from bench.__main__ import PARTS
from events.snapshots import EVERY as SAVED
from tests.verifier.node import needs_node

TINY: dict[str, Callable[[], dict[str, Any]]] = {
    "append": lambda: append.run(1, 0.05),
    "graphql": lambda: graphql.run(1, 0.1, matches=1),
    "batches": lambda: batches.run(1, 0.05, matches=2),
    "memory": lambda: memory.run(1, spectators=20, matches=2),
}
ELSEWHERE = {"views", "http", "push", "replay", "bundles", "capacity"}


@pytest.mark.usefixtures("shared_services")
@pytest.mark.parametrize("part", TINY)
def test_a_tiny_run_has_figures_and_nothing_is_astray(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "BEFORE", 1)
    figures = medians(TINY[part]())
    measured = {name: value for name, value in figures.items() if not name.endswith("astray")}
    assert len(measured) < len(figures) or part == "batches"
    # What a few subscribers take may be less than the pages the server had anyway.
    assert part == "memory" or all(value > 0 for value in measured.values())


def test_views_are_asked_of_services_that_have_nothing_at_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(views, "BEFORE", 1)
    figures = medians(views.run(1, events=SAVED + 10, matches=1))
    assert all(figures[f"{name}_ms"] > 0 for name in ("folded", "saved", "eventsourcing"))


def medians(found: dict[str, Any]) -> dict[str, float]:
    """Of all figures, of which nothing is astray."""
    figures = {name: each["median"] for name, each in found["figures"].items()}
    assert [name for name, value in figures.items() if name.endswith("astray") and value] == []
    return figures


def test_every_part_has_a_tiny_run() -> None:
    assert set(PARTS) == set(TINY) | ELSEWHERE


def test_replay_measures_the_games_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "EVENTS", 100)
    monkeypatch.setattr(replay, "MOVES", 100)
    found = replay.run(2, games=(("ave_cesar", 4), ("ambition_tricks", 4)))
    assert min(found["events"].values()) > 50
    figures = found["figures"]
    for what in ("fold", "verify", "play"):
        assert len(figures[f"ave_cesar_{what}_per_second"]["rounds"]) == 2
    folds = [figures[f"{name}_fold_per_second"]["rounds"] for name in found["events"]]
    assert figures[replay.SLOWEST]["rounds"] == [min(each) for each in zip(*folds, strict=True)]


@needs_node
def test_bundles_are_checked_by_both_verifiers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundles, "TIMES", 2)
    figures = bundles.run(1)["figures"]
    assert figures["js_verified_ms"]["median"] > 0
    assert figures["full_verified_ms"]["median"] > 0
