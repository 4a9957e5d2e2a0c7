"""A soak from start to end: three processes, the highest rate, half of it for long, the verdict."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import msgspec

from events.database import Database
from tests.faults.serving import Service, service
from tests.servers import free_port
from tests.soak.checking import feed_faults, is_all_fed, log_faults
from tests.soak.judging import Allowed, Growth, Sample, faults, growths, percentile, reached
from tests.soak.loading import Load
from tests.soak.sampling import LOOK_SECONDS, Watched
from tests.waiting import eventually

NAMES = ("web-1", "web-2", "worker")
_WELL = ("debug", "info")
_GREETING = ("address ", "database ", "docs ", "metrics ")


@dataclass(frozen=True)
class Plan:
    """Seconds; `tables` are played at a time. The rate is measured for `measure` at least; `settle`
    is for going down to half of it. `patience` is how much longer it may go on while something is
    missing, on a machine that is too busy for a short run.
    """

    seconds: float
    allowed: Allowed
    tables: int = 40
    watchers: int = 16
    stay: tuple[int, int] = (20, 200)
    cached: int = 30  # fewer than are played: matches are evicted all the time
    measure: float = 30.0
    settle: float = 5.0
    every: float = 10.0
    patience: float = 0.0


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What is written down. Rates in moves a second; lags in ms; growths as in `judging`.

    `machine_load` are the averages of the last minute, of five and of fifteen at the end.
    """

    ok: bool
    faults: tuple[str, ...]
    trouble: tuple[str, ...]
    log_lines: dict[str, int]
    highest_rate: float
    rate: float
    reached: float
    by_door: dict[str, int]
    by_game: dict[str, int]
    matches: int
    machine_load: tuple[float, float, float]
    feed_lag_p50: float
    feed_lag_p99: float
    growths: dict[str, Growth]
    samples: tuple[Sample, ...]


async def soak(plan: Plan, folder: Path, database_url: str, redis_url: str) -> Report:
    """Run it, check all of it and write `soak.json` into the folder."""
    async with _three(plan, folder, database_url, redis_url) as processes:
        load = Load([each.url for each in processes[: len(NAMES) - 1]], "soak", plan.stay)
        running = asyncio.create_task(load.run(plan.tables, plan.watchers))
        try:
            highest = await _highest(load, plan)
            load.pace.rate = highest / 2
            await asyncio.sleep(plan.settle)
            samples = await _sampled(load, plan, processes, redis_url, highest / 2)
        finally:
            load.stop()
            await running
        wrong = [*faults(samples, plan.allowed, highest / 2), *await _told(processes)]
        wrong += await _stored(processes[0], load)
        wrong += [
            f"{each.url} ended with {code}" for each in processes if (code := await each.stop())
        ]
    report = _report(load, highest, samples, wrong, _log_lines(processes))
    path = folder / "soak.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=1))
    print(f"soak: all of it is in {path}", flush=True)
    return report


@asynccontextmanager
async def _three(
    plan: Plan, folder: Path, database_url: str, redis_url: str
) -> AsyncIterator[list[Service]]:
    """Two that clients talk to and one that nobody does."""
    async with AsyncExitStack() as stack:
        made = dict[str, Service]()
        # The one that nobody talks to comes first, so that it holds the lease of the feed.
        for name in reversed(NAMES):
            own = folder / name
            own.mkdir()
            each = await stack.enter_async_context(
                service(
                    own,
                    database_url,
                    redis_url=redis_url,
                    metrics_port=free_port(),
                    cached_matches=plan.cached,
                    tick_seconds=1.5,
                    requests_per_minute=0,
                )
            )
            await each.start()
            made[name] = each
        yield [made[name] for name in NAMES]


async def _highest(load: Load, plan: Plan) -> float:
    """Moves a second with as many at once as there are tables."""
    await _until_moved(load, 2 * plan.tables)
    before, began = load.moves, time.monotonic()
    await asyncio.sleep(plan.measure)
    await _until_moved(load, before + 2 * plan.tables)
    found = (load.moves - before) / (time.monotonic() - began)
    print(f"soak: {found:.0f} moves a second at most, {found / 2:.0f} from now on", flush=True)
    return found


