"""Buckets of rate limits in Redis, which all processes share. Everything in it may be lost."""

import asyncio
from time import monotonic
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

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
    """Redis failed a moment ago."""


class RedisBuckets:
    """Raises: RedisRefused for a URL that names no Redis."""

    def __init__(self, url: str) -> None:
        self._nodes = nodes_at(url)
        self._layout: Layout | None = None
        self._clients: dict[Place, Redis] = {}
        self._away_until = 0.0

    async def lease(
        self, name: str, *, quota: int, window_ms: int, wanted: int, now: int
    ) -> tuple[int, float]:
        """How many of the wanted are given out, and what is left in the bucket `name`.

        Raises: whatever ails Redis; at once, if it did so a moment ago.
        """
        if monotonic() < self._away_until:
            raise RedisAway
        bucket = bucket_of(name)
        key = f"{channel_tag(bucket)}:limit:{name}"
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                client = await self._client(bucket)
                answer: Any = client.eval(_SCRIPT, 1, key, now, quota, window_ms, wanted)
                given, left = await answer
        except Exception:
            self._away_until = monotonic() + AWAY_SECONDS
            self._layout = None
            raise
        return int(given), float(left)

    async def close(self) -> None:
        for client in self._clients.values():
            await client.aclose()

    async def _client(self, bucket: int) -> Redis:
        if self._layout is None:
            self._layout = await self._nodes.layout()
        place = next(at for at, buckets in self._layout.items() if bucket in buckets)
        client = self._clients.get(place)
        if client is None:
            client = self._clients[place] = Redis.from_url(
                place, protocol=2, retry=Retry(NoBackoff(), 0), client_name="plyscribe"
            )
        return client
