"""What is asked for again: only that is worth keeping, for most things are asked for once."""

from array import array
from collections.abc import Hashable


class Repeats:
    """Remembers about as many of the latest questions as it has places, in fixed memory.

    Now and then it forgets one at once, or takes one for another; both cost no more than work.
    """

    def __init__(self, places: int) -> None:
        self._asked = array("q", bytes(8 * places))

    def again(self, asked: Hashable) -> bool:
        """Whether it was asked for before; from now on it was."""
        mark = hash(asked)
        place = mark % len(self._asked)
        if self._asked[place] == mark:
            return True
        self._asked[place] = mark
        return False
