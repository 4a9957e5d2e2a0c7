"""Databases with a played match in them, and commands run in this process."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

import msgspec
import pytest

from events.append import Append, NewMatch, Secret
from events.chain import genesis
from events.database import Database
from events.dealer import SeedDealer, commitment
from events.decide import ClaimSeat, Command, CreateMatch, PlayMove, Step, create, decide
from events.match import Match
from events.sealing import seal
from events.store import Store
from games import registry
from games.core.chance import ALGORITHM
from games.core.moves import sample, wire_move
from service.cli import main
from service.vault import Vault
from tests.games import high_card

ROOT = Path(__file__).parents[3]
KEY = "5a" * 32
SEED = bytes(range(32))


class Outcome(msgspec.Struct, frozen=True):
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """The lines of JSON on stdout."""
        return [msgspec.json.decode(line) for line in self.out.splitlines()]


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Run a command as if typed in an empty directory."""
    monkeypatch.chdir(tmp_path)

    def typed(*words: object) -> Outcome:
        capsys.readouterr()
        code = main([str(word) for word in words])
        return Outcome(code, *capsys.readouterr())

    return typed


@pytest.fixture
def high_card_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """High card as the only game of the house, while the test runs."""
    monkeypatch.setattr(registry, "HOUSE", (high_card,))
    monkeypatch.setattr(registry, "_entries", cache(registry._entries.__wrapped__))


@pytest.fixture
def played(sqlite_url: str, high_card_game: None) -> tuple[str, str]:
    """A revealed match of high card: the URL of its database, its id."""
    return sqlite_url, asyncio.run(stored_match(sqlite_url))


@pytest.fixture
def running(sqlite_url: str, high_card_game: None) -> tuple[str, str]:
    """A match of high card stopped in the middle, its seed under KEY."""
    return sqlite_url, asyncio.run(stored_match(sqlite_url, moves=3))


async def stored_match(url: str, moves: int | None = None) -> str:
    """Play a random match into the database; all of it, or so many moves."""
    match_id = str(uuid4())
    dealer, rng = SeedDealer(SEED), Random(4)
    steps = list(_begun(match_id))
    while steps[-1].after.decision is not None and moves != 0:
        steps += decide(steps[-1].after, _random_move(steps[-1].after, rng), dealer, at=4)
        moves = None if moves is None else moves - 1
    database = await Database.open(url)
    try:
        await Store(database).append(_append(match_id, steps, dealer))
    finally:
        await database.close()
    return match_id


def damage(url: str, statement: str) -> None:
    """Change the file of a database as no program of ours would."""
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        connection.execute(statement)
    connection.close()


def _begun(match_id: str) -> Iterator[Step]:
    game = high_card.GAME
    bound = commitment(SEED, bytes.fromhex(match_id.replace("-", ""))).hex()
    command = CreateMatch(match_id, game, game.options(), 2, bound, ALGORITHM)
    (step,) = create(command, at=1)
    yield step
    for seat in (0, 1):
        claim = ClaimSeat(seat, f"p_{seat}")
        steps = decide(step.after, claim, SeedDealer(SEED), at=2)
        yield from steps
        step = steps[-1]


def _random_move(current: Match, rng: Random) -> Command:
    assert current.decision is not None
    seat = rng.choice(sorted(current.decision.offers))
    wire = wire_move(sample(current.decision.offers[seat], rng))
    return PlayMove(seat, current.decision_of(seat), wire, bytes(32))


def _append(match_id: str, steps: list[Step], dealer: SeedDealer) -> Append:
    sealed = seal(steps, dealer, lambda count: b"\7" * count)
    vault, created = Vault(bytes.fromhex(KEY)), steps[0].after.created
    new = NewMatch(
        org="main",
        game=created.game,
        rules_version=created.rules_version,
        seats=created.seats,
        data_digest=created.data_digest,
        created_at=1,
        secret=Secret(match_id, vault.seal(match_id, SEED), vault.key_id),
    )
    return Append(
        match_id=match_id,
        key="all",
        request=b"",
        expected_version=0,
        expected_hash=genesis(match_id, created.seats),
        records=tuple(each.record for each in sealed),
        status=steps[-1].after.status,
        texts=tuple(row for step in steps for row in step.texts),
        created=new,
    )
