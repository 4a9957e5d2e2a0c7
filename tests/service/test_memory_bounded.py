"""What a process holds does not grow with the matches it has had: what is kept has its bounds."""

import asyncio
import functools
import gc
import sys
from collections import Counter, deque
from collections.abc import AsyncIterator, Collection, Iterator
from pathlib import Path
from random import Random
from weakref import WeakSet, WeakValueDictionary

import msgspec
import pytest

from games import registry
from service import settings as service_settings
from service.limits import WINDOW_MS
from tests.service.client import Table, answer, decision_of, random_move
from tests.service.conftest import Clock, Door, opened_door, settings_of
from tests.service.driving import reading
from tests.service.graphql.asking import ref
from tests.service.graphql.sockets import FOLLOW, socket

MATCHES = 24
MOVES = 3
LEAST_KEPT = 8  # so that what is kept is full after few matches
OURS = ("service", "events", "projections", "games")
HOLDERS = (dict, set, list, deque, WeakValueDictionary, WeakSet)


@pytest.fixture
async def small(
    sqlite_url: str, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Door]:
    """A service that keeps as little of matches as it can."""
    monkeypatch.setattr(service_settings, "_LEAST_KEPT", LEAST_KEPT)
    settings = settings_of(sqlite_url, tmp_path)
    async with opened_door(msgspec.structs.replace(settings, cached_matches=1), clock) as door:
        yield door


async def test_nothing_grows_with_the_number_of_matches(small: Door) -> None:
    for number in range(MATCHES):
        await _had(small, number)
    before = await _held(small)
    for number in range(MATCHES, 2 * MATCHES):
        await _had(small, number)
    after = await _held(small)
    grown = {name: (before[name], n) for name, n in after.items() if n - before[name] > MATCHES / 3}
    assert not grown


async def _had(door: Door, number: int) -> None:
    """A match by itself: played, looked at, watched at both doors, and given up."""
    games = [each.GAME.slug for each in registry.HOUSE]
    slug = games[number % len(games)]
    options, seats = registry.game(slug).trials[0]
    table = await door.table(slug, seats, options=msgspec.to_builtins(options))
    rng = Random(number)
    async with reading(door.app, table.path + "/events", door.key, "text/event-stream") as stream:
        await stream.part()
        async with socket(door.app, table.tokens[0]) as wire:
            wire.subscribe(FOLLOW, match=ref(table.match_id))
            await wire.next()
            for _ in range(MOVES):
                await _move(door, table, rng)
    for token in (door.key, *table.tokens):
        assert (await door.get(table.path + "/view", token)).status_code == 200
        assert (await door.get(table.path, token)).status_code == 200
    for seat in range(seats):
        await door.post(f"{table.path}/seats/{seat}/resign", table.tokens[seat], json={})
    assert (await door.get(table.path, door.key)).json()["status"] == "over"
    # Nobody is known for longer than this by what was looked up.
    door.clock.now += WINDOW_MS


async def _move(door: Door, table: Table, rng: Random) -> None:
    for seat in range(len(table.tokens)):
        own = (await decision_of(door.http, table, seat))["decision"]
        if own is not None and own["id"] is not None:
            made = await answer(door.http, table, seat, own["id"], random_move(own["offers"], rng))
            assert made.status_code == 200
            return


async def _held(door: Door) -> Counter[str]:
    """How many things there are: by class of ours, in what each of ours holds by its name, and in
    what functions remember without a bound.
    """
    for _ in range(3):
        await asyncio.sleep(0.3)  # Rounds that are under way come to their end.
    gc.collect()
    found = Counter[str]()
    functions = [
        each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper)
    ]
    for each in functions:
        if not _is_ours(each):
            continue
        if each.cache_info().maxsize is None:
            found[f"{each.__module__}.{each.__qualname__}"] = each.cache_info().currsize
        else:
            each.cache_clear()
    gc.collect()
    for thing in gc.get_objects():
        kind = type(thing)
        if _is_ours(kind):
            found[f"{kind.__module__}.{kind.__qualname__}"] += 1
            for name, held in _attributes(thing):
                found[f"{kind.__module__}.{kind.__qualname__}.{name}"] += len(held)
    for module in [each for name, each in sys.modules.items() if name.split(".")[0] in OURS]:
        for name, held in vars(module).items():
            if isinstance(held, HOLDERS):
                found[f"{module.__name__}.{name}"] = len(held)
    return found


def _is_ours(kind: object) -> bool:
    return str(getattr(kind, "__module__", "")).split(".")[0] in OURS


def _attributes(thing: object) -> Iterator[tuple[str, Collection[object]]]:
    """What holds others, by the name of the attribute."""
    names = [*getattr(thing, "__dict__", ()), *getattr(type(thing), "__slots__", ())]
    for name in names:
        held = getattr(thing, name, None)
        if isinstance(held, HOLDERS):
            yield name, held
