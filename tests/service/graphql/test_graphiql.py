"""GraphiQL: what /graphql shows a browser, and that it works there without anybody else."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx
import pytest

from service import assets
from service.assets import ASSETS, Asset, content
from service.cli.demo.server import Server
from service.graphql import page as shown
from tests.service import browser
from tests.service.conftest import Door
from tests.service.graphql.asking import ACCEPT, ref
from tests.service.graphql.sockets import FOLLOW
from tests.waiting import PATIENCE

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
EDITOR = "document.querySelector('.graphiql-query-editor .CodeMirror')?.CodeMirror"
HEADERS = """[...document.querySelectorAll('.graphiql-editor-tool .CodeMirror')]
  .map((each) => each.CodeMirror).find((each) => each.getValue().includes('Authorization'))"""
RESULT = "document.querySelector('.result-window .CodeMirror')?.CodeMirror.getValue()"
RUN = "document.querySelector('.graphiql-execute-button').click()"
ME = "{ me { kind org } }"

needs_browser = pytest.mark.skipif(browser.PROGRAM is None, reason="no Chromium is installed")


@pytest.fixture
def server(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    started = Server(tmp_path, sqlite_url)
    yield started
    started.stop()


@needs_browser
def test_a_query_is_run_with_the_token_that_is_entered(server: Server, tmp_path: Path) -> None:
    with browser.page(tmp_path / "browser") as page:
        page.open(server.url + "/graphql?" + urlencode({"query": ME}))
        page.until(f"{EDITOR}.getValue() === '{ME}'")
        # The schema is open: it has come without a token, and the editor knows its fields.
        page.until("document.querySelector('.graphiql-spinner') === null")
        page.value(RUN)
        assert "UNAUTHORIZED" in page.until(f"{RESULT}.includes('code') && {RESULT}")
        _enter(page, server.key)
        page.value(RUN)
        page.until(f"{RESULT}.includes('API_KEY')")
        assert json.loads(page.value(RESULT)) == {
            "data": {"me": {"kind": "API_KEY", "org": "main"}}
        }
        page.value("document.querySelector('[aria-label=\"Show Documentation Explorer\"]').click()")
        page.until("document.body.innerText.includes('Subscription')")
        assert page.value("JSON.stringify([localStorage, sessionStorage])") == "[{},{}]"
        _quiet(page, server)


@needs_browser
def test_a_subscription_tells_what_happens_while_it_runs(server: Server, tmp_path: Path) -> None:
    headers = {"authorization": f"Bearer {server.key}"}
    with (
        httpx.Client(
            base_url=server.url, headers=headers, trust_env=False, timeout=PATIENCE
        ) as http,
        browser.page(tmp_path / "browser") as page,
    ):
        made = http.post("/v1/matches", json={"game": "ambition_characters", "seats": 2}).json()
        variables = json.dumps({"match": ref(made["match_id"])})
        page.open(server.url + "/graphql?" + urlencode({"query": FOLLOW, "variables": variables}))
        page.until(f"{EDITOR}.getValue().includes('matchEvents')")
        page.value(RUN)
        page.until(f"{RESULT}.includes('4401')")
        _enter(page, server.key)
        page.value(RUN)
        page.until(f"{RESULT}.includes('CaughtUp')")
        http.post(f"/v1/matches/{made['match_id']}/seats/0/claim").raise_for_status()
        page.until(f"{RESULT}.includes('seat_claimed')")
        page.value(RUN)  # It is a button to stop, now.
        page.until("document.querySelector('[aria-label^=\"Execute\"]') !== null")
        _quiet(page, server)


def _enter(page: browser.Page, token: str) -> None:
    headers = json.dumps({"Authorization": f"Bearer {token}"})
    page.value(f"{HEADERS}.setValue({json.dumps(headers)})")


def _quiet(page: browser.Page, server: Server) -> None:
    """Nobody else was asked, and no policy was broken."""
    asked = [urlsplit(url) for url in page.asked if not url.startswith(("data:", "about:"))]
    assert {each.netloc for each in asked} == {urlsplit(server.url).netloc}
    assert {"/graphql", "/docs/assets/graphiql.min.js"} <= {each.path for each in asked}
    assert [each for each in page.said if "401" not in each and "Warning" not in each] == []


async def test_a_browser_gets_the_page_and_programs_get_answers(door: Door) -> None:
    page = await door.http.get("/graphql", headers={"accept": BROWSER})
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "script-src 'self';" in page.headers["content-security-policy"]
    assert "http:" not in page.text
    assert "https:" not in page.text
    assert "<script>" not in page.text
    for name in (*shown._SCRIPTS, *shown._STYLES):
        assert f'"/docs/assets/{name}"' in page.text
        assert (await door.http.get(f"/docs/assets/{name}")).status_code == 200
    query = {"query": "{ __typename }"}
    whole = {"data": {"__typename": "Query"}}
    for accept in (None, "*/*", "application/json", ACCEPT, f"{ACCEPT}, text/html;q=0.5"):
        headers = {} if accept is None else {"accept": accept}
        told = await door.http.get("/graphql", params=query, headers=headers)
        assert told.json() == whole, accept
    told = await door.http.post("/graphql", json=query, headers={"accept": BROWSER})
    assert told.json() == whole
    refused = await door.http.post("/graphql", json=query, headers={"accept": "text/html"})
    assert (refused.status_code, refused.json()["code"]) == (406, "not-acceptable")
    head = await door.http.head("/graphql", headers={"accept": BROWSER})
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.parametrize(
    "other",
    [Asset("no_such_package", "x", b""), Asset("service", "py.none", b""),
     Asset("service", "app.py", b"", digest="0" * 64)],
    ids=["no package", "no file", "another file"],
)  # fmt: skip
async def test_without_the_known_files_the_page_says_how_to_get_them(
    door: Door, monkeypatch: pytest.MonkeyPatch, other: Asset
) -> None:
    monkeypatch.setitem(ASSETS, "graphiql.min.js", other)
    page = await door.http.get("/graphql", headers={"accept": BROWSER})
    assert f"pip install {assets.GRAPHIQL}==0.8" in page.text
    assert "<script" not in page.text
    gone: Any = await door.http.get("/docs/assets/graphiql.min.js")
    assert (gone.status_code, gone.json()["code"]) == (404, "not-found")


def test_every_asset_is_there() -> None:
    assert all(content(each) for each in ASSETS.values())
