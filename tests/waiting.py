"""How long tests wait for what comes of itself, and the one way in which they look for it."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

# Seconds: more than anything takes on a machine that is busy with other things for minutes. What
# never comes is a failure; how fast it comes is no business of a test.
PATIENCE = 120.0
PAUSE = 0.02

Found = TypeVar("Found")


async def eventually(
    look: Callable[[], Awaitable[Found]],
    is_it: Callable[[Found], object] = bool,
    seconds: float = PATIENCE,
) -> Found:
    """What `look` finds, as soon as it is what is waited for. Raises: AssertionError."""
    deadline = time.monotonic() + seconds
    while not is_it(found := await look()):
        assert time.monotonic() < deadline, f"it never came; at last there was {found!r}"
        await asyncio.sleep(PAUSE)
    return found


def until(look: Callable[[], Found], is_it: Callable[[Found], object] = bool) -> Found:
    """The same where nothing is asynchronous."""
    deadline = time.monotonic() + PATIENCE
    while not is_it(found := look()):
        assert time.monotonic() < deadline, f"it never came; at last there was {found!r}"
        time.sleep(PAUSE)
    return found
