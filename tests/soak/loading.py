"""The load: tables of every game played over both doors, watchers that come and go."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from itertools import cycle
from random import Random

import msgspec

from bench.connections import Refused
from games import registry
from games.core.game import AnyGame
from tests.faults.serving import KEY
from tests.service.client import Table, random_move
from tests.soak.doors import DOORS, Door, Unexpected
from tests.soak.watching import follow

TROUBLE = (Refused, Unexpected, OSError)
_WATCH = (0.3, 12.0)  # seconds
_KEPT = 50  # errors whose words are kept


class Pace:
    """When the next move may be made. `rate` in moves a second; None: at once."""

    def __init__(self) -> None:
        self.rate: float | None = None
        self._next = 0.0

    async def turn(self) -> None:
        if self.rate is None:
            return
        # What was missed is not made up for.
        self._next = max(self._next + 1 / self.rate, time.monotonic())
        await asyncio.sleep(self._next - time.monotonic())


class Load:
    """Counts of what was done so far. `tables` are those in play, `matches` all there were; players
    give up after so many moves as `stay` says (least, most), unless it is over before.
    """

    def __init__(self, urls: Sequence[str], seed: str, stay: tuple[int, int]) -> None:
        self.urls = list(urls)
        self.pace = Pace()
        self.moves = self.created = self.finished = self.watched = self.watching = 0
        self.by_door: Counter[str] = Counter()
        self.by_game: Counter[str] = Counter()
        self.trouble: list[str] = []
        self.error_count = 0
        self.tables: dict[str, Table] = {}
        self.matches: list[str] = []
        self._over = asyncio.Event()
        self._seed = seed
        self._stay = stay

    def stop(self) -> None:
        """Every table stops after its move, and watchers leave."""
        self._over.set()

    async def run(self, tables: int, watchers: int) -> None:
        """Returns when it was stopped and all have left."""
        # Other tests may have installed games that these servers don't have.
        games = [registry.game(each.GAME.slug) for each in registry.HOUSE]
        kinds = [(game, door) for door in DOORS for game in games]
        async with asyncio.TaskGroup() as group:
            for number in range(tables):
                game, door = kinds[number % len(kinds)]
                group.create_task(self._keep(self._table, game, door, number))
            for number in range(watchers):
                group.create_task(self._watch(number))

    async def _keep(
        self,
        play: Callable[[Door, AnyGame, Random], Awaitable[None]],
        game: AnyGame,
        door: type[Door],
        number: int,
    ) -> None:
        """One match after the other."""
        rng = Random(f"{self._seed}/{number}")
        turn = number % len(self.urls)
        urls = [*self.urls[turn:], *self.urls[:turn]]
        while not self._over.is_set():
            client = await door.open(urls)
            try:
                # Each match with connections of its own, so that these come and go as well.
                await play(client, game, rng)
            except TROUBLE as error:
                await self._failed(f"{door.__name__}, {game.slug}", error)
            finally:
                client.close()

    async def _table(self, door: Door, game: AnyGame, rng: Random) -> None:
        options, seats = rng.choice(game.trials)
        table = await door.open_table(game.slug, seats, msgspec.to_builtins(options))
        self.matches.append(table.match_id)
        self.tables[table.match_id] = table
        self.created += 1
        self.by_game[game.slug] += 1
        try:
            if await self._played(door, table, rng, rng.randint(*self._stay)):
                self.finished += 1
        finally:
            del self.tables[table.match_id]

    async def _played(self, door: Door, table: Table, rng: Random, most: int) -> bool:
        """Whether it came to its end."""
        seats, seat = range(len(table.tokens)), 0
        while not self._over.is_set():
            found = await door.asked(table, seat)
            if not found.seats:
                return True
            if found.own is None:
                seat = rng.choice(found.seats)
                continue
            if most <= 0:
                await self._give_up(door, table)
                return True
            decision, offers = found.own
            await self.pace.turn()
            await door.play(table, seat, decision, random_move(offers, rng))
            self.moves += 1
            self.by_door[type(door).__name__] += 1
            most -= 1
            seat = rng.choice(seats)
        return False

    async def _give_up(self, door: Door, table: Table) -> None:
        """All but one, or until it is over: some may be out of the game already."""
        for each in range(max(1, len(table.tokens) - 1)):
            if not (await door.asked(table, each)).seats:
                return
            await door.resign(table, each)

    async def _watch(self, number: int) -> None:
        """One after the other: holders of seats and spectators, by each door, at each address."""
        rng = Random(f"{self._seed}/watcher {number}")
        by_graphql = cycle((False, True)) if number % 2 else cycle((True, False))
        while not self._over.is_set():
            if not self.tables:
                await asyncio.sleep(0.05)
                continue
            table = rng.choice(list(self.tables.values()))
            token = rng.choice((KEY, *table.tokens))
            self.watching += 1
            try:
                seconds = rng.uniform(*_WATCH)
                url = rng.choice(self.urls)
                came = await self._until_over(
                    follow(next(by_graphql), url, table.match_id, token, seconds)
                )
                self.watched += came is not None
            except TROUBLE as error:
                await self._failed("a watcher", error)
            finally:
                self.watching -= 1

    async def _until_over(self, work: Awaitable[int]) -> int | None:
        """None if the load was stopped meanwhile."""
        task, over = asyncio.ensure_future(work), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait((task, over), return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            for each in (task, over):
                each.cancel()
            await asyncio.gather(task, over, return_exceptions=True)

    async def _failed(self, who: str, error: Exception) -> None:
        self.error_count += 1
        if len(self.trouble) < _KEPT:
            self.trouble.append(f"{who}: {type(error).__name__} {error}"[:500])
        await asyncio.sleep(0.2)
