"""What processes of this machine have taken so far: memory and processor time. Linux alone."""

import os
from pathlib import Path

import psycopg


def resident(pid: int) -> int:
    """Bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("a process without memory")


def cpu_seconds(pid: int) -> float:
    """What a process has spent, 0 if it is gone; unlike times, load of others hardly moves it."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def of_postgres(url: str) -> list[int]:
    """The server and all its processes: whoever has ended is counted with the server."""
    with psycopg.connect(url) as connection:
        postmaster = int(_stat(connection.info.backend_pid)[1])
    return [postmaster, *_children(postmaster)]


def own_named(name: str) -> list[int]:
    """Children of this process that run a program of such a name."""
    return [pid for pid in _children(os.getpid()) if name in _program(pid)]


def _children(parent: int) -> list[int]:
    return [pid for pid in _pids() if _stat(pid)[1:2] == [str(parent)]]


def _program(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


def _pids() -> list[int]:
    return [int(each.name) for each in Path("/proc").iterdir() if each.name.isdigit()]


def _stat(pid: int) -> list[str]:
    """State, parent, and what the kernel says after that; of none that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []
