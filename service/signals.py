"""What operators watch: every metric there is. No label ever names a match, a player or a caller.

What happens all the time is counted in plain numbers, which costs a tenth of a metric, and told to
the metrics by `tell`, once in a while and from the loop that counted.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import StrEnum
from time import perf_counter
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)

from events.append import Appended, Conflict, Replayed
from events.batching import Outcome
from events.snapshots import Wrong

# It is a second series for every counter, which nobody here reads.
disable_created_metrics()  # type: ignore[no-untyped-call]
REGISTRY: Final = CollectorRegistry()
LOST: Final = "lost"  # events that were read are not in the log any more
_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Work(StrEnum):
    """What goes through many matches, and leaves one that fails for later."""

    RESULTS = "results"
    WEBHOOKS = "webhooks"
    PLATFORMS = "platforms"
    SERIES = "series"
    FLAGS = "flags"
    REVEALS = "reveals"
    DEAL_GROUPS = "deal_groups"


def _counter(name: str, text: str, *labels: str) -> Counter:
    return Counter(f"plyscribe_{name}", text, labels, registry=REGISTRY)


def _gauge(name: str, text: str, of_workers: str, *labels: str) -> Gauge:
    """`of_workers` is how the values of several processes become one."""
    mode: object = of_workers
    return Gauge(
        f"plyscribe_{name}",
        text,
        labels,
        registry=REGISTRY,
        multiprocess_mode=mode,  # type: ignore[arg-type]
    )


MOVES: Final = _counter(
    "moves", "Moves asked for: accepted, replayed or refused", "game", "outcome"
)
CREATED: Final = _counter("matches_created", "Matches created", "game")
ENDED: Final = _counter("matches_ended", "Matches that ended or were cancelled", "game")
EVENTS: Final = _counter("events_appended", "Events stored by group commit")
APPENDS: Final = _counter("appends", "Answers to appends", "outcome")
APPEND_SECONDS: Final = Histogram(
    "plyscribe_append_seconds",
    "Time of one group commit, which serves many appends",
    registry=REGISTRY,
    buckets=_SECONDS,
)
REQUESTS: Final = _counter("requests", "HTTP requests answered", "route", "status")
REQUEST_SECONDS: Final = _counter("request_seconds", "Time spent on answers, not streams", "route")
PROBLEMS: Final = _counter("problems", "Refusals and failures told, over every door", "code")
SLOW_READERS: Final = _counter("slow_readers", "Streams cut because nothing was taken of them")
WEBHOOKS: Final = _counter("webhook_deliveries", "Attempts to deliver a webhook", "outcome")
REPORTS: Final = _counter(
    "platform_reports", "Attempts to tell a platform a result", "platform", "outcome"
)
CREDITED: Final = _counter("clock_credit_seconds", "Time of outages given back to matches")
DECIDE_SECONDS: Final = _counter("decide_seconds", "Time spent on the rules of moves", "game")
DECISION_OPEN: Final = Histogram(
    "plyscribe_decision_open_seconds",
    "How long decisions stood open until their seats answered, of a sample",
    ("game",),
    registry=REGISTRY,
    buckets=(0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1800, 3600, 21600, 86400, 259200, 604800),
)
MISMATCHES: Final = _counter(
    "replay_mismatch",
    "What did not agree with the log of a match: itself, or what was kept",
    "kind",
)
SET_ASIDE: Final = _counter(
    "set_aside", "Times that one match, group or series failed and was left for later", "work"
)
FEED_ENTRIES: Final = _counter("feed_entries", "Entries given a position in the feed")
CHECKPOINTS: Final = _counter("checkpoints_signed", "Roots of the log signed")

BUILD: Final = _gauge(
    "build_info", "1, by version, schema and role", "max", "version", "schema", "role"
)
STREAMS: Final = _gauge("streams_open", "Streams, sockets and waiting requests", "livesum")
STREAM_LIMIT: Final = _gauge("stream_limit", "How many streams may be open", "livesum")
WATCHED: Final = _gauge("watched_matches", "Matches somebody watches", "livesum")
CACHED: Final = _gauge("cached_matches", "Folded matches in memory", "livesum")
LEADS: Final = _gauge("feed_leader", "Processes that hold the lease of the feed", "livesum")
CAUGHT_UP: Final = _gauge(
    "feed_caught_up_timestamp_seconds", "When the feed last had all that was committed", "max"
)
FEED_LAG: Final = _gauge(
    "feed_lag_entries", "Entries that waited for the feed at the leader's last look", "livemax"
)
DATABASE_LOST: Final = _gauge("database_lost", "1 while the feed waits for the database", "livemax")
REDIS_LOST: Final = _gauge("redis_lost", "1 while hints of other processes stay away", "livemax")
INCONSISTENT: Final = _gauge("log_inconsistent", "1 when nothing is signed any more", "livemax")
LOOP_LAG: Final = _gauge("loop_lag_seconds", "How late the loop was at the last look", "livemax")


def begin() -> None:
    """What alerts wait for is there before it happens: a rise from nothing is none to them."""
    PROBLEMS.labels("internal")
    WEBHOOKS.labels("delivered")
    for kind in (*Wrong, LOST):
        MISMATCHES.labels(kind)
    for work in Work:
        SET_ASIDE.labels(work)


def workers_died(registry: CollectorRegistry) -> Counter:
    """For the supervisor of several workers alone: each of them would tell its own as well."""
    return Counter("plyscribe_workers_died", "Workers that died", registry=registry)


_ANSWERS: Final[Mapping[type, str]] = {
    Appended: "appended",
    Replayed: "replayed",
    Conflict: "conflict",
}


class Counts:
    """What was counted and not told yet. Of one process, and of one thread of it."""

    def __init__(self) -> None:
        self.moves: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.requests: defaultdict[tuple[str, int], int] = defaultdict(int)
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.deciding: defaultdict[str, float] = defaultdict(float)

    def tell(self) -> None:
        moves, self.moves = self.moves, defaultdict(int)
        requests, self.requests = self.requests, defaultdict(int)
        seconds, self.seconds = self.seconds, defaultdict(float)
        deciding, self.deciding = self.deciding, defaultdict(float)
        for labels, number in moves.items():
            MOVES.labels(*labels).inc(number)
        for (route, status), number in requests.items():
            REQUESTS.labels(route, status).inc(number)
        for route, spent in seconds.items():
            REQUEST_SECONDS.labels(route).inc(spent)
        for game, spent in deciding.items():
            DECIDE_SECONDS.labels(game).inc(spent)


COUNTS: Final = Counts()


def count_move(game: str, outcome: str) -> None:
    """`outcome` is accepted, replayed or refused."""
    COUNTS.moves[game, outcome] += 1


@contextmanager
def deciding(game: str) -> Iterator[None]:
    """One look at the rules: a move that is refused, or decided with all that follows of it."""
    began = perf_counter()
    try:
        yield
    finally:
        COUNTS.deciding[game] += perf_counter() - began


def count_request(route: str, status: int, seconds: float) -> None:
    """`route` is the pattern of an address, empty for what is none."""
    COUNTS.requests[route, status] += 1
    COUNTS.seconds[route] += seconds


def observe_commit(answers: Sequence[Outcome], seconds: float) -> None:
    """One group commit: what it answered, and how long it took with its repetitions."""
    APPEND_SECONDS.observe(seconds)
    told: defaultdict[str, int] = defaultdict(int)
    events = 0
    for answer in answers:
        other = "failed" if isinstance(answer, Exception) else "refused"
        told[_ANSWERS.get(type(answer), other)] += 1
        if isinstance(answer, Appended):
            events += answer.last - answer.first + 1
    EVENTS.inc(events)
    for outcome, number in told.items():
        APPENDS.labels(outcome).inc(number)
