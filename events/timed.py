"""The events of clocks. All of them are public; times are in milliseconds."""

from typing import TypeAlias

from events.envelope import Envelope


class FlagFell(Envelope, frozen=True, kw_only=True):
    """The time of the seat for its open decision was over at `fell`, which is before or at `at`."""

    seat: int
    decision: str
    fell: int


class MatchPaused(Envelope, frozen=True, kw_only=True):
    """Nobody moves and no clock runs until it is resumed; `arbiter` is a pseudonym."""

    arbiter: str


class MatchResumed(Envelope, frozen=True, kw_only=True):
    arbiter: str


class TimeAdded(Envelope, frozen=True, kw_only=True):
    """So many `ms` more for the seat (None: for each), above 0."""

    seat: int | None
    arbiter: str
    ms: int


class TimeCredited(Envelope, frozen=True, kw_only=True):
    """Nobody was served from `since` to `until`: clocks that ran stood meanwhile."""

    since: int
    until: int


Timed: TypeAlias = FlagFell | MatchPaused | MatchResumed | TimeAdded | TimeCredited
