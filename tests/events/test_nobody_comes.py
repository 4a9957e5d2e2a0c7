"""A match all of whose seats are absent ends in bounded time: every game, every number of seats."""

from typing import Any

import pytest

from events.clocks import Bronstein, Correspondence, Delay, Fischer, Flag, PerMove, Time
from events.match import fold
from events.scheduling import NoShow
from events.types import DONE, Closing, Terminal
from events.verify import verify_log
from games import registry
from tests.events.clocked import MOVE, Clocked
from tests.events.scheduled import MINUTE, Scheduled

TRIALS = [
    pytest.param(game.slug, options, seats, id=f"{game.slug}-{number}-{seats}")
    for game in registry.games()
    for number, (options, seats) in enumerate(game.trials)
]
AFTER = 2  # flags of a seat in a row
# However a bank is filled up, whoever never answers uses all of it.
TIMES: tuple[Time, ...] = (
    MOVE,
    Fischer(bank=5_000, increment=3_000, most=None),
    Bronstein(bank=0, delay=4_000),
    Delay(bank=1_000, delay=4_000),
    Correspondence(days=1),
    PerMove(move=1),
)


def left_alone(at: Any, most: int) -> int:
    """How often something had to follow by the time alone until the match was over."""
    for count in range(most):
        if at.current.status in DONE:
            return count
        assert at.fire(24 * 3_600_000), at.current.status
    raise AssertionError(f"not over after {most} flags")


@pytest.mark.parametrize(("name", "options", "seats"), TRIALS)
@pytest.mark.parametrize("flag", list(Flag))
def test_a_match_in_which_nobody_moves_ends_by_its_clocks(
    name: str, options: Any, seats: int, flag: Flag
) -> None:
    at = Clocked(name, seats, MOVE, flag=flag, abandon_after=AFTER, options=options)
    # Never more than event 1 promises, should the game ask some seats only.
    fallen = left_alone(at, AFTER * 10 * seats + 1)
    bound = {Flag.FALLBACK: AFTER * 10 * seats, Flag.REMOVE: seats, Flag.FORFEIT: 1}[flag]
    assert fallen <= bound
    assert at.current.outcome is not None
    # A solitaire game may come to its end by fallbacks before.
    wanted = {Flag.FALLBACK: (Terminal.ABANDONED, Terminal.NORMAL)}.get(flag, (Terminal.TIMED_OUT,))
    assert at.current.outcome.terminal in wanted
    assert at.current.is_revealed


@pytest.mark.parametrize("time", TIMES, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("name", sorted({game.slug for game in registry.games()}))
def test_no_kind_of_time_keeps_it_alive(name: str, time: Time) -> None:
    options, seats = registry.game(name).trials[0]
    at = Clocked(name, seats, time, abandon_after=1, options=options)
    left_alone(at, 10 * seats + 1)
    assert verify_log(at.records).fault is None


@pytest.mark.parametrize(("name", "options", "seats"), TRIALS)
@pytest.mark.parametrize("closing", list(Closing))
def test_one_without_clocks_ends_at_its_closing_time(
    name: str, options: Any, seats: int, closing: Closing
) -> None:
    at = Scheduled(name, seats, ends=30 * MINUTE, closing=closing, options=options)
    at.claim(*range(seats)).at_time(31 * MINUTE)
    assert at.fire()
    assert at.current.status in DONE
    assert at.current.version < 2_500
    assert fold(at.records) is not None


@pytest.mark.parametrize("policy", [NoShow.FORFEIT, NoShow.VOID])
@pytest.mark.parametrize(("name", "options", "seats"), TRIALS)
def test_one_to_which_nobody_comes_is_over_at_the_time_to_join(
    name: str, options: Any, seats: int, policy: NoShow
) -> None:
    for claimed in ((), range(seats)):
        at = Scheduled(name, seats, join_by=10 * MINUTE, no_show=policy, options=options)
        at.claim(*claimed).at_time(11 * MINUTE)
        at.look(*(None,) * seats)
        assert at.current.status in DONE
        assert at.current.outcome is None or 1 not in at.current.outcome.ranks
        assert verify_log(at.records).fault is None
