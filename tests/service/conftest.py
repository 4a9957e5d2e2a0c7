"""A running application on each database, and HTTP clients that talk to it in this process."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from service import signals
from service.app import App, build
from service.settings import Settings
from service.signals import Work
from tests import installing
from tests.service.client import Table, bearer, open_table
from tests.service.contract_checks import checked_call

KEY = "pk_tests_" + "a" * 48
SECRET = "5a" * 32
GAME = installing.SLUG


@dataclass
class Clock:
    """Milliseconds, moved by hand."""

    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now


@dataclass(frozen=True)
class Door:
    """A client without a token, the admin key, and the application behind both."""

    http: httpx.AsyncClient
    app: App
    clock: Clock
    key: str = KEY

    async def get(self, path: str, token: str = KEY, **more: Any) -> httpx.Response:
        return await self.http.get(path, headers=_headers(token, more), **more)

    async def post(self, path: str, token: str = KEY, **more: Any) -> httpx.Response:
        return await self.http.post(path, headers=_headers(token, more), **more)

    async def delete(self, path: str, token: str = KEY, **more: Any) -> httpx.Response:
        return await self.http.delete(path, headers=_headers(token, more), **more)

    async def table(self, game: str = GAME, seats: int = 3, **more: Any) -> Table:
        return await open_table(self.http, self.key, game, seats, **more)


@pytest.fixture(autouse=True)
def _high_card_is_known() -> None:
    """High card as if it were installed."""
    installing.install()


@pytest.fixture(autouse=True)
def _nothing_is_put_aside() -> Iterator[None]:
    """A fault in what is made of the feed holds up nobody, so it would only be in the log. Modules
    whose matches can't be read have another fixture of this name.
    """
    before = _aside_count()
    yield
    assert _aside_count() == before, "a match was put aside"


@pytest.fixture(autouse=True)
def _every_answer_is_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an application in this process answers is held to the OpenAPI document."""
    monkeypatch.setattr(App, "__call__", checked_call)


def settings_of(database_url: str, folder: Path) -> Settings:
    return Settings(
        data_dir=folder,
        database_url=database_url,
        secret_key=SECRET,
        admin_key=KEY,
        tick_seconds=0.2,
        feed_seconds=0.02,
        checkpoint_seconds=0.05,
        keep_alive_seconds=0.2,
        long_poll_seconds=60,  # No poll that is to be answered ends before it is.
        page_limit=50,
    )


@asynccontextmanager
async def opened_door(settings: Settings, clock: Clock) -> AsyncIterator[Door]:
    """Of an application that runs as long as this is open."""
    async with build(settings, clock=clock).running() as app, calling(app) as http:
        yield Door(http, app, clock)


def calling(app: App) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://door")


@pytest.fixture
def settings(database_url: str, tmp_path: Path) -> Settings:
    return settings_of(database_url, tmp_path)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def app(settings: Settings, clock: Clock) -> AsyncIterator[App]:
    async with build(settings, clock=clock).running() as running:
        yield running


@pytest.fixture
async def door(app: App, clock: Clock) -> AsyncIterator[Door]:
    async with calling(app) as http:
        yield Door(http, app, clock)


@pytest.fixture
async def table(door: Door) -> Table:
    """A running match of high card with three seats: seat 0 is asked to arrange its hand."""
    return await door.table()


@pytest.fixture
async def other_key(door: Door) -> str:
    """The key of another organisation."""
    from service import credentials, identities

    key = "pk_others_" + "b" * 48

    def work(connection: Any) -> None:
        identities.add_org(connection, "others", 1)
        stored, prefix = credentials.stored(key), credentials.prefix_of(key)
        identities.add_key(connection, stored, prefix, 1, org="others")

    await door.app.parts.database.write(work)
    return key


def _aside_count() -> float:
    of_the_feed = (Work.RESULTS, Work.WEBHOOKS, Work.PLATFORMS)
    counts: list[float] = [signals.SET_ASIDE.labels(e)._value.get() for e in of_the_feed]
    return sum(counts)


def _headers(token: str, more: dict[str, Any]) -> dict[str, str]:
    own = bearer(token) if token else {}
    return {**own, **more.pop("headers", {})}
