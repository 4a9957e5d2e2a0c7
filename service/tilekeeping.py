"""Full tiles of the log at hand: they never change, and anybody may ask for them."""

from collections import OrderedDict
from typing import Final

_KEPT: Final = 256  # of 8 KiB


class Tiles:
    """The latest of this process, by level and number."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, int], bytes] = OrderedDict()

    def get(self, level: int, number: int) -> bytes | None:
        kept = self._kept.get((level, number))
        if kept is not None:
            self._kept.move_to_end((level, number))
        return kept

    def keep(self, level: int, number: int, hashes: bytes) -> None:
        self._kept[level, number] = hashes
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
