"""`plyscribe demo`, short: real processes, and a log that is held against what was served."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from games import registry
from service.cli.demo import stage
from service.cli.demo.programs import Program
from service.cli.demo.rebuild import Evidence, Rebuilt, held_against
from tests.service.cli.conftest import ROOT, Run
from tests.service.process import session_of
from tests.waiting import PATIENCE, until

GAME = "ambition_characters"


def _shortest() -> int:
    """The trial that ends first."""
    limits = [each[0].round_limit or 1000 for each in registry.game(GAME).trials]  # type: ignore[attr-defined]
    return limits.index(min(limits))


@pytest.fixture
def evidence(monkeypatch: pytest.MonkeyPatch) -> list[Evidence]:
    """What a demonstration hands to the program that rebuilds the match."""
    kept = []

    def program(name: str, task: Any) -> Program:
        if isinstance(task, Evidence):
            kept.append(task)
        return Program(name, task)

    monkeypatch.setattr(stage, "Program", program)
    return kept


def test_a_match_is_played_and_rebuilt(run: Run, tmp_path: Path, evidence: list[Evidence]) -> None:
    told = run("demo", "--trial", _shortest(), "--seed", 3, "--json", "--data-dir", tmp_path)
    assert told.code == 0, told.err
    (summary,) = told.lines
    assert summary["ok"] is True
    assert summary["moves"] == summary["events"]["move_played"] > 0
    names = {each["name"] for each in summary["checks"]}
    assert {"state", "spectator: view", "seat 3: view", "seat 3: proof"} <= names
    again = run("replay", summary["match_id"], "--data-dir", tmp_path, "--json")
    assert again.code == 0
    assert again.lines[-1]["head"] == summary["head"]
    _assert_differences_are_found(evidence[0])


def _assert_differences_are_found(honest: Evidence) -> None:
    assert held_against(honest).ok
    spectator, seat, *others = honest.served
    other_view = replace(seat, view={**seat.view, "view": None})
    fewer_events = replace(spectator, events=spectator.events[:-1])
    for wrong, name in (
        (replace(honest, served=[spectator, other_view, *others]), "seat 0: view"),
        (replace(honest, served=[fewer_events, seat, *others]), "spectator: events"),
        (replace(honest, full=honest.full[:9]), "state"),
    ):
        assert [each.name for each in held_against(wrong).checks if not each.ok] == [name]


@pytest.mark.parametrize(
    "words", [("--game", "chess"), ("--seats", "17"), ("--trial", "99"), ("--timeout", "0.2")]
)
def test_a_demonstration_that_cannot_be_is_one_line(run: Run, words: tuple[str, ...]) -> None:
    refused = run("demo", *words)
    assert refused.code == 2
    assert refused.err.splitlines()[-1].startswith("plyscribe: ")


@pytest.mark.parametrize("so_many", [1, 2, 3, 5], ids=lambda many: f"{many} started")
def test_a_demonstration_that_is_ended_ends_its_programs(tmp_path: Path, so_many: int) -> None:
    """Also while one of them is just being started: they are told by the session they are in."""
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "demo", "--data-dir", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=tmp_path,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: len(_children(process.pid)) >= so_many)
        process.terminate()
        assert process.wait(PATIENCE) == 128 + signal.SIGTERM
        assert session_of(process.pid) == []
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_what_was_rebuilt_survives_json() -> None:
    made = Rebuilt([], {"match_created": 1}, "", "", None)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Rebuilt) == made
    assert made.ok
