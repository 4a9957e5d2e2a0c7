"""One seat, from its link to the end of its match."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

import msgspec

from events.words import DONE, UNSTARTED, Status
from games.core.moves import Wire
from service.cli.bot.door import Door, Refused
from service.cli.bot.failures import Misfit

WAIT_SECONDS: Final = 25  # of a long poll
_QUIET: Final = 0.5  # seconds between looks where the service does not let anyone wait
_CONFLICT: Final = 409


class Seat(msgspec.Struct, frozen=True):
    match_id: str
    seat: int

    @property
    def path(self) -> str:
        return f"/v1/matches/{self.match_id}"

    def __str__(self) -> str:
        return f"match {self.match_id} seat {self.seat}"


class Question(msgspec.Struct, frozen=True):
    """A decision that waits for a seat: its id, and the offers as they are shown."""

    seat: Seat
    decision: str
    offers: list[Any]


class Choice(msgspec.Struct, frozen=True):
    move: Wire
    searched: bool


class Played(msgspec.Struct, frozen=True):
    """How a seat's match stood when the bot left it.

    `moves` are those of this run, `searched` those of them that were thought about.
    """

    match_id: str
    seat: int
    status: str
    moves: int
    searched: int
    rank: int | None
    score: int | None


# None: the decision is not open any more
Choose = Callable[[Door, Question], Awaitable[Choice | None]]


async def seat_of(door: Door) -> Seat:
    """What the token is for. Raises: SeatFailed, Refused."""
    told = await door.get("/v1/me")
    if told.get("kind") != "seat_token":
        raise Misfit("the link is not that of a seat")
    try:
        return Seat(told["match_id"], told["seat"])
    except KeyError:
        raise Misfit("/v1/me: answers in another form than ours") from None


async def play(door: Door, seat: Seat, choose: Choose, *, once: bool) -> Played:
    """Plays until the match is over; with `once` until nothing is asked of the seat.

    Raises: SeatFailed.
    """
    try:
        made = await _play(door, seat, choose, once=once)
        return await _standing(door, seat, made)
    except Refused as refused:
        raise Misfit(f"the service refuses what it should take: {refused}") from None
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise Misfit(f"the service answers in another form than ours ({error!r})") from None


async def _seated(door: Door, seat: Seat) -> bool:
    """Does what a seat owes before the start, as far as it can; whether there was any such thing.

    It is claimed if it is nobody's, and nothing is put into the seed.
    """
    line = await door.get(f"{seat.path}/seats/{seat.seat}")
    if line["holder"] is None:
        claim = door.send("POST", f"{seat.path}/seats/{seat.seat}/claim", {}, f"bot claims {seat}")
        return await _is_taken(claim)  # Refused while the match is not open yet, or just taken.
    entropy = (await door.get(seat.path))["entropy"]
    if entropy is None or seat.seat not in entropy["awaited"]:
        return False
    put = door.send("PUT", f"{seat.path}/entropy/{seat.seat}", {"commitment": None})
    return await _is_taken(put)


async def _is_taken(request: Awaitable[Any]) -> bool:
    """Whether it was done, and not refused for how the match is now."""
    try:
        await request
    except Refused as refused:
        if refused.status != _CONFLICT:
            raise
        return False
    return True


async def _play(door: Door, seat: Seat, choose: Choose, *, once: bool) -> list[Choice]:
    """The moves that were taken."""
    made: list[Choice] = []
    while True:
        now = await door.get(f"{seat.path}/decision")
        own = now["decision"]
        if now["status"] in DONE:
            return made
        if now["status"] == Status.RUNNING and own is not None and own["id"] is not None:
            question = Question(seat, own["id"], own["offers"])
            choice = await choose(door, question)
            if choice is None:
                continue
            body = {"decision": question.decision, "move": choice.move}
            if await _is_taken(door.send("POST", f"{seat.path}/moves", body)):
                made.append(choice)
                continue
        elif now["status"] in UNSTARTED and await _seated(door, seat):
            continue
        elif once:
            return made
        await _news(door, seat, now["version"])


async def _news(door: Door, seat: Seat, version: int) -> None:
    """Waits until something has happened after the version, or for a while."""
    clock = asyncio.get_running_loop().time
    start = clock()
    told = await door.get(f"{seat.path}/events", after=version, wait=WAIT_SECONDS, limit=1)
    if not told["events"] and clock() - start < _QUIET:
        await asyncio.sleep(_QUIET)


async def _standing(door: Door, seat: Seat, made: list[Choice]) -> Played:
    told = await door.get(f"{seat.path}/view")
    result = told["result"] or {}
    ranks, scores = result.get("ranks"), result.get("scores")
    return Played(
        seat.match_id,
        seat.seat,
        told["status"],
        len(made),
        sum(choice.searched for choice in made),
        ranks[seat.seat] if ranks else None,
        scores[seat.seat] if scores else None,
    )
