"""Whether a Redis does for this service: tried with the commands the service itself uses."""

from collections.abc import Mapping
from time import time_ns
from typing import Final

from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    MovedError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as Unreached
from redis.exceptions import TimeoutError as Slow

from projections.redis_limits import RedisAway, RedisBuckets
from projections.redis_nodes import asked, channel_tag, nodes_at

_BUCKET: Final = "doctor"  # forgotten by Redis after a second


class RedisUnfit(Exception):
    """It is away, or it does not let us do what we need: a sentence, which never holds the URL."""


async def tried(url: str) -> int:
    """How many servers took a hint; one of them lent from a bucket of limits as well.

    Raises: RedisRefused, RedisUnfit.
    """
    nodes, buckets = nodes_at(url), RedisBuckets(url)
    try:
        layout = await nodes.layout()
        for place, carried in layout.items():
            verb = "SPUBLISH" if nodes.is_sharded else "PUBLISH"
            await asked(place, verb, f"{channel_tag(min(carried))}:{_BUCKET}", "")
        now = time_ns() // 1_000_000
        await buckets.lease(_BUCKET, quota=1, window_ms=1000, wanted=0, now=now)
    except (RedisError, OSError, TimeoutError, RedisAway) as error:
        raise RedisUnfit(_said(url, error)) from error
    finally:
        await buckets.close()
    return len(layout)


def _said(url: str, error: Exception) -> str:
    """A sentence; never what the server said, which may repeat what it was sent."""
    for kind, sentence in _SENTENCES.items():
        if isinstance(error, kind):
            return sentence
    name = type(error).__name__
    if isinstance(error, ResponseError) and "CLUSTER" in str(error).upper():
        return "it is a single server, no Cluster: its URL begins with redis://"
    if isinstance(error, MovedError):
        return "it is a node of a Cluster: its URL begins with redis+cluster://"
    if isinstance(error, ResponseError) and "SENTINEL" in str(error).upper():
        return "what the URL names are no Sentinels"
    if "+sentinel:" in url and type(error) is RedisError:
        return "its Sentinels know no service of that name"
    return f"it does not do what is needed ({name})"


# The first that fits: some are kinds of others.
_SENTENCES: Final[Mapping[type[Exception], str]] = {
    AuthenticationError: "it refuses the user or the password",
    NoPermissionError: "its user may not do what is needed (NoPermission)",
    BusyLoadingError: "it is still loading what it holds",
    ReadOnlyError: "it is a replica, which takes no writes",
    OutOfMemoryError: "its memory is full",
    Unreached: "it can't be reached there",
    Slow: "it does not answer in time",
    TimeoutError: "it does not answer in time",
    OSError: "it can't be reached there",
    RedisAway: "it does not answer in time",
}
