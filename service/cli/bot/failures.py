"""How a bot can end, as exit codes and as what is raised on the way. No text has a token in it."""

from enum import IntEnum


class Ended(IntEnum):
    """Exit codes; of several seats the highest counts."""

    WELL = 0  # every match is over; with --once: all that was asked is answered
    CANNOT = 2  # what was asked makes no sense, such as a file without links
    SHUT_OUT = 3  # a link is not valid, or plays its seat no longer
    AWAY = 4  # the service was away for longer than --patience
    MISFIT = 5  # the service answers in another form than ours, or refuses a move it offered


class SeatFailed(Exception):
    """A seat that can't be played on; `code` says why."""

    code = Ended.MISFIT


class ShutOut(SeatFailed):
    """The token is not, or not any longer, one that plays a seat."""

    code = Ended.SHUT_OUT


class Away(SeatFailed):
    """The service did not answer for as long as the bot is patient."""

    code = Ended.AWAY


class Misfit(SeatFailed):
    """An answer that the API does not give."""
