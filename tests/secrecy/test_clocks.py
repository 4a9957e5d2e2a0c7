"""Clocks, flags and what is played for a seat that is late tell a viewer nothing hidden.

A state and its resample for a viewer open two matches with the same clocks. One seat is late in
both; all that the viewer is shown is compared byte by byte: observations, clocks, its offers, and
what it is told when it answers too late.
"""

from random import Random
from typing import Any

import msgspec
import pytest

from events.clocks import Correspondence, Flag, PerMove
from events.decide import PlayMove
from events.refusals import Refused
from games import registry
from games.core.game import AnyGame, Chance, Seat, Viewer
from games.core.moves import IllegalMove
from projections.projection import project
from tests.events.clocked import Clocked
from tests.events.scripted import Table, shown_to
from tests.secrecy.test_rewinds import blanked, decided

GAMES = ("high_card", "ambition_characters", "ambition_tricks", "ave_cesar", "star_realms")
CASES = [(slug, number) for slug in GAMES for number in range(12)]


@pytest.mark.parametrize(("slug", "number"), CASES)
def test_a_late_seat_tells_nobody_what_is_hidden(slug: str, number: int) -> None:
    rng = Random(f"clock {slug} {number}")
    game = registry.game(slug)
    options, seats = game.trials[number % len(game.trials)]
    before, turn = decided(game, seats, options, rng)
    late = rng.choice(sorted(turn.offers))
    viewer: Viewer = rng.choice(range(seats))
    flag = rng.choice(list(Flag))
    state = before.current.state
    twin = game.resample(state, viewer, Random(number))
    worlds = [opened(slug, seats, options, late, flag, each) for each in (state, twin)]
    told: list[list[Any]] = [[], []]
    for world, heard in zip(worlds, told, strict=True):
        world.wait(10_000)
        heard.append(observed(world, viewer))
        decision = world.current.decision_of(viewer)
        heard.append(shown(world, viewer))
        heard.append([step.event.at for step in world.fire()])
        if parts(game, state, twin, late, viewer):
            # What the fallback opens is the game's matter: here it is the flag alone.
            heard[-1] = []
            heard.append(observed(world, viewer)[: len(heard[0]) + 1])
        else:
            heard.append(observed(world, viewer))
            heard.append(shown(world, viewer))
        heard.append(answer(world, viewer, decision))
    assert told[0] == told[1]
    assert any(b'"flag_fell"' in bytes(each) for each in told[0][3])


def opened(slug: str, seats: int, options: Any, late: Seat, flag: Flag, state: Any) -> Clocked:
    """One seat has ten seconds for each decision, all others have a year."""
    times = [Correspondence(days=365)] * seats
    times[late] = PerMove(move=10_000)  # type: ignore[call-overload]
    world = Clocked(slug, seats, *times, flag=flag, options=options, is_seated=False)
    world.set_position(state)
    return world


def parts(game: AnyGame, here: Any, there: Any, seat: Seat, viewer: Viewer) -> bool:
    """Whether the fallback is seen, or answered, differently: it may open what was hidden."""
    pairs = [(each, game.fallback(each, seat)) for each in (here, there)]
    seen = [game.redact(each, seat, move, viewer) for each, move in pairs]
    after = [game.apply(each, seat, move) for each, move in pairs]
    views = [msgspec.json.encode(game.view(each, viewer)) for each in after]
    draws = any(isinstance(game.turn(each), Chance) for each in after)
    return seen[0] != seen[1] or views[0] != views[1] or draws


def observed(world: Table, viewer: Viewer) -> list[bytes]:
    return [
        msgspec.json.encode(blanked(msgspec.json.decode(shown_to(each, viewer))))
        for each in world.sealed
    ]


def shown(world: Table, viewer: Viewer) -> Any:
    encoded = msgspec.json.encode(project(world.current, viewer), order="deterministic")
    return blanked(msgspec.json.decode(encoded))


def answer(world: Clocked, viewer: Viewer, decision: str | None) -> str:
    """What the viewer is told that answers what it was asked before, with what nobody offers."""
    try:
        world.do(PlayMove(viewer, decision or "0.0", {"type": "?"}, bytes(32), None, world.at))
    except (Refused, IllegalMove) as refused:
        return type(refused).__name__
    return ""
