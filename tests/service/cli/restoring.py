"""What tests of backups share: the commands of the manual, somebody who plays, what has to hold."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import httpx
import psycopg

from events.database import Database
from events.feed import state_of
from service.cli.checking import checked
from service.cli.rebuilding import read_log
from service.settings import Settings
from tests import installing
from tests.service.cli.conftest import ROOT
from tests.service.cli.shelled import Shell
from tests.service.client import bearer
from tests.service.conftest import KEY, SECRET
from tests.service.process import Server, server
from tests.soak.checking import is_all_fed
from tests.waiting import eventually

MANUAL = (ROOT / "docs" / "operations.md").read_text("utf-8")
WORD = "said-and-erased"

Json = dict[str, Any]


def commands(block: str) -> str:
    """The text of a block of the manual, as it stands there."""
    (_, found, rest) = MANUAL.partition(f"```sh {block}\n")
    assert found, block
    return rest.partition("```")[0]


async def does(prompt: Shell, block: str) -> str:
    """What the commands of a block print, when they go well."""
    done = await asyncio.to_thread(prompt.run, commands(block))
    assert done.returncode == 0, done.stderr
    return done.stdout


class Player:
    """Makes matches and talks in them without a pause; `said` are versions that were answered."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self.said: dict[str, int] = {}

    async def post(self, path: str, token: str = KEY, **body: Any) -> Json:
        headers = {**bearer(token), "idempotency-key": uuid4().hex}
        got = await self._http.post(f"/v1/matches{path}", json=body, headers=headers)
        assert got.status_code in (200, 201), got.text
        found: Json = got.json()
        return found

    async def seated(self) -> tuple[str, str]:
        """A match that runs, and the token of its seat 0."""
        made = (await self.post("", game=installing.SLUG, seats=2))["match_id"]
        tokens = [(await self.post(f"/{made}/seats/{seat}/claim"))["token"] for seat in (0, 1)]
        return made, tokens[0]

    async def say(self, match_id: str, token: str, word: str) -> Json:
        move = {"type": "speak", "text": word}
        done = await self.post(f"/{match_id}/moves", token, decision=None, move=move)
        self.said[match_id] = done["last"]
        return done

    async def play(self) -> None:
        while True:
            match_id, token = await self.seated()
            for number in range(10):
                await self.say(match_id, token, f"word {number}")

    @asynccontextmanager
    async def playing(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self.play())
        try:
            await eventually(self._count, lambda count: count >= 3)
            yield
        finally:
            assert not task.done() or task.exception() is None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _count(self) -> int:
        return len(self.said)


def started(prompt: Shell) -> Any:
    return server(prompt.environ["PLYSCRIBE_DATABASE_URL"], prompt.folder / "data")


async def published(served: Server, past: int) -> int:
    """The size of the log as it is signed, when it is more than `past`."""
    async with served.client() as http:

        async def size() -> int:
            got = await http.get("/v1/log/checkpoint")
            return int(got.text.splitlines()[1]) if got.status_code == 200 else 0

        return await eventually(size, lambda found: found > past)


async def settled(prompt: Shell, served: Server) -> int:
    """The size of the log as it is signed, when all that was committed is in it."""
    database = await Database.open(prompt.environ["PLYSCRIBE_DATABASE_URL"], read_only=True)
    try:
        await eventually(lambda: is_all_fed(database))
        state = await database.read(state_of)
    finally:
        await database.close()
    return await published(served, state.size - 1)


async def assert_holds(prompt: Shell, said: dict[str, int]) -> None:
    """Every match whole up to the version that was answered at least."""
    own = {"database_url": prompt.environ["PLYSCRIBE_DATABASE_URL"], "secret_key": SECRET}
    settings = Settings(data_dir=prompt.folder / "data", **own)  # type: ignore[arg-type]
    for match_id, version in said.items():
        log = await read_log(settings, match_id)
        assert len(log.records) >= version
        assert checked(log).ok


def texts(prompt: Shell) -> list[str]:
    url = prompt.environ["PLYSCRIBE_DATABASE_URL"]
    query = "SELECT text FROM text"
    if url.startswith("sqlite"):
        with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
            return [str(row[0]) for row in connection.execute(query)]
    with psycopg.connect(url) as connection:
        return [str(row[0]) for row in connection.execute(query).fetchall()]
