"""`plyscribe monitor` beside a service that runs, and beside one that took something back."""

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

from events.monitor import Known, Subtree
from events.notes import opened_verifier_key
from service.cli.monitoring import VARIABLE
from tests.service.cli.conftest import Run, damage
from tests.service.client import bearer
from tests.service.conftest import GAME, KEY
from tests.service.far import FAR, NAME, placed, top
from tests.service.process import Server, server
from tests.waiting import PATIENCE, until


@pytest.fixture
def service(sqlite_url: str, tmp_path: Path) -> Iterator[Server]:
    with server(sqlite_url, tmp_path, CHECKPOINT_SECONDS="0.1", FEED_SECONDS="0.05") as started:
        yield started


def made(service: Server) -> None:
    """One more match, with its creation in a signed root."""
    with httpx.Client(
        base_url=service.address, headers=bearer(KEY), trust_env=False, timeout=PATIENCE
    ) as http:
        new = http.post("/v1/matches", json={"game": GAME, "seats": 2})
        assert new.status_code == 201
        until(lambda: is_signed(http, new.json()["match_id"]))


def is_signed(http: httpx.Client, match_id: str) -> bool:
    """Not whatever came into the log meanwhile, such as the keys of a log that is new."""
    log = http.get("/v1/log")
    feed = http.get("/v1/feed?after=0&limit=500").json()["entries"]
    places = [each["position"] for each in feed if each["match_id"] == match_id]
    return bool(places) and log.status_code == 200 and log.json()["size"] >= places[0]


def kept(state: Path) -> Known:
    return msgspec.json.decode(state.read_bytes(), type=Known)


def test_a_key_that_is_none_is_said_and_not_repeated(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    (file := tmp_path / "key").write_text("one two")
    for words, said in (
        ((), "no API key"),
        (("--key-file", file), "is none"),
        (("--key-file", file, "--key", "one"), "not in both"),
        (("--key-file", tmp_path / "no"), "no: No such file"),
    ):
        told = run("monitor", "http://127.0.0.1:1", *words, "--once")
        assert (told.code, said in told.err) == (2, True), told.err
        assert "one two" not in told.err


def test_a_log_is_followed_from_look_to_look(
    run: Run, service: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state.json"
    look = ("monitor", service.address, "--key", KEY, "--state", state, "--once", "--json")
    made(service)
    (first,) = run(*look).lines
    assert (first["ok"], first["entries"], first["unchecked"]) == (True, 1, [])
    made(service)
    made(service)
    told = run(*look)
    (second,) = told.lines
    assert (told.code, second["entries"]) == (0, 2)
    assert second["size"] > first["size"]
    assert len(kept(state).matches) == 3
    monkeypatch.setenv(VARIABLE, KEY)
    (file := tmp_path / "key").write_text(KEY + "\n")
    for words in ((), ("--key-file", file)):
        told = run("monitor", service.address, *words, "--state", state, "--once", "--json")
        assert (told.code, told.lines[0]["entries"]) == (0, 0)
    (third,) = run(*look).lines
    assert (third["ok"], third["entries"]) == (True, 0)


def test_a_log_is_followed_however_far_it_has_come(
    run: Run, sqlite_url: str, tmp_path: Path
) -> None:
    asyncio.run(placed(sqlite_url))
    state, often = tmp_path / "state.json", {"CHECKPOINT_SECONDS": "0.1", "FEED_SECONDS": "0.05"}
    with server(sqlite_url, tmp_path, **often) as service:
        made(service)
        log = httpx.get(f"{service.address}/v1/log", trust_env=False, timeout=PATIENCE).json()
        _, key = opened_verifier_key(log["verifier_keys"][0])
        before = Known(NAME, (key.hex(),), FAR, (Subtree(32, top()[1].hex()),))
        state.write_bytes(msgspec.json.encode(before))
        look = ("monitor", service.address, "--key", KEY, "--state", state, "--once", "--json")
        (first,) = run(*look).lines
    assert (first["ok"], first["entries"], first["reason"]) == (True, 1, None)
    assert first["size"] == kept(state).size > FAR


def test_a_key_that_is_not_the_log_s_is_found(run: Run, service: Server, tmp_path: Path) -> None:
    made(service)
    log = httpx.get(f"{service.address}/v1/log", trust_env=False, timeout=PATIENCE).json()
    look = ("monitor", service.address, "--key", KEY, "--state", tmp_path / "s", "--once")
    other = "log.example/other+490c7400+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"
    assert run(*look, "--keys", other).code == 2
    assert run(*look, "--keys", log["verifier_keys"][0]).code == 0


def test_a_refusal_and_a_service_that_is_away_are_said(
    run: Run, service: Server, tmp_path: Path
) -> None:
    made(service)
    look = ("--key", "pk_nobody", "--state", tmp_path / "s", "--once")
    told = run("monitor", service.address, *look)
    assert (told.code, "may not read it (401)" in told.err) == (2, True)
    assert run("monitor", "http://127.0.0.1:1", *look).code == 2
    assert not (tmp_path / "s").exists()
    (tmp_path / "s").write_text("{}")
    assert run("monitor", service.address, *look).code == 2


def test_a_service_that_took_something_back_is_found(
    run: Run, sqlite_url: str, tmp_path: Path
) -> None:
    state, path = tmp_path / "state.json", sqlite_url.removeprefix("sqlite:///")
    often = {"CHECKPOINT_SECONDS": "0.1", "FEED_SECONDS": "0.05"}
    with server(sqlite_url, tmp_path, **often) as service:
        made(service)
        assert service.stop() == 0
    shutil.copy(path, f"{path}.before")
    for is_second in (False, True):
        if is_second:
            shutil.copy(f"{path}.before", path)
        with server(sqlite_url, tmp_path, **often) as service:
            for _ in range(1 + is_second):
                made(service)
            look = ("monitor", service.address, "--key", KEY, "--state", state, "--once", "--json")
            told = run(*look)
            if not is_second:
                assert told.code == 0, told.err
                seen = kept(state)
            assert service.stop() == 0
    (found,) = told.lines
    assert (told.code, found["ok"]) == (1, False)
    assert "does not continue" in found["reason"]
    assert len(found["evidence"]) == 2
    assert kept(state) == seen


def test_a_head_that_is_not_the_one_in_the_log_is_found(
    run: Run, sqlite_url: str, tmp_path: Path
) -> None:
    often = {"CHECKPOINT_SECONDS": "0.1", "FEED_SECONDS": "0.05"}
    with server(sqlite_url, tmp_path, **often) as service:
        made(service)
        assert service.stop() == 0
    damage(sqlite_url, "UPDATE feed SET head = zeroblob(32) WHERE match_id IS NOT NULL")
    with server(sqlite_url, tmp_path, **often) as service:
        look = ("monitor", service.address, "--key", KEY, "--state", tmp_path / "s", "--once")
        told = run(*look)
    assert told.code == 1
    assert "is not what the log has there" in told.out or "does not continue" in told.out
