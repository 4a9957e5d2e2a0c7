"""Two releases at once on one database: matches in play go on, forwards and back again."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from random import Random

import httpx
import psycopg
import pytest

from games.core.game import SPECTATOR
from service import migrate
from tests import servers
from tests.faults import releases
from tests.faults.balancing import balanced
from tests.faults.history import History, faults
from tests.faults.players import GAME, give, next_answers, open_table, play_out, played
from tests.faults.redis_server import RedisServer, redis_server
from tests.faults.serving import KEY, Service, plain_client, service
from tests.faults.stored import assert_sound, final_of
from tests.faults.subscribing import Subscriber, subscribed
from tests.forking import forked
from tests.service.client import Table, bearer
from tests.waiting import PATIENCE, eventually

Both = tuple[Service, Service]


SHORT = 4  # rounds


@pytest.fixture
def redis() -> Iterator[RedisServer]:
    try:
        with redis_server() as made:
            yield made
    except servers.ServerMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
async def both(own_url: str, redis: RedisServer, tmp_path: Path) -> AsyncIterator[Both]:
    """A process of this release, which runs, and one of the next, which does not yet."""
    # So small a cache that snapshots are read all the time.
    more = {"redis_url": redis.url, "cached_matches": 1}
    async with (
        service(tmp_path, own_url, **more) as old,
        service(tmp_path, own_url, **more) as new,
    ):
        old.build, new.build = releases.this_release, releases.next_release
        await old.start()
        yield old, new


async def test_matches_go_on_over_an_upgrade(both: Both) -> None:
    await _upgraded(both, rounds=SHORT)


async def test_matches_go_on_when_it_is_taken_back(both: Both) -> None:
    await _taken_back(both, rounds=SHORT)


@pytest.mark.soak
@pytest.mark.parametrize("rounds", [20, 40, 60])
async def test_matches_go_on_over_long_upgrades(both: Both, rounds: int) -> None:
    await _upgraded(both, rounds)


async def test_a_release_that_needs_its_second_step_at_once_is_found_out(both: Both) -> None:
    both[1].build = releases.hasty_release
    with pytest.raises(AssertionError, match="it did not start"):
        await _upgraded(both, rounds=SHORT)


@pytest.mark.soak
async def test_a_migration_in_one_step_is_found_out(both: Both) -> None:
    with pytest.raises(AssertionError, match="unavailable"):
        await _upgraded(both, rounds=SHORT, expand=releases.expand_and_contract)


async def _upgraded(
    both: Both, rounds: int, expand: Callable[[str], None] = releases.expand
) -> None:
    old, new = both
    async with in_play(both, rounds) as play:
        await play.has_moved(4)
        await done_by(expand, old.database_url)
        await play.has_moved(2)
        await new.start()
        await play.has_moved(6)
        for each in both:
            async with plain_client(each.url) as http:
                await open_table(http)
        await until_saved_by_next(play, old.database_url)
        await play.has_moved(4)
        assert await old.stop() == 0
        await play.has_moved(2)
        await done_by(releases.contract, old.database_url)
        async with plain_client(new.url) as http:
            await open_table(http)
        await play.to_the_end()
    await play.check(new)
    assert await asyncio.to_thread(migrate.current_revision, new.database_url) == "9002"


async def _taken_back(both: Both, rounds: int) -> None:
    old, new = both
    async with in_play(both, rounds) as play:
        await done_by(releases.expand, old.database_url)
        await new.start()
        await play.has_moved(6)
        await until_saved_by_next(play, old.database_url)
        assert await new.stop() == 0
        await play.has_moved(4)
        assert await old.stop() == 0
        await old.start()
        assert "schema_is_newer_than_this_program" in old.said()
        await play.to_the_end()
    await play.check(old)


async def test_what_the_next_release_left_is_read_as_it_was_meant(both: Both) -> None:
    await _handed_back(both)


@pytest.mark.soak
async def test_snapshots_that_are_read_as_ones_own_are_noticed(both: Both) -> None:
    old, new = both
    assert await old.stop() == 0
    old.build, new.build = releases.trusting_release, releases.next_to_a_trusting_release
    await old.start()
    with pytest.raises(AssertionError, match=r"decision"):
        await _handed_back(both)


async def _handed_back(both: Both) -> None:
    """Matches begun by the next release alone, and played to their end by this one alone."""
    old, new = both
    await done_by(releases.expand, old.database_url)
    assert await old.stop() == 0
    await new.start()
    async with balanced(new.url, old.url) as http:
        matches = [(await open_table(http, rounds=2), History()) for _ in range(2)]
        await _until_saved_as_they_are(http, matches, new.database_url)
        assert await new.stop() == 0
        await old.start()
        for table, history in matches:
            await play_out(http, table, history)
            final = final_of(await assert_sound(old, table.match_id))
            assert faults(history, final) == []


async def _until_saved_as_they_are(
    http: httpx.AsyncClient, matches: list[tuple[Table, History]], url: str
) -> None:
    """Played until the last event of each is in its snapshot: nothing after it makes that good."""
    rng, are_saved = Random(1), False
    while not are_saved:
        are_saved = True
        for table, history in matches:
            # Each is read anew, for there is room for one alone; the snapshot comes a little later.
            asks = await next_answers(http, table, rng)
            await asyncio.sleep(0.1)
            if await one_of(url, _IS_SAVED, table.match_id) == (0,):
                are_saved = False
                await played(http, table, asks[0], history)


async def test_a_contraction_that_comes_too_early_is_told_and_does_no_harm(both: Both) -> None:
    """The old program can't make matches any more, says so, and plays on those that are there."""
    old, new = both
    async with plain_client(old.url) as http:
        table = await open_table(http)
        await done_by(releases.expand, old.database_url)
        await done_by(releases.contract, old.database_url)
        before = await count(old.database_url, "match")
        body = {"game": GAME, "seats": 4}
        refused = await http.post("/v1/matches", json=body, headers=bearer(KEY))
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        assert await count(old.database_url, "match") == before
        (ask,) = await next_answers(http, table, Random(1))
        assert (await give(http, table, ask)).status_code == 200
        await new.start()
        async with balanced(old.url, new.url) as either:
            await play_out(either, await open_table(either))
        history = await play_out(http, table)
        assert history.answers
    await assert_sound(old, table.match_id)


