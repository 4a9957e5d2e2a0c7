"""kill -9 at random moments under load: whatever was acknowledged is there, once, and play goes on.

Clients write down what they send and are answered; the history is held against the final log.
"""

import asyncio
import time
from random import Random

import pytest

from tests.faults.loads import under_load
from tests.faults.serving import Service


async def test_killed_at_random_moments(served: Service) -> None:
    await _killed_under_load(served, seconds=4, at_once=4)


@pytest.mark.soak
async def test_killed_at_random_moments_for_long(served: Service) -> None:
    await _killed_under_load(served, seconds=120, at_once=8)


async def _killed_under_load(served: Service, seconds: float, at_once: int) -> None:
    await served.start()
    await under_load(served, _kill_for(served, seconds), at_once)


async def _kill_for(served: Service, seconds: float) -> None:
    """Twice at least, however long a start takes; it runs in the end."""
    rng, kills, until = Random(), 0, time.monotonic() + seconds
    while kills < 2 or time.monotonic() < until:
        await asyncio.sleep(rng.uniform(0.05, 0.7))
        await served.kill()
        kills += 1
        # Some die again while they start.
        await served.start(is_awaited=rng.random() < 0.8)
    await served.until_ready()
