"""What is looked at now and then, and told as metrics together with what was counted meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final

from service import open_times, signals
from service.parts import Parts
from service.roles import Role

SECONDS: Final = 1.0


@asynccontextmanager
async def sampling(parts: Parts) -> AsyncIterator[None]:
    """Look every second while this is open, and once more at the end."""
    signals.begin()
    signals.BUILD.labels(version("plyscribe"), parts.schema, parts.settings.role).set(1)
    signals.STREAM_LIMIT.set(parts.settings.stream_limit)
    look(parts)
    tasks = [asyncio.create_task(each) for each in (_looking(parts), _looking_up(parts))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        look(parts)


async def _looking(parts: Parts) -> None:
    loop, was_alone = asyncio.get_running_loop(), False
    while True:
        due = loop.time() + SECONDS
        await asyncio.sleep(SECONDS)
        signals.LOOP_LAG.set(max(0.0, loop.time() - due))
        look(parts)
        if parts.is_alone is not was_alone:
            was_alone = not was_alone
            missing = Role.WORKER if parts.settings.role is Role.WEB else Role.WEB
            say = parts.log.warning if was_alone else parts.log.info
            say("role_missing" if was_alone else "role_is_back", role=missing)


async def _looking_up(parts: Parts) -> None:
    """Apart from the other look, which has to go on while the database is away."""
    while True:
        await asyncio.sleep(SECONDS)
        await open_times.tell(parts.store, parts.answers)


def look(parts: Parts) -> None:
    signals.COUNTS.tell()
    signals.STREAMS.set(parts.streams.open_count)
    signals.WATCHED.set(parts.news.watched_count)
    signals.CACHED.set(len(parts.cache))
    signals.LEADS.set(parts.feeding.leads)
    signals.DATABASE_LOST.set(parts.feeding.waits)
    signals.REDIS_LOST.set(parts.news.is_degraded)
    signals.INCONSISTENT.set(parts.feeding.is_inconsistent)
