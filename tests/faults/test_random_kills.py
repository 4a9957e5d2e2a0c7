"""kill -9 at random moments under load: whatever was acknowledged is there, once, and play goes on.

Clients write down what they send and are answered; the history is held against the final log.
"""

import asyncio
import time
from random import Random

import httpx
import pytest

from games.core.game import SPECTATOR
from tests.faults.history import History, faults
from tests.faults.players import insisting_client, open_table, play_out
from tests.faults.serving import KEY, Service
from tests.faults.stored import assert_sound, final_of
from tests.faults.subscribing import Subscriber, subscribed
from tests.service.client import Table

Match = tuple[Table, History, Subscriber]


async def test_killed_at_random_moments(served: Service) -> None:
    await _killed_under_load(served, seconds=4, at_once=4)


@pytest.mark.soak
async def test_killed_at_random_moments_for_long(served: Service) -> None:
    await _killed_under_load(served, seconds=120, at_once=8)


async def _killed_under_load(served: Service, seconds: float, at_once: int) -> None:
    await served.start()
    async with insisting_client(served.url) as http, asyncio.TaskGroup() as tasks:
        killing = tasks.create_task(_kill_for(served, seconds))
        playing = [
            tasks.create_task(_play_until(http, served, killing, number))
            for number in range(at_once)
        ]
    for match in (match for task in playing for match in task.result()):
        await _assert_kept(served, *match)


async def _kill_for(served: Service, seconds: float) -> None:
    """Twice at least, however long a start takes; it runs in the end."""
    rng, kills, until = Random(), 0, time.monotonic() + seconds
    while kills < 2 or time.monotonic() < until:
        await asyncio.sleep(rng.uniform(0.05, 0.7))
        await served.kill()
        kills += 1
        # Some die again while they start.
        await served.start(is_awaited=rng.random() < 0.8)
    await served.until_ready()


async def _play_until(
    http: httpx.AsyncClient, served: Service, killing: asyncio.Task[None], number: int
) -> list[Match]:
    """Whole matches, one after the other, until nobody kills any more; each with a subscriber."""
    played: list[Match] = []
    while not played or not killing.done():
        table = await open_table(http, rounds=2)
        async with subscribed(served.url, table, KEY) as watcher:
            history = await play_out(http, table, seed=100 * number + len(played))
            await watcher.to_the_end()
        played.append((table, history, watcher))
    return played


async def _assert_kept(
    served: Service, table: Table, history: History, watcher: Subscriber
) -> None:
    final = final_of(await assert_sound(served, table.match_id))
    assert faults(history, final) == []
    assert watcher.events == final.seen[SPECTATOR]
