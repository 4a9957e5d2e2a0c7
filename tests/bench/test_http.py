"""The measurement over REST runs, counts what it stored, and its tables can be drawn."""

import json
import socket

from bench import http
from bench.__main__ import tables
from bench.connections import Tally
from bench.machine import facts


def test_a_tiny_run_has_every_figure() -> None:
    found = http.run(rounds=1, seconds=0.2, matches=4, connections=4)
    figures = found["figures"]
    assert {"postgresql", "sqlite", "starlette_post", "sqlite3_loop"} <= set(figures)
    assert all(each["per_second"] > 0 for each in figures.values())
    assert [each["name"] for each in found["ratios"] if each["ratio"] <= 0] == []
    assert len(tables({"http": found})) == 2
    assert json.loads(json.dumps(found)) == found


def test_latencies_by_share() -> None:
    tally = Tally()
    tally.seconds = 2.0
    tally.latencies = [n / 1000 for n in range(100, 0, -1)]
    assert tally.rate == 50
    assert (tally.milliseconds(0.5), tally.milliseconds(0.99)) == (51, 100)


def test_facts_name_no_host() -> None:
    assert socket.gethostname() not in json.dumps(facts())
