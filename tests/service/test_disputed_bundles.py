"""Disputed matches over the doors: rewound, played to the end, adjudicated; every bundle of it
verifies, the public's, each seat's and the full one.
"""

import pytest

from events.bundle import perspective_of
from events.forks import forks
from games import registry
from games.core.game import ALL, SPECTATOR, AnyGame
from tests.games import high_card
from tests.service.client import play_out
from tests.service.conftest import Door
from tests.service.positions import begun
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
    table, first = await begun(door, game.slug, seats, moves=2, reveal_after_seconds=WINDOW)
    path = await reviewed(door, table, 0)
    rewound = await ruled(door, path, {"type": "rewind", "boundary": first["boundary"]})
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
