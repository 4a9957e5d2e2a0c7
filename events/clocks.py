"""Clocks of a match: what event 1 may pin, and the arithmetic of time that counts.

Nothing here asks what time it is, nor a time zone database: a daily window carries the offsets of
its zone, so that a log folds alike wherever and whenever it is folded. Times are in milliseconds.
"""

from bisect import bisect_left, bisect_right
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Final, TypeAlias, assert_never

import msgspec

from games.core.moves import snake

DAY: Final = 86_400_000
MINUTE: Final = 60_000
MOST: Final = 400 * DAY  # that a seat can ever have left
MOST_FALLS: Final = 100


class Flag(StrEnum):
    """What becomes of a seat whose time is over."""

    FALLBACK = "fallback"  # the game's fallback is played for it, and it plays on
    FORFEIT = "forfeit"  # the match ends, and the seat ranks below those that were in time
    REMOVE = "remove"  # it is out as if it had resigned; the others play on


class _Time(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag=snake,
    tag_field="type",
):
    pass


class PerMove(_Time, frozen=True, kw_only=True):
    """`move` ms for each decision, whatever was left of the one before."""

    move: int


class Correspondence(_Time, frozen=True, kw_only=True):
    """`days` for each decision; where there is a daily window, a day is as long as the window."""

    days: int


class Fischer(_Time, frozen=True, kw_only=True):
    """`bank` for the whole match, and `increment` more after each answer, up to `most` if set."""

    bank: int
    increment: int
    most: int | None


class Bronstein(_Time, frozen=True, kw_only=True):
    """`bank` for the whole match; after a decision as much of it comes back as was used for it, up
    to `delay`."""

    bank: int
    delay: int


class Delay(_Time, frozen=True, kw_only=True):
    """`bank` for the whole match; the first `delay` ms of each decision are not taken from it."""

    bank: int
    delay: int


Time: TypeAlias = PerMove | Correspondence | Fischer | Bronstein | Delay


