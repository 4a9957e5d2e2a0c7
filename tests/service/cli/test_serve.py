"""`plyscribe serve` and `migrate` as real processes: what they print, refuse, and leave behind."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests import servers
from tests.service.cli.conftest import Run, damage
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[3]


@contextmanager
def serving(*words: object, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    """`plyscribe serve` in a folder, on a free port unless told otherwise."""
    process = subprocess.Popen(
        [sys.executable, "-m", "service.cli", "serve", *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said(process: "subprocess.Popen[str]") -> dict[str, str]:
    """What it prints before it serves, by the word in front."""
    assert process.stdout is not None
    lines = {}
    for line in iter(process.stdout.readline, ""):
        found = re.match(r"(first key|\w+)\s+(.*)", line)
        if found:
            lines[found[1]] = found[2]
        if line.startswith("docs"):
            return lines
    raise AssertionError(process.stderr.read() if process.stderr else "")


def refusal(process: "subprocess.Popen[str]") -> str:
    """The one line of a serve that does not start."""
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (2, ""), err
    (line,) = [each for each in err.splitlines() if each.startswith("plyscribe: ")]
    return line


def ended(process: "subprocess.Popen[str]") -> str:
    """Ask it to stop; the rest of what it printed."""
    assert process.stdout is not None
    process.send_signal(signal.SIGTERM)
    out = process.stdout.read()
    assert process.wait(PATIENCE) == 0
    return out


def test_the_first_key_is_told_at_the_first_start_alone(tmp_path: Path) -> None:
    with serving("--port", 0, folder=tmp_path) as process:
        address = said(process)["address"]
        key = re.search(r"first key\s+(pk_\S+)", ended(process))
    assert key is not None
    with serving("--port", 0, folder=tmp_path) as process:
        address = said(process)["address"]
        me = httpx.get(
            f"{address}/v1/me", headers={"authorization": f"Bearer {key[1]}"}, timeout=PATIENCE
        )
        assert me.status_code == 200
        assert httpx.get(f"{address}/docs", timeout=PATIENCE).status_code == 200
        assert "first key" not in ended(process)


def test_neither_a_port_nor_a_file_is_served_twice(run: Run, tmp_path: Path) -> None:
    with serving("--port", 0, folder=tmp_path) as process:
        port = said(process)["address"].rpartition(":")[2]
        taken = run("serve", "--port", port, "--data-dir", "other")
        assert (taken.code, len(taken.err.splitlines())) == (2, 1)
        assert f"port {port}" in taken.err
        taken = run("serve", "--port", 0)
        assert (taken.code, len(taken.err.splitlines())) == (2, 1)
        assert "another process serves" in taken.err
        ended(process)


@pytest.mark.parametrize(("host", "called"), [("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")])
def test_the_address_that_is_told_can_be_called(tmp_path: Path, host: str, called: str) -> None:
    folder = tmp_path / "da ta?"
    words = ("--port", 0, "--host", host, "--data-dir", folder)
    with serving(*words, folder=tmp_path) as process:
        told = said(process)
        assert told["address"].startswith(f"http://{called}:")
        assert told["database"] == str(folder / "plyscribe.db")
        assert httpx.get(f"{told['address']}/readyz", timeout=PATIENCE).status_code == 200
        ended(process)


def test_a_newer_schema_is_served_and_logged(run: Run, tmp_path: Path) -> None:
    run("migrate", "--data-dir", tmp_path)
    damage(f"sqlite:///{tmp_path}/plyscribe.db", "UPDATE alembic_version SET version_num = '9999'")
    words = ("--port", 0, "--data-dir", tmp_path, "--log-format", "json")
    with serving(*words, folder=tmp_path) as process:
        assert httpx.get(f"{said(process)['address']}/readyz", timeout=PATIENCE).status_code == 200
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert '"schema_is_newer_than_this_program"' in err
    assert '"9999"' in err


def test_a_folder_that_is_not_where_the_database_is_is_told(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "--data-dir" not in run("migrate", "--data-dir", tmp_path / "one").err
    url = f"sqlite:///{tmp_path}/other.db"
    monkeypatch.setenv("PLYSCRIBE_DATABASE_URL", url)
    told = run("migrate", "--data-dir", tmp_path / "two")
    assert told.code == 0
    assert "PLYSCRIBE_DATABASE_URL" in told.err
    assert "--data-dir" in told.err
    assert (tmp_path / "other.db").exists()
    assert not (tmp_path / "two" / "plyscribe.db").exists()
    for words in ((), ("--data-dir", tmp_path / "two", "--database-url", url)):
        assert "--data-dir" not in run("migrate", *words).err


def test_sqlite_takes_one_worker(run: Run) -> None:
    refused = run("serve", "--workers", 2)
    assert refused.code == 2
    assert "PostgreSQL" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ("--port", "70000"),
        ("--workers", "0"),
        ("--host", "no.such.host.invalid"),
        ("--database-url", "mysql://here"),
        ("--database-url", "sqlite://"),
        ("--log-level", "loud"),
    ],
)
def test_options_that_cannot_be_are_one_line(run: Run, words: tuple[str, ...]) -> None:
    refused = run("serve", *words)
    assert (refused.code, refused.out) == (2, "")
    assert len(refused.err.splitlines()) == 1


def test_a_stop_ends_streams_and_succeeds(tmp_path: Path) -> None:
    with serving("--port", 0, folder=tmp_path) as process:
        address = said(process)["address"]
        assert process.stdout is not None
        key = process.stdout.readline().split()[-1]
        headers = {"authorization": f"Bearer {key}"}
        made = httpx.post(
            f"{address}/v1/matches",
            headers=headers,
            timeout=PATIENCE,
            json={"game": "ambition_characters", "seats": 4},
        ).raise_for_status()
        events = f"{address}/v1/matches/{made.json()['match_id']}/events"
        with httpx.stream(
            "GET", events, headers={**headers, "accept": "text/event-stream"}, timeout=PATIENCE
        ) as stream:
            lines = stream.iter_lines()
            assert any(line.startswith("data:") for line in lines)
            process.send_signal(signal.SIGTERM)
            list(lines)  # It ends as a whole answer does, or this would raise.
        assert process.wait(PATIENCE) == 0


def test_what_strangers_send_is_answered_and_leaves_no_line(tmp_path: Path) -> None:
    with serving("--port", 0, "--log-format", "json", folder=tmp_path) as process:
        url = httpx.URL(said(process)["address"])
        assert answer_to(url, b"\x16\x03\x01\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        socket_nowhere = answer_to(url, _HANDSHAKE)
        assert socket_nowhere.startswith(b"HTTP/1.1 404 ")
        assert b'"code":"not-found"' in socket_nowhere
        assert answer_to(url, _HANDSHAKE.replace(b"websocket", b"other")).startswith(
            b"HTTP/1.1 404 "
        )
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        told = process.stderr.read().splitlines()
    assert [each for each in told if "SQLite" not in each] == []


def answer_to(url: httpx.URL, request: bytes) -> bytes:
    with socket.create_connection((url.host, url.port), PATIENCE) as connection:
        connection.settimeout(PATIENCE)
        connection.sendall(request)
        got = b""
        while more := connection.recv(65536):
            got += more
        return got


_HANDSHAKE = (
    b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close, Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


@pytest.fixture
def empty_database(postgres_server: str) -> Iterator[str]:
    name = f"cli_{uuid4().hex}"
    yield servers.create_database(postgres_server, name)
    servers.drop_database(postgres_server, name)


def test_postgresql_is_migrated_by_hand_then_takes_workers(
    run: Run, empty_database: str, tmp_path: Path
) -> None:
    url = ("--database-url", empty_database)
    with serving("--port", 0, *url, folder=tmp_path) as process:
        assert "run plyscribe migrate" in refusal(process)
    assert run("migrate", *url, "--check").code == 1
    assert run("migrate", *url).code == 0
    assert run("migrate", *url, "--check").code == 0
    with serving("--port", 0, "--workers", 2, *url, folder=tmp_path) as process:
        address = said(process)["address"]
        transport = httpx.HTTPTransport(retries=5)
        with httpx.Client(transport=transport, timeout=PATIENCE) as http:
            assert http.get(f"{address}/readyz", timeout=PATIENCE).status_code == 200
        ended(process)


def test_migrate_makes_a_file_and_says_so(run: Run, tmp_path: Path) -> None:
    first = run("migrate", "--data-dir", tmp_path / "new")
    assert (first.code, "from nothing" in first.err) == (0, True)
    assert "nothing to do" in run("migrate", "--data-dir", tmp_path / "new").err