async def _until_moved(load: Load, moves: int) -> None:
    async def look() -> int:
        return load.moves

    await eventually(look, lambda made: made >= moves)


async def _sampled(
    load: Load, plan: Plan, processes: list[Service], redis_url: str, rate: float
) -> list[Sample]:
    began, found = time.monotonic(), list[Sample]()
    services = {
        name: (each.pid, f"http://127.0.0.1:{each.more['metrics_port']}/metrics")
        for name, each in zip(NAMES, processes, strict=True)
    }
    watched = Watched(services, processes[0].database_url, redis_url)
    look = min(LOOK_SECONDS, plan.every)
    async with httpx.AsyncClient(timeout=30, trust_env=False) as http:
        due = began
        while _goes_on(time.monotonic() - began, found, plan, rate):
            due = max(due + look, time.monotonic())
            await asyncio.sleep(due - time.monotonic())
            await watched.look(http)
            if time.monotonic() >= began + plan.every * (len(found) + 1):
                problems = round(watched.total("plyscribe_problems_total"))
                problems += round(watched.total("plyscribe_slow_readers_total"))
                found.append(await watched.sample(load, began, problems))
                _tell(found, plan)
    return found


def _goes_on(passed: float, samples: list[Sample], plan: Plan, rate: float) -> bool:
    if passed < plan.seconds:
        return True
    return passed < plan.seconds + plan.patience and bool(faults(samples, plan.allowed, rate))


def _tell(samples: list[Sample], plan: Plan) -> None:
    last, before = samples[-1], samples[-2] if len(samples) > 1 else None
    rate = (last.moves - before.moves) / (last.at - before.at) if before else 0.0
    memory = ", ".join(f"{of.rss_kib / 1024:.1f}" for of in last.processes.values())
    files = ", ".join(str(of.files) for of in last.processes.values())
    print(
        f"soak: {last.at:.0f} of {plan.seconds:.0f} s, {rate:.0f} moves/s, {last.created} matches,"
        f" {last.finished} over, {last.watched} watched, MiB {memory}, files {files},"
        f" database {last.database_connections}, feed at most"
        f" {max(last.feed_lags, default=0):.0f} ms late, {last.errors} errors",
        flush=True,
    )


async def _told(processes: list[Service]) -> list[str]:
    """What a process says of itself that it should not."""
    found = [f"{each.url} died" for each in processes if not each.is_running]
    lines = _log_lines(processes)
    return found + [f"{count} lines of {name}" for name, count in lines.items() if "error" in name]


def _log_lines(processes: list[Service]) -> dict[str, int]:
    """How many of each event there are in the logs, by level and name."""
    found: dict[str, int] = {}
    for each in processes:
        for line in each.log.read_text(errors="replace").splitlines():
            try:
                told = msgspec.json.decode(line)
                name = f"{told['level']} {told['event']}"
            except (msgspec.DecodeError, KeyError, TypeError):
                name = "info greeting" if line.startswith(_GREETING) else f"error {line[:120]}"
            if not name.startswith(_WELL):
                found[name] = found.get(name, 0) + 1
    return found


async def _stored(one: Service, load: Load) -> list[str]:
    """What is wrong with the logs and the feed."""
    database = await Database.open(one.database_url, read_only=True)
    try:
        await eventually(lambda: is_all_fed(database))
        found = await feed_faults(database)
    finally:
        await database.close()
    print(f"soak: {len(load.matches)} logs are checked", flush=True)
    return found + await log_faults(one.settings, load.matches, load.moves)


def _report(
    load: Load, highest: float, samples: list[Sample], wrong: list[str], lines: dict[str, int]
) -> Report:
    lags = [lag for each in samples for lag in each.feed_lags]
    return Report(
        ok=not wrong,
        faults=tuple(wrong),
        trouble=tuple(load.trouble),
        log_lines=lines,
        highest_rate=round(highest, 1),
        rate=round(highest / 2, 1),
        reached=round(reached(samples), 1),
        by_door=dict(load.by_door),
        by_game=dict(load.by_game),
        matches=len(load.matches),
        machine_load=os.getloadavg(),
        feed_lag_p50=percentile(lags, 0.5),
        feed_lag_p99=percentile(lags, 0.99),
        growths=growths(samples),
        samples=tuple(samples),
    )
