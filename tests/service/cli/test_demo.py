"""`plyscribe demo`, short: real processes, and a log that is held against what was served."""

import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games import registry
from service.cli.demo import stage
from service.cli.demo.programs import Program
from service.cli.demo.rebuild import Evidence, Rebuilt
from tests.service.cli.conftest import Run

GAME = "ambition_characters"


def _shortest() -> int:
    """The trial that ends first."""
    limits = [each[0].round_limit or 1000 for each in registry.game(GAME).trials]  # type: ignore[attr-defined]
    return limits.index(min(limits))


def test_a_match_is_played_and_rebuilt(run: Run, tmp_path: Path) -> None:
    told = run(
        "demo", "--trial", _shortest(), "--seed", 3, "--json", "--data-dir", tmp_path / "kept"
    )
    assert told.code == 0, told.err
    (summary,) = told.lines
    assert summary["ok"] is True
    assert summary["moves"] == summary["events"]["move_played"] > 0
    names = {each["name"] for each in summary["checks"]}
    assert {"state", "spectator: view", "seat 3: view", "seat 3: proof"} <= names
    again = run("replay", summary["match_id"], "--data-dir", tmp_path / "kept", "--json")
    assert again.code == 0
    assert again.lines[-1]["head"] == summary["head"]


def test_a_log_that_differs_from_what_was_served_is_found(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoiled(name: str, task: Any) -> Program:
        if isinstance(task, Evidence):
            path = task.database_url.removeprefix("sqlite:///")
            with sqlite3.connect(path) as connection:
                connection.execute("DELETE FROM event WHERE kind = 'match_revealed'")
            connection.close()
        return Program(name, task)

    monkeypatch.setattr(stage, "Program", spoiled)
    told = run("demo", "--trial", _shortest())
    assert told.code == 1
    assert "DIFFERS" in told.out


@pytest.mark.parametrize(
    "words", [("--game", "chess"), ("--seats", "17"), ("--trial", "99"), ("--timeout", "0.2")]
)
def test_a_demonstration_that_cannot_be_is_one_line(run: Run, words: tuple[str, ...]) -> None:
    refused = run("demo", *words)
    assert refused.code == 2
    assert refused.err.splitlines()[-1].startswith("plyscribe: ")


def test_what_was_rebuilt_survives_json() -> None:
    made = Rebuilt([], {"match_created": 1}, "", "", None)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Rebuilt) == made
    assert made.ok
