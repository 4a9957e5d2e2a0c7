"""Matches with clocks over the doors, and time that passes while somebody serves."""

import json
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import httpx
from sqlalchemy import Connection, delete

from events.store import Store
from events.tables import OUTAGE, PULSE
from events.verify import verify_log
from service.flags import grace_of, sweep
from tests.service.client import Json, Table, decision_of, random_move
from tests.service.conftest import Door

PER_MOVE = {"time": {"type": "per_move", "move": 10_000}}
FISCHER = {"time": {"type": "fischer", "bank": 60_000, "increment": 2_000}}


async def served_anew(door: Door) -> None:
    """The clock of the test begins anew, and so does what is known of who served when."""

    def forget(connection: Connection) -> None:
        connection.execute(delete(PULSE))
        connection.execute(delete(OUTAGE))

    pulse = door.app.parts.pulse
    await door.app.parts.database.write(forget)
    pulse.beaten, pulse.outages = 0, ()
    await pulse.beat()


async def clocked(door: Door, clock: Any = PER_MOVE, seats: int = 2, **more: Any) -> Table:
    return await door.table(seats=seats, clock=clock, **more)


async def sound(door: Door, table: Table) -> None:
    records = await Store(door.app.parts.database).records(table.match_id)
    seed = (await door.app.parts.dealers.of(table.match_id)).seed()
    assert verify_log(records, seed=seed).fault is None


async def passed(door: Door, ms: int, *, serving: bool = True) -> None:
    """So much time, in steps that no outage is made of; or none served meanwhile."""
    while ms > 0:
        step = min(ms, 1_000) if serving else ms
        door.clock.now += step
        ms -= step
        await door.app.parts.pulse.beat()


async def fallen(door: Door) -> None:
    """All flags that are due have fallen."""
    await passed(door, grace_of(door.app.parts))
    await sweep(door.app.parts)


async def answer(door: Door, table: Table, seat: int, **more: Any) -> httpx.Response:
    shown = await decision_of(door.http, table, seat)
    decision = shown["decision"]
    move = random_move(decision["offers"], Random(1))
    body = {"decision": decision["id"], "move": move, **more}
    return await door.post(table.path + "/moves", table.tokens[seat], json=body)


async def clocks(door: Door, table: Table, token: str | None = None) -> list[Json]:
    got = await door.get(table.path + "/view", token or table.tokens[0])
    lines: list[Json] = got.json()["clocks"]
    return lines


async def kinds(door: Door, table: Table) -> list[str]:
    got = await door.get(table.path + "/events?limit=50", table.tokens[0])
    return [each["kind"] for each in got.json()["events"]]


async def move_of(door: Door, table: Table, seat: int) -> Json:
    decision = (await decision_of(door.http, table, seat))["decision"]
    return {"decision": decision["id"], "move": random_move(decision["offers"], Random(1))}


async def moved(door: Door, table: Table) -> Json:
    """The last answer in the log."""
    events = (await door.get(table.path + "/events?limit=50", table.tokens[0])).json()["events"]
    found: Json = [each for each in events if each["kind"] == "move_played"][-1]
    return found


def thought_over(door: Door, body: Json, ms: int) -> AsyncIterator[bytes]:
    """A body of which the last byte comes that much later."""

    async def parts() -> AsyncIterator[bytes]:
        data = json.dumps(body).encode()
        yield data[:-1]
        await passed(door, ms)
        yield data[-1:]

    return parts()


__all__ = [
    *("FISCHER", "PER_MOVE", "answer", "bearer", "clocked", "clocks", "fallen", "kinds"),
    *("move_of", "moved", "passed", "served_anew", "sound", "thought_over"),
]
