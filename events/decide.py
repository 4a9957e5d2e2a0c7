"""What a command does to a match: `decide` its first event, `settle` all that follows of itself."""

from hmac import digest as hmac
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from events.automatic import absent_seat, draw_of, fallback_of
from events.canonical import raw
from events.closing import ending
from events.dealer import Dealer
from events.match import Match, asking, evolve, opened
from events.observe import sealed_as
from events.outcome import is_given_up, outcome_of
from events.refusals import Refused as Refused
from events.seat_keys import RESIGNING, SeatSignatureWrong, check_signed
from events.seating import ClaimSeat as ClaimSeat
from events.seating import CommitEntropy as CommitEntropy
from events.seating import EntropyAwaited as EntropyAwaited
from events.seating import EntropyIsClosed as EntropyIsClosed
from events.seating import MatchAlreadyStarted as MatchAlreadyStarted
from events.seating import NoEntropy as NoEntropy
from events.seating import OpenEntropy as OpenEntropy
from events.seating import OpeningWrong as OpeningWrong
from events.seating import ReleaseSeat as ReleaseSeat
from events.seating import SeatFree as SeatFree
from events.seating import SeatsUnclaimed as SeatsUnclaimed
from events.seating import SeatTaken as SeatTaken
from events.seating import StartMatch as StartMatch
from events.seating import arranged, entropy_closing
from events.types import (
    FORMAT,
    Closing,
    Event,
    MatchCancelled,
    MatchClosed,
    MatchCreated,
    MatchEnded,
    MatchRevealed,
    MatchStarted,
    MovePlayed,
    SeatResigned,
    SeatSignature,
    Start,
    Status,
    TextRow,
)
from games.core.game import Chance, Decision, Game, Over, Seat
from games.core.moves import IllegalMove, Move, Offer, take, text_fields


class MatchNotRunning(Refused):
    """Moves and resignations need a running match."""


class MoveUnsigned(Refused):
    """A seat with a key signs what it does; one without has nothing to sign with."""


class MatchEndedAlready(Refused):
    """A match that is over can't be cancelled."""


class AlreadyResigned(Refused):
    """A seat resigns once, and plays no more: its fallback does."""


class DecisionClosed(Refused):
    """The decision is not open for this seat."""


class OfferGone(Refused):
    """The decision is open, the move is offered no more; events were applied since it opened."""


class GroupClosed(Refused):
    """The closing time of the match's deal group has come."""


class OfGroup(msgspec.Struct, frozen=True):
    """What a match takes over from its deal group; `closes_at` in milliseconds."""

    id: str
    closes_at: int
    closing: Closing


class CreateMatch(msgspec.Struct, frozen=True):
    """`options` are an Options struct of the game. In a deal group the commitment is its seed's."""

    match_id: str
    game: Game[Any, Any]
    options: msgspec.Struct
    seats: int
    seed_commitment: str
    algorithm: str
    start: Start = Start.AUTO
    takes_entropy: bool = False
    reveal_by: int | None = None
    group: OfGroup | None = None


class PlayMove(msgspec.Struct, frozen=True):
    """`decision` is None for an aside; `text_salt` is 32 random bytes, for texts if it has any.

    `signed` is for a seat with a key; who gives it sees to it that its head is that of its version.
    """

    seat: Seat
    decision: str | None
    wire: Any
    text_salt: bytes
    signed: SeatSignature | None = None


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
)


class Step(msgspec.Struct, frozen=True):
    """One new event with the match before and after it."""

    before: Match | None
    event: Event
    after: Match
    texts: tuple[TextRow, ...] = ()


def create(command: CreateMatch, at: int) -> tuple[Step, ...]:
    """Event 1. Raises: OptionsRefused."""
    command.game.new(command.options, command.seats)
    group = command.group
    event = MatchCreated(
        version=1,
        at=at,
        match_id=command.match_id,
        game=command.game.slug,
        rules_version=command.game.rules_version,
        options=raw(command.options),
        seats=command.seats,
        data_digest=command.game.data_digest,
        seed_commitment=command.seed_commitment,
        algorithm=command.algorithm,
        start=command.start,
        format=FORMAT,
        reveal="at_end",
        reveal_by=command.reveal_by,
        deal_group=group.id if group else None,
        steerable=None if command.takes_entropy else "operator",
        closes_at=group.closes_at if group else None,
        closing=group.closing if group else None,
    )
    return (Step(None, event, opened(event, command.game)),)


def decide(current: Match, command: Command, dealer: Dealer, at: int) -> tuple[Step, ...]:
    """The events that `command` leads to, draws and the end included: one append.

    Raises: Refused, IllegalMove.
    """
    event, texts = _first(current, command, dealer, at)
    return settle(current, event, texts, dealer, at)


def settle(
    current: Match, event: Event, texts: tuple[TextRow, ...], dealer: Dealer, at: int
) -> tuple[Step, ...]:
    """`event` and all that follows of itself: the start, draws, fallbacks, the end, the reveal."""
    waiting = asked_seats(current)
    steps: list[Step] = []
    next_one: Event | None = event
    while next_one is not None:
        step = _step(current, next_one, texts, waiting)
        steps.append(step)
        waiting = still_asked(waiting, step.event, step.after)
        current, texts = step.after, ()
        next_one = following(current, dealer, at)
    return tuple(steps)


def asked_seats(current: Match) -> frozenset[Seat]:
    """The seats with an open decision."""
    return frozenset(current.decision.offers) if current.decision else frozenset()


def still_asked(waiting: frozenset[Seat], event: Event, after: Match) -> frozenset[Seat]:
    """The seats with an open decision after `event`; a draw in between closes none."""
    if after.decision is not None:
        return frozenset(after.decision.offers)
    if after.status is Status.RUNNING and isinstance(after.turn, Chance):
        return _unanswered(waiting, event)
    return frozenset()


