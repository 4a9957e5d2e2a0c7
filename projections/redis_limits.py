"""Buckets of rate limits in Redis, which all processes share. Everything in it may be lost."""

import asyncio
from time import monotonic
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from projections.redis_nodes import Layout, Place, bucket_of, channel_tag, nodes_at

PATIENCE_SECONDS: Final = 0.25  # a request waits for it
AWAY_SECONDS: Final = 1.0  # for so long nobody asks again after a failure

# KEYS: bucket; ARGV: now, quota, window, wanted. Gives out what there is of what is wanted.
_SCRIPT: Final = """
local now, quota = tonumber(ARGV[1]), tonumber(ARGV[2])
local window, wanted = tonumber(ARGV[3]), tonumber(ARGV[4])
local bucket = redis.call('HMGET', KEYS[1], 'at', 'held')
local at, held = tonumber(bucket[1]) or now, tonumber(bucket[2]) or quota
held = math.min(quota, held + math.max(0, now - at) * quota / window)
local given = math.min(wanted, math.floor(held))
redis.call('HSET', KEYS[1], 'at', math.max(at, now), 'held', tostring(held - given))
redis.call('PEXPIRE', KEYS[1], window)
return {given, tostring(held - given)}
"""


class RedisAway(Exception):
    """Whatever keeps the bucket failed a moment ago, or is still looked for."""


class RedisBuckets:
    """Raises: RedisRefused for a URL that names no Redis."""

    def __init__(self, url: str) -> None:
        self._nodes = nodes_at(url)
        self._layout: Layout = {}
        self._looking: asyncio.Task[None] | None = None
        self._look_again_at = 0.0
        self._clients: dict[Place, Redis] = {}
        self._away_until: dict[Place, float] = {}

    async def lease(
        self, name: str, *, quota: int, window_ms: int, wanted: int, now: int
    ) -> tuple[int, float]:
        """How many of the wanted are given out, and what is left in the bucket `name`.

        Raises: RedisAway at once, if its server failed a moment ago; whatever ails Redis.
        """
        bucket = bucket_of(name)
        key = f"{channel_tag(bucket)}:limit:{name}"
        place = None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                place = await self._place(bucket)
                answer: Any = self._client(place).eval(
                    _SCRIPT, 1, key, now, quota, window_ms, wanted
                )
                given, left = await answer
        except Exception:
            if place is not None:
                # The bucket may be elsewhere by now.
                self._away_until[place] = monotonic() + AWAY_SECONDS
                self._look()
            raise
        return int(given), float(left)

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.wait([self._looking])
        for client in self._clients.values():
            await client.aclose()

    async def _place(self, bucket: int) -> Place:
        """Raises: RedisAway."""
        if not self._layout:
            self._look()
            if self._looking is not None:
                # Going on without whoever waits: servers that are silent take seconds to pass over.
                await asyncio.shield(self._looking)
        for place, buckets in self._layout.items():
            if bucket in buckets:
                if monotonic() < self._away_until.get(place, 0.0):
                    raise RedisAway
                return place
        self._look()
        raise RedisAway

    def _look(self) -> None:
        """Find out where the buckets are, unless that was tried a moment ago."""
        if self._looking is None and monotonic() >= self._look_again_at:
            self._looking = asyncio.create_task(self._looked())

    async def _looked(self) -> None:
        try:
            layout = await self._nodes.layout()
        except (RedisError, OSError, TimeoutError):
            return
        finally:
            self._looking = None
            self._look_again_at = monotonic() + AWAY_SECONDS
        self._layout = layout
        for place in self._clients.keys() - layout.keys():
            await self._clients.pop(place).aclose()
            self._away_until.pop(place, None)

    def _client(self, place: Place) -> Redis:
        client = self._clients.get(place)
        if client is None:
            client = self._clients[place] = Redis.from_url(
                place, protocol=2, retry=Retry(NoBackoff(), 0), client_name="plyscribe"
            )
        return client
