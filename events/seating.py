"""What is arranged before the start: who sits where, what seats put into the seed, the start."""

from typing import TypeAlias

import msgspec

from events.entropy import opens
from events.match import Match
from events.refusals import (
    EntropyAwaited,
    EntropyIsClosed,
    MatchAlreadyStarted,
    NoEntropy,
    OpeningWrong,
    SeatFree,
    SeatsUnclaimed,
    SeatTaken,
)
from events.types import (
    EntropyClosed,
    EntropyCommitted,
    EntropyOpened,
    Event,
    MatchStarted,
    SeatClaimed,
    SeatReleased,
    Status,
)
from games.core.game import Seat


class ClaimSeat(msgspec.Struct, frozen=True):
    """`key` is the seat's own, in base64url, if what it does shall be signed."""

    seat: Seat
    holder: str
    key: str | None = None


class ReleaseSeat(msgspec.Struct, frozen=True):
    seat: Seat


class StartMatch(msgspec.Struct, frozen=True):
    pass


class CommitEntropy(msgspec.Struct, frozen=True):
    """`commitment` in hex; None for a seat that puts nothing in."""

    seat: Seat
    commitment: str | None


class OpenEntropy(msgspec.Struct, frozen=True):
    """`opening` in hex."""

    seat: Seat
    opening: str


Arranging: TypeAlias = ClaimSeat | ReleaseSeat | StartMatch | CommitEntropy | OpenEntropy


def arranged(current: Match, command: Arranging, at: int) -> Event:
    """The event that the command leads to. Raises: Refused."""
    version = current.version + 1
    _assert_seating(current)
    match command:
        case ClaimSeat(seat=seat, holder=holder, key=key):
            if current.holders[seat] is not None:
                raise SeatTaken
            return SeatClaimed(version=version, at=at, seat=seat, holder=holder, key=key)
        case ReleaseSeat(seat=seat):
            if current.entropy is not None and current.entropy.is_closed:
                raise EntropyIsClosed
            if current.holders[seat] is None:
                raise SeatFree
            return SeatReleased(version=version, at=at, seat=seat)
        case StartMatch():
            if None in current.holders:
                raise SeatsUnclaimed
            if current.entropy is not None and not current.entropy.is_complete:
                raise EntropyAwaited
            return MatchStarted(version=version, at=at)
        case CommitEntropy() | OpenEntropy():
            return _contributed(current, command, at)


def entropy_closing(current: Match, at: int) -> EntropyClosed | None:
    """Once every seat is held and has said what it commits to."""
    entropy = current.entropy
    assert entropy is not None
    if entropy.is_closed or entropy.awaited or None in current.holders:
        return None
    return EntropyClosed(version=current.version + 1, at=at)


def _assert_seating(current: Match) -> None:
    if current.status is not Status.SEATING:
        raise MatchAlreadyStarted


def _contributed(current: Match, command: CommitEntropy | OpenEntropy, at: int) -> Event:
    seat, version, entropy = command.seat, current.version + 1, current.entropy
    if entropy is None:
        raise NoEntropy
    if current.holders[seat] is None:
        raise SeatFree
    if isinstance(command, CommitEntropy):
        if entropy.is_closed or entropy.said[seat]:
            raise EntropyIsClosed
        return EntropyCommitted(version=version, at=at, seat=seat, commitment=command.commitment)
    if not entropy.is_closed:
        raise EntropyAwaited
    if entropy.openings[seat] is not None:
        raise EntropyIsClosed
    if not opens(entropy, current.match_id, seat, command.opening):
        raise OpeningWrong
    return EntropyOpened(version=version, at=at, seat=seat, opening=command.opening)
