"""A process as a container runs it, without an engine: a root of its own that is read-only.

The root is a file system in memory, with what a program needs bound into it read-only; a process
ID, mount names and a user of its own. It needs root and Linux.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.waiting import PATIENCE

# Arguments: the root, user, folders to write to and to bind (by commas), the program, a command.
_SCRIPT = """
set -e
root=$1 user=$2 writable=$3 bound=$4 program=$5
shift 5
mount -t tmpfs -o mode=755 tmpfs "$root"
bind() {
    mkdir -p "$root$1"
    mount --rbind "$1" "$root$1"
}
IFS=,
for each in $bound; do
    if [ -L "$each" ]; then
        mkdir -p "$root$(dirname "$each")"
        cp -P "$each" "$root$each"
    elif [ -d "$each" ]; then
        bind "$each"
        mount -o remount,ro,bind "$root$each"
    fi
done
for each in $writable; do
    mkdir -p "$root$each"
    mount -t tmpfs -o mode=700,uid="$user",gid="$user" tmpfs "$root$each"
done
unset IFS
mkdir -p "$root/opt/plyscribe"
mount --bind "$program" "$root/opt/plyscribe"
mount -o remount,ro,bind "$root/opt/plyscribe"
bind /dev
mkdir -p "$root/proc"
mount -t proc proc "$root/proc"
mount -o remount,ro,bind "$root"
exec chroot "$root" /usr/bin/setpriv --reuid "$user" --regid "$user" --clear-groups \
    --no-new-privs --bounding-set -all --inh-caps -all "$@"
"""
PROGRAM = "/opt/plyscribe"  # where the image has it too
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc")


@dataclass(frozen=True)
class Jail:
    """`app` is a folder that holds the installed program; `writable` is all that can be written."""

    folder: Path
    app: Path
    user: int
    writable: Sequence[str]

    def start(self, command: Sequence[str], environ: dict[str, str]) -> "subprocess.Popen[str]":
        """Run a command of the program, or of the Python beside it, to its end or to `kill`."""
        root = self.folder / f"root{os.urandom(4).hex()}"
        root.mkdir()
        python = (sys.base_prefix, sys.prefix)
        bound = ",".join([*_SYSTEM, *dict.fromkeys(python)])
        words = ["sh", "-c", _SCRIPT, "sh", str(root), str(self.user), ",".join(self.writable)]
        own = {
            "PATH": f"{PROGRAM}/bin:{sys.prefix}/bin:/usr/sbin:/usr/bin:/bin",
            "PYTHONPATH": PROGRAM,
        }
        return subprocess.Popen(
            [*_UNSHARE, *words, bound, str(self.app), *command],
            cwd="/",
            env=own | environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @staticmethod
    def kill(process: "subprocess.Popen[str]") -> None:
        """End all that runs in it: that is what the end of its first process does."""
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        for child in children.read_text().split():
            os.kill(int(child), signal.SIGKILL)
        process.communicate(timeout=PATIENCE)

    def run(self, command: Sequence[str], environ: dict[str, str]) -> tuple[int, str]:
        """The exit code, and what was said."""
        process = self.start(command, environ)
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill(process)
            raise
        return process.returncode, said


_UNSHARE = (
    *("unshare", "--mount", "--pid", "--fork"),
    *("--propagation", "private", "--"),
)


def require() -> None:
    """Skip where no such thing can be made."""
    if os.geteuid() != 0:
        pytest.skip("a root of its own needs root")
    for tool in ("unshare", "setpriv", "chroot", "mount"):
        if shutil.which(tool) is None:
            pytest.skip(f"there is no {tool}")
    tried = subprocess.run(
        [*_UNSHARE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, text=True
    )
    if tried.returncode:
        pytest.skip(f"no mount of its own: {tried.stderr.strip()}")
