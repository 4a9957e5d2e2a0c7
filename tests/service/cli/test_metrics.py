"""Metrics of a running service, by one process and by workers together."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.cli.configuration import environment
from tests.faults.players import GAME, insisting_client, open_table, play_out
from tests.faults.serving import KEY, SECONDS, SECRET
from tests.promtool import needs_promtool, promtool
from tests.service.client import bearer

ROOT = Path(__file__).parents[3]
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Served:
    """A service, where its doors are and where its metrics are."""

    def __init__(self, process: "subprocess.Popen[str]", own: dict[str, str]) -> None:
        self.process = process
        self.environment = own
        assert process.stdout is not None
        said = {}
        for line in process.stdout:
            name, _, value = line.partition(" ")
            said[name] = value.strip()
            if name == "first" or {"address", "metrics"} <= said.keys():
                break
        self.url, self.metrics = said["address"], said["metrics"]

    def text(self) -> str:
        return httpx.get(self.metrics, timeout=SECONDS).raise_for_status().text

    def samples(self) -> Samples:
        found: Samples = {}
        for family in text_string_to_metric_families(self.text()):
            for each in family.samples:
                key = each.name, tuple(sorted(each.labels.items()))
                assert key not in found, "told twice"
                found[key] = each.value
        return found

    def value(self, name: str, **labels: str) -> float:
        return self.samples().get((name, tuple(sorted(labels.items()))), 0.0)

    def until(self, name: str, value: float, **labels: str) -> None:
        deadline = time.monotonic() + SECONDS
        while (found := self.value(name, **labels)) != value:
            assert time.monotonic() < deadline, f"{name} is {found}, not {value}"
            time.sleep(0.1)


@contextmanager
def serving(folder: Path, *words: str, **settings: object) -> Iterator[Served]:
    own = environment(
        data_dir=folder, admin_key=KEY, secret_key=SECRET, port=0, metrics_port=0, **settings
    ) | {"PYTHONPATH": str(ROOT)}
    with (folder / "said").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve", *words],
            cwd=folder,
            env=own,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        yield Served(process, own)
    finally:
        process.terminate()
        try:
            process.communicate(timeout=SECONDS)
        finally:
            process.kill()


async def play(served: Served) -> int:
    """One match to its end, one request without a token; how many moves were accepted."""
    async with insisting_client(served.url) as http:
        table = await open_table(http, rounds=1)
        await play_out(http, table)
        assert (await http.get("/v1/me", headers=bearer("nobody"))).status_code == 401
        page = await http.get(table.path + "/events?limit=500", headers=bearer(table.tokens[0]))
    return sum(each["kind"] == "move_played" for each in page.json()["events"])


async def test_one_process_tells_what_was_done(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        moves = await play(served)
        assert moves > 0
        served.until("plyscribe_moves_total", moves, game=GAME, outcome="accepted")
        served.until("plyscribe_matches_created_total", 1, game=GAME)
        served.until("plyscribe_matches_ended_total", 1, game=GAME)
        served.until("plyscribe_problems_total", 1, code="unauthorized")
        served.until("plyscribe_requests_total", 1, route="/v1/me", status="401")
        served.until("plyscribe_feed_leader", 1)
        found = served.samples()
        assert found["plyscribe_append_seconds_count", ()] > 0
        assert found["plyscribe_events_appended_total", ()] > moves
        assert found["plyscribe_database_lost", ()] == 0


async def test_workers_tell_together(postgres_url: str, tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2", database_url=postgres_url) as served:
        served.until("plyscribe_stream_limit", 20_000)
        first = await play(served)
        second = await play(served)
        total = first + second
        served.until("plyscribe_moves_total", total, game=GAME, outcome="accepted")
        served.until("plyscribe_workers_died_total", 0)
        os.kill(workers_of(served.process)[0], signal.SIGKILL)
        served.until("plyscribe_workers_died_total", 1)
        # What a worker counted stays, what it held is gone until another holds it.
        served.until("plyscribe_stream_limit", 20_000)
        assert served.value("plyscribe_moves_total", game=GAME, outcome="accepted") == total


def workers_of(supervisor: "subprocess.Popen[str]") -> list[int]:
    found = []
    for each in Path("/proc").iterdir():
        if not each.name.isdigit():
            continue
        try:
            stat, line = (each / "stat").read_text(), (each / "cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        parent = int(stat.rpartition(")")[2].split()[1])
        if parent == supervisor.pid and b"spawn_main" in line:
            found.append(int(each.name))
    return found


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The metrics after a match."""
    with serving(tmp_path_factory.mktemp("told")) as served:
        asyncio.run(play(served))
        served.until("plyscribe_matches_ended_total", 1, game=GAME)
        return served.text()


def test_no_id_and_no_key_is_told(told: str) -> None:
    assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", told)
    assert KEY not in told


@needs_promtool
def test_prometheus_finds_nothing_about_them(told: str, tmp_path: Path) -> None:
    done = promtool(tmp_path, "check", "metrics", given=told)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    wrong = "# HELP moves Of no unit\n# TYPE moves counter\nmoves 1\n"
    assert promtool(tmp_path, "check", "metrics", given=told + wrong).returncode != 0


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with serving(tmp_path) as served:
        taken = served.metrics.removesuffix("/metrics").rpartition(":")[2]
        (tmp_path / "other").mkdir()
        own = environment(data_dir=tmp_path / "other", port=0, metrics_port=taken)
        done = subprocess.run(
            [sys.executable, "-m", "service.cli", "serve"],
            cwd=tmp_path,
            env=own | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 2
    assert f"port {taken} of 127.0.0.1 is in use" in done.stderr
    assert "--metrics-port" in done.stderr


@pytest.mark.parametrize("given", ["65536", "none"])
def test_a_port_that_is_none_is_refused(tmp_path: Path, given: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "serve", "--data-dir", str(tmp_path)],
        cwd=tmp_path,
        env=environment(metrics_port=given) | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "PLYSCRIBE_METRICS_PORT" in done.stderr
