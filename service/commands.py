"""`play_move`: load, decide, append, announce; on a conflict, again from the top.

It is safe to send again as often as one likes: the decision, or for an aside the caller's
Idempotency-Key, names the request. What callers do around play is in service/arrangements.py.
"""

from typing import Any, Final

import msgspec

from events import decide as domain
from events.canonical import canonical, decoded, prefixed
from events.charging import deadlines
from events.decide import PlayMove, Refused, Step, decide, refuse_late, taken
from events.flags import refuse_slow
from events.match import Match, fold
from events.refusals import FlagHasFallen
from events.store import PAGE, CommandRow
from events.types import MovePlayed, Record
from games.core.game import Seat
from games.core.moves import IllegalMove, Offer, take, wire_move
from projections.projection import own_decision
from service import traces
from service.auth import Caller
from service.committing import ATTEMPTS, Done, Receipt, commit, is_owed, loaded
from service.errors import (
    DecisionAnswered,
    DecisionClosed,
    IdempotencyKeyRequired,
    IdempotencyKeyReused,
    OfferGone,
    OtherSeat,
    TryAgain,
)
from service.flags import in_turn
from service.open_times import Answer
from service.parts import Parts
from service.refusing import evidenced
from service.signals import count_move, deciding
from service.signed_moves import SeatSigned, checked_head, text_salt

SALT_BYTES: Final = 32


class Play(msgspec.Struct, frozen=True):
    """What a door parsed. `decision` is None for an aside, which needs `idempotency_key`."""

    match_id: str
    decision: str | None
    move: Any
    idempotency_key: str | None = None
    signed: SeatSigned | None = None
    arrived: int | None = None  # ms, when it came in; by default when it is decided


async def play_move(parts: Parts, caller: Caller, play: Play) -> Done:
    """Answer the seat's open decision, or say something aside.

    Raises: MatchNotFound, SeatTokenRequired, OtherSeat, IdempotencyKeyRequired, DecisionAnswered,
    DecisionClosed, OfferGone, IllegalMove, Refused, IdempotencyKeyReused, TryAgain.
    """
    with traces.span("play_move", play.match_id):
        return await _play(parts, caller, play)


async def _play(parts: Parts, caller: Caller, play: Play) -> Done:
    seat = await _seat_of(parts, caller, play)
    key = _key(play, seat)
    return await in_turn(parts, play.match_id, lambda: _played(parts, play, seat, key))


async def _played(parts: Parts, play: Play, seat: Seat, key: str) -> Done:
    """Raises: as `play_move`, and FlagDue."""
    for attempt in range(ATTEMPTS):
        # What was last seen here will do for an acceptance, which the append checks.
        seen = parts.cache.peek(play.match_id) if attempt == 0 else None
        if seen is not None and await is_owed(parts, seen):
            seen = None
        current = seen or await loaded(parts, play.match_id)
        dealer = await parts.dealers.of(play.match_id)
        command = _command(parts, play, seat)
        try:
            await checked_head(parts, play.match_id, play.signed)
            with traces.span("decide", play.match_id), deciding(current.game.slug):
                steps = decide(current, command, dealer, parts.clock())
        except (Refused, IllegalMove) as refusal:
            if seen is not None or await _outage_learnt(parts, refusal, current, seat):
                continue
            return await _repeated(parts, play, seat, key, refusal, current)
        request = _request(parts, seat, plain_move(steps[0]))
        try:
            done = await commit(parts, steps, dealer, key, request)
        except IdempotencyKeyReused:
            raise await _answered_otherwise(parts, play, seat) from None
        if done is not None:
            _counted(parts, play, steps[0], done)
            return await _receipted(parts, play, seat, done)
    raise TryAgain


def _counted(parts: Parts, play: Play, step: Step, done: Done) -> None:
    game = step.after.game.slug
    count_move(game, "replayed" if done.replayed else "accepted")
    if play.decision is not None and not done.replayed:
        asked = int(play.decision.partition(".")[0])
        parts.answers.note(Answer(game, play.match_id, asked, step.event.at))


async def validate_move(parts: Parts, caller: Caller, play: Play) -> bytes:
    """The canonical move that playing would accept now; nothing is done, nothing is stored.

    Raises: as `play_move`.
    """
    seat = await _seat_of(parts, caller, play)
    if play.decision is not None:
        _refuse_other_seat(play.decision, seat)
    current = await loaded(parts, play.match_id)
    command = PlayMove(seat, play.decision, play.move, bytes(SALT_BYTES))
    now = parts.clock()
    try:
        refuse_late(current, now)
        refuse_slow(current, seat, play.decision, now if play.arrived is None else play.arrived)
        # No further than the offers: how long playing on takes may tell what is hidden.
        return canonical(taken(current, command))
    except (Refused, IllegalMove) as refusal:
        raise _told(refusal, current, seat) from None


def _command(parts: Parts, play: Play, seat: Seat) -> PlayMove:
    salt = text_salt(parts, play.signed, SALT_BYTES)
    signed = None if play.signed is None else play.signed.signature_of
    return PlayMove(seat, play.decision, play.move, salt, signed, play.arrived)


