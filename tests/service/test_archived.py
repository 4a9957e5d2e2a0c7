"""A match that is archived is one that nobody can tell from before: every address, to everybody, in
processes that know it and in one that has never seen it; and whatever may still be done with it.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import delete

from events.tables import SNAPSHOT
from service.app import build
from service.settings import Settings
from tests.secrecy.channels import PLAYED, THEN, WATCHED
from tests.service.archived import archived, done, group_rested, rows, said, settled
from tests.service.client import Table, answer, bearer, play_out
from tests.service.conftest import KEY, Clock, Door
from tests.service.graphql.asking import ref
from tests.service.grouping import Group
from tests.service.positions import begun
from tests.service.test_disputes import reviewed, ruled

Json = dict[str, Any]
Asked = tuple[str, str, Json | None]  # a token, an address, what is posted there
Told = tuple[int, bytes, str | None]  # status, body, ETag
WINDOW = 3600  # seconds


class World(msgspec.Struct, frozen=True):
    """A match that was disputed and rewound, those of a deal group, and who may ask about them."""

    table: Table
    group: Group
    callers: tuple[str, ...]
    disputes: tuple[int, ...]
    version: int

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.table, self.group.tables[0])


@asynccontextmanager
async def opened_door(settings: Settings, clock: Clock) -> AsyncIterator[Door]:
    """A process that has seen nothing yet."""
    async with (
        build(settings, clock=clock).running() as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://door") as http,
    ):
        yield Door(http, app, clock)


async def made(door: Door) -> World:
    """All over, revealed, and taken in by everybody who reads the feed."""
    table, first = await begun(door, "high_card", 3, moves=2, reveal_after_seconds=WINDOW)
    await done(said(door, table, 0, "word-of-ada"))
    wrong = {"type": "arrange", "cards": [98, 99]}
    assert (await answer(door.http, table, 1, "1.1", wrong)).status_code in (409, 422)
    watching = [
        (await done(door.post(table.path + "/spectators", json=each))).json()["token"]
        for each in ({"delay_seconds": 60}, {"delay_versions": 3})
    ]
    referee = {"external_id": "referee"}
    arbiter = (await done(door.post(table.path + "/arbiters", json=referee))).json()["token"]
    path = await reviewed(door, table, 0)
    await done(ruled(door, path, {"type": "rewind", "boundary": first["boundary"]}))
    await done(door.post(path + "/appeal", table.tokens[-1], json={"reason": "appeal-of-cyd"}))
    await done(door.post(path + "/review", json={"pause": False}))
    await done(ruled(door, path, {"type": "note"}))
    await play_out(door.http, table, seed=7)
    group = await group_rested(door)
    door.clock.now += 1000 * WINDOW + 1000
    shown = (await door.get(table.path)).json()
    assert shown["revealed"] is True
    disputes = (await door.get(table.path + "/disputes")).json()["disputes"]
    await settled(door)
    callers = (KEY, table.tokens[0], *watching, arbiter, group.tables[0].tokens[0])
    return World(table, group, callers, tuple(each["id"] for each in disputes), shown["version"])


def of_match(table: Table) -> Iterator[str]:
    path, sides = table.path, ("full", "public", "seat:0", "seat:1", "seat:9")
    yield path
    yield from (path + each for each in ("/view", "/decision", "/decision/moves", "/replay"))
    yield from (path + each for each in ("/seats", "/seats/0", "/takebacks", "/draws", "/clocks"))
    yield from (path + each for each in ("/result", "/refusals", "/proof", "/disputes"))
    yield from (path + each for each in ("/spectators", "/arbiters"))
    yield from (f"{path}/bundle?perspective={each}" for each in sides)
    yield from (f"{path}/events?{each}" for each in ("", "proof=true", "perspective=full"))
    yield from (f"{path}/events?after={after}&limit=3" for after in (2, 15, 99))


def of_disputed(world: World) -> Iterator[str]:
    path = world.table.path
    for at in (1, 9, world.version - 1, world.version + 1):
        yield f"{path}/view?at={at}"
        yield f"{path}/bundle?at={at}"
        yield f"{path}/view?at={at}&as=1"
    yield f"{path}/replay?after=3&limit=9&as=0"
    yield f"{path}/diff?from=3"
    yield f"{path}/diff?from=5&against=public"
    for each in world.disputes:
        yield f"{path}/disputes/{each}"
        yield f"{path}/disputes/{each}/report"


def of_all(world: World) -> Iterator[str]:
    yield from ("/v1/matches", "/v1/matches?status=over", "/v1/feed", "/v1/results", "/v1/me")
    yield from ("/v1/log", "/v1/log/checkpoint", "/v1/log/consistency?first=2")
    yield from (world.group.path, world.group.path + "/standings", "/v1/deal-groups")


def questions(world: World) -> Iterator[Asked]:
    for token in world.callers:
        for table in world.tables:
            if table is world.table or token in (KEY, *table.tokens):
                yield from ((token, address, None) for address in of_match(table))
        for query in (WATCHED, PLAYED, THEN):
            named = {"match": ref(world.table.match_id)}
            variables = {**named, "at": 5} if query == THEN else named
            yield token, "/graphql", {"query": query, "variables": variables}
        yield from ((token, address, None) for address in of_disputed(world))
    yield from ((KEY, address, None) for address in of_all(world))


async def everything(door: Door, world: World, *callers: str) -> dict[str, Told]:
    """What every address says to everybody who may ask, or to some."""
    found = {}
    for token, address, body in questions(world):
        if token not in (callers or world.callers):
            continue
        own = bearer(token)
        got = await (
            door.http.get(address, headers=own)
            if body is None
            else door.http.post(address, headers=own, json=body)
        )
        assert got.status_code < 500, (address, got.text)
        place = f"{world.callers.index(token)} {address} {body}"
        found[place] = (got.status_code, got.content, got.headers.get("etag"))
    return found


@pytest.fixture(autouse=True)
def _every_answer_is_documented() -> None:
    """Held to the document by all other tests: here there are thousands."""


async def test_nobody_can_tell_that_a_match_is_archived(settings: Settings, clock: Clock) -> None:
    async with opened_door(settings, clock) as door:
        world = await made(door)
    if not settings.database_url.startswith("sqlite"):
        # What differs is how rows and archives are read: who asks does not matter to that.
        world = replace(world, callers=(KEY, world.callers[1], world.callers[3]))
    async with opened_door(settings, clock) as door:
        await settled(door)
        before = await everything(door, world)
        assert sum(status == 200 for status, _, _ in before.values()) > len(before) / 2
        await archived(door, *world.tables)
        known = await everything(door, world, KEY)
        assert known == {place: before[place] for place in known}
    async with opened_door(settings, clock) as door:
        await door.app.parts.database.write(lambda c: c.execute(delete(SNAPSHOT)))
        assert await everything(door, world) == before
        assert await rows(door, world.table) == (0, 0, 1)
