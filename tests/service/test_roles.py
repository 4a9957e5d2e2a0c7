"""What a process knows, tells and leaves alone that is only one half of the service."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, delete

from events.tables import OUTAGE, PULSE
from service import feeding
from service.app import App, build
from service.closer import Closer
from service.pulse import Pulse
from service.roles import Role
from service.settings import Settings
from tests.service.conftest import Clock
from tests.waiting import eventually

HOUR = 3_600_000


@pytest.fixture
def database_url(postgres_url: str) -> str:
    return postgres_url


@asynccontextmanager
async def opened(settings: Settings, clock: Clock, role: Role) -> AsyncIterator[App]:
    """A process of its own for all that the others know; it serves nobody yet."""
    async with build(replace(settings, role=role), clock=clock).opened() as app:
        yield app


@dataclass
class Two:
    """The pulse of a web, which beats when it is told to, and that of a worker."""

    web: Pulse
    worker: Pulse
    clock: Clock


@pytest.fixture
async def two(settings: Settings, clock: Clock) -> AsyncIterator[Two]:
    async with (
        opened(settings, clock, Role.WEB) as web,
        opened(settings, clock, Role.WORKER) as worker,
    ):

        def forget(connection: Connection) -> None:
            connection.execute(delete(PULSE))
            connection.execute(delete(OUTAGE))

        await web.parts.database.write(forget)
        yield Two(web.parts.pulse, worker.parts.pulse, clock)


async def test_a_worker_that_heard_of_nobody_knows_nothing(two: Two) -> None:
    await two.worker.beat()
    assert (two.worker.beaten, two.worker.outages, two.worker.is_heard) == (0, (), False)


async def test_what_a_worker_hears_is_no_sign_that_anybody_serves(two: Two) -> None:
    await two.web.beat()
    before = two.clock.now
    two.clock.now += 60_000
    await two.worker.beat()
    assert (two.worker.beaten, two.worker.outages, two.worker.is_heard) == (before, (), False)
    await two.web.beat()
    assert two.web.outages == ((before, before + 60_000),)
    await two.worker.beat()
    assert (two.worker.beaten, two.worker.is_heard) == (before + 60_000, True)
    assert two.worker.outages == two.web.outages


async def test_a_worker_waits_for_whoever_serves_before_it_acts(two: Two) -> None:
    await two.web.beat()
    two.clock.now += 60_000
    waiting = asyncio.create_task(two.worker.catch_up())
    await asyncio.sleep(0.3)  # Some looks, none of which finds a newer beat.
    assert not waiting.done()
    await two.web.beat()
    await waiting
    assert two.worker.outages == two.web.outages != ()


async def test_a_worker_follows_a_clock_that_was_set_back(two: Two) -> None:
    await two.web.beat()
    two.clock.now += 60_000
    await two.web.beat()
    await two.worker.beat()
    waiting = asyncio.create_task(two.worker.knows(two.clock.now + 1))
    await asyncio.sleep(0)
    two.clock.now -= HOUR
    await waiting  # That is no moment of the past any more.
    await two.web.beat()
    await two.worker.beat()
    assert two.worker.beaten == two.web.beaten == two.clock.now
    assert two.worker.outages == two.web.outages


async def readiness(app: App) -> Any:
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://door") as http:
        return (await http.get("/readyz")).json()["status"]


async def test_who_is_left_alone_says_so(
    settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr(feeding, "_UNKEPT_SECONDS", 0.1)
    async with opened(settings, clock, Role.WEB) as web:
        await web.parts.pulse.beat()
        await eventually(lambda: readiness(web), lambda found: found == "degraded")
        await eventually(_told(capfd), lambda said: '"role_missing"' in said)
        assert not web.parts.feeding.leads
        async with opened(settings, clock, Role.WORKER) as worker:
            await eventually(lambda: readiness(web), lambda found: found == "ok")
            await worker.parts.pulse.beat()
            assert worker.parts.feeding.leads
            assert await readiness(worker) == "ok"
            clock.now += HOUR
            await worker.parts.pulse.beat()
            assert await readiness(worker) == "degraded"


def _told(capfd: Any) -> Any:
    said = ""

    async def read() -> str:
        nonlocal said
        said += str(capfd.readouterr().err)
        return said

    return read


async def test_no_socket_opens_without_doors(settings: Settings, clock: Clock) -> None:
    sent = list[Any]()

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    handshake = {"type": "websocket", "path": "/graphql"}
    async with opened(settings, clock, Role.WORKER) as worker:
        await worker(handshake, receive, send)
        assert [each["type"] for each in sent] == ["websocket.close"]
        answering: Any = {"extensions": {"websocket.http.response": {}}}
        await worker(handshake | answering, receive, send)
    _, head, body = sent
    assert head["status"] == 421
    assert dict(head["headers"])[b"content-type"] == b"application/problem+json"
    assert json.loads(body["body"])["code"] == "misdirected"


def test_groups_that_nobody_here_ends_are_not_remembered() -> None:
    closer = Closer(heeds=False)
    closer.stir("a group")
    assert closer._stirred == set()
