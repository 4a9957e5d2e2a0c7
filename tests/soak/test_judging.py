"""The judgement of a soak finds every fault that is planted, and none where there is none."""

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from tests.soak.judging import Allowed, Of, Sample, faults, growth, percentile

MINUTES = 30
EVERY = 10  # seconds
COUNT = MINUTES * 60 // EVERY
RATE = 5.0


def of(number: int, **more: Any) -> Of:
    """A process that warms up for five minutes and then breathes."""
    rng = Random(number)
    warm = min(number * EVERY / 300, 1.0)
    rss = 90_000 + round(40_000 * warm) + rng.randint(0, 4_000) + (number % 9) * 300
    plain = Of(rss, 40 + rng.randint(0, 8), 20 + rng.randint(0, 8), 9, 12, 64, 0.001)
    return replace(plain, **more)


def sample(number: int, **more: Any) -> Sample:
    lags = tuple(Random(f"lag {number}").uniform(20, 330) for _ in range(EVERY))
    plain = Sample(
        at=number * EVERY,
        moves=50 * number,
        created=number,
        finished=number // 2,
        watched=3 * number,
        watching=16,
        errors=0,
        processes={"web-1": of(number), "web-2": of(number + 1000)},
        redis_kib=9_000 + Random(number).randint(0, 40),
        database_connections=24,
        feed_lags=lags,
    )
    return replace(plain, **more)


def run(count: int = COUNT) -> list[Sample]:
    return [sample(number) for number in range(count)]


def leaking(kib_a_minute: float, count: int = COUNT, of_redis: bool = False) -> list[Sample]:
    """The second process, or Redis, never gives back so much of what it takes."""
    found = []
    for each in run(count):
        lost = round(kib_a_minute * each.at / 60)
        worse = replace(
            each.processes["web-2"],
            rss_kib=each.processes["web-2"].rss_kib + (0 if of_redis else lost),
        )
        processes = {**each.processes, "web-2": worse}
        redis = each.redis_kib + (lost if of_redis else 0)
        found.append(replace(each, processes=processes, redis_kib=redis))
    return found


def test_a_run_without_a_fault_has_none() -> None:
    assert faults(run(), Allowed(), RATE) == []


@pytest.mark.parametrize("kib_a_minute", [500, 1_000, 10_000])
def test_a_leak_is_found(kib_a_minute: float) -> None:
    (found,) = faults(leaking(kib_a_minute), Allowed(), RATE)
    assert found.startswith("memory of web-2 grows")


def test_a_leak_of_redis_is_found() -> None:
    (found,) = faults(leaking(500, of_redis=True), Allowed(), RATE)
    assert found.startswith("memory of redis grows")


def test_a_leak_is_found_in_a_short_run_too() -> None:
    found = faults(leaking(20_000, count=60), Allowed(memory_kib=24 * 1024, memory_share=0.2), RATE)
    assert any(each.startswith("memory of web-2") for each in found)


def test_growth_in_the_first_third_and_peaks_are_no_leak() -> None:
    found = run()
    peak = replace(found[-5].processes["web-1"], rss_kib=900_000)
    found[-5] = replace(found[-5], processes={**found[-5].processes, "web-1": peak})
    assert faults(found, Allowed(), RATE) == []


@pytest.mark.parametrize("name", ["files", "connections", "threads"])
def test_what_is_never_closed_is_found(name: str) -> None:
    found = []
    for number, each in enumerate(run()):
        open_ones = getattr(each.processes["web-1"], name) + number // 6
        worse = replace(each.processes["web-1"], **{name: open_ones})
        found.append(replace(each, processes={**each.processes, "web-1": worse}))
    (told,) = faults(found, Allowed(), RATE)
    assert told.startswith(f"{name} of web-1 grows")


def test_connections_to_the_database_that_pile_up_are_found() -> None:
    found = [replace(each, database_connections=24 + n // 9) for n, each in enumerate(run())]
    assert [each.partition(":")[0] for each in faults(found, Allowed(), RATE)] == [
        "connections of the database grows"
    ]


def test_one_error_is_one_too_many() -> None:
    found = run()
    found[-1] = replace(found[-1], errors=1)
    assert faults(found, Allowed(), RATE) == ["1 errors"]


@pytest.mark.parametrize("name", ["moves", "created", "finished", "watched"])
def test_a_load_that_stands_still_is_no_soak(name: str) -> None:
    found = [replace(each, **{name: min(getattr(each, name), 40)}) for each in run()]
    assert faults(found, Allowed(rate_share=0), RATE) == [f"nothing {name} in the second half"]


def test_a_feed_that_lags_is_found_unless_it_may() -> None:
    late = [replace(each, feed_lags=(*each.feed_lags[1:], 800.0)) for each in run()]
    (told,) = faults(late, Allowed(), RATE)
    assert told.startswith("the feed lags by 800 ms")
    assert faults(late, Allowed(feed_lag_ms=None), RATE) == []


def test_a_lag_that_nobody_saw_is_no_lag_of_nought() -> None:
    blind = [replace(each, feed_lags=()) for each in run()]
    assert faults(blind, Allowed(feed_lag_ms=None), RATE) == ["the lag of the feed was never seen"]


def test_a_load_that_was_not_reached_is_another() -> None:
    assert faults(run(), Allowed(), 6.0) == []
    assert faults(run(), Allowed(), 7.0) == ["5.0 moves a second were made of 7.0"]


def test_few_samples_are_not_judged_by() -> None:
    assert faults(run(8), Allowed(), RATE) == ["8 samples are too few to judge by"]


def test_growth_is_told_by_medians_and_by_the_hour() -> None:
    found = growth([0, 60, 120, 180, 240, 300], [0, 9, 20, 30, 40, 50])
    assert (found.second, found.last, found.per_hour) == (25, 45, 600)


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile(range(100), 0.99) == 99
    assert percentile([7], 0.99) == 7
