"""The events of a draw by agreement. All of them are public."""

from typing import TypeAlias

from events.envelope import Envelope


class DrawOffered(Envelope, frozen=True, kw_only=True):
    """The seat offers to end the match as a draw of all that still play."""

    seat: int


class DrawAnswered(Envelope, frozen=True, kw_only=True):
    """`offer` is the version that offered. One refusal ends it, the last acceptance the match."""

    seat: int
    offer: int
    accepts: bool


Agreed: TypeAlias = DrawOffered | DrawAnswered
