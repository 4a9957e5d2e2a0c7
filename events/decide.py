"""What a command does to a match: `decide` its first event, `settle` all that follows of itself."""

from hmac import digest as hmac
from typing import Any, TypeAlias

import msgspec
from msgspec.structs import replace

from events.canonical import raw
from events.dealer import Dealer, offer_digest
from events.entropy import opens
from events.match import Match, asking, evolve, opened
from events.observe import sealed_as
from events.seat_keys import RESIGNING, SeatSignatureWrong, check_signed
from events.types import (
    FORMAT,
    By,
    ChanceDrawn,
    EntropyClosed,
    EntropyCommitted,
    EntropyOpened,
    Event,
    MatchCancelled,
    MatchCreated,
    MatchEnded,
    MatchRevealed,
    MatchStarted,
    MovePlayed,
    Outcome,
    SeatClaimed,
    SeatReleased,
    SeatResigned,
    SeatSignature,
    Start,
    Status,
    Terminal,
    TextRow,
)
from games.core.game import OPEN, Chance, Decision, Game, Over, Seat
from games.core.moves import Choice, IllegalMove, Move, Offer, take, text_fields, wire_move


class Refused(Exception):
    """A command the match does not accept."""


class MatchNotRunning(Refused):
    """Moves and resignations need a running match."""


class MatchAlreadyStarted(Refused):
    """Seats change hands and a match starts before the start only."""


class MatchEndedAlready(Refused):
    """A match that is over can't be cancelled."""


class SeatTaken(Refused):
    """The seat is claimed."""


class SeatFree(Refused):
    """The seat is not claimed."""


class SeatsUnclaimed(Refused):
    """A match starts when every seat is claimed."""


class AlreadyResigned(Refused):
    """A seat resigns once, and plays no more: its fallback does."""


class DecisionClosed(Refused):
    """The decision is not open for this seat."""


class OfferGone(Refused):
    """The decision is open, the move is offered no more; events were applied since it opened."""


class MoveUnsigned(Refused):
    """A seat with a key signs what it does; one without has nothing to sign with."""


class NoEntropy(Refused):
    """Seats put nothing into the seed of this match."""


class EntropyIsClosed(Refused):
    """What the seat puts into the seed is fixed."""


class EntropyAwaited(Refused):
    """First every seat has to say what it puts into the seed."""


class OpeningWrong(Refused):
    """It is not what the seat committed to."""


class CreateMatch(msgspec.Struct, frozen=True):
    """`options` are an Options struct of the game."""

    match_id: str
    game: Game[Any, Any]
    options: msgspec.Struct
    seats: int
    seed_commitment: str
    algorithm: str
    start: Start = Start.AUTO
    takes_entropy: bool = False
    reveal_by: int | None = None


class ClaimSeat(msgspec.Struct, frozen=True):
    """`key` is the seat's own, in base64url, if what it does shall be signed."""

    seat: Seat
    holder: str
    key: str | None = None


class ReleaseSeat(msgspec.Struct, frozen=True):
    seat: Seat


class StartMatch(msgspec.Struct, frozen=True):
    pass


class PlayMove(msgspec.Struct, frozen=True):
    """`decision` is None for an aside; `text_salt` is 32 random bytes, for texts if it has any.

    `signed` is for a seat with a key; who gives it sees to it that its head is that of its version.
    """

    seat: Seat
    decision: str | None
    wire: Any
    text_salt: bytes
    signed: SeatSignature | None = None


class CommitEntropy(msgspec.Struct, frozen=True):
    """`commitment` in hex; None for a seat that puts nothing in."""

    seat: Seat
    commitment: str | None


class OpenEntropy(msgspec.Struct, frozen=True):
    """`opening` in hex."""

    seat: Seat
    opening: str


class Resign(msgspec.Struct, frozen=True):
    """`signed` as in PlayMove."""

    seat: Seat
    signed: SeatSignature | None = None


class CancelMatch(msgspec.Struct, frozen=True):
    pass


