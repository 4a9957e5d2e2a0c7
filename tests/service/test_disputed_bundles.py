"""Disputed matches over the doors: rewound, played to the end, adjudicated; every bundle of it
verifies, the public's, each seat's and the full one.
"""

from random import Random

import pytest

from events.bundle import perspective_of
from events.forks import forks
from games import registry
from games.core.game import ALL, SPECTATOR, AnyGame
from tests.games import high_card
from tests.service.client import Table, answer, decision_of, play_out, random_move
from tests.service.conftest import Door
from tests.service.test_bundles import checked
from tests.service.test_disputes import reviewed, ruled
from tests.service.test_feed import fed

WINDOW = 3600  # seconds
QUICK = ("ambagibus",)  # A whole match of another takes long over the doors.
GAMES = [
    pytest.param(each, id=each.slug, marks=[] if each.slug in QUICK else [pytest.mark.fuzz])
    for each in registry.games()
    if each.slug != high_card.GAME.slug
] + [pytest.param(high_card.GAME, id="high_card")]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is stored of a dispute is tested on both databases in test_disputes.py."""
    return sqlite_url


@pytest.mark.parametrize("game", GAMES)
async def test_a_disputed_match_verifies_from_every_side(door: Door, game: AnyGame) -> None:
    _, seats = game.trials[0]
    table, boundary = await begun(door, game.slug, seats)
    path = await reviewed(door, table, 0)
    rewound = await ruled(door, path, {"type": "rewind", "boundary": boundary})
    assert rewound.status_code == 200, rewound.text
    await play_out(door.http, table, seed=7)
    appeal = await door.post(path + "/appeal", table.tokens[-1], json={"reason": "Not so"})
    assert appeal.status_code == 200, appeal.text
    await door.post(path + "/review", json={"pause": False})
    result = {"type": "set_result", "ranks": list(range(1, seats + 1))}
    assert (await ruled(door, path, result)).status_code == 200
    door.clock.now += 1000 * WINDOW + 1000
    shown = (await door.get(table.path)).json()
    assert (shown["result"]["terminal"], shown["revealed"]) == ("adjudicated", True)
    await fed(door)
    sides = [perspective_of(each) for each in (ALL, SPECTATOR, *range(seats))]
    found = {each: await checked(door, table, each, door.key) for each in sides}
    assert {each: one.fault for each, one in found.items()} == dict.fromkeys(sides)
    assert found["full"].unchecked == ()
    assert forks({name: each.bundle for name, each in found.items() if each.bundle}) == ()


async def begun(door: Door, slug: str, seats: int) -> tuple[Table, str]:
    """A match in which two answers were given, and where it began. Some draws end a maze before."""
    for _ in range(50):
        table = await door.table(slug, seats=seats, reveal_after_seconds=WINDOW)
        boundary = (await door.get(table.path + "/view")).json()["boundary"]
        await played(door, table, moves=2)
        if (await door.get(table.path)).json()["status"] == "running":
            return table, boundary
    raise AssertionError("all were over after two answers")


async def played(door: Door, table: Table, moves: int) -> None:
    """So many answers of whoever is asked, or as many as there are."""
    rng = Random(table.match_id[-1])
    for _ in range(moves):
        for seat in range(len(table.tokens)):
            own = (await decision_of(door.http, table, seat))["decision"]
            if own is not None and own["id"] is not None:
                move = random_move(own["offers"], rng)
                done = await answer(door.http, table, seat, own["id"], move)
                assert done.status_code == 200, done.text
                break
