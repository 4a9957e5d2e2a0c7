"""Services that lie with their own keys, and what the players of their matches keep on disk."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
import msgspec

from events.bundle import EVENTS
from service.app import App, build
from service.settings import Settings, sqlite_url
from tests.events.bundled import members
from tests.service.cli.conftest import KEY
from tests.service.client import (
    RUNNING,
    Table,
    answer,
    bearer,
    create,
    decision_of,
    random_move,
    seat_all,
)

ADMIN = "pk_tests_" + "a" * 48
SEATS = {"ambition_tricks": 4, "ambition_characters": 4}


@dataclass
class Operator:
    """A service that runs here. Everything it says is signed by its own keys."""

    app: App
    http: httpx.AsyncClient
    folder: Path

    async def table(self, game: str, **claim: Any) -> Table:
        """A match with all seats taken; `claim` is said when seat 0 is claimed."""
        seats = SEATS[game]
        match_id = await create(self.http, ADMIN, game, seats)
        if not claim:
            return await seat_all(self.http, ADMIN, match_id, seats)
        tokens = []
        for seat in range(seats):
            path = f"/v1/matches/{match_id}/seats/{seat}/claim"
            body = claim if seat == 0 else {}
            claimed = await self.http.post(path, json=body, headers=bearer(ADMIN))
            tokens.append(claimed.json()["token"])
        return Table(match_id, tuple(tokens))

    async def bundle(self, table: Table, perspective: str, name: str = "") -> Path:
        """As the seat, or anybody of the match, gets it and keeps it."""
        seat = int(perspective.removeprefix("seat:")) if perspective.startswith("seat:") else 0
        await self.app.parts.feeding.catch_up()
        params = {"perspective": perspective}
        got = await self.http.get(
            f"{table.path}/bundle", params=params, headers=bearer(table.tokens[seat])
        )
        assert got.status_code == 200, got.text
        path = self.folder / f"{name or perspective.replace(':', '-')}.zip"
        path.write_bytes(got.content)
        return path

    async def end(self, table: Table) -> None:
        """Here and now, so that all is revealed."""
        done = await self.http.post(table.path + "/cancel", headers=bearer(ADMIN))
        assert done.status_code == 200, done.text

    async def keys(self) -> Path:
        await self.app.parts.feeding.catch_up()
        path = self.folder / "jwks.json"
        path.write_bytes((await self.http.get("/.well-known/jwks.json")).content)
        return path


@dataclass
class Player:
    """Everybody at a table, who keep what they are given."""

    folder: Path
    rng: Random
    lines: list[bytes] = field(default_factory=list)
    views: list[Path] = field(default_factory=list)

    @property
    def receipts(self) -> Path:
        path = self.folder / "receipts.ndjson"
        path.write_bytes(b"\n".join(self.lines))
        return path

    async def play(self, by: Operator, table: Table, moves: int = 10_000, *, looks: int = 0) -> int:
        """One after the other, up to so many moves, keeping receipts, and views of some."""
        self.folder.mkdir(exist_ok=True)
        made = 0
        while made < moves:
            asked = [await decision_of(by.http, table, seat) for seat in range(len(table.tokens))]
            if asked[0]["status"] not in RUNNING:
                break
            for seat, shown in enumerate(asked):
                own = shown["decision"]
                if own is None or own["id"] is None or made >= moves:
                    continue
                move = random_move(own["offers"], self.rng)
                done = await answer(by.http, table, seat, own["id"], move)
                if done.status_code != 200:
                    continue  # It was asked no more.
                self.lines.append(done.content)
                made += 1
                if made <= looks:
                    await self.look(by, table, seat)
        return made

    async def look(self, by: Operator, table: Table, seat: int) -> Path:
        got = await by.http.get(table.path + "/view", headers=bearer(table.tokens[seat]))
        assert got.status_code == 200, got.text
        path = self.folder / f"view-{len(self.views)}.http"
        path.write_bytes(as_curl_saves(got))
        self.views.append(path)
        return path


def as_curl_saves(got: httpx.Response) -> bytes:
    head = [f"HTTP/1.1 {got.status_code} OK", *(f"{k}: {v}" for k, v in got.headers.items())]
    return "\r\n".join([*head, "", ""]).encode() + got.content


@asynccontextmanager
async def operator(folder: Path, **replaced: Any) -> AsyncIterator[Operator]:
    url = sqlite_url(folder / "plyscribe.db")
    settings = Settings(data_dir=folder, database_url=url, secret_key=KEY, admin_key=ADMIN)
    async with build(settings, **replaced).running() as app:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
            yield Operator(app, http, folder)


def kept_away(folder: Path) -> None:
    """The database as it is, so that the operator can go back to it."""
    _copied(folder, "plyscribe.db", "before.db")


def taken_back(folder: Path) -> None:
    _copied(folder, "before.db", "plyscribe.db")


def _copied(folder: Path, one: str, other: str) -> None:
    for tail in ("", "-wal", "-shm"):
        (folder / (other + tail)).unlink(missing_ok=True)
        if (folder / (one + tail)).exists():
            shutil.copy(folder / (one + tail), folder / (other + tail))


def lines_of(path: Path) -> list[Any]:
    """The events of a bundle."""
    return [msgspec.json.decode(line) for line in members(path.read_bytes())[EVENTS].splitlines()]
