"""Takebacks, disputes and rewinds tell a viewer nothing of what it may not know.

A state and its resample for a viewer open two matches in pure code. The viewer's own steps are
played in both, a takeback is asked for, a dispute rewinds both to where they began. All that the
viewer is shown is compared byte by byte: observations, its view and offers, refusals, the report.
"""

from random import Random
from typing import Any

import msgspec
import pytest

from events.canonical import canonical, decoded
from events.refusals import Refused
from events.rewinding import rewinds_of, skipped
from events.rulings import Rewind
from events.types import MatchRewound
from games import registry
from games.core.game import SPECTATOR, AnyGame, Chance, Decision, Viewer
from games.core.moves import sample, wire_move
from projections.learning import Skipped, learnt
from projections.projection import project
from tests.events.disputed import answer, ask_back, ruled
from tests.events.scripted import Table, shown_to

GAMES = ("high_card", "ambition_characters", "ambition_tricks", "ambagibus")
CASES = [(slug, number) for slug in GAMES for number in range(12)]
TRIES = 100
COMMITS = ("head", "hash", "sealed", "seed_commitment")


@pytest.mark.parametrize(("slug", "number"), CASES)
def test_two_worlds_a_viewer_cannot_tell_apart_stay_so(slug: str, number: int) -> None:
    game, rng = registry.game(slug), Random(f"{slug} {number}")
    options, seats = game.trials[number % len(game.trials)]
    worlds, viewer, start = two_worlds(game, seats, options, rng)
    told: list[list[Any]] = [[], []]
    for world, heard in zip(worlds, told, strict=True):
        heard.append(attempt(world, viewer))
        for seat in range(seats):
            if seat != viewer and world.current.takeback is not None:
                heard.append(agreed(world, seat))
        if world.current.status == "running":
            ruled(world, Rewind(to=start, boundary=None))
            heard.append(report(world, viewer))
        shown_now = msgspec.json.encode(project(world.current, viewer), order="deterministic")
        heard.append(blanked(decoded(shown_now)))
    assert told[0] == told[1]
    assert alike(worlds, viewer)


def two_worlds(
    game: AnyGame, seats: int, options: Any, rng: Random
) -> tuple[list[Table], Viewer, int]:
    """Both worlds after a step of the viewer's own, if it is asked, and where they began.

    A step that itself parts the worlds is the game's matter: then others are drawn.
    """
    for _ in range(TRIES):
        before, turn = decided(game, seats, options, rng)
        viewer: Viewer = rng.choice([*sorted(turn.offers), *range(seats)])
        state = before.current.state
        twin = game.resample(state, viewer, rng)
        worlds = [opened(game, seats, options, each) for each in (state, twin)]
        start = worlds[0].current.version
        own = worlds[0].current.decision
        if own is None or viewer not in own.offers:
            return worlds, viewer, start
        wire = wire_move(sample(own.offers[viewer], rng))
        shown = [len(world.play(viewer, wire)) for world in worlds]
        if shown[0] == shown[1] and alike(worlds, viewer):
            return worlds, viewer, start
    raise AssertionError("every step parts the worlds")


def decided(game: AnyGame, seats: int, options: Any, rng: Random) -> tuple[Table, Decision]:
    """A random match that waits for a decision, and which."""
    for _ in range(TRIES):
        found = Table(game, seats, options).play_on(rng, most=rng.randrange(40))
        while isinstance(found.current.turn, Chance):
            found.play_on(rng, most=1)
        if isinstance(found.current.turn, Decision):
            return found, found.current.turn
    raise AssertionError("every match is over")


def opened(game: AnyGame, seats: int, options: Any, state: Any) -> Table:
    table = Table(game, seats, options, is_seated=False)
    table.set_position(state)
    return table


def alike(worlds: list[Table], viewer: Viewer) -> bool:
    shown = [
        [blanked(decoded(shown_to(each, viewer))) for each in world.sealed] for world in worlds
    ]
    return shown[0] == shown[1]


def attempt(world: Table, viewer: Viewer) -> str:
    """What asking for the last move back answers."""
    if viewer == SPECTATOR:
        return ""
    try:
        return " ".join(type(step.event).__name__ for step in ask_back(world, viewer))
    except Refused as refused:
        return type(refused).__name__


def agreed(world: Table, seat: int) -> str:
    try:
        return " ".join(type(step.event).__name__ for step in answer(world, seat))
    except Refused as refused:
        return type(refused).__name__


def report(world: Table, viewer: Viewer) -> bytes:
    rewind = next(e for e in reversed(world.events) if isinstance(e, MatchRewound))
    versions = skipped(rewinds_of(world.records), rewind.version)
    steps = [
        Skipped(world.after(v - 1), world.events[v - 1], world.after(v)) for v in versions if v > 1
    ]
    found = learnt(steps, viewer, world.dealer)
    return canonical(blanked(decoded(canonical(found))))


def blanked(value: Any) -> Any:
    if isinstance(value, dict):
        return {n: None if n in COMMITS else blanked(each) for n, each in value.items()}
    if isinstance(value, list | tuple):
        return [blanked(each) for each in value]
    return value
