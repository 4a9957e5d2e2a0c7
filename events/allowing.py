"""Whether an event about takebacks, disputes, looks, tokens or erasures may stand where it is."""

from typing import Final, TypeAlias, assert_never

from events.chain import is_id
from events.closing import is_closed
from events.disputes import (
    Dispute,
    Stage,
    found,
    open_takeback,
    owed_consents,
)
from events.flags import allow_adjusting
from events.match import Match
from events.refusals import (
    AlreadyResigned,
    DecisionClosed,
    DisputeNotFound,
    DisputeOpenAlready,
    DisputesExhausted,
    GroupMatchOver,
    MatchIsPaused,
    MatchNotRunning,
    MatchRevealedAlready,
    MatchUnderReview,
    RulingImpossible,
    TakebackClosed,
    TakebackImpossible,
    TextNotFound,
    WrongStage,
)
from events.rulings import (
    AdjustClock,
    ForceMove,
    Forfeit,
    Note,
    Redraw,
    ReplaceSeat,
    Replay,
    Rewind,
    Ruling,
    SetResult,
    Void,
)
from events.texts import is_digest, is_field
from events.types import (
    DONE,
    LIVE,
    By,
    DisputeAppealed,
    DisputeClosed,
    DisputeOpened,
    DisputeRuled,
    Erased,
    Event,
    LookTaken,
    MatchRewound,
    MovePlayed,
    ReviewStarted,
    SeatTokenIssued,
    SeatTokensRevoked,
    Status,
    TakebackAnswered,
    TakebackAsked,
)
from events.types import Dispute as DisputeEvent
from events.types import Takeback as TakebackEvent
from events.types import Watched as WatchedEvent
from games.core.game import SPECTATOR, Chance, Seat

MOST_DISPUTES = 32  # in one match
BesidePlay: TypeAlias = TakebackEvent | DisputeEvent | WatchedEvent | Erased


def refuse_held(current: Match) -> None:
    """Raises: MatchUnderReview, MatchIsPaused."""
    if current.status is Status.UNDER_REVIEW:
        raise MatchUnderReview
    if current.status is Status.PAUSED:
        raise MatchIsPaused


def target_of(event: Event) -> int | None:
    """The version whose match judging the event needs: what it goes back to, or may."""
    match event:
        case MatchRewound(to=to) | DisputeRuled(ruling=Rewind(to=to) | Redraw(to=to)):
            return to
        case TakebackAsked(move=move):
            return move - 1
        case _:
            return None


def allow(current: Match, event: BesidePlay, target: Match | None) -> None:
    """Nothing, if the event may follow. `target` is the match at `target_of(event)`.

    Raises: Refused.
    """
    match event:
        case TakebackAsked():
            _allow_asking(current, event, target)
        case TakebackAnswered():
            _assert_playing(current)
            asked = open_takeback(current)
            if asked is None or asked.asked != event.takeback:
                raise TakebackClosed
            if event.seat not in owed_consents(current, asked):
                raise TakebackClosed
        case DisputeOpened():
            _allow_opening(current, event)
        case ReviewStarted(dispute=dispute, pause=pause):
            _at_stage(current, dispute, Stage.OPEN)
            other = next((e for e in current.disputes if e.stage is Stage.UNDER_REVIEW), None)
            if other is not None:
                raise WrongStage("dispute", f"dispute {other.id} is under review: first rule on it")
            if pause and current.status is not Status.RUNNING:
                why = f"a match that is {current.status} is reviewed with `pause` false"
                raise MatchNotRunning("/pause", why)
        case DisputeRuled(dispute=dispute, ruling=ruling, reason=reason):
            _at_stage(current, dispute, Stage.UNDER_REVIEW)
            if not is_digest(reason) or _is_too_late(current, event):
                raise RulingImpossible
            _allow_ruling(current, ruling, target)
        case DisputeAppealed(dispute=dispute, seat=seat, reason=reason):
            own = _at_stage(current, dispute, Stage.RULED)
            if own.appealed:
                raise WrongStage("dispute", "it was appealed before, and may be once")
            if not _is_seat(current, seat) or not is_digest(reason):
                raise WrongStage
        case DisputeClosed():
            _allow_closing(current, event)
        case LookTaken(seat=seat, through=through):
            _assert_hidden(current)
            if not 1 <= through <= current.version or not (seat is None or _is_seat(current, seat)):
                raise RulingImpossible
        case SeatTokenIssued(seat=seat) | SeatTokensRevoked(seat=seat):
            _assert_hidden(current)
            if not _is_seat(current, seat):
                raise RulingImpossible
        case Erased():
            _allow_erasing(current, event)
        case _:
            assert_never(event)


def _allow_erasing(current: Match, event: Erased) -> None:
    """At any time, also after the reveal: one text, or those of a seat."""
    if event.of is not None:
        fits = 1 <= event.of <= current.version and is_field(event.field)
        if not fits or event.seat is not None or event.holder is not None:
            raise TextNotFound
        return
    named = event.holder is None or 0 < len(event.holder) <= 64
    is_of_seat = event.seat is not None and _is_seat(current, event.seat) and named
    if not is_of_seat or event.field is not None or event.hidden:
        raise TextNotFound


