"""What a soak's samples must show, and what is wrong where they don't.

Memory is called flat by thirds: a process fills its caches in the first third of the run, and what
it holds at the end of that is not judged. The median of the last third may then lie above that of
the second by no more than `Allowed` says; of a run of 30 minutes their middles are ten minutes
apart. Medians don't see a single peak, and a sawtooth has the same median in each; what grows
without end has not, however slowly it does so beyond the allowance. The slope that is reported
beside it (the median of the slopes of all pairs of samples of the last two thirds, after Theil and
Sen) tells how fast.
"""

from collections.abc import Sequence
from itertools import combinations
from statistics import median

import msgspec

LEAST_SAMPLES = 9
_PAIRS_OF = 120  # samples whose pairs are looked at; more are thinned out


class Of(msgspec.Struct, frozen=True):
    """A process at one moment. `loop_lag` in seconds; `connections` are its open sockets."""

    rss_kib: int
    files: int
    connections: int
    threads: int
    streams: int
    cached: int
    loop_lag: float


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """`at` in seconds since the load began; counts are those since then.

    `feed_lags` are the lags, in ms, of the seconds since the sample before.
    """

    at: float
    moves: int
    created: int
    finished: int
    watched: int
    watching: int
    errors: int
    processes: dict[str, Of]
    redis_kib: int
    database_connections: int
    feed_lags: tuple[float, ...]


class Allowed(msgspec.Struct, frozen=True):
    """How much the median may grow: the larger of a share of it and an amount, for memory in KiB.

    `feed_lag_ms` is the most for the 99th percentile; None: whatever it is. `rate_share` is the
    least that has to be reached of the rate that was meant, or it was another load.
    """

    memory_share: float = 0.03
    memory_kib: int = 3 * 1024
    count_share: float = 0.10
    count: int = 6
    feed_lag_ms: float | None = 500
    rate_share: float = 0.8


class Growth(msgspec.Struct, frozen=True):
    """Medians of the second and of the last third; `per_hour` is the slope over both."""

    second: float
    last: float
    per_hour: float

    def exceeds(self, share: float, amount: float) -> bool:
        return self.last - self.second > max(share * self.second, amount)


def growth(times: Sequence[float], values: Sequence[float]) -> Growth:
    """`times` in seconds, rising."""
    third = len(values) // 3
    second, last = values[third : len(values) - third], values[len(values) - third :]
    late = list(zip(times[third:], values[third:], strict=True))
    thinned = late[:: 1 + len(late) // _PAIRS_OF]
    slopes = [(w - v) / (u - t) for (t, v), (u, w) in combinations(thinned, 2)]
    return Growth(median(second), median(last), 3600 * median(slopes))


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so large a share does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def growths(samples: Sequence[Sample]) -> dict[str, Growth]:
    """By what grows: memory of each process and of Redis in KiB, files, connections."""
    times = [each.at for each in samples]
    found = {}
    for name in samples[0].processes:
        own = [each.processes[name] for each in samples]
        found[f"memory of {name}"] = growth(times, [each.rss_kib for each in own])
        found[f"files of {name}"] = growth(times, [each.files for each in own])
        found[f"connections of {name}"] = growth(times, [each.connections for each in own])
        found[f"threads of {name}"] = growth(times, [each.threads for each in own])
    found["memory of redis"] = growth(times, [each.redis_kib for each in samples])
    connected = [each.database_connections for each in samples]
    return {**found, "connections of the database": growth(times, connected)}


def reached(samples: Sequence[Sample]) -> float:
    """Moves a second."""
    first, last = samples[0], samples[-1]
    return (last.moves - first.moves) / (last.at - first.at)


def faults(samples: Sequence[Sample], allowed: Allowed, meant: float) -> list[str]:
    """What is wrong with a run, meant to make so many moves a second; empty if nothing is."""
    if len(samples) < LEAST_SAMPLES:
        return [f"{len(samples)} samples are too few to judge by"]
    found = []
    for name, each in growths(samples).items():
        is_memory = name.startswith("memory")
        share = allowed.memory_share if is_memory else allowed.count_share
        if each.exceeds(share, allowed.memory_kib if is_memory else allowed.count):
            told = f"{each.second:.0f} to {each.last:.0f}, {each.per_hour:+.0f} an hour"
            found.append(f"{name} grows: {told}")
    if samples[-1].errors:
        found.append(f"{samples[-1].errors} errors")
    middle, last = samples[len(samples) // 2], samples[-1]
    found += [
        f"nothing {name} in the second half"
        for name in ("moves", "created", "finished", "watched")
        if getattr(last, name) <= getattr(middle, name)
    ]
    if reached(samples) < allowed.rate_share * meant:
        found.append(f"{reached(samples):.1f} moves a second were made of {meant:.1f}")
    return found + _lag_faults(samples, allowed)


def _lag_faults(samples: Sequence[Sample], allowed: Allowed) -> list[str]:
    lags = [lag for each in samples for lag in each.feed_lags]
    if not lags:
        return ["the lag of the feed was never seen"]
    worst = percentile(lags, 0.99)
    if allowed.feed_lag_ms is not None and worst >= allowed.feed_lag_ms:
        return [f"the feed lags by {worst:.0f} ms (99th percentile of {len(lags)} seconds)"]
    return []
