"""Packages of npm, installed once per list of them and kept; tests skip where that can't be."""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

INSTALL = ("install", "--no-audit", "--no-fund", "--no-package-lock")


def installed(package: Path) -> Path:
    """A folder with the packages that the package.json in `package` pins."""
    wanted = (package / "package.json").read_bytes()
    program = shutil.which("npm")
    if program is None or shutil.which("node") is None:
        pytest.skip("there is no Node here")
    digest = hashlib.sha256(wanted).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"plyscribe-node-{digest}"
    if folder.exists():
        return folder
    # Whoever installs at the same time has a folder of its own; the first to finish is kept.
    own = Path(tempfile.mkdtemp(prefix=f"{folder.name}-"))
    try:
        (own / "package.json").write_bytes(wanted)
        command = [program, *INSTALL]
        done = subprocess.run(command, cwd=own, capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            pytest.skip(f"npm can't install: {done.stderr.strip().splitlines()[:1]}")
        if not folder.exists():
            own.rename(folder)
    except subprocess.TimeoutExpired:
        pytest.skip("npm can't install in time")
    except OSError:
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(own, ignore_errors=True)
    return folder
