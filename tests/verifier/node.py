"""The verifier in JavaScript, run by Node: one process for as many files as there are."""

import json
import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "verifier"
PROGRAM = FOLDER / "verify.mjs"
REMEMBERING = Path(__file__).parent / "remembering.mjs"
NODE = shutil.which("node") or shutil.which("nodejs")


def _is_new_enough() -> bool:
    if NODE is None:
        return False
    told = subprocess.run([NODE, "--version"], capture_output=True, check=False, text=True).stdout
    return int(told.lstrip("v").partition(".")[0] or 0) >= 20


needs_node = pytest.mark.skipif(not _is_new_enough(), reason="Node 20 or newer is not installed")


class Fault(msgspec.Struct, frozen=True):
    place: str
    code: str
    reason: str


class Said(msgspec.Struct, frozen=True):
    """The verdict on one file."""

    ok: bool
    faults: tuple[Fault, ...]
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]

    @property
    def place(self) -> str | None:
        """Of the first fault, as is the code and the reason."""
        return self.faults[0].place if self.faults else None

    @property
    def code(self) -> str | None:
        return self.faults[0].code if self.faults else None

    @property
    def reason(self) -> str | None:
        return self.faults[0].reason if self.faults else None


def run(*arguments: str | Path, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    command = [str(NODE), *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def said(files: Sequence[bytes], keys: Path | str, *, alike: bool = False) -> list[Said]:
    """What it says of each file by itself, under those keys. `alike` are files that share much."""
    framed = b"".join(struct.pack(">I", len(each)) + each for each in files)
    first = ("--import", REMEMBERING) if alike else ()
    done = run(*first, PROGRAM, "--batch", "--keys", keys, stdin=framed)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    found = [msgspec.json.decode(line, type=Said) for line in done.stdout.splitlines()]
    assert len(found) == len(files)
    return found


def report(*arguments: str | Path) -> tuple[int, Any]:
    """The exit code and the report on files together."""
    done = run(PROGRAM, "--json", *arguments)
    assert done.stderr == b""
    return done.returncode, json.loads(done.stdout)
