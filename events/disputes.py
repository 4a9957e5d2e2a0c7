"""What disputes and takebacks do to a match: the part of the fold that no rule of a game knows."""

from enum import StrEnum
from typing import TYPE_CHECKING, Any, assert_never

import msgspec
from msgspec.structs import replace

from events.rulings import (
    AdjustClock,
    ForceMove,
    Forfeit,
    Note,
    Redraw,
    ReplaceSeat,
    Replay,
    Rewind,
    SetResult,
    Void,
)
from events.types import (
    DONE,
    DisputeAppealed,
    DisputeClosed,
    DisputeOpened,
    DisputeRuled,
    Erased,
    LookTaken,
    MatchRewound,
    Outcome,
    ReviewStarted,
    SeatTokenIssued,
    SeatTokensRevoked,
    Status,
    TakebackAnswered,
    TakebackAsked,
    Terminal,
)
from events.types import Dispute as DisputeEvent
from events.types import Takeback as TakebackEvent
from events.types import Watched as WatchedEvent

if TYPE_CHECKING:
    from events.match import Match


class Stage(StrEnum):
    OPEN = "open"
    UNDER_REVIEW = "under_review"
    RULED = "ruled"
    CLOSED = "closed"


class Dispute(msgspec.Struct, frozen=True):
    """`id` is the version that opened it, by `seat` or (None) an arbiter; `ruling` that of the
    latest ruling. It is `appealed` once at most, and the ruling on that closes it."""

    id: int
    seat: int | None
    about: int
    stage: Stage = Stage.OPEN
    paused: bool = False
    appealed: bool = False
    ruling: int | None = None


class Takeback(msgspec.Struct, frozen=True):
    """`asked` is the version that asked for the move of version `move` back."""

    asked: int
    seat: int
    move: int
    consents: tuple[int, ...] = ()
    refused: bool = False


class GoBack(msgspec.Struct, frozen=True, tag="go_back"):
    """What has to follow next: a rewind to `to`."""

    to: int
    cause: int


def amended(
    current: "Match", event: TakebackEvent | DisputeEvent | WatchedEvent | Erased
) -> "Match":
    """The match after an event that is no step of the game."""
    version = event.version
    match event:
        case SeatTokenIssued() | SeatTokensRevoked() | LookTaken() | Erased():
            return replace(current, version=version)
        case TakebackAsked(seat=seat, move=move):
            return replace(current, version=version, takeback=Takeback(version, seat, move))
        case TakebackAnswered():
            return replace(current, version=version, takeback=_answered(current, event))
        case DisputeOpened(seat=seat, about=about):
            disputes = (*current.disputes, Dispute(version, seat, about))
            return _disputed(current, event, disputes)
        case ReviewStarted(dispute=dispute, pause=pause):
            disputes = _put(current, dispute, stage=Stage.UNDER_REVIEW, paused=pause)
            after = _disputed(current, event, disputes)
            return replace(after, status=Status.UNDER_REVIEW) if pause else after
        case DisputeAppealed(dispute=dispute):
            disputes = _put(current, dispute, stage=Stage.OPEN, appealed=True)
            return _disputed(current, event, disputes)
        case DisputeClosed(dispute=dispute):
            return _disputed(current, event, _put(current, dispute, stage=Stage.CLOSED))
        case DisputeRuled():
            return _ruled(current, event)


def rewound(current: "Match", event: MatchRewound, target: "Match") -> "Match":
    """The position and the play as they were at `target`; all that lies beside the play stays."""
    return replace(
        current,
        version=event.version,
        status=Status.PAUSED if current.status is Status.PAUSED else Status.RUNNING,
        state=target.state,
        answers=target.answers,
        resigned=target.resigned,
        forfeited=target.forfeited,
        last=target.last,
        outcome=None,
        reveal_at=None,
        takeback=None,
        due=None,
    )


def window_after(current: "Match", at: int) -> int | None:
    """When the reveal is due if the match ended, or a dispute of an ended one moved on, at `at`."""
    window = current.created.window
    return None if window is None else max(current.reveal_at or 0, at + window)


