"""Webhooks of a door in this process, and what becomes of their deliveries."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from tests.service.conftest import Door

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
    async with asyncio.timeout(15):
        while True:
            newest = (await log_of(door, hook))[:1]
            if newest and newest[0]["state"] == state and len(newest[0]["log"]) >= attempts:
                return newest[0]
            await asyncio.sleep(0.02)


async def eventually(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(15):
        while True:
            if await is_so():
                return
            await asyncio.sleep(0.02)


def pass_time(door: Door, milliseconds: int) -> None:
    door.clock.now += milliseconds
    door.app.parts.webhooks.stir()
