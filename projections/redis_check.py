"""Whether a Redis does for this service: tried with the commands the service itself uses."""

from time import time_ns
from typing import Final

from redis.exceptions import RedisError

from projections.redis_limits import RedisAway, RedisBuckets
from projections.redis_nodes import asked, channel_tag, nodes_at

_BUCKET: Final = "doctor"  # forgotten by Redis after a second


class RedisUnfit(Exception):
    """It is away, or it does not let us do what we need. Never holds the URL."""


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
        raise RedisUnfit(type(error).__name__) from error
    finally:
        await buckets.close()
    return len(layout)
