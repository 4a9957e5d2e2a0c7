"""Players: clients of one seat that know no game and pick among what they are offered."""

import asyncio
from collections.abc import Callable
from enum import StrEnum
from random import Random
from typing import Any, Final

import msgspec

from service.cli.demo.player import ENDED, filled
from service.cli.tournament.api import Api

WAIT_SECONDS: Final = 20
_PAUSE: Final = 0.1
_STEPS: Final = ("move_played", "chance_drawn")  # these say whom they ask
_ENDINGS: Final = ("match_ended", "match_cancelled", "match_closed", "dispute_ruled")


class Temper(StrEnum):
    PLAYS = "plays"
    SLOW = "slow"  # lets its time run out once
    AWAY = "away"  # takes its seat and never moves
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
    """Claim the seat and play it to the end of the match. Raises: Unexpected."""
    if not own.is_taken:
        await claim(api, own)
    done = Play()
    patience = rng.randint(1, 3)  # moves before it does what its temper says
    while True:
        now = await api.get(f"{own.path}/decision", own.token)
        done.version = now["version"]
        if now["status"] in ENDED:
            return done
        asked = now["decision"]
        if asked is None or asked["id"] is None or temper is Temper.AWAY:
            await _until(api, own, done, _may_end if temper is Temper.AWAY else _may_ask)
            continue
        if done.moves >= patience and temper is Temper.SLOW:
            await _until(api, own, done, _has_fallen)
            temper = Temper.PLAYS
            continue
        if done.moves >= patience and temper is Temper.QUITS:
            await api.post(f"{own.path}/seats/{own.seat}/resign", own.token, fine=(409,))
            temper = Temper.AWAY
            continue
        body = {"decision": asked["id"], "move": filled(rng.choice(asked["offers"]), rng)}
        # Somebody moved in between, or the flag fell, or an arbiter holds the match.
        answer = await api.post(f"{own.path}/moves", own.token, body, fine=(409,))
        done.moves += answer.status == 200
        if answer.status == 409:
            done.refused += 1
            await asyncio.sleep(_PAUSE)


async def _until(api: Api, own: Seat, done: Play, wanted: Callable[[Any, int], bool]) -> None:
    """Until something was appended that is wanted, or nothing for long."""
    while events := await _news(api, own, done):
        if any(wanted(each, own.seat) for each in events):
            return


async def _news(api: Api, own: Seat, done: Play) -> list[Any]:
    page = await api.get(
        f"{own.path}/events", own.token, after=done.version, wait=WAIT_SECONDS, limit=100
    )
    events: list[Any] = page["events"]
    if events:
        done.version = events[-1]["version"]
    return events


def _may_ask(event: Any, seat: int) -> bool:
    return event["kind"] not in _STEPS or seat in event.get("asks", ())


def _has_fallen(event: Any, seat: int) -> bool:
    return _may_end(event, seat) or (event["kind"] == "flag_fell" and event["seat"] == seat)


def _may_end(event: Any, seat: int) -> bool:
    return event["kind"] in _ENDINGS