def newly_asked(waiting: frozenset[Seat], event: Event, after: Match) -> tuple[Seat, ...]:
    """The seats that get a new decision by `event`, ascending: what its `asks` must say."""
    if after.decision is None:
        return ()
    return tuple(sorted(set(after.decision.offers) - _unanswered(waiting, event)))


def refuse_late(current: Match, at: int) -> None:
    """Nobody gains from a closing time that is acted on late. Raises: GroupClosed."""
    closes_at = current.created.closes_at
    if closes_at is not None and at >= closes_at:
        raise GroupClosed


def _first(
    current: Match, command: Command, dealer: Dealer, at: int
) -> tuple[Event, tuple[TextRow, ...]]:
    version = current.version + 1
    assert 0 <= getattr(command, "seat", 0) < current.seats, command
    if not isinstance(command, CancelMatch | CloseMatch | RevealMatch):
        refuse_late(current, at)
    match command:
        case PlayMove():
            return _play(current, command, dealer, at)
        case ClaimSeat() | ReleaseSeat() | StartMatch() | CommitEntropy() | OpenEntropy():
            return arranged(current, command, at), ()
        case Resign(seat=seat, signed=signed):
            if current.status is not Status.RUNNING:
                raise MatchNotRunning
            if seat in current.resigned:
                raise AlreadyResigned
            _check_signed(current, seat, RESIGNING, b"{}", signed)
            return SeatResigned(version=version, at=at, seat=seat, signed=signed), ()
        case CancelMatch():
            if current.status not in (Status.SEATING, Status.RUNNING):
                raise MatchEndedAlready
            return MatchCancelled(version=version, at=at), ()
        case CloseMatch(early=early):
            assert current.status in (Status.SEATING, Status.RUNNING)
            assert current.created.deal_group is not None
            assert current.closed is None
            return MatchClosed(version=version, at=at, early=early), ()
        case RevealMatch():
            assert current.status in (Status.OVER, Status.CANCELLED)
            assert current.created.deal_group is not None
            assert not current.is_revealed
            return MatchRevealed(version=version, at=at, seed=dealer.seed().hex()), ()


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


def _play(
    current: Match, command: PlayMove, dealer: Dealer, at: int
) -> tuple[MovePlayed, tuple[TextRow, ...]]:
    move = taken(current, command)
    offers = _offers(current, command)
    logged, texts = _with_texts_apart(offers, move, command.text_salt, current.version + 1)
    move_bytes = raw(logged)
    _check_signed(current, command.seat, command.decision, bytes(move_bytes), command.signed)
    event = MovePlayed(
        version=current.version + 1,
        at=at,
        seat=command.seat,
        decision=command.decision,
        move=move_bytes,
        sealed=sealed_as(current, command.seat, command.decision, move_bytes, dealer),
        signed=command.signed,
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
    decision = current.decision
    if decision is None:
        raise MatchNotRunning
    if command.seat in current.resigned:
        raise AlreadyResigned
    if command.decision is None:
        return decision.asides.get(command.seat, ())
    if command.decision != current.decision_of(command.seat):
        raise DecisionClosed
    return decision.offers[command.seat]


def _with_texts_apart(
    offers: tuple[Offer, ...], move: Move, salt: bytes, version: int
) -> tuple[Move, tuple[TextRow, ...]]:
    """The move with digests in place of its texts, and the texts."""
    names = {n for each in offers if each.move is type(move) for n in text_fields(each)}
    if not names:
        return move, ()
    rows = tuple(
        TextRow(version, name, hmac(salt, name.encode(), "sha256"), getattr(move, name))
        for name in sorted(names)
    )
    digests = {row.field: hmac(row.salt, row.text.encode(), "sha256").hex() for row in rows}
    return replace(move, **digests), rows


def following(current: Match, dealer: Dealer, at: int) -> Event | None:
    """The next event that follows of itself, or None."""
    version, created = current.version + 1, current.created
    dealer = dealer.of(current.contributions)
    if current.status in (Status.OVER, Status.CANCELLED):
        if current.is_revealed or created.deal_group is not None or created.reveal != "at_end":
            return None
        return MatchRevealed(version=version, at=at, seed=dealer.seed().hex())
    end = ending(current, at)
    if end is not None:
        return end
    if current.status is Status.SEATING:
        if current.entropy is not None and not current.entropy.is_complete:
            return entropy_closing(current, at)
        ready = created.start is Start.AUTO and None not in current.holders
        return MatchStarted(version=version, at=at) if ready else None
    turn = current.turn
    if isinstance(turn, Over):
        return MatchEnded(version=version, at=at, outcome=outcome_of(current, turn))
    if current.resigned and is_given_up(current):
        return MatchEnded(version=version, at=at, outcome=outcome_of(current, None))
    if isinstance(turn, Chance):
        return draw_of(turn, dealer, version, at)
    assert isinstance(turn, Decision)
    seat = absent_seat(current, turn) if current.resigned or current.closed else None
    if seat is None:
        return None
    return fallback_of(current, seat, dealer, at)


def _step(
    current: Match, event: Event, texts: tuple[TextRow, ...], waiting: frozenset[Seat]
) -> Step:
    after = evolve(current, event)
    asks = newly_asked(waiting, event, after)
    if not asks:
        return Step(current, event, after, texts)
    return Step(current, replace(event, asks=asks), asking(after, asks), texts)


def _unanswered(waiting: frozenset[Seat], event: Event) -> frozenset[Seat]:
    if isinstance(event, MovePlayed) and event.decision is not None:
        return waiting - {event.seat}
    return waiting
