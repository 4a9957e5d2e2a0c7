"""PostgreSQL killed in the middle of play and started again; the service is not."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from games.core.game import SPECTATOR
from service import migrate
from tests import servers
from tests.faults import builds
from tests.faults.cluster import Cluster
from tests.faults.history import faults
from tests.faults.outages import assert_told
from tests.faults.players import (
    REPLAYED,
    give,
    insisting_client,
    next_answers,
    open_table,
    play_out,
    under_way,
)
from tests.faults.serving import KEY, SECONDS, plain_client, service
from tests.faults.stored import assert_sound, final_of, records_of
from tests.faults.subscribing import subscribed
from tests.forking import nothing


async def test_postgresql_is_killed_in_play_and_comes_back(
    own_cluster: Cluster, tmp_path: Path
) -> None:
    await _killed_twice(own_cluster, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("build", "found"),
    [
        (builds.taking_an_outage_for_a_mistake, "500 instead of 503"),
        (builds.believing_what_it_sent, r"20. instead of 503"),
        (builds.never_coming_back, "it is not ready"),
    ],
)
async def test_who_bears_no_outage_is_found_out(
    own_cluster: Cluster, tmp_path: Path, build: Callable[[], None], found: str
) -> None:
    with pytest.raises(AssertionError, match=found):
        await _killed_twice(own_cluster, tmp_path, build, patience=10)


async def _killed_twice(
    own_cluster: Cluster,
    tmp_path: Path,
    build: Callable[[], None] = nothing,
    patience: float = SECONDS,
) -> None:
    url = servers.create_database(own_cluster.url, f"test_{uuid4().hex}")
    await asyncio.to_thread(migrate.upgrade, url)
    async with (
        service(tmp_path, url) as served,
        insisting_client(served.url) as http,
        plain_client(served.url) as once,
    ):
        served.build = build
        await served.start()
        waiting, table = await open_table(once), await open_table(once, rounds=4)
        (ask,) = await next_answers(once, waiting, Random(1))
        before = await records_of(served, waiting.match_id)
        async with (
            subscribed(served.url, table, KEY) as watcher,
            under_way(play_out(http, table)) as playing,
        ):
            for version in (15, 40):
                await watcher.until(version)
                assert not playing.done()
                await asyncio.to_thread(own_cluster.kill)
                await assert_told(once, waiting, ask)
                await asyncio.to_thread(own_cluster.start)
                await served.until_ready(patience)
            await playing
            await watcher.to_the_end()
        assert await records_of(served, waiting.match_id) == before
        done = await give(once, waiting, ask)
        assert (done.status_code, REPLAYED in done.headers) == (200, False)
        final = final_of(await assert_sound(served, table.match_id))
        assert faults(playing.result(), final) == []
        assert watcher.events == final.seen[SPECTATOR]
        await assert_sound(served, waiting.match_id)
