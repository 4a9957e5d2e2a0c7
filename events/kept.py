"""Folded matches in memory, within bounds of number and of bytes."""

from collections import OrderedDict

from events.canonical import canonical
from events.match import Match


class Kept:
    """Least recently used first; the newest of each match."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_kib = most_bytes >> 10
        self._kib = 0
        # With its weight in KiB, and when it was weighed: small numbers, which Python has once.
        self._entries: OrderedDict[str, tuple[Match, int, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, match_id: str) -> Match | None:
        entry = self._entries.get(match_id)
        if entry is None:
            return None
        self._entries.move_to_end(match_id)
        return entry[0]

    def drop(self, match_id: str) -> None:
        entry = self._entries.pop(match_id, None)
        if entry is not None:
            self._kib -= entry[1]

    def put(self, current: Match) -> None:
        match_id = current.match_id
        entry = self._entries.get(match_id)
        if entry is None:
            weight, weighed = _weight(current), _weighing(current)
        else:
            before, weight, weighed = entry
            if before.version >= current.version:
                return
            self._kib -= weight
            # Weighing costs more than a fold, and a state grows slowly.
            if _weighing(current) > weighed:
                weight, weighed = _weight(current), _weighing(current)
        self._kib += weight
        self._entries[match_id] = (current, weight, weighed)
        self._entries.move_to_end(match_id)
        while len(self._entries) > self._most or self._kib > self._most_kib:
            _, (_, weight, _) = self._entries.popitem(last=False)
            self._kib -= weight


def _weight(current: Match) -> int:
    """About how many KiB a match takes; objects take several times their encoding."""
    return 4 + (8 * len(canonical(current.state)) >> 10)


def _weighing(current: Match) -> int:
    """At how many versions a match is weighed again."""
    return current.version // 32
