"""What a command does to a match: `decide` its first event, `settle` all that follows of itself."""

from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from events.allowing import refuse_held
from events.asking import asked_seats, newly_asked, still_asked
from events.attended import PresenceChecked, StandInSeated
from events.canonical import raw
from events.closing import refusal_of
from events.creating import CreateMatch as CreateMatch
from events.creating import OfGroup as OfGroup
from events.creating import created
from events.dealer import Dealer
from events.disputing import Disputing, PlayedBack, RuleDispute, opening
from events.flags import arrival, refuse_before_flags, refuse_fallen
from events.following import following
from events.match import Match, asking, evolve, opened
from events.observe import sealed_as
from events.offering import Agreeing, AnswerDraw, OfferDraw, agreeing
from events.presence import allow_attending
from events.refusals import AlreadyResigned as AlreadyResigned
from events.refusals import DecisionClosed as DecisionClosed
from events.refusals import EntropyAwaited as EntropyAwaited
from events.refusals import EntropyIsClosed as EntropyIsClosed
from events.refusals import GroupClosed as GroupClosed
from events.refusals import MatchAlreadyStarted as MatchAlreadyStarted
from events.refusals import MatchEndedAlready as MatchEndedAlready
from events.refusals import MatchIsClosed as MatchIsClosed
from events.refusals import MatchNotRunning as MatchNotRunning
from events.refusals import MoveUnsigned as MoveUnsigned
from events.refusals import NoEntropy as NoEntropy
from events.refusals import OfferGone as OfferGone
from events.refusals import OpeningWrong as OpeningWrong
from events.refusals import Refused as Refused
from events.refusals import SeatFree as SeatFree
from events.refusals import SeatsUnclaimed as SeatsUnclaimed
from events.refusals import SeatTaken as SeatTaken
from events.rulings import ForceMove
from events.seat_keys import RESIGNING, SeatSignatureWrong, check_signed
from events.seating import ClaimSeat as ClaimSeat
from events.seating import CommitEntropy as CommitEntropy
from events.seating import OpenEntropy as OpenEntropy
from events.seating import ReleaseSeat as ReleaseSeat
from events.seating import StartMatch as StartMatch
from events.seating import arranged
from events.texts import move_apart
from events.timing import AddTime, PauseMatch, ResumeMatch, Timing, timing
from events.types import (
    DONE,
    By,
    Event,
    MatchCancelled,
    MatchClosed,
    MatchRevealed,
    MovePlayed,
    SeatResigned,
    SeatSignature,
    Status,
    TextRow,
)
from games.core.game import Seat
from games.core.moves import IllegalMove, Move, Offer, take


class PlayMove(msgspec.Struct, frozen=True):
    """`decision` is None for an aside; `text_salt` is 32 random bytes, for texts if it has any.

    `signed` is for a seat with a key; who gives it sees to it that its head is that of its version.
    `arrived` (ms) is when it came in, by default when it is decided.
    """

    seat: Seat
    decision: str | None
    wire: Any
    text_salt: bytes
    signed: SeatSignature | None = None
    arrived: int | None = None


class Resign(msgspec.Struct, frozen=True):
    """`signed` as in PlayMove."""

    seat: Seat
    signed: SeatSignature | None = None


class CancelMatch(msgspec.Struct, frozen=True):
    pass


class CloseMatch(msgspec.Struct, frozen=True):
    """The match's deal group closes; the match must not be over, or closed before."""

    early: bool


class RevealMatch(msgspec.Struct, frozen=True):
    """Every match of the deal group is over, which the caller sees to; this one is not revealed."""


class CheckPresence(msgspec.Struct, frozen=True):
    """The time to join is over; `seen` (ms) is when each seat was last there, if it was."""

    seen: tuple[int | None, ...]


class SeatStandIn(msgspec.Struct, frozen=True):
    """`holder`, a pseudonym, has the seat of one that did not come."""

    seat: Seat
    holder: str


Command: TypeAlias = (
    ClaimSeat
    | ReleaseSeat
    | StartMatch
    | PlayMove
    | CommitEntropy
    | OpenEntropy
    | Resign
    | CancelMatch
    | CloseMatch
    | RevealMatch
    | Disputing
    | Timing
    | CheckPresence
    | SeatStandIn
    | Agreeing
)


