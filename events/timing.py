"""What arbiters do about the clocks of a match: the commands, and the event of each."""

from typing import TypeAlias, assert_never

import msgspec

from events.flags import allow_timed
from events.match import Match
from events.timed import MatchPaused, MatchResumed, TimeAdded, Timed
from games.core.game import Seat


class PauseMatch(msgspec.Struct, frozen=True):
    """`arbiter` is a pseudonym, as in the others."""

    arbiter: str


class ResumeMatch(msgspec.Struct, frozen=True):
    arbiter: str


class AddTime(msgspec.Struct, frozen=True):
    """So many `ms` more, above 0, for a seat; for each if it is None."""

    seat: Seat | None
    arbiter: str
    ms: int


Timing: TypeAlias = PauseMatch | ResumeMatch | AddTime


def timing(current: Match, command: Timing, at: int) -> Timed:
    """Raises: Refused."""
    event = _event(current.version + 1, command, at)
    allow_timed(current, event)
    return event


def _event(version: int, command: Timing, at: int) -> Timed:
    match command:
        case PauseMatch(arbiter=arbiter):
            return MatchPaused(version=version, at=at, arbiter=arbiter)
        case ResumeMatch(arbiter=arbiter):
            return MatchResumed(version=version, at=at, arbiter=arbiter)
        case AddTime(seat=seat, arbiter=arbiter, ms=ms):
            return TimeAdded(version=version, at=at, seat=seat, arbiter=arbiter, ms=ms)
    assert_never(command)
