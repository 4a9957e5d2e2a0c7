"""The measurement over REST runs, and counts what it stored and what was heard."""

import json
import socket
from pathlib import Path

import pytest

from bench import http
from bench.connections import Tally
from bench.machine import facts
from bench.plans import tokens_of

OURS = ("postgresql", "largest", "watched", "watched_largest", "postgresql_relaxed", "sqlite")


@pytest.mark.usefixtures("shared_services")
def test_a_tiny_run_has_every_figure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(http, "MEMORY", tmp_path / "none")
    found = http.run(1, 0.2, load=http.Load(matches=2, connections=2))
    figures = {name: each["median"] for name, each in found["figures"].items()}
    assert all(figures[f"{name}_per_second"] > 0 for name in (*OURS, "sqlite3_loop"))
    assert all(figures[f"{name}_acknowledged"] > 0 for name in OURS)
    assert [name for name, value in figures.items() if name.endswith("astray") and value] == []
    assert all(each["median"] > 0 for each in found["ratios"].values())
    assert "sqlite_relaxed_per_second" not in figures
    assert found["skipped"][-1].startswith("sqlite_relaxed: ")
    assert json.loads(json.dumps(found)) == found


def test_latencies_by_share() -> None:
    tally = Tally()
    tally.seconds = 2.0
    tally.latencies = [n / 1000 for n in range(100, 0, -1)]
    assert tally.rate == 50
    assert (tally.milliseconds(0.5), tally.milliseconds(0.99)) == (51, 100)


def test_seats_are_known_by_the_tokens_of_their_moves() -> None:
    head = b"POST /v1/matches/1/moves HTTP/1.1\r\nauthorization: Bearer "
    plan = [head + token + b"\r\n" for token in (b"st_b", b"st_a", b"st_b")]
    assert tokens_of(plan) == ["st_b", "st_a"]


def test_facts_name_no_host() -> None:
    assert socket.gethostname() not in json.dumps(facts())
