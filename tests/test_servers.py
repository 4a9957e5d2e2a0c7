"""PostgreSQL starts from a clone that only its owner may enter."""

import os
import subprocess
from pathlib import Path

import pytest

from tests import servers

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs servers as another user")


@needs_root
def test_programs_behind_a_private_folder_are_copied_and_cleaned_up(tmp_path: Path) -> None:
    own = servers.postgres_binaries()
    private, package = tmp_path / "private", own.parents[1]
    private.mkdir(mode=0o700)
    for name in (package.name, f"{package.name}.libs"):
        (private / name).symlink_to(package.with_name(name))
    hidden = private / package.name / own.parent.name / own.name
    with servers._reachable(hidden) as binaries:
        assert binaries != hidden
        command = [str(binaries / "initdb"), "--version"]
        done = subprocess.run(command, user="nobody", capture_output=True, cwd="/")
        assert done.returncode == 0, done.stderr
    assert not binaries.exists()
    assert hidden.exists()
