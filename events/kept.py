"""Folded matches in memory, within bounds of number and of bytes."""

from collections import OrderedDict

from events.canonical import canonical
from events.match import Match


class Kept:
    """Least recently used first; the newest of each match."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bytes = 0
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
            self._bytes -= entry[1]

    def put(self, current: Match) -> None:
        match_id = current.match_id
        entry = self._entries.get(match_id)
        if entry is None:
            weight, weighed = _weight(current), current.version
        else:
            before, weight, weighed = entry
            if before.version >= current.version:
                return
            self._bytes -= weight
            # Weighing costs more than a fold, and a state grows slowly.
            if current.version >= weighed + 32:
                weight, weighed = _weight(current), current.version
        self._bytes += weight
        self._entries[match_id] = (current, weight, weighed)
        self._entries.move_to_end(match_id)
        while len(self._entries) > self._most or self._bytes > self._most_bytes:
            _, (_, weight, _) = self._entries.popitem(last=False)
            self._bytes -= weight


def _weight(current: Match) -> int:
    """About how many bytes a match takes; objects take several times their encoding."""
    return 4096 + 8 * len(canonical(current.state))
