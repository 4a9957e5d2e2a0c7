"""A Swiss of pods: a batch each round, players who never come, never move or run out of time."""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

from service.cli.tournament.bots import Seat, Temper
from service.cli.tournament.ledger import Kept
from service.cli.tournament.pace import Pace, fischer, per_move
from service.cli.tournament.pairing import Met, note, pods
from service.cli.tournament.platform import Fixture, Platform, now_ms

EVENT: Final = "swiss"
GAME: Final = "ambition_tricks"
POD: Final = 4
POINTS: Final = (4, 3, 2, 1)  # by rank
_HANDS: Final = 1


class Swiss:
    """`batches` are those made so far, by round; `tables` their matches, and those played again."""

    def __init__(self, platform: Platform, players: Sequence[str], pace: Pace, rng: Random) -> None:
        self.batches: list[str] = []
        self.tables: list[list[Fixture]] = []
        self.round_made = asyncio.Event()  # the first
        self._platform, self._players, self._pace, self._rng = platform, players, pace, rng

    async def run(self) -> None:
        met: Met = set()
        for number in range(1, self._pace.rounds + 1):
            points = totals(self._players, self._fixtures(), self._platform.listed.newest)
            paired = pods(self._players, points, met, POD)
            for pod in paired:
                note(met, pod)
            await self._round(number, paired)

    async def _round(self, number: int, paired: Sequence[tuple[str, ...]]) -> None:
        odd = self._odd(number, len(paired))
        # Not counted from before the service is there to take it.
        await self._platform.api.get("/v1/me", self._platform.director)
        join_by = now_ms() + self._pace.join
        body = {
            "external_id": f"{EVENT}-{number}",
            "defaults": {"game": GAME, "options": {"max_hands": _HANDS}},
            "matches": [
                {
                    "external_id": f"{EVENT}-{number}-{table}",
                    "seats": [{"external_id": player} for player in pod],
                    "clock": self._clock(number, odd.get(table)),
                    **(_joined_by(join_by) if odd.get(table) is Temper.ABSENT else {}),
                    **({"reveal_after_seconds": 2} if table % 2 else {}),
                }
                for table, pod in enumerate(paired)
            ],
            "scoring": {"by": "rank", "points": POINTS},
        }
        platform = self._platform
        made = (
            await platform.api.post("/v1/batches", platform.director, body, key=f"{EVENT}-{number}")
        ).body
        self.batches.append(made["id"])
        fixtures = [
            Fixture(match["match_id"], EVENT, match["external_id"], pod)
            for match, pod in zip(made["matches"], paired, strict=True)
        ]
        self.tables.append(fixtures)
        for each in fixtures:
            platform.add(each)
        self.round_made.set()
        async with asyncio.TaskGroup() as tasks:
            alone = True
            for table, match in enumerate(made["matches"]):
                temper = odd.get(table)
                # At the first of the tables where players stay away there is but one that comes.
                count = POD - 1 if temper is Temper.ABSENT and alone else 1
                alone = alone and temper is not Temper.ABSENT
                self._send(tasks, match, temper, count)
            await platform.results([each.match_id for each in fixtures])

    def _send(
        self, tasks: asyncio.TaskGroup, match: Any, temper: Temper | None, count: int
    ) -> None:
        """So many of the players have the temper, if there is one."""
        odd = self._rng.sample(range(POD), count)
        for each in match["seats"]:
            number = each["seat"]
            seat = Seat(match["match_id"], number, each["external_id"], each["link"]["token"])
            own = temper if temper is not None and number in odd else Temper.PLAYS
            tasks.create_task(self._platform.send(seat, own))

    def _odd(self, number: int, count: int) -> dict[int, Temper]:
        """At which tables somebody is away, slow or absent; the first is left alone.

        Where the tables are too few for all three, each has its turn by the round.
        """
        tables = list(range(1, count))
        self._rng.shuffle(tables)
        some, found = max(1, count // 8), dict[int, Temper]()
        kinds = deque((Temper.AWAY, Temper.SLOW, Temper.ABSENT))
        kinds.rotate(number - 1)
        for place, temper in enumerate(kinds):
            found |= dict.fromkeys(tables[place * some : (place + 1) * some], temper)
        return found

    def _clock(self, number: int, temper: Temper | None) -> dict[str, Any]:
        match temper:
            case Temper.SLOW:
                return per_move(self._pace.move, "fallback")
            case Temper.AWAY:
                return (
                    fischer(self._pace.bank // 2, "remove")
                    if number % 2
                    else per_move(self._pace.move, "forfeit")
                )
            case _:
                return fischer(10 * self._pace.bank, "remove")

    def _fixtures(self) -> list[Fixture]:
        return [each for tables in self.tables for each in tables]


def _joined_by(moment: int) -> dict[str, Any]:
    return {"schedule": {"join_by": moment, "no_show": "forfeit"}}


def totals(
    players: Sequence[str], fixtures: Sequence[Fixture], results: Mapping[str, Kept]
) -> dict[str, int]:
    """Points by player, of the results that count."""
    points = dict.fromkeys(players, 0)
    for fixture in fixtures:
        result = results.get(fixture.match_id)
        if result is None or not result.counts:
            continue
        for player, rank in zip(fixture.players, result.ranks, strict=True):
            assert rank is not None
            points[player] += POINTS[rank - 1]
    return points
