"""The verifier's page in a real browser, from a file and from a host: no word to anybody."""

import re
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest

from events.signing import KeySet
from games import registry
from games.core.game import ALL, SPECTATOR
from tests.events.bundled import KEY, OTHER_KEY, bundle, bundled
from tests.events.scripted import Table
from tests.service import browser
from tests.service.browser import Page

FOLDER = Path(__file__).parents[2] / "docs" / "verifier"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'"

needs_browser = pytest.mark.skipif(browser.PROGRAM is None, reason="no Chromium is installed")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with browser.page(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


class Strict(SimpleHTTPRequestHandler):
    """A static host that lets a page do nothing it need not do."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Strict, directory=str(FOLDER))) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/index.html"
        server.shutdown()
        thread.join()


def kept(folder: Path, **files: bytes) -> list[str]:
    paths = []
    for name, data in files.items():
        path = folder / name
        path.write_bytes(data)
        paths.append(str(path))
    return paths


def opened(page: Page, url: str) -> None:
    page.open("about:blank")
    page.until("location.href === 'about:blank'")
    page.asked.clear()
    page.said.clear()
    page.open(url)
    page.until("document.readyState === 'complete' && globalThis.PlyscribeVerifier !== undefined")


def verdict(page: Page, paths: list[str]) -> str:
    """Of files chosen with the picker: what the status line says in the end."""
    chosen = page.call("Runtime.evaluate", expression="document.getElementById('files')")
    page.value("document.getElementById('status').textContent = ''")
    page.call("DOM.setFileInputFiles", files=paths, objectId=chosen["result"]["objectId"])
    page.until("/ checked: |could not/.test(document.getElementById('status').textContent)")
    return str(page.value("document.getElementById('status').textContent"))


def text(page: Page) -> str:
    return str(page.value("document.getElementById('result').innerText"))


@needs_browser
def test_it_checks_from_a_file_and_asks_nobody(page: Page, tmp_path: Path) -> None:
    opened(page, (FOLDER / "index.html").as_uri())
    files = {"full": bundle("high_card", ALL), "seat": bundle("high_card", 0)}
    paths = kept(tmp_path, **files, keys=KeySet([KEY.public]).jwks())
    assert verdict(page, paths) == "2 files checked: nothing is wrong."
    assert "Not checked here" in text(page)
    assert "proof" in text(page)
    assert "none were given" not in text(page)
    assert {urlsplit(each).scheme for each in page.asked} == {"file"}
    assert {Path(urlsplit(each).path).parent for each in page.asked} == {FOLDER}
    assert page.said == []


@needs_browser
def test_it_names_what_is_wrong(page: Page, tmp_path: Path) -> None:
    opened(page, (FOLDER / "index.html").as_uri())
    data = bundle("ambition_tricks", ALL)
    place = data.index(b'"version":9}')
    paths = kept(tmp_path, cut=data[:-9], changed=data[:place] + b"?" + data[place + 1 :])
    assert verdict(page, paths) == "2 files checked: it does not hold."
    assert "cut: wrong at zip" in text(page)
    assert "changed: wrong at event 9" in text(page)
    assert page.value("document.activeElement.id") == "verdict"


@needs_browser
def test_it_holds_the_files_against_the_keys_that_are_given(page: Page, tmp_path: Path) -> None:
    opened(page, (FOLDER / "index.html").as_uri())
    keys = KeySet([OTHER_KEY.public]).jwks()
    paths = kept(tmp_path, public=bundle("high_card", SPECTATOR), other=keys)
    assert verdict(page, paths) == "One file checked: it does not hold."
    assert "public: wrong at proof.tlog-proof" in text(page)


@needs_browser
def test_files_of_one_name_are_all_checked(page: Page, tmp_path: Path) -> None:
    """Two holders' bundles come under the name that the service gives them."""
    opened(page, (FOLDER / "index.html").as_uri())
    at, other = (Table(registry.game("high_card"), 3).play_on(Random(each)) for each in (1, 2))
    for folder, played in (("one", at), ("two", other)):
        (tmp_path / folder).mkdir()
        paths = kept(tmp_path / folder, match=bundled(played, SPECTATOR, proved=False))
        said = verdict(page, paths)
    assert said == "2 files checked: it does not hold."
    assert "match and match (2): not true together" in text(page)
    assert "(fork)" in text(page)


@needs_browser
def test_it_works_on_a_host_with_a_strict_policy(page: Page, host: str, tmp_path: Path) -> None:
    opened(page, host)
    assert verdict(page, kept(tmp_path, one=bundle("high_card", 1))).endswith("nothing is wrong.")
    assert {urlsplit(each).netloc for each in page.asked} == {urlsplit(host).netloc}
    assert [each for each in page.said if "favicon" not in each] == []


@needs_browser
def test_without_ed25519_signatures_are_not_checked_and_nothing_fails(
    page: Page, tmp_path: Path
) -> None:
    opened(page, (FOLDER / "index.html").as_uri())
    page.value(
        "{ const before = SubtleCrypto.prototype.importKey;"
        " SubtleCrypto.prototype.importKey = function (form, key, how, ...rest) {"
        "   if (how === 'Ed25519') throw new DOMException('no', 'NotSupportedError');"
        "   return before.call(this, form, key, how, ...rest); }; }"
    )
    paths = kept(tmp_path, full=bundle("high_card", ALL))
    assert verdict(page, paths).endswith("nothing is wrong.")
    assert "signatures: Ed25519 is not in this browser's WebCrypto" in text(page)


def test_the_page_and_the_program_load_the_same_files_in_the_same_order() -> None:
    html = (FOLDER / "index.html").read_text("utf-8")
    listed = re.findall(r'<script defer src="(\w+)\.js">', html)
    program = (FOLDER / "verify.mjs").read_text("utf-8")
    parts = re.findall(r'"(\w+)"', program.split("PARTS = [")[1].split("]")[0])
    assert listed == [*parts, "page"]
    assert {path.stem for path in FOLDER.glob("*.js")} == set(listed)


def test_no_file_reaches_for_the_network_or_for_code_made_of_text() -> None:
    names = r"fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon"
    banned = rf"\b({names}|eval\(|innerHTML|import\()"
    for path in [*FOLDER.glob("*.js"), FOLDER / "index.html"]:
        assert not re.search(banned, path.read_text("utf-8")), path.name
        assert len(path.read_text("utf-8").splitlines()) <= 400, path.name
