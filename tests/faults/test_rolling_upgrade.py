"""Two releases at once on one database: matches in play go on, forwards and back again."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
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
_FEW_MOVES = 20  # of more than twice as many in four rounds


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
        assert await play.stop(old) == 0
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
        assert await play.stop(new) == 0
        await play.has_moved(4)
        assert await play.stop(old) == 0
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


class Clients:
    """Those of a match that are served by either process in turn, or, if they are sticky, by one.

    They play a next match when one is over, for as long as the upgrade takes.
    """

    def __init__(self, urls: list[str], rounds: int, *, is_sticky: bool) -> None:
        self.matches: list[tuple[Table, History, list[Subscriber]]] = []
        self.is_to_go_on = True
        self._urls = urls
        self._rounds = rounds
        self._is_sticky = is_sticky

    @property
    def moves(self) -> int:
        return sum(len(history.answers) for _, history, _ in self.matches)

    async def play(self) -> None:
        async with balanced(*self._urls, is_sticky=self._is_sticky) as http:
            while self.is_to_go_on:
                await self._play_one(http)

    async def _play_one(self, http: httpx.AsyncClient) -> None:
        table, history = await open_table(http, self._rounds), History()
        async with AsyncExitStack() as stack:
            watchers = [
                await stack.enter_async_context(subscribed(one, table, KEY, other))
                for one, other in (self._urls, self._urls[::-1])
            ]
            self.matches.append((table, history, watchers))
            await play_out(http, table, history, seed=len(self.matches) + 10 * self._is_sticky)
            for watcher in watchers:
                await watcher.to_the_end()


class Play:
    """Matches that are played at the same time until it is brought to its end."""

    def __init__(self, urls: list[str], rounds: int) -> None:
        self.clients = [Clients(urls, rounds, is_sticky=each) for each in (False, True)]
        self._tasks = [asyncio.create_task(each.play()) for each in self.clients]
        self._crossing: set[str] = set()

    async def has_moved(self, moves: int) -> None:
        """Returns when each of the clients have made so many more."""
        wanted = [each.moves + moves for each in self.clients]
        await self.until(
            lambda: all(
                each.moves >= least for each, least in zip(self.clients, wanted, strict=True)
            )
        )

    async def until(self, is_there: Callable[[], object]) -> None:
        """Raises what the clients raise."""

        async def look() -> object:
            for task in self._tasks:
                if task.done():
                    task.result()
            found = is_there()
            return await found if isinstance(found, Awaitable) else found

        await eventually(look)

    async def stop(self, served: Service) -> int:
        """Ask a process to stop in the middle of a match, and return its exit code."""
        await self.until(self._under_way)
        self._crossing |= self._under_way()
        return await served.stop()

    def _under_way(self) -> set[str]:
        """Matches that have begun and are not near their end."""
        last = [each.matches[-1] for each in self.clients if each.matches]
        return {
            table.match_id for table, history, _ in last if 0 < len(history.answers) < _FEW_MOVES
        }

    async def to_the_end(self) -> None:
        for each in self.clients:
            each.is_to_go_on = False
        await asyncio.gather(*self._tasks)

    async def check(self, served: Service) -> None:
        assert self._crossing, "no match was in play when a process stopped"
        for clients in self.clients:
            for table, history, watching in clients.matches:
                final = final_of(await assert_sound(served, table.match_id))
                assert faults(history, final) == []
                for watcher in watching:
                    assert watcher.events == final.seen[SPECTATOR]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@asynccontextmanager
async def in_play(both: Both, rounds: int) -> AsyncIterator[Play]:
    """Matches by clients that go to either process in turn, others by some that stay."""
    play = Play([each.url for each in both], rounds)
    try:
        yield play
    finally:
        await play.close()


async def done_by(step: object, url: str) -> None:
    """A migration run as a process of its own, as a release does it."""
    assert callable(step)
    process = forked(step, url)
    await asyncio.to_thread(process.join, PATIENCE)
    assert process.exitcode == 0


async def until_saved_by_next(play: Play, url: str) -> None:
    """Returns when the next release has left a snapshot of a match that is played."""

    async def saved() -> bool:
        return await count(url, "rating") != (0,)

    await play.until(saved)


async def count(url: str, table: str) -> object:
    return await one_of(url, f'SELECT count(*) FROM "{table}"')


async def one_of(url: str, query: str, *given: str) -> object:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        return await (await connection.execute(query.encode(), given)).fetchone()


_IS_SAVED = """SELECT count(*) FROM snapshot JOIN "match" USING (match_id, version)
    WHERE match_id = %s"""
