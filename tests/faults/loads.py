"""Whole matches, one after the other, as long as something goes wrong; and what has to be left."""

import asyncio
from collections.abc import Coroutine

import httpx

from games.core.game import SPECTATOR
from tests.faults.history import History, faults
from tests.faults.players import insisting_client, open_table, play_out
from tests.faults.serving import KEY, Service
from tests.faults.stored import assert_sound, final_of
from tests.faults.subscribing import Subscriber, subscribed
from tests.service.client import Table

Match = tuple[Table, History, Subscriber]


async def under_load(served: Service, trouble: Coroutine[None, None, None], at_once: int) -> None:
    """Matches are played on the service, so many at a time, until the trouble is over.

    Then what clients noted, of every match, is held against its log.
    """
    async with insisting_client(served.url) as http, asyncio.TaskGroup() as tasks:
        going_on = tasks.create_task(trouble)
        playing = [
            tasks.create_task(_play_until(http, served, going_on, number))
            for number in range(at_once)
        ]
    for match in (match for task in playing for match in task.result()):
        await _assert_kept(served, *match)


async def _play_until(
    http: httpx.AsyncClient, served: Service, trouble: asyncio.Task[None], number: int
) -> list[Match]:
    """Each with a subscriber."""
    played: list[Match] = []
    while not played or not trouble.done():
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
