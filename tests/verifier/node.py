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


IS_THERE = _is_new_enough()
needs_node = pytest.mark.skipif(not IS_THERE, reason="Node 20 or newer is not installed")


# What contradicts a log by the rules, or as it is made again; and what they alone show in a bundle.
BY_THE_RULES = {"shown", "refusal", "result"}
IN_A_BUNDLE = {"facet"}


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


def agree(code: int, told: Any, *arguments: str | Path) -> None:
    """That on these files the report is that of the other verifier, which has the rules.

    What the one in JavaScript does not find it lists: that it needs the rules, that it reads no
    events but those of bundles, or that it was given no keys for what is signed.
    """
    own_code, made = report(*arguments)
    others = {each["file"]: each for each in told["files"]}
    assert sorted(each["file"] for each in made["files"]) == sorted(others)
    lists = False
    for own in made["files"]:
        other = others[own["file"]]
        unchecked = " ".join(own["unchecked"])
        if "the events in it" in unchecked:
            lists = True
        elif own["kind"] == "bundle" and not {f["code"] for f in other["faults"]} & IN_A_BUNDLE:
            places = [[each["place"] for each in of["faults"]] for of in (own, other)]
            assert places[0] == places[1], (own, other)
        elif own["ok"] != other["ok"]:
            assert own["ok"], (own, other)
            assert "needs the rules" in unchecked or "no keys for receipts" in unchecked, own
            lists = True
    codes = [{each["code"] for each in of["contradictions"]} for of in (made, told)]
    of_rules = codes[1] & BY_THE_RULES
    assert codes[0] == codes[1] - of_rules or lists, (made, told)
    assert not codes[0] - codes[1]
    every = [made, *made["files"]]
    limits = " ".join(limit for each in every for limit in each["unchecked"])
    assert not of_rules or "needs the rules" in limits
    # What does not begin like a zip is no bundle to it.
    is_unread = any(f["code"] == "unreadable" for own in made["files"] for f in own["faults"])
    expected = {code} | ({0} if of_rules or lists else set()) | ({2} if is_unread else set())
    assert own_code in expected, (made, told)
