"""A bracket of best-of-three series: each pair has a link for the whole series."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from service.cli.tournament.api import Unexpected
from service.cli.tournament.bots import Seat, Temper
from service.cli.tournament.ledger import Kept
from service.cli.tournament.pace import Pace, fischer
from service.cli.tournament.pairing import pairs
from service.cli.tournament.platform import Fixture, Platform

EVENT: Final = "bracket"
GAME: Final = "star_realms"
BEST_OF: Final = 3
_WIN, _DRAW = 2, 1
_LOOK_SECONDS: Final = 0.3


class Tie(msgspec.Struct, frozen=True):
    """A series of the bracket; its matches in their order, the players by entrant."""

    series_id: str
    players: tuple[str, str]
    matches: list[Fixture]


class Bracket:
    """`ties` are the series so far."""

    def __init__(self, platform: Platform, players: Sequence[str], pace: Pace) -> None:
        self.ties: list[Tie] = []
        self._platform, self._players, self._pace = platform, players, pace

    async def run(self) -> None:
        left = list(self._players)
        while len(left) > 1:
            playing = [self._tie(pair, len(left)) for pair in pairs(left)]
            left = list(await asyncio.gather(*playing))

    async def _tie(self, pair: tuple[str, str], round_of: int) -> str:
        """Who goes on; of a drawn series the first."""
        platform, name = self._platform, f"{EVENT}-{round_of}-{pair[0]}"
        body = {
            "external_id": name,
            "games": BEST_OF,
            "entrants": [{"external_id": each} for each in pair],
            "match": {
                "game": GAME,
                "options": {"turn_limit": self._pace.turn_limit},
                "clock": fischer(10 * self._pace.bank, "remove"),
            },
        }
        made = (await platform.api.post("/v1/series", platform.director, body, key=name)).body
        tie = Tie(made["id"], pair, [])
        self.ties.append(tie)
        quitter = pair[1] if round_of == len(self._players) and len(self.ties) == 1 else ""
        async with asyncio.TaskGroup() as tasks:
            for each in made["entrants"]:
                player, link = each["external_id"], each["link"]["token"]
                tasks.create_task(self._play(tie, player, link, quits=player == quitter))
        shown = await platform.api.get(f"/v1/series/{tie.series_id}", platform.director)
        for match in shown["matches"]:
            seated = tuple(pair[entrant] for entrant in match["seating"])
            fixture = Fixture(match["match_id"], EVENT, f"{name}-{match['number']}", seated)
            tie.matches.append(fixture)
            platform.add(fixture)
        return str(shown["winner"] or pair[0])

    async def _play(self, tie: Tie, player: str, link: str, *, quits: bool) -> None:
        """Every match of the series, by the player's one link."""
        path, last = f"/v1/series/{tie.series_id}/current", ""
        while True:
            try:
                now: Any = await self._platform.api.get(path, link)
            except Unexpected as error:
                self._platform.faults.append(str(error)[:300])
                return
            if now["match_id"] != last:
                last = now["match_id"]
                temper = Temper.QUITS if quits and now["number"] == 0 else Temper.PLAYS
                seat = Seat(last, now["seat"], player, now["link"]["token"])
                await self._platform.send(seat, temper)
            elif now["state"] != "running":
                return
            else:
                await asyncio.sleep(_LOOK_SECONDS)


def winner(tie: Tie, results: Mapping[str, Kept]) -> str | None:
    """Who has more points; None if nobody has."""
    points = dict.fromkeys(tie.players, 0)
    for fixture in tie.matches:
        result = results.get(fixture.match_id)
        if result is None or not result.counts:
            continue
        is_drawn = result.ranks.count(1) > 1
        for player, rank in zip(fixture.players, result.ranks, strict=True):
            points[player] += 0 if rank != 1 else _DRAW if is_drawn else _WIN
    one, other = tie.players
    if points[one] == points[other]:
        return None
    return max(tie.players, key=lambda each: points[each])
