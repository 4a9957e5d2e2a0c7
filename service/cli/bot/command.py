"""The command: seats are played side by side until the last match is over."""

import asyncio
import secrets
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import urlsplit

import httpx
from cyclopts import Parameter

from service.cli.bot.choosing import at_random
from service.cli.bot.door import Door, Refused
from service.cli.bot.failures import Ended, SeatFailed
from service.cli.bot.links import tokens_of
from service.cli.bot.playing import Choose, Played, play, seat_of
from service.cli.bot.searching import Thinker
from service.cli.configuration import Flag
from service.cli.terminal import CannotDo, complain, write, write_json

_SECONDS: Final = 60.0  # for one answer; services let nobody wait longer
_MOST_PLAYOUTS: Final = 1_000_000


def bot(
    url: str,
    /,
    *given: str,
    links: Annotated[Path | None, Parameter(allow_leading_hyphen=True)] = None,
    player: Annotated[list[str] | None, Parameter(negative="")] = None,
    strength: Literal["random", "search"] = "random",
    think: int = 200,
    seed: str | None = None,
    patience: float = 600.0,
    once: Flag = False,
    json: Flag = False,
) -> int:
    """Play seats over the API until their matches are over.

    Ends with 0 if all are, 2 if it can't start, 3 if a link does not play its seat, 4 if the
    service was away too long, 5 if it refuses what it offered; other seats are played on before.

    Parameters
    ----------
    url
        Of the service: https://host.
    given
        Links of seats, or their tokens. Others can see a command line: better give them in the
        variable BOT_LINKS, or in a file.
    links
        A file of links: the answer of POST /v1/batches, or words; - is the standard input.
    player
        Of a batch, only the seats of this external id; may be given several times.
    strength
        random: every move on offer is as likely. search: worlds are imagined that look to the
        seat as the match does, and moves tried out in them; at random where a game can't.
    think
        Playouts for one decision of a search.
    seed
        Of the choices: with the same one the same decision is answered alike. By default a
        secret, so nobody can tell beforehand what the bot does.
    patience
        Seconds that the service may be away.
    once
        Answer what is asked now, and do not wait for more.
    json
        A line of JSON for each seat.
    """
    _assert_sense(url, think, patience)
    tokens = tokens_of(given, links, player or ())
    seed = secrets.token_hex(16) if seed is None else seed
    chosen = Thinker(seed, think) if strength == "search" else at_random(seed)
    return asyncio.run(_all(url, tokens, chosen, patience=patience, once=once, as_json=json))


async def _all(
    url: str, tokens: Sequence[str], choose: Choose, *, patience: float, once: bool, as_json: bool
) -> int:
    unlimited = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(
        base_url=url, timeout=_SECONDS, limits=unlimited, trust_env=False
    ) as http:
        doors = [Door(http, token, patience) for token in tokens]
        own = [
            _one(door, f"link {place}", choose, once=once, as_json=as_json)
            for place, door in enumerate(doors, 1)
        ]
        return max(await asyncio.gather(*own))


async def _one(door: Door, name: str, choose: Choose, *, once: bool, as_json: bool) -> Ended:
    """A seat's end is told at once; its failure is no other seat's."""
    try:
        seat = await seat_of(door)
        name = str(seat)
        _tell(await play(door, seat, choose, once=once), as_json)
    except SeatFailed as failed:
        complain(f"{name}: {failed}")
        return failed.code
    except Refused as refused:
        complain(f"{name}: {refused}")
        return Ended.MISFIT
    return Ended.WELL


def _tell(played: Played, as_json: bool) -> None:
    if as_json:
        write_json(played)
        return
    rank = "" if played.rank is None else f", rank {played.rank}"
    score = "" if played.score is None else f", score {played.score}"
    name = f"match {played.match_id} seat {played.seat}"
    moves = f"{played.moves} moves, {played.searched} of them searched"
    write(f"{name}: {played.status} after {moves}{rank}{score}")


def _assert_sense(url: str, think: int, patience: float) -> None:
    """Raises: CannotDo, without what else may stand in an address."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise CannotDo("the first word has to be the address of the service: https://host")
    if not 1 <= think <= _MOST_PLAYOUTS:
        raise CannotDo(f"--think is a number from 1 to {_MOST_PLAYOUTS}")
    if not 0 <= patience < inf:
        raise CannotDo("--patience is a number of seconds")
