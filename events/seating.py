"""What is arranged before the start: who sits where, what seats put into the seed, the start."""

from typing import TypeAlias

import msgspec

from events.entropy import opens
from events.match import Match
from events.outcome import outcome_of
from events.refusals import (
    AlreadyResigned,
    EntropyAwaited,
    EntropyIsClosed,
    MatchAlreadyStarted,
    MatchEndedAlready,
    NoEntropy,
    OpeningWrong,
    SeatFree,
    SeatingNotOpen,
    SeatsUnclaimed,
    SeatTaken,
    StartNotDue,
)
from events.types import (
    DONE,
    EntropyClosed,
    EntropyCommitted,
    EntropyOpened,
    Event,
    MatchEnded,
    MatchStarted,
    SeatClaimed,
    SeatReleased,
    Start,
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
            if seat in current.resigned:
                raise AlreadyResigned
            return SeatClaimed(version=version, at=at, seat=seat, holder=holder, key=key)
        case ReleaseSeat(seat=seat):
            if current.entropy is not None and current.entropy.is_closed:
                raise EntropyIsClosed
            if current.holders[seat] is None:
                raise SeatFree
            return SeatReleased(version=version, at=at, seat=seat)
        case StartMatch():
            if unseated(current):
                raise SeatsUnclaimed
            if current.entropy is not None and not current.entropy.is_complete:
                raise EntropyAwaited
            if not may_start(current, at):
                raise StartNotDue
            return MatchStarted(version=version, at=at)
        case CommitEntropy() | OpenEntropy():
            return _contributed(current, command, at)


def unseated(current: Match) -> tuple[Seat, ...]:
    """The seats that the start waits for: nobody holds them, and they are not out."""
    held = current.holders
    return tuple(s for s in range(current.seats) if held[s] is None and s not in current.resigned)


def may_start(current: Match, at: int) -> bool:
    """Whether the schedule lets it start at `at`, if there is one."""
    schedule = current.created.schedule
    return schedule is None or schedule.starts_at is None or at >= schedule.starts_at


def before_start(current: Match, at: int) -> Event | None:
    """What follows of itself while seats are claimed."""
    version = current.version + 1
    if current.resigned and len(current.resigned) >= max(1, current.seats - 1):
        return MatchEnded(version=version, at=at, outcome=outcome_of(current, None))
    if current.entropy is not None and not current.entropy.is_complete:
        return _entropy_closing(current, at)
    if current.created.start is not Start.AUTO or unseated(current):
        return None
    return MatchStarted(version=version, at=at) if may_start(current, at) else None


def _entropy_closing(current: Match, at: int) -> EntropyClosed | None:
    """Once every seat is held and has said what it commits to."""
    entropy = current.entropy
    assert entropy is not None
    if entropy.is_closed or entropy.awaited or None in current.holders:
        return None
    return EntropyClosed(version=current.version + 1, at=at)


def _assert_seating(current: Match) -> None:
    if current.status is Status.SCHEDULED:
        raise SeatingNotOpen
    if current.status in DONE and not _is_hidden(current):
        raise MatchEndedAlready
    if current.status is not Status.SEATING:
        raise MatchAlreadyStarted


def _is_hidden(current: Match) -> bool:
    """Who stands apart from a deal group learns nothing after the start, not even of an end."""
    in_group = current.created.deal_group is not None
    return in_group and current.state is not None and not current.is_revealed


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
