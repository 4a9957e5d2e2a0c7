"""`plyscribe serve --workers`: processes that die, are replaced, and end together."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from service.cli.configuration import environment
from tests.faults.players import insisting_client, open_table, play_out
from tests.faults.serving import KEY, SECONDS, SECRET
from tests.faults.subscribing import subscribed
from tests.service.client import bearer

ROOT = Path(__file__).parents[3]


class Workers:
    """A supervisor and two workers of its own."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        assert process.stdout is not None
        lines = (line.split() for line in process.stdout)
        self.url = next(words[1] for words in lines if words and words[0] == "address")

    def pids(self) -> list[int]:
        return [
            int(each.name)
            for each in Path("/proc").iterdir()
            if each.name.isdigit()
            and _parent(each) == self.process.pid
            and b"spawn_main" in (each / "cmdline").read_bytes()
        ]


@pytest.fixture
def workers(postgres_url: str, redis_url: str, tmp_path: Path) -> Iterator[Workers]:
    with _serving(postgres_url, redis_url, tmp_path) as process:
        yield Workers(process)


@contextmanager
def _serving(database: str, redis: str, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    environ = environment(
        database_url=database,
        data_dir=folder,
        redis_url=redis,
        admin_key=KEY,
        secret_key=SECRET,
        port=0,
        log_level="warning",
    ) | {"PYTHONPATH": str(ROOT)}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve", "--workers", "2"],
            cwd=folder,
            env=environ,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


async def test_a_worker_that_dies_is_replaced_and_nobody_misses_a_thing(workers: Workers) -> None:
    async with insisting_client(workers.url) as http:
        table = await open_table(http, rounds=2)
        async with subscribed(workers.url, table, KEY) as watcher:
            playing = asyncio.create_task(play_out(http, table))
            await watcher.until(12)
            first = set(workers.pids())
            os.kill(min(first), signal.SIGKILL)
            await playing
            await watcher.to_the_end()
        events = await _events(http, table.path)
    assert watcher.events == events
    async with asyncio.timeout(SECONDS):
        while len(set(workers.pids()) - first) != 1:  # noqa: ASYNC110 - they are processes
            await asyncio.sleep(0.05)
    assert len(workers.pids()) == 2


async def test_they_drain_and_end_together(workers: Workers) -> None:
    async with insisting_client(workers.url) as http:
        table = await open_table(http)
        async with subscribed(workers.url, table, KEY) as watcher:
            await watcher.until(6)
            workers.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(workers.process.wait, SECONDS) == 0
            assert watcher.cuts == 0


def test_without_their_supervisor_they_end(workers: Workers) -> None:
    pids = workers.pids()
    httpx.get(f"{workers.url}/readyz", timeout=SECONDS).raise_for_status()
    workers.process.kill()
    workers.process.wait()
    deadline = time.monotonic() + SECONDS
    while any(_is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


async def _events(http: httpx.AsyncClient, path: str) -> list[Any]:
    got = await http.get(f"{path}/events", params={"limit": 500}, headers=bearer(KEY))
    events: list[Any] = got.raise_for_status().json()["events"]
    return events


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return 0
