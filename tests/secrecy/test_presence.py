"""Schedules, checks of who is there, stand-ins and offers of a draw tell a viewer nothing hidden.

A state and its resample for a viewer open two matches with the same schedule. One seat does not
come in either; all that the viewer is shown and told is compared byte by byte.
"""

from random import Random
from typing import Any

import msgspec
import pytest

from events.decide import SeatStandIn
from events.offering import AnswerDraw, OfferDraw
from events.refusals import Refused
from events.scheduling import NoShow
from events.types import Start
from games import registry
from games.core.game import Seat, Viewer
from projections.schedules import schedule_line
from tests.events.scheduled import MINUTE, Scheduled
from tests.secrecy.test_clocks import GAMES, observed, parts, shown
from tests.secrecy.test_rewinds import decided

CASES = [(slug, policy) for slug in GAMES for policy in NoShow]


@pytest.mark.parametrize(("slug", "policy"), CASES)
def test_an_absent_seat_tells_nobody_what_is_hidden(slug: str, policy: NoShow) -> None:
    rng = Random(f"presence {slug} {policy}")
    game = registry.game(slug)
    options, seats = game.trials[rng.randrange(len(game.trials))]
    before, turn = decided(game, seats, options, rng)
    absent = rng.choice(sorted(turn.offers))
    viewer: Viewer = rng.choice(range(seats))
    state = before.current.state
    twin = game.resample(state, viewer, rng)
    draws = game.agreed_draw(options, seats)
    worlds = [opened(slug, seats, options, policy, draws, each) for each in (state, twin)]
    opens = policy is NoShow.FORFEIT and parts(game, state, twin, absent, viewer)
    told = [heard(world, absent, viewer, is_cut=opens) for world in worlds]
    assert told[0] == told[1]


def opened(
    slug: str, seats: int, options: Any, policy: NoShow, agreed_draw: bool, state: Any
) -> Scheduled:
    world = Scheduled(
        slug,
        seats,
        join_by=10 * MINUTE,
        no_show=policy,
        start=Start.MANUAL,
        options=options,
        agreed_draw=agreed_draw,
    )
    world.claim(*range(seats)).set_position(state)
    return world


def heard(world: Scheduled, absent: Seat, viewer: Viewer, *, is_cut: bool) -> list[Any]:
    """What comes to the viewer's ears, one thing after another."""
    others = [seat for seat in range(world.current.seats) if seat != absent]
    found: list[Any] = []
    if world.current.created.agreed_draw:
        found.append(tried(world, OfferDraw(others[0])))
        offer = world.current.version
        found.append(tried(world, AnswerDraw(others[-1], offer, accepts=False)))
    found += [observed(world, viewer), shown(world, viewer)]
    world.at_time(11 * MINUTE)
    world.look(*(None if seat == absent else MINUTE for seat in range(world.current.seats)))
    # What the fallback of a seat that is out opens is the game's matter.
    sight = observed(world, viewer)
    found.append(sight[: len(found[-2]) + 1] if is_cut else [sight, shown(world, viewer)])
    if not is_cut:
        found.append(msgspec.json.encode(schedule_line(world.current)))
        found.append(tried(world, SeatStandIn(absent, "stand-in")))
        found += [observed(world, viewer), shown(world, viewer)]
    return found


def tried(world: Scheduled, command: Any) -> str:
    try:
        world.do(command)
    except Refused as refused:
        return type(refused).__name__
    return ""