def open_takeback(current: "Match") -> Takeback | None:
    """The takeback that waits for consent: none once another step was taken."""
    asked = current.takeback
    if asked is None or asked.refused or current.last is None:
        return None
    return asked if current.last.version == asked.move else None


def owed_consents(current: "Match", asked: Takeback) -> tuple[int, ...]:
    """The seats that still have to consent: all others that have not given up."""
    settled = {asked.seat, *current.resigned, *asked.consents}
    return tuple(seat for seat in range(current.seats) if seat not in settled)


def found(current: "Match", dispute: int) -> Dispute | None:
    return next((each for each in current.disputes if each.id == dispute), None)


def redraw_count(current: "Match", label: str) -> int:
    """How often the draw of that label was ordered anew."""
    return next((count for own, count in current.redraws if own == label), 0)


def is_provisional(current: "Match") -> bool:
    """The result may yet change: the reveal has not come, or a dispute is not settled. That a match
    came to none – it was cancelled, or does not count – is a result like others.
    """
    if current.status not in DONE:
        return False
    unsettled = (Stage.OPEN, Stage.UNDER_REVIEW)
    return not current.is_revealed or any(each.stage in unsettled for each in current.disputes)


def _answered(current: "Match", event: TakebackAnswered) -> Takeback | None:
    asked = current.takeback
    if asked is None or not event.consents:
        return None if asked is None else replace(asked, refused=True)
    return replace(asked, consents=(*asked.consents, event.seat))


def _disputed(current: "Match", event: DisputeEvent, disputes: tuple[Dispute, ...]) -> "Match":
    ended = current.status in DONE and not current.is_revealed
    reveal_at = window_after(current, event.at) if ended else current.reveal_at
    return replace(current, version=event.version, disputes=disputes, reveal_at=reveal_at)


def _put(current: "Match", dispute: int, **fields: Any) -> tuple[Dispute, ...]:
    return tuple(
        replace(each, **fields) if each.id == dispute else each for each in current.disputes
    )


def _ruled(current: "Match", event: DisputeRuled) -> "Match":
    own = found(current, event.dispute)
    stage = Stage.CLOSED if own is not None and own.appealed else Stage.RULED
    disputes = _put(current, event.dispute, stage=stage, paused=False, ruling=event.version)
    after = _disputed(current, event, disputes)
    if current.status is Status.UNDER_REVIEW and own is not None and own.paused:
        after = replace(after, status=Status.RUNNING)
    ruling = event.ruling
    match ruling:
        case Note() | AdjustClock():
            return after
        case Rewind(to=to):
            return replace(after, due=GoBack(to, event.version))
        case Redraw(label=label, to=to):
            rest = tuple(each for each in after.redraws if each[0] != label)
            redraws = (*rest, (label, redraw_count(after, label) + 1))
            return replace(after, due=GoBack(to, event.version), redraws=redraws)
        case ReplaceSeat(seat=seat, holder=holder):
            holders = (*after.holders[:seat], holder, *after.holders[seat + 1 :])
            # Whoever had the key has the seat no more.
            keys = (*after.keys[:seat], None, *after.keys[seat + 1 :])
            return replace(after, holders=holders, keys=keys)
        case ForceMove():
            return replace(after, due=ruling)
        case Forfeit(seat=seat):
            resigned, forfeited = (*after.resigned, seat), (*after.forfeited, seat)
            return replace(after, resigned=resigned, forfeited=forfeited, takeback=None)
        case SetResult(ranks=ranks, scores=scores):
            outcome = Outcome(Terminal.ADJUDICATED, ranks, scores, "")
            return ended(after, Status.OVER, outcome, event.at)
        case Void() | Replay():
            return ended(after, Status.VOID, None, event.at)
    assert_never(ruling)


def ended(after: "Match", status: Status, outcome: Outcome | None, at: int) -> "Match":
    """The same match, over at `at`."""
    reveal_at = after.reveal_at if after.is_revealed else window_after(after, at)
    revision = after.revision + 1
    return replace(after, status=status, outcome=outcome, revision=revision, reveal_at=reveal_at)
