"""The events of who comes to a match. All of them are public; times are in milliseconds."""

from typing import TypeAlias

from events.envelope import Envelope


class SeatingOpened(Envelope, frozen=True, kw_only=True):
    """From here on seats can be claimed."""


class PresenceChecked(Envelope, frozen=True, kw_only=True):
    """The time to join is over. `seen`, by seat, is when whoever holds it was last there: used its
    credential. None: not since the match opened, or nobody holds it."""

    seen: tuple[int | None, ...]


class StandInSeated(Envelope, frozen=True, kw_only=True):
    """Another has the seat of one that did not come; `holder` is a pseudonym."""

    seat: int
    holder: str


Attended: TypeAlias = SeatingOpened | PresenceChecked | StandInSeated
