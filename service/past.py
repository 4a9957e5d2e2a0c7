"""Matches as they were: at an earlier version, or as far as a delayed spectator has come."""

from bisect import bisect_right
from collections import OrderedDict

from sqlalchemy import Connection

from events import stored
from events.match import Folding, Match, TargetUnknown, fold
from events.store import PAGE, Store
from events.types import UNSTARTED
from service.callers import Delay


class Past:
    """What is past never changes, so it is kept: some folds, and the times of events."""

    def __init__(
        self, store: Store, most: int = 512, most_timed: int = 4096, most_started: int = 50_000
    ) -> None:
        self._store = store
        self._most = most
        self._most_timed = most_timed
        self._most_started = most_started
        self._folded: OrderedDict[tuple[str, int], Match] = OrderedDict()
        self._times: OrderedDict[str, list[int]] = OrderedDict()
        self._starts: OrderedDict[str, int] = OrderedDict()

    def forget(self, match_id: str) -> None:
        """What was read of the match is not its log any more: read it again."""
        self._times.pop(match_id, None)
        self._starts.pop(match_id, None)
        for place in [place for place in self._folded if place[0] == match_id]:
            del self._folded[place]

    async def at_start(self, current: Match) -> Match:
        """The match when it started; as it is, if it never did."""
        if current.status in UNSTARTED:
            return current
        place = self._starts.get(current.match_id)
        if place is None:
            place = await self._store.database.read(lambda c: _start_of(c, current.match_id))
            self._starts[current.match_id] = place = place or current.version
            if len(self._starts) > self._most_started:
                self._starts.popitem(last=False)
        return await self.at(current, min(place, current.version))

    async def horizon(self, current: Match, delay: Delay, now: int) -> int:
        """The version that is old enough in every way; at least 1.

        It never goes back while `now` doesn't. After the reveal nothing is hidden, so the delay in
        versions, which nothing would use up any more, no longer counts.
        """
        times = await self._times_of(current)
        by_time = bisect_right(times, now - delay.ms, hi=current.version)
        if current.is_revealed and by_time >= current.version:
            return current.version
        return max(1, min(by_time, current.version - delay.versions))

    async def at(self, current: Match, version: int) -> Match:
        """The match after `version` events, 1 to `current.version`."""
        assert 1 <= version <= current.version
        if version == current.version:
            return current
        place = (current.match_id, version)
        kept = self._folded.get(place)
        if kept is None:
            kept = await self._fold(current.match_id, version)
            self._folded[place] = kept
            if len(self._folded) > self._most:
                self._folded.popitem(last=False)
        self._folded.move_to_end(place)
        return kept

    async def each(self, match_id: str, after: int, through: int) -> list[Match]:
        """The match after each of the versions `after` + 1 … `through`, which are there."""
        records = await self._store.records(match_id, 0, through)
        folding, found = Folding(records), []
        for record in records:
            folding.take(record)
            assert folding.current is not None
            if record.version > after:
                found.append(folding.current)
        return found

    async def _fold(self, match_id: str, version: int) -> Match:
        """From the nearest fold that is kept."""
        before = (v for of, v in self._folded if of == match_id and v < version)
        start = max(before, default=0)
        found = self._folded.get((match_id, start))
        while start < version:
            page = await self._store.records(match_id, start, min(PAGE, version - start))
            try:
                found = fold(page, found)
            except TargetUnknown:
                found = fold(await self._store.records(match_id, 0, page[-1].version))
            start += len(page)
        assert found is not None
        return found

    async def _times_of(self, current: Match) -> list[int]:
        """By version from 1 on, when it and everything before it had happened: ascending."""
        times = self._times.setdefault(current.match_id, [])
        if len(times) < current.version:
            found = await self._store.database.read(
                lambda connection: stored.times(connection, current.match_id, len(times))
            )
            for version, at in found:
                if version == len(times) + 1:  # Another reader may have been faster.
                    times.append(max(at, times[-1] if times else 0))
        self._times.move_to_end(current.match_id)
        if len(self._times) > self._most_timed:
            self._times.popitem(last=False)
        return times


def _start_of(connection: Connection, match_id: str) -> int | None:
    """The last version before anything was drawn; None if it was cancelled before the start."""
    found = stored.of_kinds(connection, (match_id,), ("match_started",))
    return found[match_id][0].version if found else None
