"""`plyscribe bot` against real servers: seats played to the end, and every way it can fail."""

import asyncio
import os
import subprocess
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import msgspec
import pytest

from games import registry
from games.core.game import AnyGame, Trial
from games.core.walk import random_match, seeded
from tests.proxy import Proxy
from tests.service.cli.conftest import ROOT, Run
from tests.service.client import bearer
from tests.service.conftest import GAME, KEY
from tests.service.process import PATIENCE, Server, server

Json = dict[str, Any]
NOBODY = "st_" + "a" * 48


def spawned() -> Any:
    """How a bot is started as a process."""
    return {"env": {**os.environ, "PYTHONPATH": str(ROOT)}, "cwd": ROOT}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("service")
    with server(f"sqlite:///{folder}/plyscribe.db", folder) as started:
        yield started


def post(service: Server, path: str, body: Json) -> Json:
    url = service.address + path
    done = httpx.post(url, json=body, headers=bearer(KEY), trust_env=False, timeout=PATIENCE)
    assert done.is_success, done.text
    made: Json = done.json()
    return made


def batch(service: Server, *matches: Json, folder: Path) -> tuple[Path, Json]:
    """A file with the answer, and the answer."""
    made = post(service, "/v1/batches", {"matches": list(matches)})
    file = folder / "batch.json"
    file.write_bytes(msgspec.json.encode(made))
    return file, made


def tokens(made: Json) -> list[str]:
    return [seat["link"]["token"] for each in made["matches"] for seat in each["seats"]]


def of(*players: str | None, **more: Any) -> Json:
    return {"game": GAME, "seats": [{"external_id": each} for each in players], **more}


@pytest.mark.parametrize("strength", ["random", "search"])
def test_every_hosted_game_is_played_to_its_end(
    run: Run, service: Server, tmp_path: Path, strength: str
) -> None:
    """The trial of each that ends first; moves with any number of picks are among the offers."""
    matches = []
    for game in registry.games():
        options, seats = min(game.trials, key=lambda trial: length(game, trial))
        own = msgspec.to_builtins(options)
        matches.append({"game": game.slug, "options": own, "seats": [{}] * seats})
    file, made = batch(service, *matches, folder=tmp_path)
    how = ("--seed", "one", "--strength", strength, "--think", 6)
    told = run("bot", service.address, "--links", file, *how, "--json")
    assert told.code == 0, told.err
    for each in made["matches"]:
        own = [line for line in told.lines if line["match_id"] == each["match_id"]]
        assert any(line["searched"] for line in own) is (strength == "search")
    assert len(told.lines) == len(tokens(made))
    assert {line["status"] for line in told.lines} == {"over"}
    assert not any(token in told.out + told.err for token in tokens(made))


def length(game: AnyGame, trial: Trial) -> int:
    return sum(1 for _ in random_match(game, *trial, seeded("short")))


def test_the_seats_of_one_player_are_chosen_out_of_a_batch(
    run: Run, service: Server, tmp_path: Path
) -> None:
    file, made = batch(service, of("ada", "bob"), of("bob", "cyd"), folder=tmp_path)
    everyone = ("--player", "ada", "--player", "bob", "--player", "cyd")
    told = run("bot", service.address, "--links", file, *everyone[:4], "--once", "--json")
    assert told.code == 0
    shown = {(line["match_id"], line["seat"]): line["status"] for line in told.lines}
    first, second = (each["match_id"] for each in made["matches"])
    assert set(shown) == {(first, 0), (first, 1), (second, 0)}
    assert shown[second, 0] == "seating"
    assert run("bot", service.address, "--links", file, *everyone).code == 0
    assert run("bot", service.address, "--links", file, "--player", "dan").code == 2


def test_it_is_told_its_links_by_option_variable_or_standard_input(
    run: Run, service: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, made = batch(service, of(None, None, None), folder=tmp_path)
    first, second, third = tokens(made)
    monkeypatch.setenv("BOT_LINKS", f"https://play.example.org/#match=x&token={second}\n")
    words = [sys.executable, "-m", "service.cli", "bot", service.address, first, "--links", "-"]
    words += ["--strength", "search"]  # The game of this match is not installed there.
    done = subprocess.run(
        [*words, "--json"],
        input=third.encode(),
        capture_output=True,
        **spawned(),
    )
    assert done.returncode == 0, done.stderr
    lines = [msgspec.json.decode(line) for line in done.stdout.splitlines()]
    assert {line["seat"] for line in lines} == {0, 1, 2}
    assert all(line["rank"] is not None and not line["searched"] for line in lines)
    match_id = made["matches"][0]["match_id"]
    assert (
        done.stderr.decode() == f"match {match_id}: plays {GAME} at random, it has no search here\n"
    )


def test_it_claims_its_seats_once_they_open_and_puts_nothing_into_the_seed(
    run: Run, service: Server, tmp_path: Path
) -> None:
    soon = int(time.time() * 1000) + 1500
    late, owed = of("ada", "bob", schedule={"opens_at": soon}), of("cyd", "dan", entropy=True)
    file, _ = batch(service, late, owed, folder=tmp_path)
    words = ("bot", service.address, "--links", file, "--json")
    early = run(*words, "--player", "ada", "--once")
    assert [line["status"] for line in early.lines] == ["scheduled"]
    told = run(*words)
    assert told.code == 0, told.err
    assert [line["status"] for line in told.lines] == ["over"] * 4


def test_a_bot_that_is_started_again_goes_on(run: Run, service: Server, tmp_path: Path) -> None:
    file, _ = batch(service, of(None, None, options={"rounds": 5}), folder=tmp_path)
    words = ("bot", service.address, "--links", file, "--json")
    for _ in range(40):
        told = run(*words, "--once")
        assert told.code == 0, told.err
        if told.lines[0]["status"] == "over":
            break
    assert run(*words).lines[0]["moves"] == 0


async def test_a_service_killed_between_a_move_and_its_receipt_is_waited_for(
    sqlite_url: str, tmp_path: Path
) -> None:
    """The bot goes through a proxy, so that the service has one address before and after."""
    crash = {"TEST": "1", "TEST_CRASH_AT": "after_commit:9"}
    with server(sqlite_url, tmp_path, **crash) as first:
        file, made = batch(first, of(None, None, options={"rounds": 5}), folder=tmp_path)
        gate = Proxy("127.0.0.1", port_of(first))
        await gate.start()
        words = ["bot", f"http://127.0.0.1:{gate.port}", "--links", str(file), "--json"]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "service.cli", *words, **spawned(), stdout=PIPE
        )
        await asyncio.to_thread(first.process.wait, PATIENCE)
        await gate.stop()
    with server(sqlite_url, tmp_path) as second:
        again = Proxy("127.0.0.1", port_of(second))
        again.port = gate.port
        await again.start()
        out, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        await again.stop()
        match_id = made["matches"][0]["match_id"]
        played = await moves_of(second, match_id)
    assert process.returncode == 0
    lines = [msgspec.json.decode(line) for line in out.splitlines()]
    assert {line["status"] for line in lines} == {"over"}
    assert sum(line["moves"] for line in lines) == played > 9


