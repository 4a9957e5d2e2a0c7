"""Webhooks of a door in this process, and what becomes of their deliveries."""

from typing import Any

import httpx

from tests.service.conftest import Door
from tests.waiting import eventually

Json = dict[str, Any]

HOOKS = "/v1/webhooks"


async def hooked(door: Door, url: str, token: str = "", **more: Any) -> Json:
    """A new webhook with its secret."""
    made = await door.post(HOOKS, token or door.key, json={"url": url, **more})
    assert made.status_code == 201, made.text
    hook: Json = made.json()
    return hook


async def shown(door: Door, hook: Json) -> Json:
    found: Json = (await door.get(f"{HOOKS}/{hook['id']}")).json()
    return found


async def changed(door: Door, hook: Json, **change: Any) -> httpx.Response:
    headers = {"Authorization": f"Bearer {door.key}", "If-Match": "*"}
    return await door.http.patch(f"{HOOKS}/{hook['id']}", json=change, headers=headers)


async def sent_test(door: Door, hook: Json) -> Json:
    queued = await door.post(f"{HOOKS}/{hook['id']}/test")
    assert queued.status_code == 202, queued.text
    delivery: Json = queued.json()
    return delivery


async def log_of(door: Door, hook: Json, **params: Any) -> list[Json]:
    got = await door.get(f"{HOOKS}/{hook['id']}/deliveries", params=params)
    assert got.status_code == 200, got.text
    found: list[Json] = got.json()["deliveries"]
    return found


async def settled(door: Door, hook: Json, state: str, attempts: int = 0) -> Json:
    """The newest delivery, once it is in that state after (at least) so many noted attempts."""

    def is_settled(log: list[Json]) -> bool:
        return bool(log) and log[0]["state"] == state and len(log[0]["log"]) >= attempts

    return (await eventually(lambda: log_of(door, hook), is_settled))[0]


def pass_time(door: Door, milliseconds: int) -> None:
    door.clock.now += milliseconds
    door.app.parts.webhooks.stir()
