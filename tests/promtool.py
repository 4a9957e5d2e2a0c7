"""What Prometheus itself says of rules and metrics, by its own tool."""

import shutil
import subprocess
from pathlib import Path

import pytest

FOUND = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(
    FOUND is None, reason="promtool: install your system's package of Prometheus"
)


def promtool(folder: Path, *words: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    """Run in a folder with the files it is told of."""
    command = [str(FOUND), *words]
    return subprocess.run(
        command, cwd=folder, input=given, capture_output=True, text=True, check=False
    )
