"""What the processes of a soak take and tell, looked at every second and kept every few."""

import asyncio
import os
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import httpx
import psycopg
from prometheus_client.parser import text_string_to_metric_families
from redis.asyncio import Redis

from tests.soak.judging import Of, Sample
from tests.soak.loading import Load

LOOK_SECONDS = 1.0
Metrics = dict[str, float]  # by name; over all labels they are summed up


class Watched:
    """`services` are pids and addresses of metrics, by name."""

    def __init__(
        self, services: Mapping[str, tuple[int, str]], database_url: str, redis_url: str
    ) -> None:
        self._services = services
        self._database_url = database_url
        self._redis_url = redis_url
        self.lags: deque[float] = deque()  # since the last sample, in ms
        self.metrics: dict[str, Metrics] = {}
        self.unseen = 0  # looks that brought nothing

    async def look(self, http: httpx.AsyncClient) -> None:
        """The metrics of each process, and how far the feed is behind what was committed.

        The lag is the time since some process last had all that was committed in the feed, so it
        is never told too small, and too large by as much as is between two rounds of an idle one.
        """
        seen = dict[str, Metrics]()
        for name, (_, url) in self._services.items():
            with suppress(httpx.TransportError):
                seen[name] = _summed((await http.get(url)).raise_for_status().text)
        now = time.time()
        newest = [
            each.get("plyscribe_feed_caught_up_timestamp_seconds", 0.0) for each in seen.values()
        ]
        self.metrics = seen
        self.unseen += len(self._services) - len(seen)
        if any(newest):
            self.lags.append(1000 * (now - max(newest)))

    async def sample(self, load: Load, since: float, errors: int) -> Sample:
        """`since` is when the load began; `errors` are those that the services tell of."""
        lags = tuple(round(each, 1) for each in self.lags)
        self.lags.clear()
        connections = await asyncio.to_thread(_database_connections, self._database_url)
        return Sample(
            at=round(time.monotonic() - since, 2),
            moves=load.moves,
            created=load.created,
            finished=load.finished,
            watched=load.watched,
            watching=load.watching,
            errors=load.error_count + errors,
            processes={
                name: of_process(pid, self.metrics.get(name, {}))
                for name, (pid, _) in self._services.items()
            },
            redis_kib=await _redis_kib(self._redis_url),
            database_connections=connections,
            feed_lags=lags,
        )

    def total(self, name: str) -> float:
        """Of a metric, over all processes."""
        return sum(each.get(name, 0.0) for each in self.metrics.values())


def of_process(pid: int, metrics: Metrics) -> Of:
    files = _open_files(pid)
    status = dict(
        line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
    )
    return Of(
        rss_kib=int(status["VmRSS"].split()[0]),
        files=len(files),
        connections=sum(each.startswith("socket:") for each in files),
        threads=int(status["Threads"]),
        streams=round(metrics.get("plyscribe_streams_open", 0)),
        cached=round(metrics.get("plyscribe_cached_matches", 0)),
        loop_lag=round(metrics.get("plyscribe_loop_lag_seconds", 0.0), 4),
    )


def _open_files(pid: int) -> list[str]:
    """What its descriptors are of."""
    found = []
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed meanwhile
            found.append(os.readlink(each))
    return found


def _summed(text: str) -> Metrics:
    found: Metrics = {}
    for family in text_string_to_metric_families(text):
        for each in family.samples:
            found[each.name] = found.get(each.name, 0.0) + each.value
    return found


def _database_connections(url: str) -> int:
    """Without the one that asks."""
    query = (
        "SELECT count(*) - 1 FROM pg_stat_activity"
        " WHERE datname = current_database() AND backend_type = 'client backend'"
    )
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return int(row[0])


async def _redis_kib(url: str) -> int:
    async with Redis.from_url(url) as client:
        told: dict[str, int] = await client.info("memory")
    return int(told["used_memory"]) // 1024