def faster(time: Time, speed: int) -> Time:
    """What is left of it where a second counts for `speed` of them; nothing shrinks to nothing.

    Days are milliseconds of a decision then.
    """

    def less(ms: int) -> int:
        return -(-ms // speed)

    if speed == 1:
        return time
    match time:
        case PerMove(move=move):
            return PerMove(move=less(move))
        case Correspondence(days=days):
            return PerMove(move=less(days * DAY))
        case Fischer(bank=bank, increment=increment, most=most):
            limit = None if most is None else less(most)
            return Fischer(bank=less(bank), increment=less(increment), most=limit)
        case Bronstein(bank=bank, delay=delay):
            return Bronstein(bank=less(bank), delay=less(delay))
        case Delay(bank=bank, delay=delay):
            return Delay(bank=less(bank), delay=less(delay))
    assert_never(time)


class Window(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """Clocks run from `opens` to `closes` (minutes after midnight, local time) and stand otherwise.

    One that closes before it opens runs over midnight. `zone` is the name it was made from; what
    counts are `offsets`: (from when on, ms; seconds that local time is ahead), ascending. The
    first holds for all time before as well.
    """

    zone: str
    opens: int
    closes: int
    offsets: tuple[tuple[int, int], ...]

    @property
    def is_possible(self) -> bool:
        """It has at least an hour, and offsets of a day at most, in order."""
        minutes = all(0 <= each < DAY // MINUTE for each in (self.opens, self.closes))
        moments = [since for since, _ in self.offsets]
        ordered = bool(moments) and moments == sorted(set(moments))
        near = all(abs(ahead) * 1000 < DAY for _, ahead in self.offsets)
        return minutes and self.length >= 60 * MINUTE and ordered and near

    @property
    def length(self) -> int:
        """Ms that clocks run on a day of 24 hours."""
        return (self.closes - self.opens) * MINUTE % DAY

    def counted(self, start: int, end: int) -> int:
        """How many ms from `start` to `end` lie inside."""
        return self._upto(end) - self._upto(start) if start < end else 0

    def reached(self, start: int, ms: int) -> int:
        """The moment when `ms` have been counted since `start`."""
        first, goal = self._place(start), self._upto(start) + ms
        place = bisect_left(self._sums, goal, first + 1) - 1
        since = start if place == first else self.offsets[place][0]
        ahead = self.offsets[place][1] * 1000
        count = self._before(since + ahead) + goal - self._upto(since)
        return max(since, self._moment(count) - ahead)

    @cached_property
    def _sums(self) -> tuple[int, ...]:
        """How many ms from the first offset up to each lie inside."""
        spans = ((since, 1000 * s, until) for (since, s), (until, _) in pairwise(self.offsets))
        each = (
            self._before(until + ahead) - self._before(since + ahead)
            for since, ahead, until in spans
        )
        return tuple(accumulate(each, initial=0))

    def _upto(self, at: int) -> int:
        """How many ms from the first offset up to a moment lie inside; before it, none or less."""
        place = self._place(at)
        since, seconds = self.offsets[place]
        ahead = seconds * 1000
        return self._sums[place] + self._before(at + ahead) - self._before(since + ahead)

    def _place(self, at: int) -> int:
        return max(0, bisect_right(self.offsets, at, key=lambda each: each[0]) - 1)

    def _before(self, local: int) -> int:
        """Ms inside since local midnight of day 0, by a local time without changes."""
        days, inside = divmod(local - self.opens * MINUTE, DAY)
        return days * self.length + min(inside, self.length)

    def _moment(self, count: int) -> int:
        """The first local time before which so many ms lie inside."""
        days, left = divmod(count - 1, self.length)
        return self.opens * MINUTE + days * DAY + left + 1


class Clock(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The clocks of a match, pinned for life: `times` by seat.

    A match in which nobody moves ends once every flag has fallen `abandon_after` times in a row.
    """

    times: tuple[Time, ...]
    flag: Flag
    abandon_after: int
    window: Window | None

    def fault(self, seats: int) -> tuple[str, str] | None:
        """What keeps it from being the clocks of a match: where (a JSON pointer), and why."""
        if len(self.times) != seats:
            return "/times", "needs a time for each seat"
        if not 1 <= self.abandon_after <= MOST_FALLS:
            return "/abandon_after", f"has to lie between 1 and {MOST_FALLS}"
        for seat, time in enumerate(self.times):
            if not all(low <= value <= high for low, value, high in _bounds(time)):
                return f"/times/{seat}", "has a time that is too short or too long"
        window = self.window
        if window is None or window.is_possible:
            return None
        return "/window", "can't be: it needs an hour a day at least"

    def counted(self, start: int, end: int) -> int:
        """How much of the time from `start` to `end` clocks run."""
        if end <= start:
            return 0
        return end - start if self.window is None else self.window.counted(start, end)

    def reached(self, start: int, ms: int) -> int:
        """When a clock that runs since `start` has run for `ms`."""
        return start + ms if self.window is None else self.window.reached(start, ms)

    def first(self, seat: int) -> int:
        """What the seat has before its first decision."""
        time = self.times[seat]
        return time.bank if isinstance(time, Fischer | Bronstein | Delay) else self._each(time)

    def after(self, seat: int, left: int, used: int, *, answered: bool) -> int:
        """What is left after a decision with `left` on the clock, for which `used` ms went by."""
        time = self.times[seat]
        match time:
            case PerMove() | Correspondence():
                return self._each(time)
            case Fischer(increment=increment, most=most):
                gain = increment if answered else 0
                return left + gain if most is None else max(left, min(most, left + gain))
            case Bronstein(delay=delay):
                return left + min(delay, used)
            case Delay():
                return left
        assert_never(time)

    def delay_left(self, seat: int, used: int) -> int:
        """How much longer the open decision takes nothing from the bank."""
        time = self.times[seat]
        return max(0, time.delay - used) if isinstance(time, Delay) else 0

    def _each(self, time: PerMove | Correspondence) -> int:
        if isinstance(time, PerMove):
            return time.move
        return time.days * (DAY if self.window is None else self.window.length)


def _bounds(time: Time) -> tuple[tuple[int, int, int], ...]:
    """Least, value, most of each number."""
    match time:
        case PerMove(move=move):
            return ((1, move, MOST),)
        case Correspondence(days=days):
            return ((1, days, MOST // DAY),)
        case Fischer(bank=bank, increment=increment, most=most):
            return ((1, bank, MOST), (0, increment, MOST), (0, 0 if most is None else most, MOST))
        case Bronstein(bank=bank, delay=delay) | Delay(bank=bank, delay=delay):
            return ((0, bank, MOST), (0, delay, MOST), (1, bank + delay, 2 * MOST))
    assert_never(time)