class Step(msgspec.Struct, frozen=True):
    """One new event with the match before and after it."""

    before: Match | None
    event: Event
    after: Match
    texts: tuple[TextRow, ...] = ()


def create(command: CreateMatch, at: int) -> tuple[Step, ...]:
    """Event 1. Raises: OptionsRefused."""
    event = created(command, at)
    return (Step(None, event, opened(event, command.game)),)


def decide(current: Match, command: Command, dealer: Dealer, at: int) -> tuple[Step, ...]:
    """The events that `command` leads to, draws and the end included: one append.

    They happen at `at` (ms), or when the event before them did if a clock was set back since.
    Raises: Refused, IllegalMove, FlagDue.
    """
    at = max(at, current.at)
    late = overdue(current, dealer, at) if waits_for_time(current) else ()
    before = late[-1].after if late else current
    event, texts = _first(before, command, dealer, at)
    refuse_before_flags(before, event)
    if not isinstance(command, RuleDispute):
        target = getattr(command, "target", None)
        return (*late, *settle(before, event, texts, dealer, at, target))
    steps = settle(before, event, texts, dealer, at, command.target)
    return (*late, *steps, *_forced(steps[-1].after, command, dealer, at))


def overdue(current: Match, dealer: Dealer, at: int) -> tuple[Step, ...]:
    """What follows of itself by the time alone: the reveal once its window is over, the opening,
    the start or the closing of a match that has a schedule."""
    at = max(at, current.at)
    due = following(current, dealer, at)
    return () if due is None else settle(current, due, (), dealer, at)


def waits_for_time(current: Match) -> bool:
    """Whether something may be overdue."""
    created = current.created
    closes = created.closes_at is not None and created.deal_group is None
    return closes or created.schedule is not None or current.status in DONE


def settle(
    current: Match,
    event: Event,
    texts: tuple[TextRow, ...],
    dealer: Dealer,
    at: int,
    target: Match | None = None,
) -> tuple[Step, ...]:
    """`event` and all that follows of itself: the start, draws, fallbacks, the end, the reveal.

    `target` is the match a rewind among them goes back to.
    """
    waiting = asked_seats(current)
    steps: list[Step] = []
    next_one: Event | None = event
    while next_one is not None:
        step = _step(current, next_one, texts, waiting, target)
        steps.append(step)
        waiting = still_asked(waiting, step.event, step.after)
        current, texts = step.after, ()
        next_one = following(current, dealer, at)
    return tuple(steps)


def refuse_late(current: Match, at: int) -> None:
    """Nobody gains from a closing time that is acted on late.

    Raises: GroupClosed, MatchIsClosed.
    """
    closes_at = current.created.closes_at
    if closes_at is not None and at >= closes_at:
        raise refusal_of(current)


def _first(
    current: Match, command: Command, dealer: Dealer, at: int
) -> tuple[Event, tuple[TextRow, ...]]:
    version = current.version + 1
    assert 0 <= (getattr(command, "seat", None) or 0) < current.seats, command
    if not isinstance(command, CancelMatch | CloseMatch | RevealMatch | Disputing) or isinstance(
        command, PlayedBack
    ):
        refuse_late(current, at)
    match command:
        case PlayMove():
            return _play(current, command, dealer, at)
        case ClaimSeat() | ReleaseSeat() | StartMatch() | CommitEntropy() | OpenEntropy():
            return arranged(current, command, at), ()
        case Resign(seat=seat, signed=signed):
            refuse_held(current)
            if current.status is not Status.RUNNING:
                raise MatchNotRunning
            if seat in current.resigned:
                raise AlreadyResigned
            _check_signed(current, seat, RESIGNING, b"{}", signed)
            return SeatResigned(version=version, at=at, seat=seat, signed=signed), ()
        case CancelMatch():
            if current.status in DONE:
                raise MatchEndedAlready
            return MatchCancelled(version=version, at=at), ()
        case PauseMatch() | ResumeMatch() | AddTime():
            return timing(current, command, at), ()
        case OfferDraw() | AnswerDraw():
            return agreeing(current, command, at), ()
        case CheckPresence(seen=seen):
            checked = PresenceChecked(version=version, at=at, seen=seen)
            allow_attending(current, checked)
            return checked, ()
        case SeatStandIn(seat=seat, holder=holder):
            seated = StandInSeated(version=version, at=at, seat=seat, holder=holder)
            allow_attending(current, seated)
            return seated, ()
        case CloseMatch() | RevealMatch():
            return _of_group(current, command, dealer, at), ()
        case _:
            return opening(current, command, at)