async def _outage_learnt(parts: Parts, refusal: Exception, current: Match, seat: Seat) -> bool:
    """Whether it may not be late after all, by an outage that was not known before."""
    over = deadlines(current).get(seat) if isinstance(refusal, FlagHasFallen) else None
    if over is None or over > parts.clock():
        return False
    known = parts.pulse.outages
    await parts.pulse.knows(over)
    return parts.pulse.outages != known


def plain_move(step: Step) -> bytes:
    """The canonical move of a step with its texts in place of their digests."""
    event = step.event
    assert isinstance(event, MovePlayed)
    if not step.texts:
        return bytes(event.move)
    return canonical({**decoded(event.move), **{row.field: row.text for row in step.texts}})


async def _seat_of(parts: Parts, caller: Caller, play: Play) -> Seat:
    """A user who holds several seats plays the one whose decision it answers."""
    seat = await parts.doorkeeper.seat_of(caller, play.match_id)
    if caller.user is None or play.decision is None:
        return seat
    asked = play.decision.partition(".")[2]
    return next((own for own in caller.user.seats if str(own) == asked), seat)


def _key(play: Play, seat: Seat) -> str:
    if play.decision is not None:
        _refuse_other_seat(play.decision, seat)
        return f"answer:{play.decision}"
    if play.idempotency_key is None:
        raise IdempotencyKeyRequired
    return f"aside:seat:{seat}:{play.idempotency_key}"


def _refuse_other_seat(decision: str, seat: Seat) -> None:
    """A decision's id ends with the seat it asks."""
    if decision.partition(".")[2] != str(seat):
        raise OtherSeat


def _request(parts: Parts, seat: Seat, move: bytes) -> bytes:
    """Whoever plays the seat, by whatever token: the same answer is the same request."""
    return parts.vault.request_hash(prefixed("play", f"seat:{seat}", seat, move))


async def _answered_otherwise(parts: Parts, play: Play, seat: Seat) -> Exception:
    """Said of the match with the answer in it: what was decided on may not have had it yet."""
    refusal = IdempotencyKeyReused() if play.decision is None else DecisionAnswered()
    return await _kept(parts, play, seat, refusal, await loaded(parts, play.match_id))


async def _repeated(
    parts: Parts,
    play: Play,
    seat: Seat,
    key: str,
    refusal: Exception,
    current: Match,
) -> Done:
    """A refused move may be one that was accepted before. Raises: what to tell the caller."""
    known = None
    if play.decision is None or not isinstance(refusal, IllegalMove | domain.OfferGone):
        known = await parts.store.command(play.match_id, key)
    if known is None:
        told = _told(refusal, current, seat)
        raise await _kept(parts, play, seat, told, current) from None
    moves = (canonical(play.move), await _canonical_then(parts, play, seat, known))
    if not any(known.request_hash == _request(parts, seat, move) for move in moves):
        raise await _answered_otherwise(parts, play, seat) from None
    count_move(current.game.slug, "replayed")
    done = Done(Receipt(known.first, known.last, known.head.hex()), replayed=True)
    return await _receipted(parts, play, seat, done)


async def _kept(
    parts: Parts, play: Play, seat: Seat, refusal: Exception, current: Match
) -> Exception:
    count_move(current.game.slug, "refused")
    return await evidenced(parts, seat, play.decision, play.move, refusal, current)


async def _receipted(parts: Parts, play: Play, seat: Seat, done: Done) -> Done:
    """With the receipt signed: the same bytes as the first time."""
    receipt, event = done.receipt, done.event
    if event is None:
        (event,) = await parts.store.records(play.match_id, receipt.first - 1, 1)
    signed = parts.notary.receipt(play.match_id, seat, play.decision, receipt, event)
    return Done(signed, done.replayed, event)


async def _canonical_then(parts: Parts, play: Play, seat: Seat, known: CommandRow) -> bytes:
    """The move in canonical form by the offers it was taken out of: picks may come in any order."""
    before = fold(await _records(parts, play.match_id, known.first - 1))
    assert before is not None
    assert before.decision is not None
    asked = before.decision.offers if play.decision is not None else before.decision.asides
    offers: tuple[Offer, ...] = asked.get(seat, ())
    try:
        return canonical(wire_move(take(offers, play.move)))
    except IllegalMove:
        return b""


async def _records(parts: Parts, match_id: str, through: int) -> list[Record]:
    found: list[Record] = []
    while len(found) < through:
        found += await parts.store.records(match_id, len(found), min(PAGE, through - len(found)))
    return found


def _told(refusal: Exception, current: Match, seat: Seat) -> Exception:
    """The refusal as this seat may know it, with what it is offered now."""
    match refusal:
        case domain.DecisionClosed():
            return DecisionClosed(decision=own_decision(current, seat))
        case domain.OfferGone():
            return OfferGone(decision=own_decision(current, seat))
        case _:
            return refusal
