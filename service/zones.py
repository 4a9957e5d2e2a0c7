"""Time zones: what a daily window of clocks needs of them, found once and pinned in the log."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DAY: Final = 86_400  # seconds
_YEARS: Final = 5 * 366 * _DAY  # how far changes of the offset are pinned; the last one stays


Offsets: TypeAlias = tuple[tuple[int, int], ...]


def offsets_from(zone: str, now: int) -> Offsets | None:
    """What local time is ahead by (seconds) from when on (ms), for the years after `now` (ms).

    None if there is no time zone of that name.
    """
    return _offsets(zone, now // 1000 // _DAY * _DAY)


@lru_cache(maxsize=1024)
def _offsets(zone: str, start: int) -> Offsets | None:
    try:
        there = ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
    found = [(start * 1000, _ahead(there, start))]
    for day in range(start, start + _YEARS, _DAY):
        ahead = _ahead(there, day + _DAY)
        if ahead != found[-1][1]:
            found.append((_change(there, day, day + _DAY) * 1000, ahead))
    return tuple(found)


def _change(there: ZoneInfo, before: int, after: int) -> int:
    """The second from which on the offset is that at `after`, where it is another at `before`."""
    goal = _ahead(there, after)
    while after - before > 1:
        middle = (before + after) // 2
        if _ahead(there, middle) == goal:
            after = middle
        else:
            before = middle
    return after


def _ahead(there: ZoneInfo, at: int) -> int:
    offset = datetime.fromtimestamp(at, UTC).astimezone(there).utcoffset()
    assert offset is not None
    return round(offset.total_seconds())
