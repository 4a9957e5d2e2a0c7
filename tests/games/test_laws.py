"""The conformance laws over every game: a short run always, a long one under the marker `fuzz`.

PLYSCRIBE_FUZZ is the number of matches a game plays in the long run.
"""

import os
from secrets import token_hex

import pytest

from games.core.game import AnyGame, Over
from games.core.laws import check
from games.core.walk import random_match, seeded
from games.registry import games
from tests.games import high_card

SHORT = 2  # times all the trials
LONG = int(os.environ.get("PLYSCRIBE_FUZZ", "3000"))

GAMES = (*games(), high_card.GAME)

by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.slug))


@by_game
def test_the_laws_hold(game: AnyGame) -> None:
    report = check(game, "short", SHORT * len(game.trials))
    assert report.failure is None, report.failure
    assert report.checks["same_fold_elsewhere"] == 1
    assert report.unended == 0
    assert report.followed_steps > report.dropped


@pytest.mark.fuzz
@by_game
def test_the_laws_hold_for_long(game: AnyGame) -> None:
    seed = token_hex(8)
    report = check(game, seed, LONG)
    assert report.failure is None, report.failure


@by_game
def test_every_trial_ends(game: AnyGame) -> None:
    for options, seats in game.trials:
        steps = list(random_match(game, options, seats, seeded("trial")))
        assert isinstance(game.turn(steps[-1].after), Over)