class Play:
    """Matches that are played at the same time, each with a client of its own and subscribers."""

    def __init__(self) -> None:
        self.playing: list[asyncio.Task[History]] = []
        self.tables: list[Table] = []
        self.watchers: list[list[Subscriber]] = []

    async def has_moved(self, versions: int) -> None:
        """Returns when every match that is not over has come so much further."""
        wanted = [watching[0].last + versions for watching in self.watchers]
        for task, watching, version in zip(self.playing, self.watchers, wanted, strict=True):
            await eventually(
                lambda t=task, w=watching, v=version: self._is_there(t, w[0], v)  # type: ignore[misc]
            )
        assert not all(task.done() for task in self.playing), "nothing is played any more"

    async def _is_there(
        self, task: asyncio.Task[History], watcher: Subscriber, version: int
    ) -> bool:
        if task.done():
            task.result()
            return True
        return watcher.last >= version

    async def to_the_end(self) -> None:
        await asyncio.gather(*self.playing)
        for watching in self.watchers:
            for watcher in watching:
                await watcher.to_the_end()

    async def check(self, served: Service) -> None:
        rows = zip(self.playing, self.tables, self.watchers, strict=True)
        for task, table, watching in rows:
            final = final_of(await assert_sound(served, table.match_id))
            assert faults(task.result(), final) == []
            for watcher in watching:
                assert watcher.events == final.seen[SPECTATOR]


@asynccontextmanager
async def in_play(both: Both, rounds: int) -> AsyncIterator[Play]:
    """A match by clients that go to either process in turn, another by some that stay."""
    urls, play = [each.url for each in both], Play()
    async with AsyncExitStack() as stack:
        for number, is_sticky in enumerate((False, True)):
            http = await stack.enter_async_context(balanced(*urls, is_sticky=is_sticky))
            table = await open_table(http, rounds)
            play.tables.append(table)
            play.watchers.append(
                [
                    await stack.enter_async_context(subscribed(one, table, KEY, other))
                    for one, other in (urls, urls[::-1])
                ]
            )
            task = asyncio.create_task(play_out(http, table, seed=number + 1))
            play.playing.append(task)
        # Before their connections are closed, or they would open others.
        stack.push_async_callback(_ended, play)
        yield play


async def _ended(play: Play) -> None:
    for task in play.playing:
        task.cancel()
    await asyncio.gather(*play.playing, return_exceptions=True)


async def done_by(step: object, url: str) -> None:
    """A migration run as a process of its own, as a release does it."""
    assert callable(step)
    process = forked(step, url)
    await asyncio.to_thread(process.join, PATIENCE)
    assert process.exitcode == 0


async def until_saved_by_next(play: Play, url: str) -> None:
    """Returns when the next release has left a snapshot of a match that is played."""

    async def saved() -> bool:
        over = [task for task in play.playing if task.done()]
        for task in over:
            task.result()
        assert len(over) < len(play.playing), "nothing is played any more"
        return await count(url, "rating") != (0,)

    await eventually(saved)


async def count(url: str, table: str) -> object:
    return await one_of(url, f'SELECT count(*) FROM "{table}"')


async def one_of(url: str, query: str, *given: str) -> object:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        return await (await connection.execute(query.encode(), given)).fetchone()


_IS_SAVED = """SELECT count(*) FROM snapshot JOIN "match" USING (match_id, version)
    WHERE match_id = %s"""
