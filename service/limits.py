"""How many requests are let in: a bucket per caller, and one per address for failed tokens.

A bucket tells of its own caller's requests alone, so nothing about a match or about others can be
read from it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol, TypeAlias, TypeVar
from weakref import WeakValueDictionary

import msgspec

WINDOW_MS: Final = 60_000
_MOST: Final = 50_000
_LEASES: Final = 50  # a bucket elsewhere is asked for a 50th of its quota at a time

Place: TypeAlias = tuple[str, str]  # the name of a policy, and whose bucket it is
E = TypeVar("E", tuple[int, float], tuple[int, int, float])


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
        self._buckets: OrderedDict[Place, tuple[int, float]] = OrderedDict()

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
        _put(self._buckets, (policy.name, who), (now, held), now)
        return _taken(policy, is_ok, held)


class Buckets(Protocol):
    """Buckets that processes share."""

    async def lease(
        self, name: str, *, quota: int, window_ms: int, wanted: int, now: int
    ) -> tuple[int, float]:
        """How many of the wanted are given out, and what is left in the bucket."""
        ...


class SharedLimits:
    """Buckets that all processes share; while they are away each process has its own.

    A process takes some tokens at a time and spends them by itself, so few requests wait.
    """

    def __init__(self, buckets: Buckets, clock: Callable[[], int]) -> None:
        self._buckets = buckets
        self._clock = clock
        self._local = LocalLimits(clock)
        self._leased: OrderedDict[Place, tuple[int, int, float]] = OrderedDict()
        self._lanes: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()

    async def take(self, policy: Policy, who: str, count: int = 1) -> Taken:
        if not policy.quota:
            return Taken(policy, True, 0, 0)
        place = (policy.name, who)
        taken = self._from_leased(policy, place, count)
        if taken is not None:
            return taken
        lane = self._lanes.get(place)
        if lane is None:
            lane = self._lanes[place] = asyncio.Lock()
        async with lane:
            # Whoever was first has taken enough for those behind it.
            taken = self._from_leased(policy, place, count)
            if taken is not None:
                return taken
            now = self._clock()
            wanted = max(1, count, policy.quota // _LEASES)
            try:
                given, left = await self._buckets.lease(
                    f"{policy.name}:{who}",
                    quota=policy.quota,
                    window_ms=WINDOW_MS,
                    wanted=wanted,
                    now=now,
                )
            except Exception:  # Whatever ails them: limits go on here.
                return self._local.take_now(policy, who, count)
            self._keep(place, now, given, left)
            return self._from_leased(policy, place, count) or _taken(policy, False, given + left)

    def _from_leased(self, policy: Policy, place: Place, count: int) -> Taken | None:
        """None if what is leased does not hold so many."""
        at, given, left = self._leased.get(place, (0, 0, 0.0))
        if given < max(1, count) or self._clock() - at >= WINDOW_MS:
            return None
        self._keep(place, at, given - count, left)
        return _taken(policy, True, given - count + left)

    def _keep(self, place: Place, at: int, given: int, left: float) -> None:
        _put(self._leased, place, (at, given, left), self._clock())


def _put(entries: "OrderedDict[Place, E]", place: Place, entry: E, now: int) -> None:
    """The newest last. An entry says first when it is from: a window later it means nothing."""
    entries[place] = entry
    entries.move_to_end(place)
    # One at most for each that comes: so they go as fast as others came.
    oldest = next(iter(entries))
    if now - entries[oldest][0] >= WINDOW_MS or len(entries) > _MOST:
        del entries[oldest]


def _taken(policy: Policy, is_ok: bool, held: float) -> Taken:
    missing = policy.quota - held if is_ok else 1 - held
    seconds = -(-int(missing * WINDOW_MS / policy.quota) // 1000)
    return Taken(policy, is_ok, int(held), max(0 if is_ok else 1, seconds))