async def moves_of(service: Server, match_id: str) -> int:
    async with service.client() as http:
        path, params = f"/v1/matches/{match_id}/events", {"limit": 500}
        got = await http.get(path, params=params, headers=bearer(KEY))
        return sum(each["kind"] == "move_played" for each in got.json()["events"])


def port_of(service: Server) -> int:
    return int(service.address.rpartition(":")[2])


def test_a_link_that_plays_nothing_is_code_3_and_the_others_are_played(
    run: Run, service: Server, tmp_path: Path
) -> None:
    _, made = batch(service, of(None, None), folder=tmp_path)
    told = run("bot", service.address, NOBODY, *tokens(made), "--json")
    assert told.code == 3
    assert [line["status"] for line in told.lines] == ["over", "over"]
    assert told.err == "plyscribe: link 1: its link does not play it: unauthorized (401)\n"


def test_a_seat_that_is_taken_away_is_code_3(run: Run, service: Server, tmp_path: Path) -> None:
    _, made = batch(service, of(None, None), folder=tmp_path)
    (match,) = made["matches"]
    post(service, f"/v1/matches/{match['match_id']}/seats/0/claim", {})
    assert run("bot", service.address, tokens(made)[0]).code == 3


def test_a_service_that_stays_away_is_code_4(run: Run) -> None:
    told = run("bot", "http://127.0.0.1:1", NOBODY, "--patience", "0.5")
    assert (told.code, "does not answer" in told.err) == (4, True)


@contextmanager
def answering(status: int, body: bytes) -> Iterator[str]:
    """The address of something that is no such service and answers everything alike."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as other:
        thread = Thread(target=other.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{other.server_address[1]}"
        finally:
            other.shutdown()
            thread.join()


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (200, b"<html>", 5),
        (200, b"[]", 5),
        (200, b'{"kind":"api_key"}', 5),
        (200, b'{"kind":"seat_token"}', 5),
        (302, b"", 5),
        (418, b'{"code":"teapot"}', 5),
        (403, b'{"code":"other-seat"}', 3),
        (404, b'{"code":"match-not-found"}', 3),
        (404, b'{"code":"not-found"}', 5),
        (403, b'{"code":"%b"}' % NOBODY.encode(), 5),
        (503, b"", 4),
    ],
)
def test_what_answers_otherwise_is_a_typed_failure(
    run: Run, status: int, body: bytes, code: int
) -> None:
    with answering(status, body) as address:
        told = run("bot", address, NOBODY, "--patience", "0.3")
    assert told.code == code
    assert len(told.err.splitlines()) == 1
    assert NOBODY not in told.err + told.out


@pytest.mark.parametrize(
    "words",
    [
        ("bot", "localhost:8000", NOBODY),
        ("bot", "http://[", NOBODY),
        ("bot", "http://localhost"),
        ("bot", "http://localhost", NOBODY, "--player", "ada"),
        ("bot", "http://localhost", NOBODY + "!" + NOBODY),
        ("bot", "http://localhost", "sl_" + "a" * 48),
        ("bot", "http://localhost", "--links", "missing.json"),
        ("bot", "http://localhost", "--link=" + NOBODY),
        ("bot", "http://localhost", "--patience", NOBODY),
        ("bot", "http://localhost", NOBODY, "--patience", "nan"),
        ("bot", "http://localhost", NOBODY, "--think", "0"),
        ("bot", "http://localhost", NOBODY, "--strength", "chess"),
    ],
)
def test_what_makes_no_sense_is_code_2_and_repeats_no_token(run: Run, words: Any) -> None:
    told = run(*words)
    assert (told.code, told.out) == (2, "")
    assert len(told.err.splitlines()) == 1
    assert "aaaaaaaa" not in told.err


@pytest.mark.parametrize(
    "content",
    [b"{", b"\xff", b"", b"{}", b'{"seat":1,"token":"sp_aaaaaaaaaaaaaaaaaaaaaaa"}', b"some words"],
)
def test_a_file_without_links_is_code_2(run: Run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "links").write_bytes(content)
    told = run("bot", "http://localhost", "--links", tmp_path / "links")
    assert (told.code, len(told.err.splitlines())) == (2, 1)
