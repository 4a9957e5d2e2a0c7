"""Named points at which a test lets the process die as by kill -9."""

import os
import signal
from itertools import count

from events.batching import CrashPoint, inert
from service.settings import Settings


def crash_point(settings: Settings) -> CrashPoint:
    """Inert unless the settings of a test name a point."""
    if settings.crash_at is None:
        return inert
    wanted, _, nth = settings.crash_at.partition(":")
    times = count(1)

    def crash_at(name: str) -> None:
        if name == wanted and next(times) == int(nth or 1):
            os.kill(os.getpid(), signal.SIGKILL)

    return crash_at
