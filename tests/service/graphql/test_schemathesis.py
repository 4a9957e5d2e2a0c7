"""Schemathesis over GraphQL: every check that applies, against a server of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.service.process import ROOT, server


def test_the_schema_holds_for_a_while(database_url: str, tmp_path: Path) -> None:
    hold(database_url, tmp_path, seconds=10, examples=10)


@pytest.mark.fuzz
def test_the_schema_holds_for_long(database_url: str, tmp_path: Path) -> None:
    hold(database_url, tmp_path, seconds=600, examples=300)


def hold(database_url: str, folder: Path, seconds: int, examples: int) -> None:
    more = {"FAILURES_PER_MINUTE": "0", "REQUESTS_PER_MINUTE": "0"}
    with server(database_url, folder, **more) as running:
        environ = {
            **os.environ,
            "CONTRACT_KEY": running.key,
            "CONTRACT_ADDRESS": running.address,
            "SCHEMATHESIS_HOOKS": "tests.service.graphql.contract_hooks",
            "PYTHONPATH": str(ROOT),
        }
        command = [
            *(sys.executable, "-m", "schemathesis.cli"),
            *("run", f"{running.address}/graphql"),
            *("--max-time", str(seconds), "--max-examples", str(examples)),
            *("--generation-database", "none", "--generation-allow-x00", "false"),
            *("--continue-on-failure", "--no-color", "--warnings", "off"),
        ]
        most = seconds * 2 + 60
        done = subprocess.run(
            command, cwd=folder, env=environ, capture_output=True, text=True, timeout=most
        )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
