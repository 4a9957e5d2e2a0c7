"""The documentation page in a real browser: whole, and without a word to anybody else."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service.cli.demo.server import Server

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
SECONDS = 90

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path, sqlite_url)
    yield started
    started.stop()


def test_the_page_shows_the_document_and_asks_nobody_else(server: Server, tmp_path: Path) -> None:
    page, said = seen(server.url + "/docs", tmp_path)
    assert "Plyscribe" in page
    shown = set(re.findall(r'id="operations-\w+-(\w+)"', page))
    assert {"playMove", "createMatch", "getEvents", "getMe"} <= shown
    assert len(shown) == 27 or len(shown) > 20
    assert "Failed to load" not in page
    assert "Refused to" not in said
    assert "violates the following Content Security Policy" not in said
    hosts = {urlsplit(url).netloc for url in requested(tmp_path / "net.json")}
    assert hosts == {urlsplit(server.url).netloc}


def seen(url: str, folder: Path) -> tuple[str, str]:
    """The page as the browser has built it, and what it said."""
    done = subprocess.run(
        [
            str(BROWSER),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            "--no-proxy-server",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'browser'}",
            f"--log-net-log={folder / 'net.json'}",
            "--virtual-time-budget=15000",
            "--dump-dom",
            url,
        ],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def requested(log: Path) -> set[str]:
    """The addresses that the page asked for: what the browser wants for itself is not the page's."""
    told = json.loads(log.read_text())
    begun = told["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [each["params"] for each in told["events"] if each["type"] == begun]
    return {each["url"] for each in asked if "url" in each and each["url"].startswith("http")}
