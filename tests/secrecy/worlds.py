"""A whole service in this process, with time, entropy and draws in the hands of the test.

Two of them, given the same, differ in nothing but the positions their matches are opened from.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import msgspec
from sqlalchemy import Connection, insert

from events.append import GameData, NewMatch, SeatRow, Secret
from events.canonical import raw
from events.dealer import SeedDealer, commitment
from events.decide import ClaimSeat, CreateMatch, Step, create, decide, settle
from events.match import Match
from events.tables import TOKEN
from events.types import MatchCreated, PositionSet, Start
from games import registry
from games.core.chance import ALGORITHM
from games.core.game import SPECTATOR, AnyGame, Viewer
from games.core.moves import Offer
from service import credentials, identities
from service.app import App, build
from service.committing import commit
from service.parts import Parts
from service.settings import Settings
from tests.secrecy.door import Door

NOON = 1_700_000_000_000  # milliseconds
SEED = bytes(range(32))
KEY = "pk_secrecy_" + "k" * 48
SECRET_KEY = "5e" * 32

Script = dict[str, tuple[int, ...]]  # the places to draw, by label


class Scripted(SeedDealer):
    """Deals what is written, and what the seed says where nothing is."""

    def __init__(self, script: Script) -> None:
        super().__init__(SEED)
        self._script = script

    def places(self, label: str, offer: Offer, redraw: int = 0) -> tuple[int, ...]:
        return self._script.get(label) or super().places(label, offer, redraw)


class World:
    """One running service. `at` is its time; `entropy` starts anew with every step."""

    def __init__(self, settings: Settings) -> None:
        self.at = NOON
        self.script: Script = {}
        self._random = Random(0)
        self.app: App = build(
            settings,
            dealer=lambda match_id, seed: Scripted(self.script),
            clock=lambda: self.at,
            entropy=lambda count: self._random.randbytes(count),
        )
        self.door = Door(self.app)

    @property
    def parts(self) -> Parts:
        return self.app.parts

    def begin(self, step: str, script: Script) -> None:
        """A second later; the draws to come are these."""
        self.at += 1000
        self._random = Random(step)
        self.script.clear()
        self.script.update(script)

    def forget(self) -> None:
        """Everything kept at hand is gone, as after a restart."""
        parts = self.parts
        parts.cache._kept = type(parts.cache._kept)(100, 1 << 20)
        for kept in (parts.history, parts.encodings, parts.dealers):
            kept._kept.clear()
        parts.doorkeeper._known.clear()

    async def caught_up(self) -> int:
        """Everything is in the feed and signed; how many positions are taken."""
        await self.parts.feeding.catch_up()
        await self.parts.recording.catch_up()
        return await self.parts.feeding.size()

    async def open(self, match: "Opening", state: Any) -> None:
        """Writes a log that begins with the position: no door could."""
        steps = _steps(match, state, Scripted(self.script), self.at)
        game, sealed = match.game, self.parts.vault.seal(match.match_id, SEED)
        fixed = NewMatch(
            org=identities.FIRST_ORG,
            game=game.slug,
            rules_version=game.rules_version,
            seats=match.seats,
            data_digest=game.data_digest,
            created_at=self.at,
            secret=Secret(match.match_id, sealed, self.parts.vault.key_id),
            game_data=_tables(game),
        )
        rows = tuple(SeatRow(seat, f"p_{seat}", f"account {seat}") for seat in range(match.seats))
        dealer = Scripted(self.script)
        done = await commit(
            self.parts, steps, dealer, "create", bytes(32), seats=rows, created=fixed
        )
        assert done is not None
        assert not done.replayed
        await self.parts.database.write(lambda connection: _issue(connection, match, self.at))


class Opening(msgspec.Struct, frozen=True):
    """A match that is the same in both worlds, but for its position."""

    match_id: str
    game: AnyGame
    options: msgspec.Struct
    seats: int
    reveal: str = "held"  # nothing in the suite reveals, so an end and a cancellation are seen too

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.match_id}"

    def token(self, viewer: Viewer) -> str:
        """What the viewer shows at the door."""
        if viewer == SPECTATOR:
            return KEY
        return credentials.seat_token(self._secret(viewer))

    @property
    def behind(self) -> str:
        """The token of a spectator who stays a step behind."""
        coded = credentials.seat_token(self._secret(9999))
        return credentials.SPECTATOR_TOKEN + coded.removeprefix(credentials.SEAT_TOKEN)

    def _secret(self, number: int) -> bytes:
        digest = self.match_id.replace("-", "")
        return f"{digest}{number:04d}".encode()[-30:]


@asynccontextmanager
async def two_worlds(
    path: Path, template: Path, log_level: str = "info"
) -> AsyncIterator[tuple[World, World]]:
    """Two services, each on a database of its own."""
    async with AsyncExitStack() as stack:
        worlds = []
        for name in ("here", "there"):
            settings = _settings(path / name, log_level)
            (path / name).mkdir()
            shutil.copy(template, path / name / "plyscribe.db")
            world = World(settings)
            await stack.enter_async_context(world.app.running())
            await asyncio.sleep(0)  # The one look it takes at its start begins now,
            await world.caught_up()  # and is over before there are matches.
            worlds.append(world)
        yield worlds[0], worlds[1]


def _settings(path: Path, log_level: str) -> Settings:
    return Settings(
        data_dir=path,
        database_url=f"sqlite:///{path / 'plyscribe.db'}",
        secret_key=SECRET_KEY,
        admin_key=KEY,
        log_level=log_level,
        keep_alive_seconds=300,  # A slow machine must not look like a leak.
        send_seconds=300,
        feed_seconds=3600,  # The test says when the feed takes in what there is.
        checkpoint_seconds=0.01,
    )


def _steps(match: Opening, state: Any, dealer: SeedDealer, at: int) -> Sequence[Step]:
    bound = bytes.fromhex(match.match_id.replace("-", ""))
    made = CreateMatch(
        match_id=match.match_id,
        game=registry.game(match.game.slug),
        options=match.options,
        seats=match.seats,
        seed_commitment=commitment(SEED, bound).hex(),
        algorithm=ALGORITHM,
        start=Start.MANUAL,
    )
    steps = [_held(create(made, at)[0], match.reveal)]
    for seat in range(match.seats):
        steps += decide(steps[-1].after, ClaimSeat(seat, f"p_{seat}"), dealer, at)
    current: Match = steps[-1].after
    event = PositionSet(version=current.version + 1, at=at, state=raw(state))
    return (*steps, *settle(current, event, (), dealer, at))


def _held(step: Step, reveal: str) -> Step:
    event = step.event
    assert isinstance(event, MatchCreated)
    event = msgspec.structs.replace(event, reveal=reveal)
    after = msgspec.structs.replace(step.after, created=event)
    return Step(None, event, after)


def _tables(game: AnyGame) -> GameData | None:
    if not game.data_digest:
        return None
    tables = registry.tables_of(game.slug, game.data_digest)
    return GameData(game.data_digest, game.slug, tables)


def _issue(connection: Connection, match: Opening, at: int) -> None:
    for seat in range(match.seats):
        stored = credentials.stored(match.token(seat))
        identities.issue_token(connection, stored, match.match_id, seat, at)
    row = {
        "hash": credentials.stored(match.behind),
        "match_id": match.match_id,
        "kind": identities.WATCH,
        "created_at": at,
        "delay_versions": 1,
        "delay_ms": 1000,
    }
    connection.execute(insert(TOKEN), [row])
