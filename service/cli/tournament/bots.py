"""Players: clients of one seat that know no game and pick among what they are offered."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from enum import StrEnum
from random import Random
from typing import Any, Final

import msgspec

from service.cli.demo.player import ENDED, filled
from service.cli.tournament.api import Api

_PAUSE: Final = 0.1
_STEPS: Final = ("move_played", "chance_drawn")  # these say whom they ask
_ENDINGS: Final = ("match_ended", "match_cancelled", "match_closed", "dispute_ruled")


class Temper(StrEnum):
    PLAYS = "plays"
    SLOW = "slow"  # lets its time run out once
    AWAY = "away"  # takes its seat and never moves
    ABSENT = "absent"  # never comes
    QUITS = "quits"  # resigns after a few moves


class Seat(msgspec.Struct, frozen=True):
    """Who sits where, with the token of the link that was sent; `is_taken` says it is claimed."""

    match_id: str
    seat: int
    player: str
    token: str
    is_taken: bool = False

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.match_id}"


class Play(msgspec.Struct):
    """What a player did, and the version of the match it knows."""

    moves: int = 0
    refused: int = 0
    version: int = 0


async def claim(api: Api, own: Seat) -> None:
    """Take the seat; again, it is taken already."""
    key = f"claim-{own.match_id}-{own.seat}"
    await api.post(f"{own.path}/seats/{own.seat}/claim", own.token, key=key)


async def play(api: Api, own: Seat, rng: Random, temper: Temper) -> Play:
    """Play a seat that is claimed to the end of the match. Raises: Unexpected."""
    async with aclosing(api.follow(f"{own.path}/events", own.token)) as news:
        return await _Player(api, own, rng, temper).play(news)


class _Player:
    def __init__(self, api: Api, own: Seat, rng: Random, temper: Temper) -> None:
        self._api, self._own, self._rng, self._temper = api, own, rng, temper
        self._done = Play()
        self._patience = rng.randint(1, 3)  # moves before it does what its temper says

    async def play(self, news: AsyncIterator[Any]) -> Play:
        while True:
            now = await self._api.get(f"{self._own.path}/decision", self._own.token)
            self._done.version = now["version"]
            if now["status"] in ENDED:
                return self._done
            asked = now["decision"]
            if self._temper is Temper.AWAY:
                await self._until(news, _may_end)
            elif asked is None or asked["id"] is None:
                await self._until(news, _may_ask)
            elif self._temper is Temper.PLAYS or self._done.moves < self._patience:
                await self._answer(asked)
            else:
                await self._lapse(news)

    async def _answer(self, asked: Any) -> None:
        move = filled(self._rng.choice(asked["offers"]), self._rng)
        body = {"decision": asked["id"], "move": move}
        # Somebody moved in between, or the flag fell, or an arbiter holds the match.
        answer = await self._api.post(f"{self._own.path}/moves", self._own.token, body, fine=(409,))
        self._done.moves += answer.status == 200
        if answer.status == 409:
            self._done.refused += 1
            await asyncio.sleep(_PAUSE)

    async def _lapse(self, news: AsyncIterator[Any]) -> None:
        """What the temper says, once."""
        if self._temper is Temper.SLOW:
            await self._until(news, _has_fallen)
            self._temper = Temper.PLAYS
            return
        path = f"{self._own.path}/seats/{self._own.seat}/resign"
        await self._api.post(path, self._own.token, fine=(409,))
        self._temper = Temper.AWAY

    async def _until(self, news: AsyncIterator[Any], wanted: Callable[[Any, int], bool]) -> None:
        """Until something is appended that is wanted; what is known already is passed over."""
        async for event in news:
            if event is None:
                if wanted is not _has_fallen:
                    return
            elif event["version"] > self._done.version and wanted(event, self._own.seat):
                return


def _may_ask(event: Any, seat: int) -> bool:
    return event["kind"] not in _STEPS or seat in event.get("asks", ())


def _has_fallen(event: Any, seat: int) -> bool:
    return _may_end(event, seat) or (event["kind"] == "flag_fell" and event["seat"] == seat)


def _may_end(event: Any, seat: int) -> bool:
    return event["kind"] in _ENDINGS
