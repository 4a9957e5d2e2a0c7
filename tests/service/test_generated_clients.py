"""Clients that others' generators make of the document."""

import subprocess
import sys
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest

from service import contract
from tests.service.node import installed
from tests.service.process import server
from tests.waiting import PATIENCE

USE = """
import type { components, operations, paths } from "./plyscribe.js";

type Schemas = components["schemas"];
type Ok<Name extends "createMatch" | "getEvents" | "playMove", Status extends number> =
  operations[Name]["responses"] extends Record<Status, { content: { "application/json": infer T } }>
    ? T
    : never;

export const path: keyof paths = "/v1/matches/{match}/moves";
export const answer = (page: Schemas["MoveList"]): Schemas["MoveBody"] | undefined => {
  const move = page.moves[0]?.move;
  return move ? { decision: page.decision, move } : undefined;
};
export const id = (made: Ok<"createMatch", 201>): string => made.match_id;
export const last = (receipt: Ok<"playMove", 200>): number => receipt.last;
export const kinds = (page: Ok<"getEvents", 200>): string[] => page.events.map((e) => e.kind);
// @ts-expect-error: a receipt is no page of moves
export const wrong = (receipt: Schemas["Receipt"]): Schemas["MoveList"] => receipt;
"""


# As docs/clients.md has it: the generator knows bytes by one name alone.
ZIPS = "content_type_overrides:\n  application/zip: application/octet-stream\n"


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "openapi.json"
    path.write_bytes(contract.served())
    return path


def test_a_generated_python_client_plays_a_whole_match(
    document: Path, tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "settings.yaml").write_text("post_hooks: []\n" + ZIPS)
    generate = ["-m", "openapi_python_client", "generate", "--meta", "none", "--fail-on-warning"]
    _run(
        tmp_path,
        *(sys.executable, *generate, "--config", "settings.yaml"),
        *("--path", document.name, "--output-path", "made_client"),
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with server(sqlite_url, tmp_path) as running, ExitStack() as stack:
        _play(stack, running.address, running.key)


def _play(stack: ExitStack, address: str, key: str) -> None:
    made, models = import_module("made_client"), import_module("made_client.models")
    owner = stack.enter_context(made.AuthenticatedClient(base_url=address, token=key))
    options = models.MatchBodyOptions.from_dict({"round_limit": 2})
    wanted = models.MatchBody(game="ambition_characters", seats=2, options=options)
    match = _call("matches.create_match", client=owner, body=wanted).match_id
    seats = []
    for seat in range(2):
        token = _call("seats.claim_seat", match, seat, client=owner).token
        client = made.AuthenticatedClient(base_url=address, token=token)
        seats.append(stack.enter_context(client))
    rng = Random(1)
    while (now := _call("play.get_decision", match, client=seats[0])).status == "running":
        client = seats[now.asked.seats[0]]
        page = _call("play.list_moves", match, client=client)
        body = models.MoveBody(decision=page.decision, move=rng.choice(page.moves).move)
        assert _call("play.play_move", match, client=client, body=body).last > now.version
    shown = _call("play.get_view", match, client=seats[0])
    assert shown.result.terminal == "normal"
    refused = import_module("made_client.api.play.get_decision").sync_detailed(match, client=owner)
    assert isinstance(refused.parsed, models.Problem)
    assert (refused.parsed.code, refused.status_code) == ("seat-token-required", 403)
    after = 0
    while (page := _call("play.get_events", match, client=seats[1], after=after)).events:
        assert [each.version for each in page.events] == list(range(after + 1, page.after + 1))
        after = page.after
    assert after == shown.version


def test_types_generated_for_typescript_compile(document: Path, tmp_path: Path) -> None:
    programs = installed(Path(__file__).with_name("npm")) / "node_modules" / ".bin"
    _run(tmp_path, str(programs / "openapi-typescript"), document.name, "-o", "plyscribe.ts")
    (tmp_path / "use.ts").write_text(USE)
    checks = ("--noEmit", "--strict", "--target", "es2022", "--module", "nodenext")
    _run(tmp_path, str(programs / "tsc"), *checks, "use.ts")


def _call(operation: str, *arguments: Any, **named: Any) -> Any:
    """What a generated function answers with: the parsed body of a 2xx answer."""
    told = import_module(f"made_client.api.{operation}").sync_detailed(*arguments, **named)
    assert told.status_code < 300, told.content
    return told.parsed


def _run(folder: Path, *command: str) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
