"""What requests about clocks may say. Times are in milliseconds."""

from typing import Annotated, Final, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from events.clocks import DAY, MOST, MOST_FALLS, Flag, Time
from service.errors import Fault, Invalid
from service.said import Body, Name
from service.timing import WantedClock, WantedWindow

Ms = Annotated[int, Meta(ge=0, le=MOST)]
MOST_SPEED: Final = 1_000_000
SomeMs = Annotated[int, Meta(ge=1, le=MOST)]
Days = Annotated[int, Meta(ge=1, le=MOST // DAY)]
SeatNumber = Annotated[int, Meta(ge=0, le=999)]
TimeOfDay = Annotated[
    str, Meta(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z", description="a time of day, as 08:30")
]


class _Time(Body, frozen=True, tag_field="type"):
    pass


class PerMoveTime(_Time, frozen=True, tag="per_move"):
    """`move` ms for each decision."""

    move: SomeMs


class CorrespondenceTime(_Time, frozen=True, tag="correspondence"):
    """`days` for each decision; with a daily window, days of the window."""

    days: Days


class FischerTime(_Time, frozen=True, tag="fischer"):
    """`bank` ms for the match, and `increment` more after each answer, up to `most`."""

    bank: SomeMs
    increment: Ms = 0
    most: SomeMs | None = None


class BronsteinTime(_Time, frozen=True, tag="bronstein"):
    """`bank` ms for the match; of what a decision took, up to `delay` comes back."""

    bank: Ms
    delay: SomeMs


class DelayTime(_Time, frozen=True, tag="delay"):
    """`bank` ms for the match; the first `delay` of each decision are not taken from it."""

    bank: Ms
    delay: SomeMs


TimeBody: TypeAlias = PerMoveTime | CorrespondenceTime | FischerTime | BronsteinTime | DelayTime


class WindowBody(Body, frozen=True):
    """Clocks run from `opens` to `closes`, local time of the zone, at least an hour a day."""

    zone: Name
    opens: TimeOfDay
    closes: TimeOfDay

    @property
    def wanted(self) -> WantedWindow:
        return WantedWindow(self.zone, _minutes(self.opens), _minutes(self.closes))


class ClockBody(Body, frozen=True):
    """Either `time`, for every seat, or `times`, by seat. `speed` divides them, for test keys, and
    the window for disputes."""

    time: TimeBody | UnsetType = UNSET
    times: Annotated[tuple[TimeBody, ...], Meta(min_length=1, max_length=64)] | UnsetType = UNSET
    flag: Flag = Flag.FALLBACK
    abandon_after: Annotated[int, Meta(ge=1, le=MOST_FALLS)] = 3
    window: WindowBody | None = None
    speed: Annotated[int, Meta(ge=1, le=MOST_SPEED)] = 1

    @property
    def wanted(self) -> WantedClock:
        """Raises: Invalid."""
        is_for_all = self.time is not UNSET
        given = self.times if self.time is UNSET else (self.time,)
        if given is UNSET or (is_for_all and self.times is not UNSET):
            raise Invalid(Fault("/clock", "wrong-shape", "give either time or times"))
        times = msgspec.convert(msgspec.to_builtins(given), tuple[Time, ...])
        return WantedClock(
            times=times,
            is_for_all=is_for_all,
            flag=self.flag,
            abandon_after=self.abandon_after,
            window=None if self.window is None else self.window.wanted,
            speed=self.speed,
        )


class ExtendBody(Body, frozen=True):
    """So many ms more for `seat`, or for each; `account` is whom an arbiter acts for."""

    ms: SomeMs
    seat: SeatNumber | None = None
    account: Name | None = None


EXTEND: Final = msgspec.json.Decoder(ExtendBody)


def _minutes(text: str) -> int:
    hours, _, minutes = text.partition(":")
    return 60 * int(hours) + int(minutes)
