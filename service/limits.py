"""How many requests are let in: a bucket per caller, and one per address for failed tokens.

A bucket tells of its own caller's requests alone, so nothing about a match or about others can be
read from it.
"""

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any, Final, Protocol

import msgspec

WINDOW_MS: Final = 60_000
_MOST: Final = 50_000
_LEASES: Final = 50  # a bucket elsewhere is asked for a 50th of its quota at a time


class Policy(msgspec.Struct, frozen=True):
    """`quota` requests a minute, refilled evenly; 0 is no limit."""

    name: str
    quota: int


class Taken(msgspec.Struct, frozen=True):
    """What is left of a bucket. `seconds` is until it is full again, or until the next request."""

    policy: Policy
    is_ok: bool
    left: int
    seconds: int

    @property
    def headers(self) -> tuple[tuple[bytes, bytes], ...]:
        """RateLimit-Policy and RateLimit as structured fields."""
        if not self.policy.quota:
            return ()
        name, quota = self.policy.name, self.policy.quota
        return (
            (b"ratelimit-policy", b'"%b";q=%d;w=%d' % (name.encode(), quota, WINDOW_MS // 1000)),
            (b"ratelimit", b'"%b";r=%d;t=%d' % (name.encode(), self.left, self.seconds)),
        )


class Limits(Protocol):
    """Where buckets are kept."""

    async def take(self, policy: Policy, who: str, count: int = 1) -> Taken:
        """Takes `count` out of the bucket if it holds so many; 0 only looks."""
        ...


class LocalLimits:
    """Buckets of this process."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], tuple[int, float]] = OrderedDict()

    async def take(self, policy: Policy, who: str, count: int = 1) -> Taken:
        return self.take_now(policy, who, count)

    def take_now(self, policy: Policy, who: str, count: int = 1) -> Taken:
        if not policy.quota:
            return Taken(policy, True, 0, 0)
        now, quota = self._clock(), policy.quota
        at, held = self._buckets.get((policy.name, who), (now, float(quota)))
        held = min(quota, held + max(0, now - at) * quota / WINDOW_MS)
        is_ok = held >= max(1, count)
        if is_ok:
            held -= count
        self._buckets[(policy.name, who)] = (now, held)
        self._buckets.move_to_end((policy.name, who))
        if len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
        return _taken(policy, is_ok, held)


class Scripts(Protocol):
    """What is used of a Redis client."""

    def eval(self, script: str, numkeys: int, *keys_and_args: Any) -> Awaitable[Any]: ...


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


class SharedLimits:
    """Buckets that all processes share, in Redis; while it is away each has its own.

    A process takes some tokens at a time and spends them by itself, so few requests wait for Redis.
    """

    def __init__(
        self, redis: Scripts, clock: Callable[[], int], prefix: str = "ply:limit:"
    ) -> None:
        self._redis = redis
        self._clock = clock
        self._prefix = prefix
        self._local = LocalLimits(clock)
        self._leased: OrderedDict[tuple[str, str], tuple[int, int, float]] = OrderedDict()

    async def take(self, policy: Policy, who: str, count: int = 1) -> Taken:
        if not policy.quota:
            return Taken(policy, True, 0, 0)
        place, now = (policy.name, who), self._clock()
        at, given, left = self._leased.get(place, (0, 0, 0.0))
        if given < max(1, count) or now - at >= WINDOW_MS:
            try:
                given, left = await self._lease(policy, who, max(1, count, _share(policy)))
            except Exception:  # Whatever ails Redis: limits go on here.
                return self._local.take_now(policy, who, count)
            at = now
        is_ok = given >= max(1, count)
        given -= count if is_ok else 0
        self._leased[place] = (at, given, left)
        self._leased.move_to_end(place)
        if len(self._leased) > _MOST:
            self._leased.popitem(last=False)
        return _taken(policy, is_ok, given + left)

    async def _lease(self, policy: Policy, who: str, wanted: int) -> tuple[int, float]:
        key = f"{self._prefix}{policy.name}:{who}"
        args = (self._clock(), policy.quota, WINDOW_MS, wanted)
        given, left = await self._redis.eval(_SCRIPT, 1, key, *args)
        return int(given), float(left)


def _share(policy: Policy) -> int:
    return policy.quota // _LEASES


def _taken(policy: Policy, is_ok: bool, held: float) -> Taken:
    missing = policy.quota - held if is_ok else 1 - held
    seconds = -(-int(missing * WINDOW_MS / policy.quota) // 1000)
    return Taken(policy, is_ok, int(held), max(0 if is_ok else 1, seconds))
