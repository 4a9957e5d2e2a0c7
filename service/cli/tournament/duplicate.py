"""A duplicate event: everybody plays the same deal alone, and nobody learns of it from others."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

from service.cli.tournament.bots import Seat, Temper
from service.cli.tournament.ledger import Kept
from service.cli.tournament.pace import Pace, per_move
from service.cli.tournament.platform import Fixture, Platform, now_ms

EVENT: Final = "duplicate"
GAME: Final = "ambagibus"
_OPTIONS: Final = {"table": "hard_edge", "table_width": 4, "table_height": 3}
_HOUR: Final = 3_600_000


class Duplicate:
    """The last but one entrant sits down and plays nothing, the last never comes."""

    def __init__(self, platform: Platform, players: Sequence[str], pace: Pace) -> None:
        self.group_id = ""
        self.fixtures: list[Fixture] = []
        self._platform, self._players, self._pace = platform, players, pace

    async def run(self) -> None:
        platform, players = self._platform, self._players
        body = {
            "game": GAME,
            "seats": 1,
            "options": _OPTIONS,
            "tables": [[player] for player in players],
            "closes_at": now_ms() + 1000 * self._pace.group_seconds,
            "closing": "forfeit",
            "external_id": EVENT,
            "clock": per_move(_HOUR, "remove"),
        }
        made = (await platform.api.post("/v1/deal-groups", platform.director, body, EVENT)).body
        self.group_id = made["id"]
        self.fixtures = [
            Fixture(table["match_id"], EVENT, f"{EVENT}-{player}", (player,))
            for table, player in zip(made["tables"], players, strict=True)
        ]
        for each in self.fixtures:
            platform.add(each)
        async with asyncio.TaskGroup() as tasks:
            for each in self.fixtures[:-1]:
                is_away = each is self.fixtures[-2]
                temper = Temper.AWAY if is_away else Temper.PLAYS
                tasks.create_task(self._play(each, temper))
            await platform.results([each.match_id for each in self.fixtures])

    async def _play(self, fixture: Fixture, temper: Temper) -> None:
        path, key = f"/v1/matches/{fixture.match_id}/seats/0/claim", f"seat-{fixture.name}"
        platform = self._platform
        # 409: it was closed before anybody came.
        got = await platform.api.post(path, platform.director, {}, key=key, fine=(409,))
        if got.status == 200:
            token = got.body["token"]
            seat = Seat(fixture.match_id, 0, fixture.players[0], token, is_taken=True)
            await platform.send(seat, temper)


def ranking(fixtures: Sequence[Fixture], results: Mapping[str, Kept]) -> dict[str, int | None]:
    """The rank of each player: by score; who has none comes after all who have, no result has none.

    Ties share a rank.
    """
    keys: dict[str, tuple[int, int]] = {}
    for each in fixtures:
        result = results.get(each.match_id)
        if result is not None and result.counts:
            score, rank = result.scores[0], result.ranks[0]
            assert rank is not None
            keys[each.players[0]] = (1, rank) if score is None else (0, -score)
    ordered = sorted(keys.values())
    return {
        each.players[0]: ordered.index(keys[each.players[0]]) + 1
        if each.players[0] in keys
        else None
        for each in fixtures
    }
