"""Clients that do not give up: the same request again until it is answered."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar
from uuid import uuid4

import httpx

from tests.faults.history import History
from tests.faults.serving import KEY, SECONDS
from tests.service.client import (
    RUNNING,
    Json,
    Table,
    answer,
    bearer,
    create,
    decision_of,
    random_move,
)

T = TypeVar("T")

GAME, SEATS = "ambition_characters", 4
REPLAYED = "plyscribe-replayed"


class Insisting(httpx.AsyncBaseTransport):
    """Sends a request again when the connection breaks or the answer is 503.

    An answer is whole when it is handed on, so one that was cut counts as none.
    """

    def __init__(self, seconds: float) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._seconds = seconds
        self.repeats = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        deadline = time.monotonic() + self._seconds
        while True:
            found = await self._sent(request)
            if isinstance(found, httpx.Response) and found.status_code != 503:
                return found
            if time.monotonic() > deadline:
                if isinstance(found, httpx.Response):
                    return found
                raise found
            self.repeats += 1
            await asyncio.sleep(0.05)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _sent(self, request: httpx.Request) -> httpx.Response | httpx.TransportError:
        try:
            got = await self._inner.handle_async_request(request)
            try:
                await got.aread()
            finally:
                await got.aclose()
        except httpx.TransportError as error:
            return error
        return httpx.Response(got.status_code, headers=got.headers, content=got.content)


def insisting_client(url: str, seconds: float = 2 * SECONDS) -> httpx.AsyncClient:
    return httpx.AsyncClient(base_url=url, transport=Insisting(seconds), timeout=SECONDS)


async def open_table(
    http: httpx.AsyncClient, rounds: int = 1, seats: int = SEATS, **more: object
) -> Table:
    """A running match that ends after so many rounds."""
    match_id = await create(http, KEY, GAME, seats, options={"round_limit": rounds}, **more)
    return Table(match_id, tuple([await claim(http, match_id, seat) for seat in range(seats)]))


async def claim(http: httpx.AsyncClient, match_id: str, seat: int, key: str | None = None) -> str:
    """The seat's token; under a key, so that it may be asked for again."""
    path = f"/v1/matches/{match_id}/seats/{seat}/claim"
    headers = {**bearer(KEY), "idempotency-key": key or str(uuid4())}
    claimed = await http.post(path, headers=headers)
    assert claimed.status_code == 200, claimed.text
    token: str = claimed.json()["token"]
    return token


@dataclass(frozen=True)
class Ask:
    """An answer a seat is about to give."""

    seat: int
    decision: str
    move: Json


async def asked_seats(http: httpx.AsyncClient, table: Table) -> list[int]:
    """Whom the match waits for."""
    got = await http.get(table.path, headers=bearer(KEY))
    assert got.status_code == 200, got.text
    asked = got.json()["asked"]
    return [] if asked is None else list(asked["seats"])


async def next_answers(http: httpx.AsyncClient, table: Table, rng: Random) -> list[Ask]:
    """A random answer of everybody the match waits for."""
    found = []
    for seat in await asked_seats(http, table):
        shown = await decision_of(http, table, seat)
        move = random_move(shown["decision"]["offers"], rng)
        found.append(Ask(seat, shown["decision"]["id"], move))
    return found


async def give(http: httpx.AsyncClient, table: Table, ask: Ask) -> httpx.Response:
    return await answer(http, table, ask.seat, ask.decision, ask.move)


async def play_seat(
    http: httpx.AsyncClient, table: Table, seat: int, rng: Random, history: History
) -> None:
    """Play to the end, and write down all that is sent and answered."""
    while True:
        shown = await decision_of(http, table, seat)
        if shown["status"] not in RUNNING:
            return
        own = shown["decision"]
        if own is not None and own["id"] is not None:
            move = random_move(shown["decision"]["offers"], rng)
            await played(http, table, Ask(seat, own["id"], move), history)
            await _looked(http, table, seat, history)
            await _read(http, table, seat, rng.randrange(shown["version"]), history)
        else:
            await _read(http, table, seat, shown["version"], history, wait=2)


async def play_out(
    http: httpx.AsyncClient, table: Table, history: History | None = None, seed: int = 1
) -> History:
    """Every seat played at the same time by a client of its own, to the end."""
    history = history or History()
    await asyncio.gather(
        *(
            play_seat(http, table, seat, Random(seed * 100 + seat), history)
            for seat in range(len(table.tokens))
        )
    )
    return history


@asynccontextmanager
async def under_way(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """A task that is gone after the block, whether or not anybody has waited for it."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def played(http: httpx.AsyncClient, table: Table, ask: Ask, history: History) -> None:
    """Give it, and write down the answer."""
    began = history.now()
    got = await give(http, table, ask)
    # One client plays a seat, so whatever it was offered is still on offer.
    assert got.status_code == 200, got.text
    history.answered(began, ask.seat, ask.decision, ask.move, got.json())


async def _looked(http: httpx.AsyncClient, table: Table, seat: int, history: History) -> None:
    began = history.now()
    got = await http.get(table.path + "/view", headers=bearer(table.tokens[seat]))
    assert got.status_code == 200, got.text
    history.viewed(began, seat, got.json())


async def _read(
    http: httpx.AsyncClient, table: Table, seat: int, after: int, history: History, wait: int = 0
) -> None:
    began = history.now()
    got = await http.get(
        table.path + "/events",
        params={"after": after, "wait": wait},
        headers=bearer(table.tokens[seat]),
    )
    assert got.status_code == 200, got.text
    history.read(began, seat, after, got.json())
