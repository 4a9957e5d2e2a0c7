"""Every part measures what it says, in a tiny run."""

from collections.abc import Callable
from typing import Any

import pytest

from bench import append, batches, bundles, graphql, memory, replay, views
from bench.__main__ import PARTS
from tests.verifier.node import needs_node

TINY: dict[str, Callable[[], dict[str, Any]]] = {
    "append": lambda: append.run(1, 0.05),
    "graphql": lambda: graphql.run(1, 0.1, matches=1),
    "views": lambda: views.run(1, events=110, matches=1),
    "batches": lambda: batches.run(1, 0.05, matches=2),
    "memory": lambda: memory.run(1, spectators=20, matches=2),
}
ELSEWHERE = {"http", "push", "replay", "bundles", "capacity"}


@pytest.mark.parametrize("part", TINY)
def test_a_tiny_run_has_figures_and_nothing_is_astray(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "BEFORE", 1)
    monkeypatch.setattr(views, "BEFORE", 1)
    found = TINY[part]()
    figures = {name: each["median"] for name, each in found["figures"].items()}
    assert [name for name, value in figures.items() if name.endswith("astray") and value] == []
    assert any(name.endswith("acknowledged") and value > 0 for name, value in figures.items()) or (
        part == "batches"
    )
    measured = {name: value for name, value in figures.items() if not name.endswith("astray")}
    # What a few subscribers take may be less than the pages the server had anyway.
    assert part == "memory" or all(value > 0 for value in measured.values())


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
