"""A connection to PostgreSQL that dies at COMMIT: executed and not answered, or not even that."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random

import pytest

from games.core.game import SPECTATOR
from tests.faults import builds
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
        yield proxy, made


Cut = tuple[Proxy, Service]


@pytest.mark.parametrize("is_early", [False, True], ids=["answer", "commit"])
async def test_a_move_whose_commit_is_cut_is_answered_all_the_same(
    proxy_and_served: Cut, is_early: bool
) -> None:
    await _cut_once(proxy_and_served, is_early)


LOST, HIDDEN = "the move is not in the log", "the client has to learn of it"


@pytest.mark.parametrize(
    ("build", "is_early", "found"),
    [
        (builds.believing_what_it_sent, True, LOST),
        (builds.giving_up_at_once, False, HIDDEN),
        pytest.param(builds.knowing_no_key, False, HIDDEN, marks=pytest.mark.soak),
    ],
)
async def test_who_takes_a_cut_for_something_else_is_found_out(
    proxy_and_served: Cut, build: Callable[[], None], is_early: bool, found: str
) -> None:
    proxy_and_served[1].build = build
    with pytest.raises(AssertionError, match=found):
        await _cut_once(proxy_and_served, is_early)


async def _cut_once(cut: Cut, is_early: bool) -> None:
    proxy, served = cut
    await served.start()
    async with plain_client(served.url) as once:
        table = await open_table(once)
        (ask,) = await next_answers(once, table, Random(1))
        before = await records_of(served, table.match_id)
        async with subscribed(served.url, table, KEY) as watcher:
            await watcher.until(len(before))
            proxy.losses, proxy.is_early, proxy.is_of_events = 1, is_early, True
            done = await give(once, table, ask)
            assert proxy.lost == 1
            assert done.status_code == 200, HIDDEN
            after = await records_of(served, table.match_id)
            assert len(after) == len(before) + 1, LOST
            assert (REPLAYED in done.headers) is not is_early
            await watcher.until(len(after))
        assert after[: len(before)] == before
        assert answers_in(after)[ask.decision] == 1
        again = await give(once, table, ask)
        assert (again.headers[REPLAYED], again.content) == ("true", done.content)


async def test_claims_survive_any_number_of_cuts(proxy_and_served: Cut) -> None:
    """More than the service repeats by itself, so that the client has to repeat as well."""
    proxy, served = proxy_and_served
    await served.start()
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
    await served.start()
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
