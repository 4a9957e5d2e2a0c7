"""What every alert is for, as series of samples: when it has to fire, and when it must not.

A sample each half minute, from minute 0 on. `None` is none, `GONE` is where a scrape has failed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

Values = Sequence[float | None]

MINUTE = 2  # samples
GONE = float("nan")
JOB = {"job": "plyscribe-metrics", "namespace": "games"}


@dataclass(frozen=True)
class Case:
    """`labels` (besides the severity) are those it fires with in minutes `since` to `until`, and at
    no other time from `looked` on; without `since` it never fires.
    """

    alert: str
    series: Mapping[str, Values]
    since: float | None = None
    until: float = float("inf")
    labels: Mapping[str, str] = field(default_factory=lambda: JOB)
    looked: float = 0


def of(name: str, instance: str = "web-1", **labels: str) -> str:
    """One series as Prometheus has it of a pod."""
    told = {**JOB, "instance": instance, **labels}
    inside = ",".join(f'{key}="{value}"' for key, value in told.items())
    return f"plyscribe_{name}{{{inside}}}"


def flat(value: float | None, minutes: float) -> list[float | None]:
    return [value] * round(MINUTE * minutes)


def rising(by: float, minutes: float, start: float = 0) -> list[float | None]:
    """A counter that rises with each sample."""
    return [start + by * number for number in range(round(MINUTE * minutes))]


def buckets(slow: int, of_all: int, minutes: float) -> dict[str, Values]:
    """Commits, of which some took between half a second and one."""
    fast = of_all - slow
    counts = {"0.25": 0, "0.5": fast, "1.0": of_all, "+Inf": of_all}
    return {
        of("append_seconds_bucket", le=le): rising(count, minutes) for le, count in counts.items()
    }


WORKS = {of("build_info", "worker-1", role="worker"): flat(1, 30)}
OTHERS = {of("build_info", "web-9", role="all").replace("games", "others"): flat(1, 30)}
WEB = of("build_info", role="web")
MISMATCH, DIED = "replay_mismatch_total", "workers_died_total"
ASIDE = "set_aside_total"
REPORT, DELIVERY = "platform_reports_total", "webhook_deliveries_total"
CAUGHT_UP = "feed_caught_up_timestamp_seconds"
OF_SNAPSHOTS = {**JOB, "kind": "snapshot"}
CHALLONGE = {**JOB, "platform": "challonge"}

CASES = (
    # Workers are there, and another release is; of this one nobody with doors.
    Case("PlyscribeAway", {WEB: [*flat(1, 10), *flat(GONE, 10)], **WORKS, **OTHERS}, 15),
    Case("PlyscribeAway", {WEB: [*flat(1, 10), *flat(GONE, 4.5), *flat(1, 10)], **WORKS}),
    Case(
        "PlyscribeNobodyWorks",
        {
            of("feed_leader"): flat(0, 20),
            of("feed_leader", "worker-1"): [*flat(1, 10), *flat(0, 10)],
        },
        12,
    ),
    Case(  # A handover takes a while.
        "PlyscribeNobodyWorks",
        {
            of("feed_leader", "worker-1"): [*flat(1, 10), *flat(0, 10)],
            of("feed_leader", "worker-2"): [*flat(0, 11.5), *flat(1, 8.5)],
        },
    ),
    Case(
        "PlyscribeDatabaseLost",
        {
            of("database_lost"): flat(0, 10),
            of("database_lost", "web-2"): [*flat(0, 5), *flat(1, 5)],
        },
        6,
    ),
    Case("PlyscribeDatabaseLost", {of("database_lost"): [*flat(0, 5), *flat(1, 1), *flat(0, 5)]}),
    Case("PlyscribeLogInconsistent", {of("log_inconsistent"): [*flat(0, 5), *flat(1, 5)]}, 5),
    Case("PlyscribeLogInconsistent", {of("log_inconsistent"): flat(0, 10)}),
    Case(
        "PlyscribeMatchNotItsLog",
        {of(MISMATCH, kind="snapshot"): [*flat(0, 65), *flat(1, 5)]},
        65,
        labels=OF_SNAPSHOTS,
    ),
    Case(  # The first look at a process that has begun: it began with a match that is wrong.
        "PlyscribeMatchNotItsLog",
        {
            of(MISMATCH, kind="snapshot"): flat(0, 70),
            of(MISMATCH, "web-2", kind="snapshot"): [*flat(None, 5), *flat(1, 65)],
        },
        *(5, 65),
        labels=OF_SNAPSHOTS,
    ),
    Case(
        "PlyscribeMatchNotItsLog",
        {of(MISMATCH, kind="log"): flat(3, 70), of(MISMATCH, kind="lost"): rising(1, 70)},
        looked=60,
    ),
    Case(  # It is tried every five minutes, in vain.
        "PlyscribeMatchPutAside",
        {of(ASIDE, work="webhooks"): [v for tries in range(8) for v in flat(tries, 5)]},
        25,
        labels={**JOB, "work": "webhooks"},
    ),
    Case(  # It could be read the next time.
        "PlyscribeMatchPutAside",
        {of(ASIDE, work="webhooks"): [*flat(0, 5), *flat(1, 40)]},
    ),
    Case("PlyscribeEventsLost", {of(MISMATCH, kind="lost"): [*flat(0, 5), *flat(2, 5)]}, 5),
    Case("PlyscribeEventsLost", {of(MISMATCH, kind="lost"): [*flat(None, 5), *flat(2, 5)]}, 5),
    Case(
        "PlyscribeEventsLost",
        {of(MISMATCH, kind="lost"): flat(2, 70), of(MISMATCH, kind="log"): rising(1, 70)},
        looked=60,
    ),
    Case(
        "PlyscribeFeedStands",
        {
            of(CAUGHT_UP): flat(0, 20),
            of(CAUGHT_UP, "worker-1"): [*rising(30, 10), *flat(600, 10)],
        },
        12,
    ),
    Case(  # Who has the lease now has all.
        "PlyscribeFeedStands",
        {
            of(CAUGHT_UP): flat(0, 20),
            of(CAUGHT_UP, "worker-1"): [*rising(30, 10), *flat(600, 10)],
            of(CAUGHT_UP, "worker-2"): [*flat(0, 10.5), *rising(30, 9.5, 605)],
        },
    ),
    Case("PlyscribeRedisLost", {of("redis_lost"): [*flat(0, 5), *flat(1, 10)]}, 10),
    Case("PlyscribeRedisLost", {of("redis_lost"): [*flat(0, 5), *flat(1, 5), *flat(0, 5)]}),
    Case(
        "PlyscribeFailures",
        {
            of("requests_total", route="/v1/matches", status="201"): rising(100, 20),
            of("requests_total", route="/v1/matches", status="503"): [
                *flat(None, 5),
                *rising(50, 15, 50),
            ],
        },
        10.5,
    ),
    Case(
        "PlyscribeFailures",
        {
            of("requests_total", route="/v1/matches", status="201"): rising(200, 20),
            of("requests_total", route="/v1/matches", status="409"): rising(200, 20),
            of("requests_total", route="/v1/matches", status="500"): rising(1, 20),
        },
    ),
    Case("PlyscribeFailures", {of("requests_total", route="/", status="500"): flat(7, 20)}),
    Case(
        "PlyscribeInternalErrors",
        {of("problems_total", code="internal"): [*flat(0, 20), *flat(1, 20)]},
        *(20, 35),
    ),
    Case(
        "PlyscribeInternalErrors",
        {
            of("problems_total", code="internal"): flat(0, 30),
            of("problems_total", "web-2", code="internal"): [*flat(None, 5), *flat(1, 25)],
        },
        *(5, 20),
    ),
    Case(
        "PlyscribeInternalErrors",
        {
            of("problems_total", code="internal"): flat(4, 30),
            of("problems_total", code="invalid"): rising(9, 30),
        },
        looked=15,
    ),
    Case("PlyscribeCommitsSlow", buckets(2, 100, 20), 10.5),
    Case("PlyscribeCommitsSlow", buckets(1, 200, 20)),
    Case("PlyscribeCommitsSlow", buckets(0, 0, 20)),
    Case(  # One pod is full, beside pods with room and workers, which have no streams.
        "PlyscribeStreamsFull",
        {
            of("streams_open"): [*flat(700, 5), *flat(850, 10)],
            of("stream_limit"): flat(1000, 15),
            **{of("streams_open", each): flat(0, 15) for each in ("web-2", "worker-1")},
            **{of("stream_limit", each): flat(1000, 15) for each in ("web-2", "worker-1")},
        },
        10,
    ),
    Case(
        "PlyscribeStreamsFull",
        {of("streams_open"): flat(790, 15), of("stream_limit"): flat(1000, 15)},
    ),
    Case(
        "PlyscribeBusy",
        {
            of("loop_lag_seconds"): [0.4, 0.4, 0.1] * 10,
            of("loop_lag_seconds", "web-2"): flat(0, 15),
        },
        5,
    ),
    Case(  # Once in a while each of them is late.
        "PlyscribeBusy",
        {
            of("loop_lag_seconds"): [0.1, 0.4, 0.1] * 10,
            of("loop_lag_seconds", "web-2"): [0.1, 0.1, 0.4] * 10,
            of("loop_lag_seconds", "web-3"): [0.1, 0.1, 60, *flat(0, 13.5)],
        },
    ),
    Case(  # Two webhooks go on failing, one is delivered now and then.
        "PlyscribeWebhooksFail",
        {
            of(DELIVERY, "worker-1", outcome="delivered"): rising(1, 20),
            of(DELIVERY, "worker-1", outcome="timeout"): rising(2, 20),
        },
        10.5,
    ),
    Case(  # The only attempt: the receiver said that it is gone, and is sent nothing any more.
        "PlyscribeWebhooksFail",
        {
            of(DELIVERY, "worker-1", outcome="delivered"): flat(0, 40),
            of(DELIVERY, "worker-1", outcome="gone"): [*flat(None, 5), *flat(1, 35)],
        },
        *(15, 35),
    ),
    Case(
        "PlyscribeWebhooksFail",
        {
            of(DELIVERY, "worker-1", outcome="delivered"): [*flat(0, 5), *rising(3, 55, 3)],
            of(DELIVERY, "worker-1", outcome="timeout"): [*flat(None, 5), *rising(2, 55, 2)],
        },
    ),
    Case(  # The credentials were taken back: one attempt, and the connection is held.
        "PlyscribePlatformsFail",
        {
            of(REPORT, "worker-1", platform="challonge", outcome="reported"): flat(40, 60),
            of(REPORT, "worker-1", platform="challonge", outcome="unauthorized"): [
                *flat(None, 35),
                *flat(1, 25),
            ],
            of(REPORT, "worker-1", platform="pods", outcome="reported"): rising(1, 60),
        },
        45,
        labels=CHALLONGE,
    ),
    Case(
        "PlyscribePlatformsFail",
        {
            of(REPORT, "worker-1", platform="pods", outcome=outcome): rising(1, 60)
            for outcome in ("reported", "already", "nothing", "busy")
        },
    ),
    Case(
        "PlyscribeWorkersDie",
        {of(DIED): [*flat(0, 20), *flat(2, 1), *flat(3, 5)]},
        21,
        labels={**JOB, "instance": "web-1"},
    ),
    Case(  # Before anybody looked.
        "PlyscribeWorkersDie",
        {of(DIED): [*flat(None, 5), *flat(3, 30)]},
        *(5, 20),
        labels={**JOB, "instance": "web-1"},
    ),
    Case(  # Two, which seem to be more where a scrape is missing.
        "PlyscribeWorkersDie",
        {of(DIED): [*flat(5, 6), None, *flat(5, 13.5), *flat(6, 1), *flat(7, 9)]},
        looked=15,
    ),
)
