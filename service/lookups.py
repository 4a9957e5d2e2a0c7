"""Callers as they were last looked up: each is taken at its word for a short while only."""

from collections import OrderedDict
from collections.abc import Callable
from itertools import islice
from typing import Final

from service.callers import Caller

_MOST: Final = 50_000
_DUE_MOST: Final = 255  # renewed along with a look-up

Place = tuple[bytes, str | None]  # hash of the credential; the match a user asks about


class _Entry:
    __slots__ = ("at", "caller", "is_used")

    def __init__(self, at: int, caller: Caller) -> None:
        self.at = at
        self.caller = caller
        self.is_used = False


class Lookups:
    """Look-ups that are at most `keep` ms old, and none of a time to come, if a clock was set back.

    `drops` counts what was told to be forgotten.
    """

    def __init__(self, clock: Callable[[], int], keep: int) -> None:
        self._clock = clock
        self._keep = keep
        self._entries: OrderedDict[Place, _Entry] = OrderedDict()  # the oldest first
        self.drops = 0

    def get(self, place: Place) -> Caller | None:
        entry = self._entries.get(place)
        if entry is None or not 0 <= self._clock() - entry.at < self._keep:
            return None
        entry.is_used = True
        return entry.caller

    def put(self, place: Place, caller: Caller | None) -> None:
        """None if there is no such caller, or no more."""
        if caller is None:
            self._entries.pop(place, None)
            return
        self._entries[place] = _Entry(self._clock(), caller)
        self._entries.move_to_end(place)
        if len(self._entries) > _MOST:
            self._entries.popitem(last=False)

    def due(self) -> list[bytes]:
        """Hashes, no users', that came lately and soon have to be looked up again.

        Each is told once. What is too old is let go.
        """
        now, found = self._clock(), []
        for place, entry in list(islice(self._entries.items(), _DUE_MOST)):
            age = now - entry.at
            if 0 <= age < self._keep / 2:
                break
            if entry.is_used and place[1] is None:
                entry.is_used = False
                found.append(place[0])
            elif not 0 <= age < self._keep:
                del self._entries[place]
        return found

    def drop(self, is_meant: Callable[[Caller], bool]) -> None:
        """Look these up again."""
        self.drops += 1
        for place in [each for each, own in self._entries.items() if is_meant(own.caller)]:
            del self._entries[place]

    def clear(self) -> None:
        self.drop(lambda _: True)
