"""The words of a log: what a match can be in, how it starts, ends and closes, who played."""

from enum import StrEnum
from typing import Final


class Status(StrEnum):
    SCHEDULED = "scheduled"  # nobody claims a seat yet
    SEATING = "seating"
    RUNNING = "running"
    PAUSED = "paused"  # by an arbiter: nobody moves
    UNDER_REVIEW = "under_review"  # a dispute holds the play: nobody moves
    OVER = "over"
    CANCELLED = "cancelled"
    VOID = "void"  # it does not count: ruled by an arbiter, or a seat did not come


HELD: Final = (Status.PAUSED, Status.UNDER_REVIEW)  # nobody moves
LIVE: Final = (Status.RUNNING, *HELD)
UNSTARTED: Final = (Status.SCHEDULED, Status.SEATING)
DONE: Final = (Status.OVER, Status.CANCELLED, Status.VOID)
UNFINISHED: Final = (*UNSTARTED, *LIVE)


class Start(StrEnum):
    AUTO = "auto"  # as soon as every seat is claimed
    MANUAL = "manual"


class By(StrEnum):
    SEAT = "seat"
    FALLBACK = "fallback"
    ARBITER = "arbiter"


class Terminal(StrEnum):
    """Every way a match can end."""

    NORMAL = "normal"
    RESIGNED = "resigned"
    FORFEITED = "forfeited"  # the last seat that went was ruled out
    ADJUDICATED = "adjudicated"  # an arbiter set the result
    TIMED_OUT = "timed_out"  # the last seat that went was out of time
    ABANDONED = "abandoned"  # nobody moved: flags fell one after another
    CLOSED = "closed"  # forfeited at its closing time, or that of its deal group
    AGREED = "agreed"  # all that still played agreed on a draw
    NO_SHOW = "no_show"  # the last seats that went had not come


class Closing(StrEnum):
    """What becomes of a running match at its closing time, or that of its deal group.

    One that has not started by then is cancelled, and so is every match that is closed early.
    """

    CANCEL = "cancel"  # no result
    FORFEIT = "forfeit"  # over at once: no scores, nobody has rank 1
    FALLBACK = "fallback"  # played to its end by the game's fallbacks; the result counts
