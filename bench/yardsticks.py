"""What the figures are measured against, in the same minutes on the same machine."""

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

import httpx
import psycopg

from tests import servers

CLIENTS = 32
BODY = '{"at": 1764400000000, "decision": "41.0", "kind": "move_played", "rest": "%s"}' % (
    "x" * 220
)

_TABLE = "CREATE TABLE yardstick (id uuid, version int, body jsonb, PRIMARY KEY (id, version))"
# A colon before a letter would be a variable of pgbench; BODY has none.
_INSERT = f"INSERT INTO yardstick VALUES (gen_random_uuid(), 1, '{BODY}');\n"


def pgbench_program() -> str | None:
    """Of the PATH, or of the wheel the tests run PostgreSQL from."""
    try:
        wheel = str(servers.postgres_binaries())
    except servers.ServerMissing:
        wheel = ""
    return shutil.which("pgbench") or shutil.which("pgbench", path=wheel)


def missing() -> list[str]:
    """What can't be measured here, and why."""
    return ["pgbench: no such program"] if pgbench_program() is None else []


def rate(per_second: float) -> dict[str, float]:
    return {"per_second": per_second}


def create_rows(url: str) -> None:
    """The table that `pgbench` fills."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_TABLE.encode())


def pgbench(program: str, url: str, folder: Path, seconds: float) -> float:
    """Single-row inserts a second at 32 clients, each its own transaction."""
    told = _inserted(program, url, folder, seconds, "-c", str(CLIENTS))
    rates = (line.split()[2] for line in told.splitlines() if line.startswith("tps = "))
    return float(next(rates))


def pgbench_paced(
    program: str, url: str, folder: Path, seconds: float, rate: int, clients: int
) -> list[float]:
    """Milliseconds of each of so many inserts a second, from the moment it was due."""
    prefix = folder / uuid4().hex
    options = ("-c", str(clients), "-R", str(rate), "-l", f"--log-prefix={prefix}")
    _inserted(program, url, folder, seconds, *options)
    logs = folder.glob(f"{prefix.name}.*")
    lines = [line for log in logs for line in log.read_text().splitlines()]
    return [int(line.split()[2]) / 1000 for line in lines]


def _inserted(program: str, url: str, folder: Path, seconds: float, *options: str) -> str:
    """What it says in the end."""
    script = folder / "insert.sql"
    script.write_text(_INSERT)
    fixed = ["-n", "-M", "prepared", "-j", "2", "-f", str(script)]
    command = [program, *fixed, *options, "-T", str(max(1, round(seconds))), url]
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout


def sqlite_loop(path: Path, seconds: float) -> float:
    """Single-row commits a second with synchronous=FULL, in one plain loop."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(
        "CREATE TABLE event (id TEXT, version INT, body BLOB, PRIMARY KEY (id, version))"
    )
    match_id, count, start = str(uuid4()), 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        connection.execute("INSERT INTO event VALUES (?, ?, ?)", (match_id, count, BODY))
        count += 1
    elapsed = time.perf_counter() - start
    assert connection.execute("SELECT count(*) FROM event").fetchone() == (count,)
    connection.close()
    return count / elapsed


def hashes(seconds: float = 0.1) -> float:
    """SHA-256 of a body, a second of processor time in one plain loop: how fast the core is now."""
    body, count, start = BODY.encode(), 0, time.process_time()
    while time.process_time() < start + seconds:
        for _ in range(100):
            sha256(body).hexdigest()
        count += 100
    return count / (time.process_time() - start)


@contextmanager
def echo_server() -> Iterator[str]:
    """The URL of a bare Starlette POST on uvicorn, run as the service is."""
    port = servers.free_port()
    options = ["--port", str(port), "--loop", "uvloop", "--http", "httptools", "--no-access-log"]
    command = [sys.executable, "-m", "uvicorn", "bench.echo:app", *options]
    process = subprocess.Popen([*command, "--log-level", "warning"], stdin=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}"
    try:
        _until_it_answers(url)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def _until_it_answers(url: str) -> None:
    for _ in range(200):
        try:
            httpx.post(f"{url}/v1/matches/0/moves", json={}, trust_env=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the echo server did not start")
