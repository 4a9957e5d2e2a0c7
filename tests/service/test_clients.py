"""What docs/clients.md tells a client's author to type, typed."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from cryptography.exceptions import InvalidSignature
from graphql import parse, validate

from service.cli.demo.server import Server
from service.graphql.schema import graph
from tests.events.test_evidence_vectors import vectors
from tests.service.client import Json, Table, bearer, create, open_table
from tests.service.node import installed
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
PAGE, README = ROOT / "docs" / "clients.md", ROOT / "README.md"
TIMED_OUT = 124  # what `timeout` exits with


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path, sqlite_url)
    yield started
    started.stop()


def blocks(language: str, page: Path = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)


def surroundings(**more: str) -> dict[str, str]:
    return {**os.environ, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1", **more}


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_tour_with_curl(server: Server, tmp_path: Path) -> None:
    typed = "set -eu -o pipefail\n" + "\n".join(blocks("sh"))
    done = subprocess.run(
        ["bash", "-c", typed],
        env=surroundings(URL=server.url, KEY=server.key),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert '"kind":"move_played"' in done.stdout
    assert '"then":{"version":4' in done.stdout
    assert '"token":"sp_' in done.stdout
    assert '"table_count":3' in done.stdout
    assert '"errors"' not in done.stdout


def test_what_is_shown_of_graphql_is_valid() -> None:
    shown = blocks("graphql")
    assert shown
    assert [validate(graph().schema, parse(each)) for each in shown] == [[]] * len(shown)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_five_minutes_of_the_readme(server: Server, tmp_path: Path) -> None:
    *typed, rebuilding = blocks("sh", README)
    assert "plyscribe replay" in rebuilding
    script = "set -eu -o pipefail\n" + "\n".join(typed)
    for told, meant in (
        ("http://127.0.0.1:8000", server.url),
        ("pk_...", server.key),
        ("wait=20", "wait=1"),
        ("curl -sN", "timeout 2 curl -sN"),
    ):
        assert told in script
        script = script.replace(told, meant)
    done = subprocess.run(
        ["bash", "-c", f"{script}\n"],
        env=surroundings(TMPDIR=str(tmp_path)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == TIMED_OUT, done.stderr + done.stdout  # the stream, at the very end
    assert '"kind":"move_played"' in done.stdout
    assert '"code":' not in done.stdout


def test_the_bot_plays_a_whole_match(server: Server, tmp_path: Path) -> None:
    (code,) = blocks("python")
    assert len(code.splitlines()) <= 50
    (tmp_path / "bot.py").write_text(code)
    table = asyncio.run(opened(server, 3))
    bots = [
        subprocess.Popen(
            [sys.executable, "bot.py", server.url, table.match_id, token],
            env=surroundings(),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
        )
        for token in table.tokens
    ]
    told = [each.communicate(timeout=PATIENCE)[0] for each in bots]
    assert [each.returncode for each in bots] == [0, 0, 0]
    assert "'terminal': 'normal'" in told[0]
    assert len(set(told)) == 1


def test_the_bot_in_typescript_plays_a_whole_match(server: Server, tmp_path: Path) -> None:
    packages = installed(Path(__file__).with_name("npm"))
    (code,) = blocks("typescript")
    (tmp_path / "bot.mts").write_text(code)
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    installing, *typed = blocks("bash")[0].splitlines()
    pinned = json.loads((packages / "package.json").read_bytes())["dependencies"]["typescript"]
    assert installing == f"npm install typescript@{pinned}"
    table = asyncio.run(opened(server, 2))
    seats = {f"SEAT{seat}": token for seat, token in enumerate(table.tokens)}
    done = subprocess.run(
        ["bash", "-c", "set -eu -o pipefail\n" + "\n".join(typed)],
        env=surroundings(URL=server.url, MATCH=table.match_id, **seats),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    first, second = done.stdout.splitlines()
    assert first == second
    assert json.loads(first)["terminal"] == "normal"


def test_a_seat_with_a_key_plays_a_whole_match_signed(server: Server, tmp_path: Path) -> None:
    (code,) = blocks("py")
    (tmp_path / "signed.py").write_text(code)
    match_id = asyncio.run(_unseated(server))
    players = [
        subprocess.Popen(
            [sys.executable, "signed.py", server.url, match_id, str(seat), server.key],
            env=surroundings(),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seat in range(2)
    ]
    told = [each.communicate(timeout=PATIENCE)[0] for each in players]
    assert [each.returncode for each in players] == [0, 0]
    assert "'terminal': 'normal'" in told[0]
    events = asyncio.run(_log_of(server, match_id))
    moves = [each for each in events if each["kind"] == "move_played"]
    assert moves
    assert all("signed" in each for each in moves)


def test_a_move_is_signed_in_typescript_as_in_the_vectors(tmp_path: Path) -> None:
    packages = installed(Path(__file__).with_name("npm"))
    (code,) = blocks("ts")
    # Types of Node are no dependency of this project: they are looked away from here.
    (tmp_path / "signed.mts").write_text("// @ts-nocheck\n" + code)
    (tmp_path / "node_modules").symlink_to(packages / "node_modules")
    compiling = "npx tsc --strict --target es2022 --module nodenext signed.mts"
    done = subprocess.run(
        ["bash", "-c", f"set -eu\n{compiling}\nnode signed.mjs"],
        env=surroundings(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout)["signature"] == vectors()["signature of the move"]


def test_a_result_is_checked_as_the_page_on_events_has_it(server: Server, tmp_path: Path) -> None:
    (code,) = blocks("python", ROOT / "docs" / "tournaments.md")
    (tmp_path / "result.py").write_text(code)
    evidence, keys = asyncio.run(_cancelled(server))
    done = subprocess.run(
        [sys.executable, "result.py", server.url, evidence["payload"]["match_id"], server.key],
        env=surroundings(),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == evidence["payload"]
    own: dict[str, Any] = {"__name__": "result"}
    exec(compile(code, "result.py", "exec"), own)
    with pytest.raises(InvalidSignature):
        own["checked"]({**evidence, "payload": {**evidence["payload"], "revision": 9}}, keys)
    with pytest.raises(LookupError):
        own["checked"](evidence, [each for each in keys if each["purpose"] != "receipts"])


async def _unseated(server: Server) -> str:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE) as http:
        options = {"round_limit": 1}
        return await create(http, server.key, "ambition_characters", 2, options=options)


async def _log_of(server: Server, match_id: str) -> list[Json]:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE) as http:
        path = f"/v1/matches/{match_id}/events?limit=500"
        got = await http.get(path, headers=bearer(server.key))
        events: list[Json] = got.json()["events"]
        return events


async def opened(server: Server, seats: int) -> Table:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE) as http:
        options = {"round_limit": 2}
        return await open_table(http, server.key, "ambition_characters", seats, options=options)


async def _cancelled(server: Server) -> tuple[Json, list[Json]]:
    """The signed result of a match, and the service's keys."""
    async with httpx.AsyncClient(base_url=server.url, trust_env=False, timeout=PATIENCE) as http:
        path = "/v1/matches/" + await create(http, server.key, "ambition_characters", 2)
        await http.post(path + "/cancel", headers=bearer(server.key))
        result = (await http.get(path + "/result", headers=bearer(server.key))).json()
        keys = (await http.get("/.well-known/jwks.json")).json()["keys"]
        return result["evidence"], keys
