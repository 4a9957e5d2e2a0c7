"""What a figure depends on: the machine and the versions, without names of hosts or places."""

import os
import platform
import sqlite3
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests import servers

PACKAGES = ("asyncpg", "httptools", "msgspec", "sqlalchemy", "starlette", "uvicorn", "uvloop")


def facts() -> dict[str, Any]:
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "processor": _processor(),
        "memory_gib": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "postgresql": _postgresql(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def _processor() -> str | None:
    for line in _lines("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or None


def _memory() -> int | None:
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemTotal"):
            return round(int(line.split()[1]) / 2**20)
    return None


def _postgresql() -> str | None:
    try:
        program = servers.postgres_binaries() / "postgres"
        done = subprocess.run([program, "--version"], capture_output=True, text=True)
    except (servers.ServerMissing, OSError):
        return None
    return done.stdout.split()[-1] if done.stdout else None


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
