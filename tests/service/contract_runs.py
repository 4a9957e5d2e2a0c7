"""Schemathesis as a program, against a server of its own.

A short run is the same every time: a fixed seed, and an end that hangs on how much was tried, not
on how fast. A long one searches for what nobody has seen yet, for as long as it is told.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.service.process import ROOT, server
from tests.waiting import PATIENCE

MOST_SECONDS = 10 * PATIENCE  # of a run that ends by itself
SHARE = 3  # one of so many cases that are wrong in one place is sent in a short run


def hold_for_a_while(path: str, hooks: str, database_url: str, folder: Path, examples: int) -> None:
    bounds = ("--seed", "1", "--max-examples", str(examples))
    _hold(path, hooks, database_url, folder, MOST_SECONDS, SHARE, *bounds)


def hold_for_long(path: str, hooks: str, database_url: str, folder: Path, seconds: int) -> None:
    bounds = ("--max-time", str(seconds), "--max-examples", "300")
    _hold(path, hooks, database_url, folder, MOST_SECONDS + seconds, 1, *bounds)


def _hold(
    path: str, hooks: str, database_url: str, folder: Path, most: float, each: int, *bounds: str
) -> None:
    settings = {"FAILURES_PER_MINUTE": "0", "REQUESTS_PER_MINUTE": "0", "LONG_POLL_SECONDS": "0"}
    with server(database_url, folder, **settings) as running:
        environ = {
            **os.environ,
            "CONTRACT_KEY": running.key,
            "CONTRACT_EACH": str(each),
            "CONTRACT_ADDRESS": running.address,
            "SCHEMATHESIS_HOOKS": hooks,
            "PYTHONPATH": str(ROOT),
        }
        command = [
            *(sys.executable, "-m", "schemathesis.cli"),
            *("run", f"{running.address}{path}", *bounds),
            # That a machine is slow is no fault of what it runs.
            *("--request-timeout", str(PATIENCE), "--suppress-health-check", "too_slow"),
            *("--generation-database", "none", "--generation-allow-x00", "false"),
            *("--continue-on-failure", "--no-color", "--warnings", "off"),
        ]
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, timeout=most
        )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
