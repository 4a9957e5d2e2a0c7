"""The event itself: who runs beside whom, and what is gathered when all is played."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from random import Random
from typing import Final

import msgspec

from service.cli.demo.server import Server
from service.cli.terminal import CannotDo, say
from service.cli.tournament.api import Api
from service.cli.tournament.audit import Evidence
from service.cli.tournament.bracket import Bracket
from service.cli.tournament.directing import correct, dispute_in_play, play_again
from service.cli.tournament.duplicate import Duplicate
from service.cli.tournament.gathering import gathered, settled
from service.cli.tournament.hooks import receiving
from service.cli.tournament.keeper import Keeper
from service.cli.tournament.pace import Pace
from service.cli.tournament.platform import Platform
from service.cli.tournament.swiss import Swiss

SETTINGS: Final = {"private_webhooks": "true", "webhook_seconds": 2}
_SETTLE_SECONDS: Final = 120
_TELL_SECONDS: Final = 5.0


class Performed(msgspec.Struct, frozen=True):
    """An event that was played: who ran it, who killed, and all that is to be audited."""

    platform: Platform
    keeper: Keeper
    evidence: Evidence
    seed: int
    seconds: float


async def perform(server: Server, pace: Pace, seed: int) -> Performed:
    """Run the event on a server that is there.

    Raises: CannotDo if the service does not come back or the event takes too long.
    """
    began = time.monotonic()
    try:
        async with asyncio.timeout(pace.seconds), AsyncExitStack() as stack:
            api = await stack.enter_async_context(Api(server.url))
            event = _Event(server, pace, seed, api)
            await stack.enter_async_context(receiving(event.platform.receiver))
            await event.platform.open()
            await event.run()
            evidence = await event.evidence()
    except TimeoutError:
        raise CannotDo(f"the event did not end within {pace.seconds:g} seconds") from None
    except BaseExceptionGroup as group:
        said = [each for each in _leaves(group) if isinstance(each, CannotDo)]
        if not said:
            raise
        raise said[0] from None
    return Performed(event.platform, event.keeper, evidence, seed, time.monotonic() - began)


def _leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from _leaves(each)
        else:
            yield each


class _Event:
    """`platform` and `keeper` know what happened."""

    def __init__(self, server: Server, pace: Pace, seed: int, api: Api) -> None:
        self._pace = pace
        rng = Random(seed)  # noqa: S311 - no secret
        self.platform = Platform(api, server.key, seed)
        self.keeper = Keeper(server, pace.kill_every, rng)
        self.players = [f"player-{number:02}" for number in range(1, pace.players + 1)]
        self._swiss = Swiss(self.platform, self.players, pace, rng)
        self._bracket = Bracket(self.platform, self.players[: pace.bracket], pace)
        self._duplicate = Duplicate(self.platform, self.players[: pace.duplicate], pace)

    async def run(self) -> None:
        """Raises: CannotDo, as one of a group."""
        platform = self.platform
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            beside = [
                tasks.create_task(each)
                for each in (
                    platform.read_told(),
                    platform.read_list(),
                    platform.nudge(),
                    self._tell(),
                )
            ]
            killing = tasks.create_task(self.keeper.kill_until(stop))
            async with asyncio.TaskGroup() as played:
                for event in (self._swiss, self._bracket, self._duplicate):
                    played.create_task(event.run())
                played.create_task(self._direct())
            say("all is played; waiting for what is still to be told")
            stop.set()
            await killing
            await settled(platform, _SETTLE_SECONDS)
            for each in beside:
                each.cancel()

    async def _direct(self) -> None:
        """A dispute at the first table, and its result corrected; the second plays again."""
        await self._swiss.round_made.wait()
        first, second, *_ = self._swiss.tables[0]
        await dispute_in_play(self.platform, first)
        await correct(self.platform, first)
        self._swiss.tables.append([await play_again(self.platform, second)])

    async def _tell(self) -> None:
        """For ever: how far it is."""
        while True:
            await asyncio.sleep(_TELL_SECONDS)
            platform = self.platform
            done = sum(1 for each in platform.fixtures if platform.listed.has(each))
            say(
                f"round {len(self._swiss.batches)} of {self._pace.rounds}, "
                f"{done} of {len(platform.fixtures)} matches over, "
                f"{self.keeper.kills} kills, {self.platform.receiver.count.deliveries} deliveries"
            )

    async def evidence(self) -> Evidence:
        events = (self._swiss, self._bracket, self._duplicate)
        return await gathered(self.platform, events, self.keeper, self.players)
