"""kill -9 at each named point: before the commit, after it, and after the hint."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path
from random import Random
from uuid import uuid4

import httpx
import pytest

from games.core.game import SPECTATOR
from tests.faults.history import History, faults
from tests.faults.players import (
    GAME,
    REPLAYED,
    SEATS,
    claim,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
)
from tests.faults.serving import KEY, Service, plain_client, service
from tests.faults.stored import (
    answers_in,
    assert_continues,
    assert_sound,
    final_of,
    records_of,
)
from tests.faults.subscribing import subscribed
from tests.service.client import Table, bearer, create

POINTS = [("before_commit", False), ("after_commit", True), ("after_hint", True)]
DEAL = 1 + SEATS  # the append that deals: the match, then each claim


async def lost(request: Awaitable[object], dying: Service) -> None:
    """The request is not answered, because the server dies of it."""
    with pytest.raises(httpx.TransportError):
        await request
    await dying.has_died()


@pytest.mark.parametrize(("point", "is_stored"), POINTS)
async def test_killed_at_the_deal_and_at_a_move(
    served: Service, http: httpx.AsyncClient, point: str, is_stored: bool
) -> None:
    await served.start(f"{point}:{DEAL}")
    match_id = await create(http, KEY, GAME, SEATS, options={"round_limit": 1})
    tokens = [await claim(http, match_id, seat) for seat in range(SEATS - 1)]
    history, last_claim = History(), str(uuid4())
    async with (
        subscribed(served.url, f"/v1/matches/{match_id}", KEY) as watcher,
        plain_client(served.url) as once,
    ):
        seated = await records_of(served, match_id)
        await lost(claim(once, match_id, SEATS - 1, last_claim), served)
        dealt = await records_of(served, match_id)
        assert_continues(dealt, seated)
        assert (len(dealt) > len(seated)) is is_stored

        # What was not stored is appended again before the next point is passed.
        await served.start(f"{point}:{1 if is_stored else 2}")
        tokens.append(await claim(http, match_id, SEATS - 1, last_claim))
        table = Table(match_id, tuple(tokens))
        started = await records_of(served, match_id)
        assert_continues(started, dealt)
        assert (started == dealt) is is_stored
        (ask,) = await next_answers(http, table, Random(1))
        await lost(give(once, table, ask), served)
        stored = await records_of(served, match_id)
        assert_continues(stored, started)
        assert (len(stored) > len(started)) is is_stored

        await served.start()
        began = history.now()
        done, again = await give(http, table, ask), await give(http, table, ask)
        assert (done.status_code, REPLAYED in done.headers) == (200, is_stored)
        assert (again.headers[REPLAYED], again.content) == ("true", done.content)
        history.answered(began, ask.seat, ask.decision, ask.move, done.json())
        await play_out(http, table, history)
        await watcher.to_the_end()
    log = await assert_sound(served, match_id)
    assert_continues(log.records, stored)
    assert answers_in(log.records)[ask.decision] == 1
    final = final_of(log)
    assert faults(history, final) == []
    assert watcher.events == final.seen[SPECTATOR]
    assert watcher.starts >= 3


async def test_a_subscriber_of_another_process_needs_no_hint(
    postgres_url: str, tmp_path: Path
) -> None:
    folders = [tmp_path / name for name in ("dying", "other")]
    for folder in folders:
        folder.mkdir()
    async with (
        service(folders[0], postgres_url) as dying,
        service(folders[1], postgres_url) as other,
        insisting_client(dying.url) as http,
        insisting_client(other.url) as there,
        plain_client(dying.url) as once,
    ):
        await asyncio.gather(dying.start(f"after_commit:{DEAL + 1}"), other.start())
        table = await open_table(http)
        (ask,) = await next_answers(http, table, Random(2))
        version = len(await records_of(other, table.match_id))
        async with subscribed(other.url, table, table.tokens[1]) as watcher:
            await watcher.until(version)
            await lost(give(once, table, ask), dying)
            await watcher.until(version + 1)
        assert watcher.versions == list(range(1, version + 2))
        done = await give(there, table, ask)
        assert (done.status_code, done.headers[REPLAYED]) == (200, "true")


@pytest.mark.soak
async def test_a_creation_that_was_cut_off_is_run_again(
    served: Service, http: httpx.AsyncClient
) -> None:
    """Half a minute later: until then nobody knows that it is not still being answered."""
    await served.start("before_commit:1")
    body = {"game": GAME, "seats": SEATS}
    headers = {**bearer(KEY), "idempotency-key": "one"}
    async with plain_client(served.url) as once:
        await lost(once.post("/v1/matches", json=body, headers=headers), served)
    await served.start()
    async with asyncio.timeout(60):
        while (
            got := await http.post("/v1/matches", json=body, headers=headers)
        ).status_code == 409:
            assert got.json()["code"] == "request-running"
            await asyncio.sleep(1)
    assert got.status_code == 201
    again = await http.post("/v1/matches", json=body, headers=headers)
    assert (again.headers[REPLAYED], again.content) == ("true", got.content)
