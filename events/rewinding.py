"""Lines of play: which events count after rewinds, and what a rewind skips."""

from collections.abc import Iterable, Mapping

from events.match import rewind_goal
from events.types import Record


def rewinds_of(records: Iterable[Record]) -> dict[int, int]:
    """By the version of each rewind, the version it goes back to."""
    return {r.version: goal for r in records if (goal := rewind_goal(r)) is not None}


def line(rewinds: Mapping[int, int], version: int) -> tuple[int, ...]:
    """The versions that the position after `version` rests on, ascending, a rewind itself too."""
    found = []
    while version > 0:
        found.append(version)
        version = rewinds.get(version, version - 1)
    return tuple(reversed(found))


def skipped(rewinds: Mapping[int, int], rewind: int) -> tuple[int, ...]:
    """The versions that the rewind of that version takes out of the line of play."""
    kept = set(line(rewinds, rewinds[rewind]))
    return tuple(version for version in line(rewinds, rewind - 1) if version not in kept)
