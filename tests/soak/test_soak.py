"""Half of what the service can do, for half an hour: nothing grows, nothing fails, all is stored.

SOAK_SECONDS makes it longer or shorter, SOAK_FOLDER is where the figures go.
"""

import os
from pathlib import Path
from uuid import uuid4

import pytest

from service import migrate
from tests import servers
from tests.soak.judging import Allowed
from tests.soak.running import Plan, Report, soak
from tests.waiting import PATIENCE

SECONDS = 1800.0
# In a few seconds caches are still filling: only what runs away is found.
WARM = Allowed(0.5, 64 * 1024, count_share=1, count=60, feed_lag_ms=None, rate_share=0)
SHORT = Plan(
    seconds=5,
    allowed=WARM,
    tables=10,  # every game through each door
    watchers=5,
    stay=(4, 24),
    cached=5,
    measure=1,
    settle=0.1,
    every=0.3,
    patience=PATIENCE,
)


@pytest.mark.soak
async def test_half_the_load_for_half_an_hour(
    postgres_server: str, redis_url: str, tmp_path: Path
) -> None:
    folder = _new(Path(os.environ.get("SOAK_FOLDER") or tmp_path))
    plan = Plan(seconds=float(os.environ.get("SOAK_SECONDS", SECONDS)), allowed=Allowed())
    await _soaked(plan, folder, postgres_server, redis_url)


async def test_half_the_load_for_a_moment(
    postgres_server: str, redis_url: str, tmp_path: Path
) -> None:
    report = await _soaked(SHORT, _new(tmp_path), postgres_server, redis_url)
    assert len(report.by_game) == 5
    assert set(report.by_door) == {"Rest", "Graphql"}


async def _soaked(plan: Plan, folder: Path, postgres_server: str, redis_url: str) -> Report:
    name = f"soak_{uuid4().hex}"
    url = servers.create_database(postgres_server, name)
    try:
        migrate.upgrade(url)
        report = await soak(plan, folder, url, redis_url)
    finally:
        servers.drop_database(postgres_server, name)
    assert report.ok, (report.faults, report.trouble, report.log_lines)
    return report


def _new(where: Path) -> Path:
    folder = where.resolve() / f"soak-{uuid4().hex[:8]}"
    folder.mkdir(parents=True)
    return folder
