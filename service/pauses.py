"""What could not go on, left alone for a while so that it holds up nothing else."""

from collections import OrderedDict
from typing import Final

from service.signals import SET_ASIDE, Work

FIRST_MS: Final = 1_000
LONGEST_MS: Final = 300_000
_MOST: Final = 10_000


class Pauses:
    """Of this process. Each has a name; its pause doubles each time it fails. Times in ms."""

    def __init__(self, work: Work, longest: int = LONGEST_MS) -> None:
        self._work = work
        self._longest = longest
        self._until: OrderedDict[str, tuple[int, int]] = OrderedDict()  # and how long it is

    def rests(self, name: str, now: int) -> bool:
        """Whether its pause is not over yet. A clock that was set back makes none longer."""
        until, pause = self._until.get(name, (0, 0))
        return until - pause <= now < until

    def failed(self, name: str, now: int) -> None:
        """Once more; it is counted."""
        SET_ASIDE.labels(self._work).inc()
        _, before = self._until.pop(name, (0, 0))
        pause = min(max(FIRST_MS, 2 * before), self._longest)
        self._until[name] = (now + pause, pause)
        if len(self._until) > _MOST:
            self._until.popitem(last=False)

    def went_on(self, name: str) -> None:
        self._until.pop(name, None)
