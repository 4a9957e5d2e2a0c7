"""Logs tell what happened and never what was in it."""

import ast
import io
import logging
import sys
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from service import commands, logs
from service.settings import Settings
from tests.service.client import answer, decision_of, play_out, random_move
from tests.service.conftest import Door

CANARY = "canary-7f3a"
LEVELS = ("debug", "info", "warning", "error")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the application logs; it keeps the stream it finds when it is built."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


@pytest.fixture
def settings(settings: Settings, written: io.StringIO) -> Settings:
    return replace(settings, log_level="debug")


def test_every_line_has_known_fields_alone() -> None:
    """One with another field would be a failure where a failure is told."""
    unknown = set()
    for path in (Path(logs.__file__).parent).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of = ast.unparse(node.func.value)
                if of.split(".")[-1] in ("log", "_log") and node.func.attr in LEVELS:
                    named = {each.arg for each in node.keywords if each.arg}
                    unknown |= {f"{path.name}: {name}" for name in named - logs.FIELDS}
    assert not unknown


async def test_a_match_leaves_no_secret_in_the_log(
    door: Door, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await door.table()
    body = {"decision": None, "move": {"type": "speak", "text": CANARY}}
    headers = {"Idempotency-Key": CANARY}
    await door.post(table.path + "/moves", table.tokens[0], json=body, headers=headers)
    await door.post(table.path + "/moves", table.tokens[0], json={"decision": CANARY})
    await door.get(f"{table.path}/events?after={CANARY}")
    await door.get("/v1/me", "st_" + CANARY)
    shown = await decision_of(door.http, table, 0)
    with monkeypatch.context() as patched:

        def broken(*_: object) -> None:
            raise ValueError(CANARY)

        patched.setattr(commands, "decide", broken)
        move = random_move(shown["decision"]["offers"], Random(1))
        failed = await answer(door.http, table, 0, shown["decision"]["id"], move)
    assert (failed.status_code, failed.json()["code"]) == (500, "internal")
    assert CANARY not in failed.text
    view = await play_out(door.http, table, 1)
    assert view["status"] == "over"
    text = written.getvalue()
    lines = [msgspec.json.decode(line) for line in text.splitlines()]
    (failure,) = [line for line in lines if line["event"] == "request_failed"]
    assert failure["error"] == "ValueError"
    assert "play_move" in failure["where"]
    assert failure["request_id"] == failed.headers["x-request-id"]
    assert all(set(line) <= logs.FIELDS for line in lines)
    for secret in (CANARY, door.key, *table.tokens, *(t[3:] for t in table.tokens)):
        assert secret not in text
    assert '"cards"' not in text
    assert '"card"' not in text


def test_a_line_with_a_foreign_field_is_a_mistake() -> None:
    with pytest.raises(AssertionError, match="move"):
        logs.logger(Settings(), io.StringIO()).info("played", move={"type": "pass"})


def test_console_lines_hold_no_more_than_json_ones() -> None:
    written = io.StringIO()
    try:
        raise ValueError(CANARY)
    except ValueError as error:
        logs.logger(Settings(log_format="console"), written).error("failed", exc_info=error)
    assert "ValueError" in written.getvalue()
    assert CANARY not in written.getvalue()


def test_what_libraries_tell_comes_in_the_same_form_and_without_values() -> None:
    written = io.StringIO()
    library = logging.Logger("library")
    library.addHandler(logs.Libraries(logs.logger(Settings(log_format="json"), written)))
    try:
        raise ValueError(CANARY)
    except ValueError:
        library.exception("It failed at %s\nwith %s", CANARY, CANARY)
    line = msgspec.json.decode(written.getvalue())
    assert (line["level"], line["event"], line["error"]) == ("error", "library", "ValueError")
    assert line["reason"] == "It failed at %s"
    assert CANARY not in written.getvalue()


def test_levels_are_heeded() -> None:
    written = io.StringIO()
    logs.logger(Settings(log_level="warning"), written).info("started")
    assert written.getvalue() == ""