def _of_group(
    current: Match, command: CloseMatch | RevealMatch, dealer: Dealer, at: int
) -> MatchClosed | MatchRevealed:
    version = current.version + 1
    assert current.created.deal_group is not None
    match command:
        case CloseMatch(early=early):
            assert current.status not in DONE
            assert current.closed is None
            return MatchClosed(version=version, at=at, early=early)
        case RevealMatch():
            assert current.status in DONE
            assert not current.is_revealed
            return MatchRevealed(version=version, at=at, seed=dealer.seed().hex())


def taken(current: Match, command: PlayMove) -> Move:
    """The move as it would be accepted now. What it leads to is not looked at: a caller may ask as
    often as it likes, and how long an answer takes must not tell anything hidden.

    Raises: Refused, IllegalMove.
    """
    try:
        return take(_offers(current, command), command.wire)
    except IllegalMove:
        if command.decision is not None and current.version > current.asked[command.seat]:
            raise OfferGone from None
        raise


def _forced(current: Match, command: RuleDispute, dealer: Dealer, at: int) -> tuple[Step, ...]:
    """The arbiter's answer to the decision, if that was ruled. Raises: IllegalMove."""
    forced = current.due
    if not isinstance(forced, ForceMove):
        return ()
    play = PlayMove(forced.seat, forced.decision, command.move, command.text_salt)
    take(_offers(current, play), play.wire)
    event, texts = _play(current, play, dealer, at, By.ARBITER)
    return settle(current, event, texts, dealer, at)


def _play(
    current: Match, command: PlayMove, dealer: Dealer, at: int, by: By = By.SEAT
) -> tuple[MovePlayed, tuple[TextRow, ...]]:
    offers = _offers(current, command)
    arrived = None
    if current.clocks is not None and by is By.SEAT and command.decision is not None:
        arrived = arrival(current, command.seat, command.arrived, at)
    move = taken(current, command)
    logged, texts = move_apart(offers, move, command.text_salt, current.version + 1)
    move_bytes = raw(logged)
    _check_signed(current, command.seat, command.decision, bytes(move_bytes), command.signed)
    event = MovePlayed(
        version=current.version + 1,
        at=at,
        seat=command.seat,
        decision=command.decision,
        move=move_bytes,
        by=by,
        sealed=sealed_as(current, command.seat, command.decision, move_bytes, dealer),
        signed=command.signed,
        arrived=arrived,
    )
    return event, texts


def _check_signed(
    current: Match, seat: Seat, decision: str | None, what: bytes, signed: SeatSignature | None
) -> None:
    """Raises: MoveUnsigned."""
    try:
        check_signed(current, seat, decision, what, signed)
    except SeatSignatureWrong as wrong:
        raise MoveUnsigned(str(wrong)) from None


def _offers(current: Match, command: PlayMove) -> tuple[Offer, ...]:
    refuse_fallen(current, command.seat, command.decision)
    decision = current.decision
    if decision is None:
        raise MatchNotRunning
    refuse_held(current)
    if command.seat in current.resigned:
        raise AlreadyResigned
    if command.decision is None:
        return decision.asides.get(command.seat, ())
    if command.decision != current.decision_of(command.seat):
        raise DecisionClosed
    return decision.offers[command.seat]


def _step(
    current: Match,
    event: Event,
    texts: tuple[TextRow, ...],
    waiting: frozenset[Seat],
    target: Match | None,
) -> Step:
    after = evolve(current, event, target)
    asks = newly_asked(waiting, event, after)
    if not asks:
        return Step(current, event, after, texts)
    event = replace(event, asks=asks)
    return Step(current, event, asking(after, event), texts)