Command: TypeAlias = (
    ClaimSeat
    | ReleaseSeat
    | StartMatch
    | PlayMove
    | CommitEntropy
    | OpenEntropy
    | Resign
    | CancelMatch
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
        deal_group=None,
        steerable=None if command.takes_entropy else "operator",
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


def _assert_seating(current: Match) -> None:
    if current.status is not Status.SEATING:
        raise MatchAlreadyStarted


def _first(
    current: Match, command: Command, dealer: Dealer, at: int
) -> tuple[Event, tuple[TextRow, ...]]:
    version = current.version + 1
    assert 0 <= getattr(command, "seat", 0) < current.seats, command
    match command:
        case PlayMove():
            return _play(current, command, dealer, at)
        case ClaimSeat(seat=seat, holder=holder, key=key):
            _assert_seating(current)
            if current.holders[seat] is not None:
                raise SeatTaken
            return SeatClaimed(version=version, at=at, seat=seat, holder=holder, key=key), ()
        case ReleaseSeat(seat=seat):
            _assert_seating(current)
            if current.entropy is not None and current.entropy.is_closed:
                raise EntropyIsClosed
            if current.holders[seat] is None:
                raise SeatFree
            return SeatReleased(version=version, at=at, seat=seat), ()
        case StartMatch():
            _assert_seating(current)
            if None in current.holders:
                raise SeatsUnclaimed
            if current.entropy is not None and not current.entropy.is_complete:
                raise EntropyAwaited
            return MatchStarted(version=version, at=at), ()
        case CommitEntropy() | OpenEntropy():
            return _contribution(current, command, at), ()
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


def _contribution(current: Match, command: CommitEntropy | OpenEntropy, at: int) -> Event:
    _assert_seating(current)
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
    if current.status is Status.SEATING:
        if current.entropy is not None and not current.entropy.is_complete:
            return _closing(current, at)
        ready = created.start is Start.AUTO and None not in current.holders
        return MatchStarted(version=version, at=at) if ready else None
    turn = current.turn
    if isinstance(turn, Over):
        return MatchEnded(version=version, at=at, outcome=_outcome(current, turn))
    if current.resigned and _is_given_up(current):
        return MatchEnded(version=version, at=at, outcome=_outcome(current, None))
    if isinstance(turn, Chance):
        return _draw(turn, dealer, version, at)
    assert isinstance(turn, Decision)
    seat = _absent(current, turn) if current.resigned else None
    if seat is None:
        return None
    return _fallback(current, seat, dealer, at)


def _closing(current: Match, at: int) -> EntropyClosed | None:
    entropy = current.entropy
    assert entropy is not None
    if entropy.is_closed or entropy.awaited or None in current.holders:
        return None
    return EntropyClosed(version=current.version + 1, at=at)


def _fallback(current: Match, seat: Seat, dealer: Dealer, at: int) -> MovePlayed:
    decision = f"{current.asked[seat]}.{seat}"
    move = raw(wire_move(current.game.fallback(current.state, seat)))
    return MovePlayed(
        version=current.version + 1,
        at=at,
        seat=seat,
        decision=decision,
        move=move,
        by=By.FALLBACK,
        sealed=sealed_as(current, seat, decision, move, dealer),
    )


def _absent(current: Match, decision: Decision) -> Seat | None:
    """A resigned seat whose fallback is due; in an open decision only if nobody else can act."""
    asked = sorted(decision.offers)
    absent = [seat for seat in asked if seat in current.resigned]
    if decision.mode is OPEN and len(absent) < len(asked):
        return None
    return absent[0] if absent else None


def _draw(turn: Chance, dealer: Dealer, version: int, at: int) -> ChanceDrawn:
    (choice,) = turn.offer.fields.values()
    assert isinstance(choice, Choice)
    return ChanceDrawn(
        version=version,
        at=at,
        label=turn.label,
        options=len(choice.options),
        offer=offer_digest(turn.offer).hex(),
        picks=dealer.places(turn.label, turn.offer),
    )


def _is_given_up(current: Match) -> bool:
    """At most one seat has not resigned; in a solitaire game, none."""
    left = current.seats - len(current.resigned)
    return left <= (1 if current.seats > 1 else 0)


def _outcome(current: Match, over: Over | None) -> Outcome:
    """Resigned seats rank below all others, an earlier resignation lower.

    The ranks of the others close up; where the game gave no rank 1, nobody gets it.
    """
    resigned = current.resigned
    if over and not resigned:
        return Outcome(Terminal.NORMAL, over.ranks, over.scores, over.note)
    played = [seat for seat in range(current.seats) if seat not in resigned]
    own = {seat: over.ranks[seat] if over else 1 for seat in played}
    best = min(over.ranks) if over else 1
    ranks = {seat: best + sum(own[other] < own[seat] for other in played) for seat in played}
    for place, seat in enumerate(reversed(resigned)):
        ranks[seat] = max(2, best + len(played) + place)
    by_seat = tuple(ranks[seat] for seat in range(current.seats))
    if over:
        return Outcome(Terminal.NORMAL, by_seat, over.scores, over.note)
    return Outcome(Terminal.RESIGNED, by_seat, None, "")


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
