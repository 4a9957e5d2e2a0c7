"""What requests about takebacks and disputes may say."""

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from events.clocks import MOST
from events.rulings import AdjustClock, Forfeit, Note, SetResult, Void
from games.core.text import is_blank
from service.errors import Fault, Invalid
from service.rest.inputs import Body, Name
from service.ruling import (
    Wanted,
    WantedMove,
    WantedRedraw,
    WantedReplay,
    WantedRewind,
    WantedSeat,
)

Version = Annotated[int, Meta(ge=1, le=2**53 - 1)]
SeatNumber = Annotated[int, Meta(ge=0, le=999)]
Said = Annotated[str, Meta(min_length=1, max_length=4000)]
Rank = Annotated[int, Meta(ge=1, le=64)]
Score = Annotated[int, Meta(ge=-(2**31) + 1, le=2**31 - 1)]  # so that sums stay exact


def _assert_said(name: str, text: str) -> None:
    if is_blank(text):
        raise ValueError(f"`{name}` is blank")


class AccountBody(Body, frozen=True):
    """`account` is whom an arbiter acts for; it never enters the log."""

    account: Name | None = None


class DisputeBody(Body, frozen=True):
    """A claim about the event of version `about`."""

    about: Version
    claim: Said
    account: Name | None = None

    def __post_init__(self) -> None:
        _assert_said("claim", self.claim)


class ReviewBody(Body, frozen=True):
    """With `pause` nobody moves until the ruling; only a match that is running can be paused."""

    pause: bool = False
    account: Name | None = None


class AppealBody(Body, frozen=True):
    """Why the ruling should not stand; told to everybody who sees the match."""

    reason: Said

    def __post_init__(self) -> None:
        _assert_said("reason", self.reason)


class _Ruling(Body, frozen=True, tag_field="type"):
    pass


class NoteRuling(_Ruling, frozen=True, tag="note"):
    """Nothing changes."""


class RewindRuling(_Ruling, frozen=True, tag="rewind"):
    """To a version, or to where a boundary began: one of the two."""

    to: Version | UnsetType = UNSET
    boundary: Name | UnsetType = UNSET


class RedrawRuling(_Ruling, frozen=True, tag="redraw"):
    """To before the latest draw of the label, and that draw anew."""

    label: Name


class ReplaceSeatRuling(_Ruling, frozen=True, tag="replace_seat"):
    """`account` is whom the seat stands for from now on."""

    seat: SeatNumber
    account: Name | None = None


class AdjustClockRuling(_Ruling, frozen=True, tag="adjust_clock"):
    """So many `ms` more for the seat, or for each; fewer if below 0."""

    ms: Annotated[int, Meta(ge=-MOST, le=MOST)]
    seat: SeatNumber | None = None


class ForceMoveRuling(_Ruling, frozen=True, tag="force_move"):
    """A move that the seat's open decision offers."""

    seat: SeatNumber
    move: dict[str, Any]


class ForfeitRuling(_Ruling, frozen=True, tag="forfeit"):
    """The seat is out as if it had resigned."""

    seat: SeatNumber


class SetResultRuling(_Ruling, frozen=True, tag="set_result"):
    """By seat. Rank 1 is best, ties share a rank."""

    ranks: Annotated[tuple[Rank, ...], Meta(min_length=1, max_length=64)]
    scores: Annotated[tuple[Score, ...], Meta(min_length=1, max_length=64)] | None = None


class VoidRuling(_Ruling, frozen=True, tag="void"):
    """The match does not count."""


class ReplayRuling(_Ruling, frozen=True, tag="replay"):
    """The match does not count; a new one is played in its place."""


RulingBody: TypeAlias = (
    NoteRuling
    | RewindRuling
    | RedrawRuling
    | ReplaceSeatRuling
    | AdjustClockRuling
    | ForceMoveRuling
    | ForfeitRuling
    | SetResultRuling
    | VoidRuling
    | ReplayRuling
)


class RulingRequest(Body, frozen=True):
    """`reason` is told to everybody who sees the match."""

    ruling: RulingBody
    reason: Said
    account: Name | None = None

    def __post_init__(self) -> None:
        _assert_said("reason", self.reason)


DISPUTE: Final = msgspec.json.Decoder(DisputeBody)
REVIEW: Final = msgspec.json.Decoder(ReviewBody)
APPEAL: Final = msgspec.json.Decoder(AppealBody)
RULING: Final = msgspec.json.Decoder(RulingRequest)
ACCOUNT: Final = msgspec.json.Decoder(AccountBody)


def wanted_of(body: RulingBody) -> Wanted:
    """What is wanted of the service. Raises: Invalid."""
    match body:
        case NoteRuling():
            return Note()
        case RewindRuling(to=to, boundary=boundary):
            if (to is UNSET) == (boundary is UNSET):
                raise Invalid(Fault("/ruling", "wrong-shape", "give either to or boundary"))
            return WantedRewind(
                None if to is UNSET else to, None if boundary is UNSET else boundary
            )
        case RedrawRuling(label=label):
            return WantedRedraw(label)
        case ReplaceSeatRuling(seat=seat, account=account):
            return WantedSeat(seat, account)
        case AdjustClockRuling(seat=seat, ms=ms):
            if ms == 0:
                raise Invalid(Fault("/ruling/ms", "out-of-range", "is not 0"))
            return AdjustClock(seat=seat, ms=ms)
        case ForceMoveRuling(seat=seat, move=move):
            return WantedMove(seat, move)
        case ForfeitRuling(seat=seat):
            return Forfeit(seat=seat)
        case SetResultRuling(ranks=ranks, scores=scores):
            return SetResult(ranks=ranks, scores=scores)
        case VoidRuling():
            return Void()
        case ReplayRuling():
            return WantedReplay()
