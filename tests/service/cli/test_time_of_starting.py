"""The time that a service takes to start is nobody's: it is served once it can be asked."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from sqlalchemy import select

from events.database import Database
from events.tables import PULSE
from service.app import App, build
from service.cli import serving, workers
from service.cli.listening import bound
from service.settings import Settings
from tests.service.conftest import Clock
from tests.waiting import PATIENCE


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@asynccontextmanager
async def served(app: App, clock: Clock, announcing: int) -> AsyncIterator[str]:
    """Where the app is served, by which so many ms pass between announcing and accepting."""

    def announce() -> None:
        clock.now += announcing

    with bound("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        task = asyncio.create_task(workers.run_server(app, listening, announce))
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            async with asyncio.timeout(PATIENCE):
                await task
            for each in workers.SIGNALS:
                asyncio.get_running_loop().remove_signal_handler(each)


async def test_an_outage_ends_when_connections_are_accepted(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(workers, "_collect_rarely", lambda: None)
    async with build(settings, clock=clock).running():
        ended = clock.now
    clock.now += 60_000
    async with build(settings, clock=clock).opened() as app:
        clock.now += 5_000
        async with served(app, clock, 2_000) as url, httpx.AsyncClient(base_url=url) as http:
            assert (await http.get("/readyz")).status_code == 200
            await app.parts.pulse.knows(clock.now)
            assert app.parts.pulse.outages == ((ended, ended + 67_000),)


async def test_who_looks_whether_all_is_there_serves_nobody(settings: Settings) -> None:
    await serving._check(settings)
    database = await Database.open(settings.database_url)
    try:
        assert await database.read(lambda c: c.execute(select(PULSE)).all()) == []
    finally:
        await database.close()
