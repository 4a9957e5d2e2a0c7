"""A deal group whose seats are claimed, and everybody who may ask about it."""

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any

import httpx
import msgspec

from tests.service.client import RUNNING, Table, answer, decision_of, play_seat, random_move
from tests.service.conftest import Door
from tests.waiting import eventually

GROUPS = "/v1/deal-groups"
HOUR = 3_600_000
ORGANISER = ("matches:create", "matches:read", "matches:manage", "seats:issue", "observe")


class Group(msgspec.Struct, frozen=True):
    """`organiser` is a key that manages and is no arbiter; `tables` are in the order asked for."""

    id: str
    organiser: str
    tables: tuple[Table, ...]

    @property
    def path(self) -> str:
        return f"{GROUPS}/{self.id}"


def wanted(door: Door, *tables: Sequence[str], **more: Any) -> dict[str, Any]:
    """The body of a group of ambagibus, or of high card if its tables have several seats."""
    seats = len(tables[0])
    return {
        "game": "ambagibus" if seats == 1 else "high_card",
        "seats": seats,
        "tables": tables,
        "closes_at": door.clock.now + HOUR,
        "closing": "forfeit",
        **more,
    }


async def key_of(door: Door, *scopes: str) -> str:
    made = await door.post("/v1/keys", json={"name": "own", "scopes": scopes})
    assert made.status_code == 201, made.text
    secret: str = made.json()["secret"]
    return secret


async def sandbox_key(door: Door, *scopes: str) -> str:
    """A key of the sandbox, by default one that may do all there is to do."""
    every = (await door.get("/v1/me")).json()["scopes"]
    wanted = {"name": "rehearsal", "scopes": scopes or every, "test": True}
    made = await door.post("/v1/keys", json=wanted)
    assert made.status_code == 201, made.text
    secret: str = made.json()["secret"]
    return secret


async def opened(door: Door, *tables: Sequence[str], **more: Any) -> Group:
    """A new group, every seat claimed by the organiser."""
    organiser = await key_of(door, *ORGANISER)
    names = tables or (("ada",), ("bob",), ("cyd",))
    made = await door.post(GROUPS, organiser, json=wanted(door, *names, **more))
    assert made.status_code == 201, made.text
    found = []
    for each in made.json()["tables"]:
        path, tokens = f"/v1/matches/{each['match_id']}", []
        for seat in range(len(names[0])):
            claimed = await door.post(f"{path}/seats/{seat}/claim", organiser)
            assert claimed.status_code == 200, claimed.text
            tokens.append(claimed.json()["token"])
        found.append(Table(each["match_id"], tuple(tokens)))
    return Group(made.json()["id"], organiser, tuple(found))


async def played(door: Door, table: Table, seed: int = 1) -> None:
    """To its end, by random moves."""
    await asyncio.gather(
        *(play_seat(door.http, table, s, Random(seed + s)) for s in range(len(table.tokens)))
    )


async def moved(door: Door, table: Table, seed: int = 1) -> httpx.Response:
    """One random move of somebody who is asked."""
    for seat in range(len(table.tokens)):
        own = (await decision_of(door.http, table, seat))["decision"]
        if own is not None and own["id"] is not None:
            move = random_move(own["offers"], Random(seed))
            return await answer(door.http, table, seat, own["id"], move)
    raise AssertionError


async def revealed(door: Door, group: Group) -> dict[str, Any]:
    """The group, once it is revealed."""
    return await come_to(door, group, "revealed")


async def come_to(door: Door, group: Group, state: str) -> dict[str, Any]:
    """The group, once it is in that state."""

    async def shown() -> dict[str, Any]:
        found: dict[str, Any] = (await door.get(group.path)).json()
        return found

    return await eventually(shown, lambda found: found["state"] == state)


async def log_of(door: Door, table: Table, token: str = "") -> list[dict[str, Any]]:
    """The whole log of a revealed match."""
    path = f"{table.path}/events?perspective=full&limit=500"
    found: list[dict[str, Any]] = []
    while True:
        got = await door.get(f"{path}&after={len(found)}", token or door.key)
        assert got.status_code == 200, got.text
        if not got.json()["events"]:
            return found
        found += got.json()["events"]


async def is_running(door: Door, table: Table) -> bool:
    return (await door.get(table.path)).json()["status"] in RUNNING
