"""The primary of a PostgreSQL dies in play, and its standby takes its place.

Beside the service, builds of it that answer too early are shown to be found out.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from games.core.game import SPECTATOR
from tests import servers
from tests.faults import builds
from tests.faults.history import History, faults
from tests.faults.loads import under_load
from tests.faults.outages import assert_told, assert_unavailable
from tests.faults.players import (
    Ask,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
    played,
)
from tests.faults.replicated import Pair, pair, wait_for_standby
from tests.faults.serving import KEY, Service, built, plain_client, service
from tests.faults.stored import assert_sound, final_of, records_of
from tests.faults.subscribing import subscribed
from tests.service.client import Table, decision_of


@pytest.fixture
async def replicated() -> AsyncIterator[Pair]:
    try:
        async with pair() as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


async def test_a_standby_takes_over_in_play(replicated: Pair, tmp_path: Path) -> None:
    async with (
        service(tmp_path, replicated.url) as served,
        insisting_client(served.url) as http,
        plain_client(served.url) as once,
    ):
        await served.start()
        waiting, table = await open_table(once), await open_table(once, rounds=2)
        (ask,) = await next_answers(once, waiting, Random(1))
        before = await records_of(served, waiting.match_id)
        async with subscribed(served.url, table, KEY) as watcher, asyncio.TaskGroup() as tasks:
            playing = tasks.create_task(play_out(http, table))
            await watcher.until(15)
            assert not playing.done()
            await asyncio.to_thread(replicated.primary.kill)
            await assert_told(once, waiting, ask)
            await asyncio.to_thread(replicated.standby.promote)
            await served.until_ready()
            await playing
            await watcher.to_the_end()
        assert await records_of(served, waiting.match_id) == before
        assert (await give(once, waiting, ask)).status_code == 200
        final = final_of(await assert_sound(served, table.match_id))
        assert faults(playing.result(), final) == []
        assert watcher.events == final.seen[SPECTATOR]
        await assert_sound(served, waiting.match_id)
        # The old primary comes back as it was. It is asked first by a service that starts now, and
        # as no standby follows it, it can do nothing for it.
        await asyncio.to_thread(replicated.primary.start)
        async with built(builds.impatient, tmp_path, replicated.url) as late:
            await late.start(is_awaited=False)
            assert await late.exit_code() == 2
        assert (await once.get("/readyz")).status_code == 200


@pytest.mark.soak
async def test_each_takes_the_place_of_the_other_for_long(replicated: Pair, tmp_path: Path) -> None:
    async with service(tmp_path, replicated.url) as served:
        await served.start()
        await under_load(served, _fail_over_for(120, replicated, served), at_once=4)


async def _fail_over_for(seconds: float, replicated: Pair, served: Service) -> None:
    rng, until = Random(), time.monotonic() + seconds
    primary, standby = replicated.primary, replicated.standby
    while time.monotonic() < until:
        await asyncio.sleep(rng.uniform(0.5, 4))
        await asyncio.to_thread(primary.kill)
        await asyncio.sleep(rng.uniform(0, 1))
        await asyncio.to_thread(standby.promote)
        await served.until_ready()
        primary, standby = standby, primary
        await asyncio.to_thread(standby.copy, primary.url)
        await asyncio.to_thread(standby.start)
        await asyncio.to_thread(wait_for_standby, primary)


async def test_nothing_is_acknowledged_that_the_standby_has_not(
    replicated: Pair, tmp_path: Path
) -> None:
    async with (
        built(builds.impatient, tmp_path, replicated.url) as sound,
        built(builds.waiting_for_no_standby, tmp_path, replicated.url) as hasty,
        built(builds.repeating_what_it_reads, tmp_path, replicated.url) as credulous,
    ):
        tables = [await _Client.at(served) for served in (sound, hasty, credulous)]
        await replicated.line.stop()
        for client, is_told in zip(tables, (False, True, False), strict=True):
            assert await client.gives() is is_told
            # What is committed here alone can be seen, and is not to be counted on.
            await client.sees_its_move()
        for client, is_told in zip(tables, (False, True, True), strict=True):
            assert await client.gives() is is_told
        await asyncio.to_thread(replicated.primary.kill)
        await asyncio.to_thread(replicated.standby.promote)
        found = [await client.finishes() for client in tables]
    assert found[0] == []
    assert all(found[1:])


class _Client:
    """One that gives the same answer in one match, until it plays on."""

    def __init__(self, served: Service, table: Table, ask: Ask, history: History) -> None:
        self._served = served
        self._table = table
        self._ask = ask
        self._history = history

    @classmethod
    async def at(cls, served: Service) -> "_Client":
        """After a few moves."""
        await served.start()
        history, rng = History(), Random(1)
        async with insisting_client(served.url) as http:
            table = await open_table(http)
            for _ in range(5):
                (ask, *_) = await next_answers(http, table, rng)
                await played(http, table, ask, history)
            (ask, *_) = await next_answers(http, table, rng)
        return cls(served, table, ask, history)

    async def gives(self) -> bool:
        """Whether it is acknowledged, which is written down; else nobody knows."""
        async with plain_client(self._served.url) as http:
            began = self._history.now()
            done = await give(http, self._table, self._ask)
        if done.status_code == 200:
            ask = self._ask
            self._history.answered(began, ask.seat, ask.decision, ask.move, done.json())
            return True
        assert_unavailable(done)
        return False

    async def sees_its_move(self) -> None:
        async with insisting_client(self._served.url) as http:
            shown = await decision_of(http, self._table, self._ask.seat)
        assert (shown["decision"] or {}).get("id") != self._ask.decision

    async def finishes(self) -> list[str]:
        """Plays on, and what is wrong then."""
        await self._served.until_ready()
        async with insisting_client(self._served.url) as http:
            await play_out(http, self._table, self._history)
        final = final_of(await assert_sound(self._served, self._table.match_id))
        return faults(self._history, final)
