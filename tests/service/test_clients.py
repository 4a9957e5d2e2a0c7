"""What docs/clients.md tells a client's author to type, typed."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from service.cli.demo.server import Server
from tests.service.client import Table, open_table

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
SECONDS = 60


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path, sqlite_url)
    yield started
    started.stop()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)


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
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert '"kind":"move_played"' in done.stdout


def test_the_bot_plays_a_whole_match(server: Server, tmp_path: Path) -> None:
    (code,) = blocks("python")
    assert len(code.splitlines()) <= 50
    (tmp_path / "bot.py").write_text(code)
    table = asyncio.run(opened(server))
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
    told = [each.communicate(timeout=SECONDS)[0] for each in bots]
    assert [each.returncode for each in bots] == [0, 0, 0]
    assert "'terminal': 'normal'" in told[0]
    assert len(set(told)) == 1


async def opened(server: Server) -> Table:
    async with httpx.AsyncClient(base_url=server.url, trust_env=False) as http:
        options = {"round_limit": 2}
        return await open_table(http, server.key, "ambition_characters", 3, options=options)
