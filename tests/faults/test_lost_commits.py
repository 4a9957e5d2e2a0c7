"""A connection to PostgreSQL that dies at COMMIT: executed and not answered, or not even that."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest

from games.core.game import SPECTATOR
from tests.faults.history import faults
from tests.faults.players import (
    REPLAYED,
    claim,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
)
from tests.faults.serving import KEY, Service, plain_client, service
from tests.faults.stored import answers_in, assert_sound, final_of, records_of
from tests.faults.subscribing import subscribed
from tests.proxy import Proxy, proxied
from tests.service.client import Table, create


@pytest.fixture
async def proxy_and_served(
    postgres_url: str, tmp_path: Path
) -> AsyncIterator[tuple[Proxy, Service]]:
    async with proxied(postgres_url) as (through, proxy), service(tmp_path, through) as made:
        await made.start()
        yield proxy, made


Cut = tuple[Proxy, Service]


@pytest.mark.parametrize("is_early", [False, True], ids=["answer", "commit"])
async def test_a_move_whose_commit_is_cut_is_answered_all_the_same(
    proxy_and_served: Cut, is_early: bool
) -> None:
    proxy, served = proxy_and_served
    async with plain_client(served.url) as once:
        table = await open_table(once)
        (ask,) = await next_answers(once, table, Random(1))
        before = await records_of(served, table.match_id)
        async with subscribed(served.url, table, KEY) as watcher:
            await watcher.until(len(before))
            proxy.losses, proxy.is_early, proxy.is_of_events = 1, is_early, True
            done = await give(once, table, ask)
            assert (done.status_code, proxy.lost) == (200, 1)
            assert (REPLAYED in done.headers) is not is_early
            await watcher.until(len(before) + 1)
        after = await records_of(served, table.match_id)
        assert (after[: len(before)], len(after)) == (before, len(before) + 1)
        assert answers_in(after)[ask.decision] == 1
        again = await give(once, table, ask)
        assert (again.headers[REPLAYED], again.content) == ("true", done.content)


async def test_claims_survive_any_number_of_cuts(proxy_and_served: Cut) -> None:
    """More than the service repeats by itself, so that the client has to repeat as well."""
    proxy, served = proxy_and_served
    async with insisting_client(served.url) as http:
        match_id = await create(http, KEY, "ambition_characters", 4, options={"round_limit": 1})
        tokens = []
        for seat, losses in enumerate((1, 6, 7, 8)):
            proxy.losses = losses
            tokens.append(await claim(http, match_id, seat))
            assert proxy.losses == 0
        await play_out(http, Table(match_id, tuple(tokens)))
    log = await assert_sound(served, match_id)
    assert [record.kind for record in log.records].count("seat_claimed") == 4


async def test_a_match_played_while_commits_are_cut(proxy_and_served: Cut) -> None:
    proxy, served = proxy_and_served
    async with insisting_client(served.url) as http:
        table = await open_table(http, rounds=2)
        cutting = asyncio.create_task(_cut_for_ever(proxy))
        try:
            async with subscribed(served.url, table, KEY) as watcher:
                history = await play_out(http, table)
                await watcher.to_the_end()
        finally:
            cutting.cancel()
            await asyncio.gather(cutting, return_exceptions=True)
            proxy.losses = 0
    assert proxy.lost > 1
    final = final_of(await assert_sound(served, table.match_id))
    assert faults(history, final) == []
    assert watcher.events == final.seen[SPECTATOR]


async def _cut_for_ever(proxy: Proxy) -> None:
    rng = Random(1)
    while True:
        await asyncio.sleep(rng.uniform(0, 0.15))
        proxy.losses, proxy.is_early = 1, rng.random() < 0.5
