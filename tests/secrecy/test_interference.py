"""Random matches, moments and viewers: nothing a viewer receives tells two worlds apart.

PLYSCRIBE_FUZZ is the number of cases of a game in the long run.
"""

import os
from secrets import token_hex

import msgspec
import pytest

from games.core.game import AnyGame
from games.registry import HOUSE
from tests.games import high_card
from tests.secrecy.following import HORIZON, Worlds, follow
from tests.secrecy.moments import case

CASES = 100
LONG = int(os.environ.get("PLYSCRIBE_FUZZ", "3000"))
DROPPED = 0.2  # the most

GAMES = [package.GAME for package in HOUSE]
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.slug))


class Total(msgspec.Struct):
    cases: int = 0
    dropped: int = 0
    short: int = 0
    trivial: int = 0
    steps: int = 0
    differing: int = 0
    compared: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{value} {name}" for name, value in msgspec.structs.asdict(self).items())


@by_game
async def test_no_viewer_tells_two_worlds_apart(worlds: Worlds, game: AnyGame) -> None:
    total = await _run(worlds, game, "plain", CASES)
    assert total.cases == CASES
    assert total.dropped <= DROPPED * total.cases, total
    assert total.cases - total.trivial - total.dropped >= 0.7 * total.cases, total
    assert total.steps >= total.cases - total.dropped, total


async def test_nor_in_the_game_of_the_tests(worlds: Worlds) -> None:
    """Its answers are all shown at the end of a round, so many worlds have to part there."""
    total = await _run(worlds, high_card.GAME, "plain", 60, horizon=2)
    assert total.dropped <= total.cases / 3, total
    assert total.differing >= 0.2 * total.steps, total


@pytest.mark.fuzz
@by_game
async def test_no_viewer_tells_many_worlds_apart(worlds: Worlds, game: AnyGame) -> None:
    total = await _run(worlds, game, token_hex(8), LONG, horizon=12)
    assert total.dropped <= DROPPED * total.cases, total


async def _run(
    worlds: Worlds, game: AnyGame, seed: str, cases: int, horizon: int = HORIZON
) -> Total:
    total = Total()
    for number in range(cases):
        one = case(game, seed, number)
        assert one is not None
        done = await follow(worlds, one, horizon)
        total.cases += 1
        total.trivial += done.is_trivial
        total.dropped += done.is_dropped
        total.short += done.is_short
        total.steps += done.steps
        total.differing += done.differing
        total.compared += done.compared
    print(total)
    return total