def _allow_asking(current: Match, event: TakebackAsked, target: Match | None) -> None:
    """Only the last move, its own answer, of a class by which nobody learns anything.

    That its type is known to the public is asked for as well: whether it can be taken back must
    not tell anybody which type it was.
    """
    _assert_playing(current)
    if not _is_seat(current, event.seat):
        raise TakebackImpossible
    if event.seat in current.resigned:
        raise AlreadyResigned
    last, before = current.last, current.takeback
    if not isinstance(last, MovePlayed) or last.decision is None or last.by is not By.SEAT:
        raise TakebackImpossible
    if last.seat != event.seat or last.version != event.move:
        raise TakebackImpossible
    if before is not None and before.move == event.move:
        raise TakebackClosed
    if target is None or target.version != event.move - 1:
        raise TakebackImpossible
    if target.resigned != current.resigned or target.forfeited != current.forfeited:
        raise TakebackImpossible
    move = target.game_move(last.move)
    seen = target.game.redact(target.state, last.seat, move, SPECTATOR)
    if move.shows or seen.move is None:
        raise TakebackImpossible


def _allow_opening(current: Match, event: DisputeOpened) -> None:
    if current.status not in (*LIVE, Status.OVER, Status.VOID):
        raise MatchNotRunning("", "only a match that began and was not cancelled is disputed")
    if not 1 <= event.about <= current.version or not is_digest(event.claim):
        raise RulingImpossible
    if (event.seat is None) == (event.arbiter is None):
        raise RulingImpossible
    if event.seat is not None and not _is_seat(current, event.seat):
        raise RulingImpossible
    unsettled = (Stage.OPEN, Stage.UNDER_REVIEW)
    if any(each.seat == event.seat and each.stage in unsettled for each in current.disputes):
        raise DisputeOpenAlready
    if len(current.disputes) >= MOST_DISPUTES:
        raise DisputesExhausted


def _allow_closing(current: Match, event: DisputeClosed) -> None:
    """The arbiter closes what is ruled; a seat withdraws what it claimed."""
    if event.arbiter is not None and event.seat is None:
        _at_stage(current, event.dispute, Stage.RULED)
        return
    own = _at_stage(current, event.dispute, Stage.OPEN)
    if event.arbiter is not None or own.seat != event.seat or event.seat is None or own.appealed:
        raise WrongStage("dispute", "only the seat that opened it withdraws it, before an appeal")


def _allow_ruling(current: Match, ruling: Ruling, target: Match | None) -> None:
    live = current.status in LIVE
    match ruling:
        case Note():
            possible = True
        case Rewind(to=to, boundary=boundary):
            named = "to" if boundary is None else "boundary"
            _allow_rewind(current, to, target, f"/ruling/{named}")
            assert target is not None
            possible = boundary is None or target.game.boundary(target.state) == boundary
        case Redraw(label=label, to=to):
            _allow_rewind(current, to, target, "/ruling/label")
            assert target is not None
            turn = target.turn
            possible = isinstance(turn, Chance) and turn.label == label
        case AdjustClock(seat=whose, ms=ms):
            allow_adjusting(current, whose, ms)
            possible = True
        case ReplaceSeat(seat=seat, holder=holder):
            possible = live and _is_seat(current, seat) and 0 < len(holder) <= 64
        case ForceMove(seat=seat, decision=decision):
            possible = live and _is_seat(current, seat) and current.status is not Status.PAUSED
            if possible and seat in current.resigned:
                raise AlreadyResigned
            if possible and decision != current.decision_of(seat):
                raise DecisionClosed
        case Forfeit(seat=seat):
            possible = live and _is_seat(current, seat)
            if possible and seat in current.resigned:
                raise AlreadyResigned
        case SetResult(ranks=ranks, scores=scores):
            if len(ranks) != current.seats or not all(1 <= r <= current.seats for r in ranks):
                raise RulingImpossible("/ruling/ranks", f"are {current.seats}, by seat, from 1 on")
            if scores is not None and len(scores) != current.seats:
                raise RulingImpossible("/ruling/scores", f"are {current.seats}, by seat")
            possible = True
        case Void():
            possible = current.status is not Status.VOID
        case Replay(match_id=match_id):
            possible = is_id(match_id)
        case _:
            assert_never(ruling)
    if not possible or (
        isinstance(ruling, SetResult | Void | Replay) and current.status is Status.CANCELLED
    ):
        raise RulingImpossible


def _is_too_late(current: Match, event: DisputeRuled) -> bool:
    """Nothing is played after a closing time, and nobody comes to a seat."""
    played = Rewind | Redraw | ForceMove | Forfeit | ReplaceSeat | AdjustClock
    return is_closed(current, event.at) and isinstance(event.ruling, played)


def _allow_rewind(current: Match, to: int, target: Match | None, member: str) -> None:
    if current.is_revealed:
        raise MatchRevealedAlready
    if current.created.deal_group is not None and current.status in DONE:
        raise GroupMatchOver
    if current.status is Status.CANCELLED:
        raise RulingImpossible
    if target is None or target.version != to or to >= current.version:
        raise RulingImpossible(member, "is no version before this one")
    if target.state is None or target.status not in LIVE:
        raise RulingImpossible(member, "is no version at which the match was played")


# What brings a dispute to a stage.
_LEADS_TO: Final = {
    Stage.UNDER_REVIEW: ": first take it under review",
    Stage.RULED: ": first rule on it",
}


def _at_stage(current: Match, dispute: int, stage: Stage) -> Dispute:
    own = found(current, dispute)
    if own is None:
        raise DisputeNotFound
    if own.stage is not stage:
        why = f"is {own.stage}, and has to be {stage}{_LEADS_TO.get(stage, '')}"
        raise WrongStage("dispute", why)
    return own


def _assert_playing(current: Match) -> None:
    refuse_held(current)
    if current.status is not Status.RUNNING:
        raise MatchNotRunning


def _assert_hidden(current: Match) -> None:
    """After the reveal nothing is hidden, and who may look matters no more."""
    if current.is_revealed:
        raise MatchRevealedAlready


def _is_seat(current: Match, seat: Seat) -> bool:
    return 0 <= seat < current.seats
