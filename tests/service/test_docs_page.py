"""The documentation page in a real browser: whole, and without a word to anybody else."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from service import contract
from service.cli.demo.server import Server
from tests.waiting import PATIENCE

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
METHODS = {"get", "post", "put", "patch", "delete"}

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path, sqlite_url)
    yield started
    started.stop()


def test_the_page_shows_the_document_and_asks_nobody_else(server: Server, tmp_path: Path) -> None:
    page, said = seen(server.url + "/docs", tmp_path)
    assert "Plyscribe" in page
    document = contract.document()
    paths = (*document["paths"].values(), *document["webhooks"].values())
    operations = {path[method]["operationId"] for path in paths for method in METHODS & set(path)}
    assert set(re.findall(r'id="operations-(?!tag-)\w+-(\w+)"', page)) == operations
    assert "Failed to load" not in page
    assert "Warning" not in page
    assert "Refused to" not in said
    assert "violates the following Content Security Policy" not in said
    asked = requested(tmp_path / "net.json", server.url)
    assert {"/openapi.json", "/docs/assets/start.js"} <= {urlsplit(url).path for url in asked}
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(server.url).netloc}


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
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'browser'}",
            f"--log-net-log={folder / 'net.json'}",
            "--virtual-time-budget=15000",
            "--dump-dom",
            url,
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def requested(log: Path, origin: str) -> set[str]:
    """The addresses that pages of an origin asked for; the browser asks for some things itself."""
    told = json.loads(log.read_text())
    begun = told["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    asked = [each.get("params", {}) for each in told["events"] if each["type"] == begun]
    return {each["url"] for each in asked if each.get("initiator") == origin}
