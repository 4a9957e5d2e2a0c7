"""Series that could not go on, left alone for a while so that they hold up no others."""

from collections import OrderedDict
from typing import Final

FIRST_MS: Final = 1_000
LONGEST_MS: Final = 300_000
_MOST: Final = 10_000


class Pauses:
    """Of this process. The pause of a series doubles each time it fails. Times in ms."""

    def __init__(self) -> None:
        self._until: OrderedDict[str, tuple[int, int]] = OrderedDict()  # and how long it was

    def rests(self, series_id: str, now: int) -> bool:
        """Whether its pause is not over yet."""
        return series_id in self._until and now < self._until[series_id][0]

    def failed(self, series_id: str, now: int) -> None:
        _, before = self._until.pop(series_id, (0, 0))
        pause = min(max(FIRST_MS, 2 * before), LONGEST_MS)
        self._until[series_id] = (now + pause, pause)
        if len(self._until) > _MOST:
            self._until.popitem(last=False)

    def went_on(self, series_id: str) -> None:
        self._until.pop(series_id, None)
